"""Kernels that retouch skin: what is to change is found in small, and added to the frame.

*Changes* are uint8: 128 is none, and a step is a quarter of a code, so that nothing is ever moved
by more than 32 codes.
"""

from __future__ import annotations

import math
from typing import Final

from pullfx.errors import KernelError
from pullfx.kernels import isa
from pullfx.kernels.arguments import (
    check_apart,
    check_in_range,
    check_plane,
    check_planes,
    check_sides,
)
from pullfx.kernels.composite import grid_shape
from pullfx.kernels.skin_kernels import Plane, Planes

__all__ = [
    "FINEST",
    "LARGEST_LIMIT",
    "LARGEST_RADIUS",
    "LARGEST_SHIFT",
    "NO_CHANGE",
    "retouch",
    "soften",
]

NO_CHANGE: Final = 128
"""The change that is none."""

LARGEST_RADIUS: Final = 10
"""Most that `soften` reaches to each side."""

LARGEST_SHIFT: Final = 6
"""Most that `retouch` enlarges by, as a power of two."""

LARGEST_LIMIT: Final = 31
"""Most codes up to which differences are taken whole."""

FINEST: Final = 32767
"""The `detail` at which `retouch` takes all of the fine detail away."""


def soften(
    plane: Plane,
    weight: Plane,
    out: Plane,
    radius: int,
    flatness: float,
    limit: int,
    strength: float,
) -> None:
    """Writes by how much to change a plane so that it is even where it is nearly so already.

    A guided filter with the plane as its own guide (He, Sun and Tang, "Guided Image Filtering",
    PAMI 2013), as a normalised convolution (Knutsson and Westin, CVPR 1993): what has no weight is
    not changed, and changes nothing around it. Edges, whose variance is far above `flatness`, stay.

    Args:
        plane: uint8 [height, width], any stride between rows, at most 32767 a side.
        weight: the same shape; 255 is skin.
        out: the same shape, written: changes.
        radius: of both windows of the filter, 1 to `LARGEST_RADIUS`.
        flatness: variance, in codes squared, of what is half evened out; above 0.
        limit: codes of difference up to which it is made; of more, such as a mole, less and less
            is, and nothing from twice that on; 1 to `LARGEST_LIMIT`.
        strength: part of the difference that is made, 0 to 1.

    Raises:
        KernelError: wrong type, shape, strides or number, or `out` overlaps an input.
    """
    isa.run(
        isa.active().soften, _check_soften, plane, weight, out, radius, flatness, limit, strength
    )


def _check_soften(
    plane: Plane,
    weight: Plane,
    out: Plane,
    radius: int,
    flatness: float,
    limit: int,
    strength: float,
) -> None:
    check_plane("plane", plane)
    check_plane("weight", weight, plane.shape)
    check_plane("out", out, plane.shape)
    check_sides(plane=plane)
    check_apart("out", out, plane=plane, weight=weight)
    check_in_range("radius", radius, 1, LARGEST_RADIUS)
    if not (math.isfinite(flatness) and flatness > 0):
        raise KernelError(f"flatness must be above 0 and finite, but is {flatness}")
    check_in_range("limit", limit, 1, LARGEST_LIMIT)
    if not 0 <= strength <= 1:
        raise KernelError(f"strength must be 0 to 1, but is {strength}")


def retouch(
    changes: Planes,
    base: Plane,
    weight: Plane,
    frame: Planes,
    top: int,
    left: int,
    shift: int,
    detail: int,
    limit: int,
) -> None:
    """Adds changes to a part of a frame, in place, and takes some of its fine detail away.

    All that comes in small is enlarged as it is used, bilinear. Where the changes are none and the
    weight is 0 all around, a pixel keeps its very value.

    Fine detail is the distance of luma from the enlarged base. It is taken away up to `limit`; what
    is farther off is an edge, of which less and less is taken, and nothing from twice that on.

    Args:
        changes: of luma, uint8 [height, width]; of U and V, of half that size, rounded up.
        base: luma at that size.
        weight: of that size; how much of the detail counts, 255 is all.
        frame: Y, U and V of a 4:2:0 picture, changed in place; what the small planes reach beyond
            it is left out.
        top, left: the pixel of luma where the small planes begin; even.
        shift: by which they are enlarged, 1 to `LARGEST_SHIFT`.
        detail: part of the fine detail that is taken away, of 32768: 0 to `FINEST`.
        limit: in codes, 1 to `LARGEST_LIMIT`.

    Raises:
        KernelError: wrong type, shape, strides or number, or planes that overlap.
    """
    isa.run(
        isa.active().retouch,
        _check_retouch,
        changes,
        base,
        weight,
        frame,
        top,
        left,
        shift,
        detail,
        limit,
    )


def _check_retouch(
    changes: Planes,
    base: Plane,
    weight: Plane,
    frame: Planes,
    top: int,
    left: int,
    shift: int,
    detail: int,
    limit: int,
) -> None:
    check_planes("changes", changes, None, lambda shape: grid_shape(shape, 1))
    check_plane("base", base, changes[0].shape)
    check_plane("weight", weight, changes[0].shape)
    check_planes("frame", frame, None, lambda shape: grid_shape(shape, 1))
    check_sides(changes=changes[0], frame=frame[0])
    others = {f"changes[{index}]": plane for index, plane in enumerate(changes)}
    others.update(base=base, weight=weight)
    for index, plane in enumerate(frame):
        check_apart(f"frame[{index}]", plane, **others)
        others[f"frame[{index}]"] = plane
    for name, place, end in (("top", top, frame[0].shape[0]), ("left", left, frame[0].shape[1])):
        check_in_range(name, place, 0, end - 1)
        if place % 2:
            raise KernelError(f"{name} must be even, but is {place}")
    check_in_range("shift", shift, 1, LARGEST_SHIFT)
    check_in_range("detail", detail, 0, FINEST)
    check_in_range("limit", limit, 1, LARGEST_LIMIT)
