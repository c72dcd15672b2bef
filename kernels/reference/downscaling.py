"""A picture made an RGB picture of another size."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pullfx.kernels.colour import FRACTION_BITS, Coefficients
from pullfx.kernels.reference.resizing import box_sums

Plane = NDArray[np.uint8]


def downscale_rgb(
    y: Plane, u: Plane, v: Plane, out: NDArray[np.uint8], coefficients: Coefficients
) -> None:
    """Defines `pullfx.kernels.downscale_rgb`.

    The mean of each plane over the box of a target pixel is exact and rounded once, to 1/256, ties
    up; then comes the matrix, rounded once, ties up, and clipped to 0..255.
    """
    size = (out.shape[0], out.shape[1])
    luma = _box_means(y, y.shape, size) - 256 * coefficients.black
    cb = _box_means(u, y.shape, size) - 256 * 128
    cr = _box_means(v, y.shape, size) - 256 * 128
    shift = FRACTION_BITS + 8
    grey = coefficients.luma * luma + 2 ** (shift - 1)
    channels = (
        grey + coefficients.red_v * cr,
        grey + coefficients.green_u * cb + coefficients.green_v * cr,
        grey + coefficients.blue_u * cb,
    )
    out[:] = np.clip(np.stack(channels, axis=-1) >> shift, 0, 255)


def _box_means(
    plane: Plane, luma_size: tuple[int, ...], size: tuple[int, int]
) -> NDArray[np.int64]:
    """Means of `plane` over the boxes of `size` target pixels, in units of 1/256."""
    total, count = box_sums(plane, luma_size, size)
    return (256 * total + count // 2) // count
