"""Kernels that lay a person over a background: from the network's mask to the finished frame.

Two sizes occur between the frame's and the network's. "Half" is that of the frame's chroma planes;
the mask between nodes has it. The *grid* at `shift` has a pixel, a cell, for every 2^shift pixels
of the frame along a side, counted from its first pixel; what a cell at the end lacks is filled with
the last row and column. So all enlargements are by powers of two, and nothing shifts.

What each computes exactly, `pullfx.kernels.reference.compositing` and its neighbours define.
"""

from __future__ import annotations

import math
from typing import Final

from pullfx.errors import KernelError
from pullfx.kernels import isa
from pullfx.kernels.arguments import (
    check_apart,
    check_apart_or_same,
    check_in_range,
    check_plane,
    check_planes,
)
from pullfx.kernels.composite_kernels import Guiding, Plane, Planes

__all__ = [
    "LARGEST_CELL_SHIFT",
    "LARGEST_SHIFT",
    "LONGEST_FILTER",
    "Guiding",
    "blend",
    "blend_half",
    "blur",
    "grid_shape",
    "guide",
    "lay",
    "reduce",
]

LARGEST_CELL_SHIFT: Final = 4
"""Largest shift of a grid that `reduce` makes."""

LARGEST_SHIFT: Final = 7
"""Largest shift at which `blur` filters."""

LONGEST_FILTER: Final = 65
"""Most taps that `blur` takes: the middle one and those to one side."""

_LONGEST_SIDE: Final = 32767


def grid_shape(shape: tuple[int, ...], shift: int) -> tuple[int, int]:
    """Height and width of the grid at `shift` over a plane of this shape."""
    height, width = shape
    return -(-height >> shift), -(-width >> shift)


def blend(foreground: Plane, background: Plane, mask: Plane, out: Plane) -> None:
    """Writes the foreground over the background where the mask says so.

    Each pixel is (foreground * mask + background * (255 - mask)) / 255, rounded to nearest: under a
    mask of 255 it is the foreground's very value, under 0 the background's.

    Args:
        foreground: uint8 [height, width], any stride between rows.
        background: the same shape.
        mask: the same shape; 0 shows the background, 255 the foreground.
        out: the same shape, written; may be the very array `foreground`, `background` or `mask`.

    Raises:
        KernelError: wrong type, shape or strides, or `out` overlaps an input without being it.
    """
    check_plane("foreground", foreground)
    shape = foreground.shape
    check_plane("background", background, shape)
    check_plane("mask", mask, shape)
    check_plane("out", out, shape)
    check_apart_or_same("out", out, foreground=foreground, background=background, mask=mask)
    isa.active().blend(foreground, background, mask, out)


def blend_half(foreground: Plane, background: Plane, mask: Plane, out: Plane) -> None:
    """`blend` for planes of half the mask's size: the chroma of 4:2:0 under a mask for its luma.

    The mask of a pixel is the mean of its 2x2 values, rounded to nearest, ties up. At the end of an
    odd row or column it is the mean of the values there are.

    Args:
        foreground: uint8 [(height + 1) // 2, (width + 1) // 2], any stride between rows.
        background: the same shape.
        mask: uint8 [height, width]; 0 shows the background, 255 the foreground.
        out: shaped as `foreground`, written; may be the very array `foreground` or `background`.

    Raises:
        KernelError: wrong type, shape or strides, or `out` overlaps an input without being it.
    """
    check_plane("mask", mask)
    shape = grid_shape(mask.shape, 1)
    check_plane("foreground", foreground, shape)
    check_plane("background", background, shape)
    check_plane("out", out, shape)
    check_apart_or_same("out", out, foreground=foreground, background=background)
    check_apart("out", out, mask=mask)
    isa.active().blend_half(foreground, background, mask, out)


def reduce(frame: Planes, half: Plane, grid: Planes, shift: int) -> None:
    """Makes a frame smaller for all that looks at it in small, in one pass.

    All are exact means, rounded once, to nearest, ties up.

    Args:
        frame: Y [height, width], U and V [(height + 1) // 2, (width + 1) // 2], uint8, any stride
            between rows, at most 32767 a side.
        half: written; luma at half size.
        grid: written; Y, U and V at the grid's size.
        shift: of the grid, 1 to `LARGEST_CELL_SHIFT`.

    Raises:
        KernelError: wrong type, shape or strides, or an output overlaps an input or another.
    """
    isa.run(isa.active().reduce, _check_reduce, frame, half, grid, shift)


