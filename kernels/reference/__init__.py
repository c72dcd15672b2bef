"""The kernels in numpy: slow, plain, and the definition of what every compiled variant computes."""

from pullfx.kernels.reference.blurring import blur
from pullfx.kernels.reference.colour import (
    apply_pair_table,
    apply_table,
    i420_to_rgb,
    i420_to_yuyv,
    merge_pairs,
    mix_chroma,
    rgb_to_i420,
    scale_chroma,
    split_pairs,
    yuyv_to_i420,
)
from pullfx.kernels.reference.compositing import blend, blend_half, lay
from pullfx.kernels.reference.downscaling import downscale_rgb
from pullfx.kernels.reference.filtering import box_mean, mean_3x3
from pullfx.kernels.reference.guiding import guide
from pullfx.kernels.reference.mapping import map_colours
from pullfx.kernels.reference.reducing import reduce
from pullfx.kernels.reference.resizing import (
    crop_bilinear,
    resize_area,
    resize_bilinear,
    upsample_2x,
)
from pullfx.kernels.reference.retouching import retouch
from pullfx.kernels.reference.softening import soften

__all__ = [
    "apply_pair_table",
    "apply_table",
    "blend",
    "blend_half",
    "blur",
    "box_mean",
    "crop_bilinear",
    "downscale_rgb",
    "guide",
    "i420_to_rgb",
    "i420_to_yuyv",
    "lay",
    "map_colours",
    "mean_3x3",
    "merge_pairs",
    "mix_chroma",
    "name",
    "reduce",
    "resize_area",
    "resize_bilinear",
    "retouch",
    "rgb_to_i420",
    "scale_chroma",
    "soften",
    "split_pairs",
    "upsample_2x",
    "yuyv_to_i420",
]

name = "reference"
