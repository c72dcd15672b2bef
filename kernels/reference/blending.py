"""Two pictures joined by a mask."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Plane = NDArray[np.uint8]


def blend(foreground: Plane, background: Plane, mask: Plane, out: Plane) -> None:
    """Defines `pullfx.kernels.blend`: the weighted mean, rounded to nearest (no tie can occur)."""
    weight = mask.astype(np.uint32)
    total = foreground * weight + background * (255 - weight)
    out[:] = (2 * total + 255) // 510


def blend_half(foreground: Plane, background: Plane, mask: Plane, out: Plane) -> None:
    """Defines `pullfx.kernels.blend_half`: `blend` under the mask's 2x2 means, ties rounded up.

    A last odd row or column stands for two of its kind, so that the mean is of what there is.
    """
    height, width = mask.shape
    even = np.pad(mask, ((0, height % 2), (0, width % 2)), mode="edge").astype(np.uint32)
    total = even[::2, ::2] + even[::2, 1::2] + even[1::2, ::2] + even[1::2, 1::2]
    blend(foreground, background, ((total + 2) // 4).astype(np.uint8), out)