def _check_reduce(frame: Planes, half: Plane, grid: Planes, shift: int) -> None:
    check_in_range("shift", shift, 1, LARGEST_CELL_SHIFT)
    _check_frame("frame", frame)
    check_plane("half", half, grid_shape(frame[0].shape, 1))
    check_planes("grid", grid, grid_shape(frame[0].shape, shift))
    check_apart("half", half, **_named("frame", frame), **_named("grid", grid))
    _check_outputs("grid", grid, **_named("frame", frame))


def guide(
    mask: Plane,
    grid: Planes,
    guide: Planes,
    shift: int,
    window: int,
    reach: int,
    numbers: Guiding,
    out: Plane,
) -> None:
    """Raises a small mask to half size, along the edges of the picture: a guided filter.

    After He, Sun and Tang, "Guided Image Filtering" (PAMI 2013), with Y, U and V as the guide, at a
    reduced size as in He and Sun, "Fast Guided Filter" (arXiv:1505.00996). In a window around each
    pair of cells, the mask is explained as a linear function of the colour by least squares; these
    functions, interpolated, are applied to the guide.

    The result is made steeper, since windows leave it softer than the edge is. Where the mask
    doubts whole regions, rather than where just an edge runs, edges of the picture do not tell who
    is person, and the mask stands as it is; doubt is 4 * p * (1 - p), averaged over 16x16 cells and
    spread to two such squares around. And no value leaves the range that the mask has within reach
    of a cell, so that what is 0 or 255 all around stays exactly so.

    Args:
        mask: uint8 of any size, spread over the whole picture; 255 is person.
        grid: Y, U and V at the grid's size, from `reduce`.
        guide: Y, U and V at half size.
        shift: of the grid, 1 to `LARGEST_CELL_SHIFT`.
        window: 3, 5 or 7 pairs of cells.
        reach: 1 or 2 cells, see above.
        numbers: all else.
        out: written; uint8 at half size.

    Raises:
        KernelError: wrong type, shape, strides or number, or `out` overlaps an input.
    """
    isa.run(isa.active().guide, _check_guide, mask, grid, guide, shift, window, reach, numbers, out)


def _check_guide(
    mask: Plane,
    grid: Planes,
    guide: Planes,
    shift: int,
    window: int,
    reach: int,
    numbers: Guiding,
    out: Plane,
) -> None:
    check_in_range("shift", shift, 1, LARGEST_CELL_SHIFT)
    if window not in (3, 5, 7):
        raise KernelError(f"window must be 3, 5 or 7, but is {window}")
    check_in_range("reach", reach, 1, 2)
    if not all(map(math.isfinite, numbers)):
        raise KernelError(f"the numbers must be finite, but are {tuple(numbers)}")
    if not (numbers.flatness > 0 and numbers.doubt_to > numbers.doubt_from):
        raise KernelError(
            f"flatness must be above 0 and doubt_to above doubt_from, but are {tuple(numbers)}"
        )
    check_plane("mask", mask)
    check_planes("guide", guide)
    check_planes("grid", grid, grid_shape(guide[0].shape, shift - 1))
    check_plane("out", out, guide[0].shape)
    _check_sides("mask", mask)
    _check_sides("guide", guide[0])
    check_apart("out", out, mask=mask, **_named("grid", grid), **_named("guide", guide))


def blur(
    grid: Planes, mask: Plane | None, shift: int, halvings: int, taps: list[float], out: Planes
) -> None:
    """Puts the background out of focus, at a small size, as if the person were not there.

    A normalised convolution (Knutsson and Westin, CVPR 1993): each pixel is the mean of the
    background around it, weighted by the filter and by how far it is background, so that the
    person's colours do not run into the background. The planes are first halved `halvings` times;
    beyond their ends they are mirrored. The result is enlarged by two, which leaves it smoother
    than a single enlargement by more would.

    Args:
        grid: Y, U and V at the grid's size.
        mask: uint8 at half size, 255 is person; None where all is background.
        shift: of the grid.
        halvings: 0 or more; with `shift` at most `LARGEST_SHIFT`.
        taps: of a symmetric filter, the middle one first; at most `LONGEST_FILTER`. Their sum is
            without meaning.
        out: written; Y, U and V at shift + halvings - 1, or at 1 where that would be 0.

    Raises:
        KernelError: wrong type, shape, strides or number, or an output overlaps an input or
            another.
    """
    isa.run(isa.active().blur, _check_blur, grid, mask, shift, halvings, taps, out)


