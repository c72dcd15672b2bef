"""A mask raised along the edges of a picture: a guided filter in whole numbers and float32."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pullfx.kernels.composite_kernels import Guiding
from pullfx.kernels.reference.enlarging import (
    enlarged_codes,
    enlarged_numbers,
    neighbours,
    scaled,
)
from pullfx.kernels.reference.resizing import resize_area

Plane = NDArray[np.uint8]
Planes = tuple[Plane, Plane, Plane]
Whole = NDArray[np.int64]
Floats = NDArray[np.floating[Any]]  # float32

GREY = 128
DOUBT_SIDE = 8  # pairs of cells
DOUBT_REACH = 2  # squares
LIMIT = 16380  # of a term, so that no difference of two overflows 16 bits


def guide(
    mask: Plane,
    grid: Planes,
    guide: Planes,
    shift: int,
    window: int,
    reach: int,
    numbers: Guiding,
    out: Plane,
) -> None:
    """Defines `pullfx.kernels.composite.guide`.

    Terms are rounded to 16 bits: slopes and the weight of the mask to 1/512, the offset to 1/2. So
    they are interpolated, multiplied and added, saturated after each addition, and rounded last.
    """
    small = np.empty(grid[0].shape, np.uint8)
    resize_area(mask, small)
    slopes = _regress(small, grid, window, numbers.flatness)
    *terms, offset, weight = _terms(slopes, _trust(small, numbers), numbers)

    cell = 2 ** (shift - 1)
    value = enlarged_numbers(offset, 2 * cell, out.shape)
    for term, plane in zip(terms, guide, strict=True):
        colour = (plane.astype(np.int64) - GREY) << 7
        value = _saturated(value + scaled(enlarged_numbers(term, 2 * cell, out.shape), colour))
    own = scaled(
        enlarged_numbers(weight, 2 * cell, out.shape), enlarged_codes(small, cell, out.shape)
    )
    value = _saturated(_saturated(value + own) + 1) >> 1
    around = _within(small, reach)
    least, most = (
        (enlarged_codes(bound, cell, out.shape) + 64) >> 7
        for bound in (around.min(axis=0), around.max(axis=0))
    )
    out[:] = np.minimum(np.maximum(value, least), most)


def _regress(small: Plane, grid: Planes, window: int, flatness: float) -> list[Floats]:
    """Slopes for Y, U and V, and the offset, for every pair of cells, by elimination.

    All is n^2 times what the formulas of the paper have, so that the sums are whole numbers.
    """
    y, u, v = (plane.astype(np.int64) - GREY for plane in grid)
    m = small.astype(np.int64)
    count = _in_window(np.ones_like(m), window)
    n = count.astype(np.float32)
    flat = np.float32(flatness) * (n * n)

    def total(a: Whole) -> Floats:
        return _in_window(a, window).astype(np.float32)

    def covariance(a: Whole, b: Whole) -> Floats:
        means = _in_window(a, window) * _in_window(b, window)
        return (count * _in_window(a * b, window) - means).astype(np.float32)

    yu, yv, ym = covariance(y, u), covariance(y, v), covariance(y, m)
    once_1 = np.float32(1) / (covariance(y, y) + flat)
    from_u, from_v = yu * once_1, yv * once_1
    once_2 = np.float32(1) / ((covariance(u, u) + flat) - from_u * yu)
    left_uv = covariance(u, v) - from_u * yv
    from_uv = left_uv * once_2
    last = ((covariance(v, v) + flat) - from_v * yv) - from_uv * left_uv
    left_u = covariance(u, m) - from_u * ym
    left_v = (covariance(v, m) - from_v * ym) - from_uv * left_u
    by_v = left_v / last
    by_u = left_u * once_2 - from_uv * by_v
    by_y = (ym * once_1 - from_u * by_u) - from_v * by_v
    explained = (by_y * total(y) + by_u * total(u)) + by_v * total(v)
    return [by_y, by_u, by_v, (total(m) - explained) / n]


def _terms(fitted: list[Floats], trust: Floats, numbers: Guiding) -> list[NDArray[np.int16]]:
    """What is applied: three slopes, the offset, and the weight of the mask itself."""
    edge, steepness = np.float32(numbers.edge), np.float32(numbers.steepness)
    one, middle = np.float32(1), np.float32(127.5)
    share = trust * edge
    gain = one + (trust * steepness) * edge
    both = share * gain
    *slopes, rest = fitted
    return [
        *(_rounded((slope * both) * np.float32(512)) for slope in slopes),
        _rounded((both * rest + (middle - middle * gain)) * np.float32(2)),
        _rounded(((one - share) * gain) * np.float32(512)),
    ]


def _trust(small: Plane, numbers: Guiding) -> Floats:
    """0..1 for every pair of cells: less, the more the mask doubts all around."""
    m = small.astype(np.int64)
    ones = np.ones_like(m)
    sums, squares, count = (
        _over_squares(_over_squares(plane, 2), DOUBT_SIDE) for plane in (m, m * m, ones)
    )
    doubt = (4 * (255 * sums - squares)).astype(np.float32) / (65025 * count).astype(np.float32)
    side = 2 * DOUBT_REACH + 1
    height, width = doubt.shape
    spread = np.pad(doubt, DOUBT_REACH)
    worst = np.max(
        [spread[i : i + height, j : j + width] for i in range(side) for j in range(side)], axis=0
    )
    begin, end = np.float32(numbers.doubt_from), np.float32(numbers.doubt_to)
    trust = np.clip((end - worst) / (end - begin), np.float32(0), np.float32(1))
    rows, columns = _over_squares(m, 2).shape
    above, below, row = neighbours(rows, DOUBT_SIDE, height)
    left, right, column = neighbours(columns, DOUBT_SIDE, width)
    part = (row.astype(np.float32) / np.float32(2 * DOUBT_SIDE))[:, None]
    lines = trust[above] + (trust[below] - trust[above]) * part
    part = column.astype(np.float32) / np.float32(2 * DOUBT_SIDE)
    result: Floats = lines[:, left] + (lines[:, right] - lines[:, left]) * part
    return result


def _in_window(plane: Whole, window: int) -> Whole:
    """Sums over pairs of cells both ways, `window` of them a side; the last one is repeated."""
    pairs = _over_squares(plane, 2)
    height, width = pairs.shape
    around = np.pad(pairs, window // 2, mode="edge")
    total: Whole = np.sum(
        [around[y : y + height, x : x + width] for y in range(window) for x in range(window)],
        axis=0,
    )
    return total


def _over_squares(plane: Whole, side: int) -> Whole:
    """Sums over squares, of what there is."""
    height, width = plane.shape
    filled = np.pad(plane, ((0, -height % side), (0, -width % side)))
    rows, columns = filled.shape[0] // side, filled.shape[1] // side
    total: Whole = filled.reshape(rows, side, columns, side).sum(axis=(1, 3))
    return total


def _within(plane: Plane, reach: int) -> Plane:
    """Each pixel and those within reach of it, [(2 * reach + 1)^2, height, width]."""
    height, width = plane.shape
    around = np.pad(plane, reach, mode="edge")
    side = range(2 * reach + 1)
    return np.stack([around[y : y + height, x : x + width] for y in side for x in side])


def _rounded(values: Floats) -> NDArray[np.int16]:
    limit = np.float32(LIMIT)
    return np.rint(np.clip(values, -limit, limit)).astype(np.int16)


def _saturated(values: NDArray[Any]) -> Whole:
    return np.asarray(np.clip(values, -(2**15), 2**15 - 1), np.int64)
