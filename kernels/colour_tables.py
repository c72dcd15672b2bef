"""What changes each code of a plane, or each pixel's colour, for itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pullfx.errors import KernelError
from pullfx.kernels import isa
from pullfx.kernels.arguments import (
    check_apart,
    check_apart_or_same,
    check_in_range,
    check_plane,
    check_planes,
    check_table,
)
from pullfx.kernels.colour import FRACTION_BITS, Mixing

Plane = NDArray[np.uint8]

LARGEST_FACTOR = 3.99
"""Most that `saturate` and `mix_chroma` multiply by."""


def apply_table(plane: Plane, table: NDArray[np.uint8], out: Plane) -> None:
    """Writes what a table has for each code: any function of a code at the same cost.

    Args:
        plane: uint8 [height, width], any stride between rows.
        table: uint8 [256], C-contiguous.
        out: shaped as `plane`, written; may be the very array `plane`.

    Raises:
        KernelError: wrong type, shape or strides, or `out` overlaps an input without being `plane`.
    """
    check_plane("plane", plane)
    check_table("table", table)
    check_plane("out", out, plane.shape)
    check_apart_or_same("out", out, plane=plane)
    check_apart("out", out, table=table)
    isa.active().apply_table(plane, table, out)


def apply_pair_table(first: Plane, second: Plane, table: NDArray[np.uint8], out: Plane) -> None:
    """Writes what a table has for each pair of codes: any function of two codes.

    Args:
        first: uint8 [height, width], any stride between rows.
        second: shaped as `first`.
        table: uint8 [65536], C-contiguous: the result at 256 * first + second.
        out: shaped as `first`, written; may be the very array `first` or `second`.

    Raises:
        KernelError: wrong type, shape or strides, or `out` overlaps an input without being it.
    """
    isa.run(isa.active().apply_pair_table, _check_pair_table, first, second, table, out)


def _check_pair_table(first: Plane, second: Plane, table: NDArray[np.uint8], out: Plane) -> None:
    check_plane("first", first)
    check_plane("second", second, first.shape)
    check_table("table", table, 65536)
    check_plane("out", out, first.shape)
    check_apart_or_same("out", out, first=first, second=second)
    check_apart("out", out, table=table)


def saturate(u: Plane, v: Plane, out_u: Plane, out_v: Plane, factor: float) -> None:
    """Makes colours paler or stronger: the distance of Cb and Cr from grey times a factor.

    Each code is 128 + (code - 128) * factor, off by no more than 0.52 from exact arithmetic, of
    which 0.5 is the rounding; what lies outside of 0..255 is clipped. Luma stays as it is.

    Args:
        u: Cb, uint8 [height, width], any stride between rows.
        v: Cr, shaped as `u`.
        out_u: shaped as `u`, written; may be the very array `u`.
        out_v: shaped as `u`, written; may be the very array `v`.
        factor: 0 takes all colour away, 1 leaves every code as it is; up to 3.99.

    Raises:
        KernelError: wrong type, shape or strides, a factor out of range, or an output overlaps
            another array without being its own input.
    """
    check_plane("u", u)
    shape = u.shape
    for name, plane in (("v", v), ("out_u", out_u), ("out_v", out_v)):
        check_plane(name, plane, shape)
    if not 0 <= factor <= LARGEST_FACTOR:
        raise KernelError(f"factor must be 0 to {LARGEST_FACTOR}, but is {factor}")
    check_apart_or_same("out_u", out_u, u=u)
    check_apart("out_u", out_u, v=v, out_v=out_v)
    check_apart_or_same("out_v", out_v, v=v)
    check_apart("out_v", out_v, u=u)
    scaled = round(factor * 2**FRACTION_BITS)
    kernels = isa.active()
    kernels.scale_chroma(u, out_u, scaled)
    kernels.scale_chroma(v, out_v, scaled)


def mix_chroma(
    luma: Plane,
    u: Plane,
    v: Plane,
    out_u: Plane,
    out_v: Plane,
    black: int,
    factors: tuple[float, float, float, float, float, float],
) -> None:
    """Makes Cb and Cr anew of luma and both of them: any linear change of colour that keeps luma.

    Each result is 128 plus the sum of Y - black, Cb - 128 and Cr - 128, each times a factor, off by
    no more than 0.55 from exact arithmetic, of which 0.5 is the rounding; what lies outside of
    0..255 is clipped.

    Args:
        luma: uint8 [height, width], any stride between rows; luma at the size of chroma.
        u: Cb, shaped as `luma`.
        v: Cr, shaped as `luma`.
        out_u: shaped as `luma`, written; may be the very array `u`.
        out_v: shaped as `luma`, written; may be the very array `v`.
        black: code of black in luma.
        factors: of luma, Cb and Cr in the new Cb, then in the new Cr; -3.99 to 3.99.

    Raises:
        KernelError: wrong type, shape or strides, a factor out of range, or an output overlaps
            another array without being its own input.
    """
    check_plane("luma", luma)
    shape = luma.shape
    for name, plane in (("u", u), ("v", v), ("out_u", out_u), ("out_v", out_v)):
        check_plane(name, plane, shape)
    check_in_range("black", black, 0, 255)
    if len(factors) != 6 or not all(abs(factor) <= LARGEST_FACTOR for factor in factors):
        raise KernelError(
            f"factors must be 6 numbers, -{LARGEST_FACTOR} to {LARGEST_FACTOR}, but are {factors}"
        )
    check_apart_or_same("out_u", out_u, u=u)
    check_apart("out_u", out_u, luma=luma, v=v, out_v=out_v)
    check_apart_or_same("out_v", out_v, v=v)
    check_apart("out_v", out_v, luma=luma, u=u)
    scaled = Mixing(black, *(round(factor * 2**FRACTION_BITS) for factor in factors))
    isa.active().mix_chroma(luma, u, v, out_u, out_v, scaled)


def map_colours(
    y: Plane,
    u: Plane,
    v: Plane,
    tables: NDArray[np.int16],
    out_y: Plane,
    out_u: Plane,
    out_v: Plane,
) -> None:
    """Writes what tables in three dimensions have for each colour of a 4:2:0 picture.

    The tables have an entry for every fourth, eighth, 16th or 32nd code of Y, Cb and Cr, the code
    256 included; between them it is interpolated trilinearly, exactly, and rounded once. Y of a
    pixel is found with the chroma that lies on it, Cb and Cr with the mean of the 2x2 pixels of Y,
    at odd ends of those there are.

    Args:
        y: uint8 [height, width], any stride between rows.
        u: Cb, uint8 [(height + 1) // 2, (width + 1) // 2].
        v: Cr, shaped as `u`.
        tables: int16 [3, n, n, n], C-contiguous, for n of 65, 33, 17 or 9: for Y, Cb and Cr, at
            [Cb, Cr, Y], in units of 1/64 of a code.
        out_y: shaped as `y`, written.
        out_u: shaped as `u`, written.
        out_v: shaped as `u`, written.

    Raises:
        KernelError: wrong type, shape or strides, or an output overlaps another array.
    """
    check_planes("frame", (y, u, v), None, _half)
    check_planes("out", (out_y, out_u, out_v), y.shape, _half)
    if (
        not isinstance(tables, np.ndarray)
        or tables.dtype != np.int16
        or tables.shape not in [(3, n, n, n) for n in (9, 17, 33, 65)]
        or not tables.flags.c_contiguous
    ):
        raise KernelError(
            "tables must be a C-contiguous numpy array of int16 [3, n, n, n] for n of 9, 17, 33 or "
            f"65, but are {getattr(tables, 'dtype', type(tables).__name__)} "
            f"{getattr(tables, 'shape', '')}"
        )
    outputs = {"out_y": out_y, "out_u": out_u, "out_v": out_v}
    for name, out in outputs.items():
        others = {other: plane for other, plane in outputs.items() if other != name}
        check_apart(name, out, y=y, u=u, v=v, **others)
    isa.active().map_colours(y, u, v, tables, out_y, out_u, out_v)


def _half(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple((side + 1) // 2 for side in shape)
