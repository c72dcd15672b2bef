"""A plane softened where it has weight, as changes that are added later."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Plane = NDArray[np.uint8]
Whole = NDArray[np.int64]

_ONE = np.float32(1)


def soften(
    plane: Plane,
    weight: Plane,
    out: Plane,
    radius: int,
    flatness: float,
    limit: int,
    strength: float,
) -> None:
    """Defines `pullfx.kernels.skin.soften`.

    Sums are exact; a quotient, a product and a sum of float32 are each rounded once; slopes are
    rounded to 1/256, offsets and differences to 1/16 of a code, all ties to even. How much a window
    counts is the mean of its weights, rounded down, and 1 more. A difference grows to the limit and
    is nothing again at twice that.
    """
    codes = plane.astype(np.int64) - 128
    weights = weight.astype(np.int64)
    total = window_sums(weights, radius)
    whole = _floats(np.maximum(total, 1))
    mean = _floats(window_sums(weights * codes, radius)) / whole
    square = _floats(window_sums(weights * codes**2, radius)) / whole
    variance = np.maximum(square - mean * mean, np.float32(0))
    slope = _nearest((variance / (variance + np.float32(flatness))) * np.float32(256))
    offset = _nearest(mean * (_floats(256 - slope) * np.float32(1 / 16)))
    part = _ONE / np.float32((2 * radius + 1) ** 2)
    count = (_floats(total) * part).astype(np.int64) + (total > 0)

    sloped = _floats(window_sums(count * slope, radius)) * _floats(codes)
    moved = _floats(window_sums(count * offset, radius))
    counts = _floats(np.maximum(window_sums(count, radius), 1))
    soft = (sloped * np.float32(1 / 256) + moved * np.float32(1 / 16)) / counts
    away = _nearest((soft - _floats(codes)) * np.float32(16))
    little = np.sign(away) * np.minimum(np.abs(away), 32 * limit - np.abs(away)).clip(0)
    scale = np.float32(strength) * np.float32(0.25) / np.float32(255)
    change = _floats(little) * (_floats(weights) * scale)
    out[:] = 128 + _nearest(change)


def window_sums(numbers: Whole, radius: int) -> Whole:
    """Sums over the window around each pixel, of what there is of it."""
    for axis in (0, 1):
        room = [(0, 0), (0, 0)]
        room[axis] = (radius + 1, radius)
        running = np.cumsum(np.pad(numbers, room), axis=axis)
        side = 2 * radius + 1
        count = numbers.shape[axis]
        numbers = running.take(range(side, side + count), axis) - running.take(range(count), axis)
    return numbers


def _floats(numbers: Whole) -> NDArray[np.float32]:
    return numbers.astype(np.float32)


def _nearest(values: NDArray[Any]) -> Whole:
    whole: Whole = np.rint(values).astype(np.int64)
    return whole
