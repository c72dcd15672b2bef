"""What changes each code of a plane for itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pullfx.errors import KernelError
from pullfx.kernels import isa
from pullfx.kernels.arguments import (
    check_apart,
    check_apart_or_same,
    check_plane,
    check_table,
)
from pullfx.kernels.colour import FRACTION_BITS

Plane = NDArray[np.uint8]

LARGEST_FACTOR = 3.99
"""Most that `saturate` multiplies by."""


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
    check_plane("first", first)
    check_plane("second", second, first.shape)
    check_table("table", table, 65536)
    check_plane("out", out, first.shape)
    check_apart_or_same("out", out, first=first, second=second)
    check_apart("out", out, table=table)
    isa.active().apply_pair_table(first, second, table, out)


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
