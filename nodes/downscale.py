"""The picture made small for a network, straight from the planes."""

from __future__ import annotations

from typing import Final

from pullfx import kernels
from pullfx.nodes.types import Image, Reduced, Size
from pullfx.pipeline.frame import Frame, Range
from pullfx.pipeline.node import node
from pullfx.pipeline.pool import HEAP, Pool

# Pixels of the reduced luma for one of the network's along a side, from which on it is read: where
# there are fewer, the labelled pictures say that the masks get a little worse.
_AMPLE: Final = 2


@node
def downscale(frame: Frame, reduced: Reduced, sizes: tuple[Size, ...], pool: Pool = HEAP) -> Image:
    """The whole picture as RGB, stretched to the size whose shape is nearest to the frame's.

    Stretched, not padded: on the labelled pictures, cut to shapes from 9:16 to 21:9, the selfie
    networks did better so in most of them, and never fell apart.

    Args:
        frame: the picture.
        reduced: the same in small, which is read where it is large enough.
        sizes: what the network takes; of two that are equally near the first is taken.
        pool: where the result comes from.

    Returns:
        RGB picture, uint8 [height, width, 3], full range, of one of the sizes.
    """
    size = nearest_shape(frame, sizes)
    out = pool.array((size.height, size.width, 3))
    height, width = reduced.half.shape
    enough = width >= _AMPLE * size.width and height >= _AMPLE * size.height
    luma = reduced.half if enough else frame.y
    kernels.downscale_rgb(
        luma, frame.u, frame.v, out, frame.matrix.value, frame.range is Range.FULL
    )
    return Image(out)


def nearest_shape(frame: Frame, sizes: tuple[Size, ...]) -> Size:
    """The size whose ratio of width to height is nearest to the frame's, by their quotient."""

    def stretch(size: Size) -> float:
        across, down = frame.width * size.height, frame.height * size.width
        return max(across, down) / min(across, down)

    return min(sizes, key=stretch)
