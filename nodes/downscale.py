"""The picture made small for a network, straight from the planes."""

from __future__ import annotations

from pullfx import kernels
from pullfx.nodes.types import Image, Size
from pullfx.pipeline.frame import Frame, Range
from pullfx.pipeline.node import node
from pullfx.pipeline.pool import HEAP, Pool


@node
def downscale(frame: Frame, sizes: tuple[Size, ...], pool: Pool = HEAP) -> Image:
    """The whole picture as RGB, stretched to the size whose shape is nearest to the frame's.

    Stretched, not padded: on the labelled pictures, cut to shapes from 9:16 to 21:9, the selfie
    networks did better so in most of them, and never fell apart.

    Args:
        frame: the picture.
        sizes: what the network takes; of two that are equally near the first is taken.
        pool: where the result comes from.

    Returns:
        RGB picture, uint8 [height, width, 3], full range, of one of the sizes.
    """
    size = nearest_shape(frame, sizes)
    out = pool.array((size.height, size.width, 3))
    kernels.downscale_rgb(
        frame.y, frame.u, frame.v, out, frame.matrix.value, frame.range is Range.FULL
    )
    return Image(out)


def nearest_shape(frame: Frame, sizes: tuple[Size, ...]) -> Size:
    """The size whose ratio of width to height is nearest to the frame's, by their quotient."""

    def stretch(size: Size) -> float:
        across, down = frame.width * size.height, frame.height * size.width
        return max(across, down) / min(across, down)

    return min(sizes, key=stretch)
