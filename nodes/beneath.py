"""What is under people who are cut out."""

from __future__ import annotations

from typing import Final

from pullfx import kernels
from pullfx.nodes.blur import blur_outward
from pullfx.nodes.planes import shrink
from pullfx.nodes.types import Backdrop, Matte, Reduced, Size
from pullfx.pipeline.frame import Frame, Plane, Range
from pullfx.pipeline.node import node
from pullfx.pipeline.pool import HEAP, Pool

_NEUTRAL: Final = 128


@node
def beneath(
    background: Backdrop,
    frame: Frame,
    reduced: Reduced,
    matte: Matte,
    pool: Pool = HEAP,
) -> Backdrop:
    """What the person is laid over: the background, or if that is transparent, their own colours.

    Colours that go with an alpha are not to be mixed with those of a background, neither the room's
    nor black. So the person's own are continued outwards, as in estimations of the foreground such
    as Forte, "Approximate Fast Foreground Colour Estimation" (ICIP 2021), and farther out it is
    black: a program that ignores alpha shows nothing of the room.

    Args:
        background: what was asked for.
        frame: the picture with the person.
        reduced: that picture in small.
        matte: of that picture.
        pool: where result and scratch come from.
    """
    if not background.is_transparent:
        return background
    height, width = reduced.grid[0].shape
    small = shrink(matte, Size(width, height), pool)
    black = 16 if frame.range is Range.LIMITED else 0
    y, u, v = (
        _before(plane, code, small, pool)
        for plane, code in zip(reduced.grid, (black, _NEUTRAL, _NEUTRAL), strict=True)
    )
    outward = blur_outward(Reduced(reduced.half, (y, u, v), reduced.shift), matte, pool)
    return outward._replace(is_transparent=True)


def _before(plane: Plane, code: int, matte: Plane, pool: Pool) -> Plane:
    """The plane where the matte is 255, a code where it is 0."""
    out: Plane = pool.array(plane.shape)
    out.fill(code)
    kernels.blend(plane, out, matte, out)
    return out
