"""The kernels in numpy: slow, plain, and the definition of what every compiled variant computes."""

from pullfx.kernels.reference.blending import blend, blend_half
from pullfx.kernels.reference.downscaling import downscale_rgb

__all__ = ["blend", "blend_half", "downscale_rgb", "name"]

name = "reference"
