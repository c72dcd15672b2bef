"""SIMD routines over numpy memory; `pullfx.kernels.reference` has each in numpy, which defines it.

Every function checks its arguments, releases the interpreter lock while it works, runs on the
calling thread alone and gives the same bytes on every instruction set.
"""

from __future__ import annotations

from pullfx.kernels import isa
from pullfx.kernels.colour_formats import (
    downscale_rgb,
    i420_to_rgb,
    i420_to_yuyv,
    merge_pairs,
    rgb_to_i420,
    split_pairs,
    yuyv_to_i420,
)
from pullfx.kernels.colour_tables import (
    apply_pair_table,
    apply_table,
    map_colours,
    mix_chroma,
    saturate,
)
from pullfx.kernels.composite import blend, blend_half
from pullfx.kernels.filter import (
    box_mean,
    crop_bilinear,
    gaussian_blur,
    mean_3x3,
    resize_area,
    resize_bilinear,
    upsample_2x,
)

__all__ = [
    "active_isa",
    "apply_pair_table",
    "apply_table",
    "available_isas",
    "blend",
    "blend_half",
    "box_mean",
    "crop_bilinear",
    "downscale_rgb",
    "gaussian_blur",
    "i420_to_rgb",
    "i420_to_yuyv",
    "map_colours",
    "mean_3x3",
    "merge_pairs",
    "mix_chroma",
    "resize_area",
    "resize_bilinear",
    "rgb_to_i420",
    "saturate",
    "split_pairs",
    "upsample_2x",
    "yuyv_to_i420",
]


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
