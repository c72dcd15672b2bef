"""What is shown when even the fallback of an effect that hides something fails."""

from pullfx.pipeline.frame import Frame
from pullfx.pipeline.node import node
from pullfx.pipeline.pool import HEAP, Pool

GREY = 128


@node
def withhold(frame: Frame, pool: Pool = HEAP) -> Frame:
    """A plain grey picture of the frame's size and time; no pixel of `frame` is read."""
    blank = pool.frame(frame)
    for plane in blank.planes:
        plane[...] = GREY
    return blank
