"""A person laid over a background."""

from __future__ import annotations

from pullfx import kernels
from pullfx.nodes.types import Mask
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.node import node
from pullfx.pipeline.pool import HEAP, Pool


@node
def composite(foreground: Frame, background: Frame, mask: Mask, pool: Pool = HEAP) -> Frame:
    """The foreground over the background, on Y, U and V.

    Under a mask of 255 a pixel keeps the foreground's very value, under 0 the background's; for
    chroma, all of the four luma pixels must be so.

    Args:
        foreground: the picture with the person.
        background: of the same size, with colours made in the same way.
        mask: uint8 [height, width] of that size; 255 shows the foreground.
        pool: where the result comes from.

    Returns:
        A frame with the time and the colour description of `foreground`.

    Raises:
        KernelError: the sizes differ.
    """
    out = pool.frame(foreground)
    kernels.blend(foreground.y, background.y, mask, out.y)
    kernels.blend_half(foreground.u, background.u, mask, out.u)
    kernels.blend_half(foreground.v, background.v, mask, out.v)
    return out
