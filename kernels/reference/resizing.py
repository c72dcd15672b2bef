"""A plane made another size."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Plane = NDArray[np.uint8]

POSITION_BITS = 15
"""Places between samples are whole numbers of 2 to this power in a sample."""


def upsample_2x(plane: Plane, out: Plane) -> None:
    """Defines `pullfx.kernels.upsample_2x`: 9, 3, 3 and 1 sixteenths, rounded once, ties up."""
    values = np.pad(plane, 1, mode="edge").astype(np.int64)
    for axis in (0, 1):
        middle = np.take(values, np.arange(1, values.shape[axis] - 1), axis)
        before = np.take(values, np.arange(values.shape[axis] - 2), axis)
        after = np.take(values, np.arange(2, values.shape[axis]), axis)
        both = np.stack((3 * middle + before, 3 * middle + after), axis + 1)
        shape = list(middle.shape)
        shape[axis] *= 2
        values = both.reshape(shape)
    out[:] = (values + 8) >> 4


def resize_bilinear(plane: Plane, out: Plane) -> None:
    """Defines `pullfx.kernels.resize_bilinear`.

    A target's place among the samples is rounded down to 1/32768. Between columns values are
    rounded to 1/128, between rows of those again, then to whole numbers; all to nearest, ties up.
    """
    height, width = plane.shape
    crop_bilinear(plane, out, (0, 0, width << POSITION_BITS, height << POSITION_BITS))


def crop_bilinear(plane: Plane, out: Plane, window: tuple[int, int, int, int]) -> None:
    """Defines `pullfx.kernels.crop_bilinear`, as `resize_bilinear` on a window.

    Args:
        plane: the samples.
        out: the pixels.
        window: left, top, width and height in units of 1/32768 of a sample.
    """
    left, top, width, height = window
    values = 128 * plane.astype(np.int64)
    for axis, start, length in ((1, left, width), (0, top, height)):
        first, part = _positions(plane.shape[axis], out.shape[axis], start, length)
        upper = np.take(values, first, axis)
        lower = np.take(values, np.minimum(first + 1, plane.shape[axis] - 1), axis)
        weight = part[None, :] if axis else part[:, None]
        values = upper + (((lower - upper) * weight + 2**14) >> 15)
    out[:] = (values + 64) >> 7


def resize_area(plane: Plane, out: Plane) -> None:
    """Defines `pullfx.kernels.resize_area`: the mean over a target's box, rounded once, ties up."""
    total, count = box_sums(plane, plane.shape, out.shape)
    out[:] = (total + count // 2) // count


def box_sums(
    plane: Plane, luma_size: tuple[int, ...], size: tuple[int, ...]
) -> tuple[NDArray[np.int64], int]:
    """Sums of `plane` over the boxes of `size` target pixels, and what a box of ones would have.

    Args:
        plane: the samples.
        luma_size: rows and columns of luma that they stand for: of `plane`, or twice that.
        size: rows and columns of target pixels.
    """
    vertical, height = _overlaps(plane.shape[0], luma_size[0], size[0])
    horizontal, width = _overlaps(plane.shape[1], luma_size[1], size[1])
    # Whole numbers below 2**53 all the way: exact in float64, in whatever order BLAS adds.
    total = vertical @ plane.astype(np.float64) @ horizontal.T
    return total.astype(np.int64), height * width


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


def _positions(
    samples: int, target: int, start: int, length: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The sample before the middle of each target, and the way to the next one in 1/32768.

    The targets lie evenly over `length` from `start`, both in 1/32768 too.
    """
    unit = 1 << POSITION_BITS
    middles = (2 * np.arange(target, dtype=np.int64) + 1) * length
    places = (middles + (2 * start - unit) * target) // (2 * target)
    places = np.clip(places, 0, (samples - 1) * unit)
    return places >> POSITION_BITS, places & (unit - 1)
