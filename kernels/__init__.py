"""SIMD routines over numpy memory; `pullfx.kernels.reference` has each in numpy, which defines it.

Every function checks its arguments, releases the interpreter lock while it works, runs on the
calling thread alone and gives the same bytes on every instruction set.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pullfx.kernels import isa
from pullfx.kernels.arguments import check_apart, check_apart_or_same, check_plane
from pullfx.kernels.colour_formats import (
    downscale_rgb,
    i420_to_rgb,
    i420_to_yuyv,
    merge_pairs,
    rgb_to_i420,
    split_pairs,
    yuyv_to_i420,
)
from pullfx.kernels.colour_tables import apply_table, saturate
from pullfx.kernels.filter import (
    box_mean,
    gaussian_blur,
    mean_3x3,
    resize_area,
    resize_bilinear,
    upsample_2x,
)

__all__ = [
    "active_isa",
    "apply_table",
    "available_isas",
    "blend",
    "blend_half",
    "box_mean",
    "downscale_rgb",
    "gaussian_blur",
    "i420_to_rgb",
    "i420_to_yuyv",
    "mean_3x3",
    "merge_pairs",
    "resize_area",
    "resize_bilinear",
    "rgb_to_i420",
    "saturate",
    "split_pairs",
    "upsample_2x",
    "yuyv_to_i420",
]

Plane = NDArray[np.uint8]


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
