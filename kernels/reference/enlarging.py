"""What lies between the pixels of a small plane: bilinear, by powers of two, in whole numbers.

Pixel `x` of what is `factor` times as large lies at (2 * x + 1 - factor) / (2 * factor) pixels of
the small one; beyond its ends that is the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Plane = NDArray[np.uint8]
Whole = NDArray[np.int64]


def neighbours(target: int, factor: int, count: int) -> tuple[Whole, Whole, Whole]:
    """For each of `target` pixels: the pixels to its left and right among `count`, and its place.

    The place counts from the left one, in parts of 2 * factor from one to the other.
    """
    place = 2 * np.arange(target, dtype=np.int64) + 1 - factor
    left = place // (2 * factor)
    return left.clip(0, count - 1), (left + 1).clip(0, count - 1), place % (2 * factor)


def scaled(numbers: NDArray[Any], factors: NDArray[Any]) -> Whole:
    """Products over 2^15, rounded to nearest, ties up: the multiplication of SIMD instructions."""
    products: Whole = numbers.astype(np.int64) * factors
    return (products + 2**14) >> 15


def enlarged_numbers(small: NDArray[np.int16], factor: int, shape: tuple[int, int]) -> Whole:
    """Numbers of 16 bits enlarged: first along columns, then along rows, each rounded."""
    above, below, row = neighbours(shape[0], factor, small.shape[0])
    left, right, column = neighbours(shape[1], factor, small.shape[1])
    values = small.astype(np.int64)
    unit = 2**14 // factor
    rows = values[above] + scaled(values[below] - values[above], (row * unit)[:, None])
    return rows[:, left] + scaled(rows[:, right] - rows[:, left], column * unit)


def enlarged_codes(small: Plane, factor: int, shape: tuple[int, int]) -> Whole:
    """Codes enlarged, times 128: exact along columns, then rounded along rows."""
    above, below, row = neighbours(shape[0], factor, small.shape[0])
    left, right, column = neighbours(shape[1], factor, small.shape[1])
    values = small.astype(np.int64)
    part = (row * (64 // factor))[:, None]
    rows = values[above] * (128 - part) + values[below] * part
    return rows[:, left] + scaled(rows[:, right] - rows[:, left], column * (2**14 // factor))


def doubled(small: NDArray[Any], unit: int, shape: tuple[int, int]) -> Plane:
    """Values in units of 1 / `unit` of a code, twice as large, rounded once to codes, ties up."""
    around = np.pad(small.astype(np.int64), 1, mode="edge")
    rows = np.repeat(3 * around[1:-1], 2, axis=0)
    rows[::2] += around[:-2]
    rows[1::2] += around[2:]
    out = np.repeat(3 * rows[:, 1:-1], 2, axis=1)
    out[:, ::2] += rows[:, :-2]
    out[:, 1::2] += rows[:, 2:]
    return ((out + 8 * unit) // (16 * unit)).astype(np.uint8)[: shape[0], : shape[1]]