def _check_blur(
    grid: Planes, mask: Plane | None, shift: int, halvings: int, taps: list[float], out: Planes
) -> None:
    check_in_range("shift", shift, 1, LARGEST_SHIFT)
    check_in_range("halvings", halvings, 0, LARGEST_SHIFT - shift)
    if not 1 <= len(taps) <= LONGEST_FILTER or not all(map(math.isfinite, taps)):
        raise KernelError(f"taps must be 1 to {LONGEST_FILTER} finite numbers, but are {taps}")
    check_planes("grid", grid)
    check_planes("out", out)
    small = grid_shape(grid[0].shape, halvings)
    if grid_shape(out[0].shape, int(shift + halvings > 1)) != small:
        raise KernelError(f"out has shape {out[0].shape}, which does not become {small} in half")
    inputs = _named("grid", grid)
    if mask is not None:
        check_plane("mask", mask)
        if grid_shape(mask.shape, shift - 1) != grid[0].shape:
            raise KernelError(
                f"mask has shape {mask.shape}, which does not become {grid[0].shape} at {shift}"
            )
        inputs["mask"] = mask
    _check_outputs("out", out, **inputs)


def lay(
    foreground: Planes,
    background: Planes,
    mask: Plane,
    shift: int,
    out: Planes,
    tables: Plane | None = None,
) -> None:
    """Lays the foreground over the background, on all planes, in one pass.

    The mask is doubled for luma and the background enlarged as they are used, bilinear; neither
    exists at full size. Each pixel is then as in `blend`: under a mask of 255 all around it has the
    foreground's very value, under 0 all around nothing of it.

    Args:
        foreground: Y [height, width], U and V [(height + 1) // 2, (width + 1) // 2], uint8, any
            stride between rows, at most 32767 a side.
        background: Y, U and V at the grid's size; for a `shift` of 0 shaped as `foreground`.
        mask: uint8 at half size; 0 shows the background, 255 the foreground.
        shift: of the background, 0 to `LARGEST_SHIFT` - 1.
        out: shaped as `foreground`, written.
        tables: what becomes of each code of Y, U and V at last, uint8 [3, 256], C-contiguous; None
            leaves them as they are.

    Raises:
        KernelError: wrong type, shape or strides, or an output overlaps an input or another.
    """
    isa.run(isa.active().lay, _check_lay, foreground, background, mask, shift, out, tables)


def _check_lay(
    foreground: Planes,
    background: Planes,
    mask: Plane,
    shift: int,
    out: Planes,
    tables: Plane | None,
) -> None:
    check_in_range("shift", shift, 0, LARGEST_SHIFT - 1)
    _check_frame("foreground", foreground)
    shape = foreground[0].shape
    if shift:
        check_planes("background", background, grid_shape(shape, shift))
    else:
        _check_frame("background", background, shape)
    check_plane("mask", mask, foreground[1].shape)
    _check_frame("out", out, shape)
    _check_outputs(
        "out",
        out,
        mask=mask,
        **_named("foreground", foreground),
        **_named("background", background),
    )
    if tables is not None:
        check_plane("tables", tables, (3, 256))
        if not tables.flags.c_contiguous:
            raise KernelError("tables must be C-contiguous; copy them with numpy.ascontiguousarray")


def _check_frame(name: str, planes: Planes, shape: tuple[int, ...] | None = None) -> None:
    """Checks that these are the planes of a 4:2:0 picture."""
    check_planes(name, planes, shape, lambda luma: grid_shape(luma, 1))
    _check_sides(name, planes[0])


def _check_sides(name: str, plane: Plane) -> None:
    if max(plane.shape) > _LONGEST_SIDE:
        raise KernelError(
            f"{name} has shape {plane.shape}; no side may be longer than {_LONGEST_SIDE}"
        )


def _named(name: str, planes: Planes) -> dict[str, Plane]:
    return {f"{name}[{index}]": plane for index, plane in enumerate(planes)}


def _check_outputs(name: str, planes: Planes, **inputs: Plane) -> None:
    """Checks that no output overlaps an input or another output."""
    for index, plane in enumerate(planes):
        check_apart(f"{name}[{index}]", plane, **inputs)
        inputs[f"{name}[{index}]"] = plane
