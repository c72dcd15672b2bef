"""Two pictures joined by a mask, in one pass over the result."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pullfx.kernels.reference.enlarging import doubled, enlarged_codes

Plane = NDArray[np.uint8]
Planes = tuple[Plane, Plane, Plane]


def blend(foreground: Plane, background: Plane, mask: Plane, out: Plane) -> None:
    """Defines `pullfx.kernels.composite.blend`: the weighted mean, rounded.

    No tie can occur.
    """
    weight = mask.astype(np.uint32)
    total = foreground * weight + background * (255 - weight)
    out[:] = (2 * total + 255) // 510


def blend_half(foreground: Plane, background: Plane, mask: Plane, out: Plane) -> None:
    """Defines `pullfx.kernels.composite.blend_half`: `blend` under the 2x2 means, ties up.

    A last odd row or column stands for two of its kind, so that the mean is of what there is.
    """
    height, width = mask.shape
    even = np.pad(mask, ((0, height % 2), (0, width % 2)), mode="edge").astype(np.uint32)
    total = even[::2, ::2] + even[::2, 1::2] + even[1::2, ::2] + even[1::2, 1::2]
    blend(foreground, background, ((total + 2) // 4).astype(np.uint8), out)


def lay(
    foreground: Planes,
    background: Planes,
    mask: Plane,
    shift: int,
    out: Planes,
    tables: Plane | None = None,
) -> None:
    """Defines `pullfx.kernels.composite.lay`: `blend` under the doubled mask, for chroma the mask.

    The background is enlarged to the very size of each plane, and rounded once to codes, ties up.
    """
    masks = (doubled(mask, 1, foreground[0].shape), mask, mask)
    for index, (front, back, weight, target) in enumerate(
        zip(foreground, background, masks, out, strict=True)
    ):
        factor = 2 ** max(shift - (index > 0), 0)
        behind = (enlarged_codes(back, factor, front.shape) + 64) >> 7
        blend(front, behind.astype(np.uint8), weight, target)
        if tables is not None:
            target[...] = tables[index][target]
