"""SIMD routines over numpy memory; `pullfx.kernels.reference` has each in numpy, which defines it.

Every function checks its arguments, releases the interpreter lock while it works, runs on the
calling thread alone and gives the same bytes on every instruction set.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pullfx.errors import KernelError
from pullfx.kernels import isa
from pullfx.kernels.arguments import check_apart, check_apart_or_same, check_plane, check_rgb
from pullfx.kernels.colour import coefficients

__all__ = ["active_isa", "available_isas", "blend", "blend_half", "downscale_rgb"]

Plane = NDArray[np.uint8]

LARGEST_SIDE = 32767
"""Most pixels that a picture for `downscale_rgb` may have along a side."""


def active_isa() -> str:
    """Name of the instruction set in use: the fastest of this CPU, or the one in `PULLFX_ISA`.

    Raises:
        KernelError: `PULLFX_ISA` names one that is not available, or the compiled module cannot be
            loaded.
    """
    return isa.active().name


def available_isas() -> tuple[str, ...]:
    """The names that `PULLFX_ISA` can have on this machine, fastest first; the last is "reference".

    Raises:
        KernelError: the compiled module cannot be loaded.
    """
    return tuple(isa.implementations())


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
    shape = ((mask.shape[0] + 1) // 2, (mask.shape[1] + 1) // 2)
    check_plane("foreground", foreground, shape)
    check_plane("background", background, shape)
    check_plane("out", out, shape)
    check_apart_or_same("out", out, foreground=foreground, background=background)
    check_apart("out", out, mask=mask)
    isa.active().blend_half(foreground, background, mask, out)


def downscale_rgb(
    y: Plane, u: Plane, v: Plane, out: NDArray[np.uint8], matrix: str, full_range: bool
) -> None:
    """Makes an RGB picture of any size straight from the planes of a 4:2:0 picture, in one pass.

    The picture is stretched to the size of `out`. A target pixel is the mean over the box that it
    covers, luma and chroma alike, pixels at the box's edge counted by the part that lies in it;
    where `out` is larger than the picture the same rule repeats pixels. Chroma samples are taken to
    lie in the middle of their four luma pixels. No value is off by more than 1 from the same means
    and matrix in exact arithmetic.

    Args:
        y: luma, uint8 [height, width], any stride between rows, at most 32767 a side.
        u: Cb, uint8 [(height + 1) // 2, (width + 1) // 2].
        v: Cr, shaped as `u`.
        out: uint8 [target height, target width, 3], C-contiguous, written: R'G'B' of 0..255.
        matrix: "bt601", "bt709" or "bt2020".
        full_range: True where the codes are 0..255, False for 16..235 (Y') and 16..240 (Cb, Cr).

    Raises:
        KernelError: wrong type, shape or strides, an unknown matrix, or `out` overlaps an input.
    """
    check_plane("y", y)
    shape = ((y.shape[0] + 1) // 2, (y.shape[1] + 1) // 2)
    check_plane("u", u, shape)
    check_plane("v", v, shape)
    check_rgb("out", out)
    for name, array in (("y", y), ("out", out)):
        if max(array.shape) > LARGEST_SIDE:
            raise KernelError(
                f"{name} has shape {array.shape}; no side may be longer than {LARGEST_SIDE}"
            )
    check_apart("out", out, y=y, u=u, v=v)
    isa.active().downscale_rgb(y, u, v, out, coefficients(matrix, full_range))
