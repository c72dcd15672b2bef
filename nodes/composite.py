"""A person laid over a background."""

from __future__ import annotations

import dataclasses

from pullfx.kernels import composite as kernels, upsample_2x
from pullfx.nodes.tone import Tables, stacked
from pullfx.nodes.types import Backdrop, Matte
from pullfx.pipeline.frame import Frame, Plane
from pullfx.pipeline.node import Following, node
from pullfx.pipeline.pool import HEAP, Pool


@node
def composite(
    foreground: Frame,
    background: Backdrop,
    matte: Matte,
    following: Following[Tables] = (),
    pool: Pool = HEAP,
) -> Frame:
    """The foreground over the background, on Y, U and V.

    Where the matte is 255 all around, a pixel keeps the foreground's very value; where it is 0 all
    around, nothing of the foreground is left.

    Args:
        foreground: the picture with the person.
        background: for a picture of that size, with colours made in the same way.
        matte: of that size; 255 shows the foreground.
        following: what is done to the result's codes, in order.
        pool: where the result comes from.

    Returns:
        A frame with the time and the colour description of `foreground`, and if the background is
        transparent, with the matte as its alpha.

    Raises:
        KernelError: the sizes do not fit.
    """
    out = pool.frame(foreground)
    shift, tables = background.shift, stacked(following)
    kernels.lay(foreground.planes, background.planes, matte, shift, out.planes, tables)
    alpha = _doubled(matte, out, pool) if background.is_transparent else None
    return out if alpha is out.alpha else dataclasses.replace(out, alpha=alpha)


def _doubled(matte: Matte, frame: Frame, pool: Pool) -> Plane:
    """The matte at the frame's size, as `kernels.lay` uses it for luma."""
    height, width = matte.shape
    doubled = pool.array((2 * height, 2 * width))
    upsample_2x(matte, doubled)
    return doubled[: frame.height, : frame.width]


@node
def nobody_before(frame: Frame, background: Backdrop, pool: Pool = HEAP) -> Frame:
    """The background alone.

    Args:
        frame: gives size, time and colour description; nothing of it is seen.
        background: for a picture of that size, with colours made in the same way.
        pool: where result and scratch come from.
    """
    nobody = pool.array(frame.u.shape)
    nobody.fill(0)
    return composite(frame, background, Matte(nobody), pool=pool)
