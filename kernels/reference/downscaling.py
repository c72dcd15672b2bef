"""A 4:2:0 picture made an RGB picture of another size."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pullfx.kernels.colour import FRACTION_BITS, Coefficients

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
    vertical, height = _overlaps(plane.shape[0], luma_size[0], size[0])
    horizontal, width = _overlaps(plane.shape[1], luma_size[1], size[1])
    # Whole numbers below 2**53 all the way: exact in float64, in whatever order BLAS adds.
    total = (vertical @ plane.astype(np.float64) @ horizontal.T).astype(np.int64)
    count = height * width
    return (256 * total + count // 2) // count


def _overlaps(samples: int, length: int, target: int) -> tuple[NDArray[np.float64], int]:
    """How much of each sample lies in the box of each target pixel along one axis.

    Args:
        samples: number of samples in the plane: `length`, or half of it, rounded up, for chroma.
        length: luma pixels along the axis.
        target: target pixels along the axis.

    Returns:
        Whole numbers [target, samples], and the sum that each row of them has. Chroma samples stand
        for two luma pixels each, but the last one of an odd length for one.
    """
    divisor = math.gcd(length, target)
    box, pixel = length // divisor, target // divisor
    per_sample = 1 if samples == length else 2
    edges = np.minimum(np.arange(samples + 1) * per_sample, length) * pixel
    boxes = np.arange(target + 1) * box
    start = np.maximum(boxes[:-1, None], edges[None, :-1])
    end = np.minimum(boxes[1:, None], edges[None, 1:])
    return np.clip(end - start, 0, None).astype(np.float64), box
