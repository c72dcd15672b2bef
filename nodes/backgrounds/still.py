"""A background that is one picture."""

from __future__ import annotations

from pullfx.nodes.backgrounds.background import Background, Moment
from pullfx.nodes.backgrounds.cover import cover
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.shape import Shape


class StillBackground(Background):
    """A picture that stands still.

    Args:
        picture: of any size and colour description.
    """

    def __init__(self, picture: Frame) -> None:
        self._picture = picture
        self._shape: Shape | None = None

    def at(self, moment: Moment) -> Frame:
        """The picture, scaled once for each shape."""
        if moment.shape != self._shape:
            self._frame = cover(self._picture, moment.shape)
            self._shape = moment.shape
        return self._frame
