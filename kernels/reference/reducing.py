"""A frame made smaller, by powers of two."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Plane = NDArray[np.uint8]
Planes = tuple[Plane, Plane, Plane]


def reduce(frame: Planes, half: Plane, grid: Planes, shift: int) -> None:
    """Defines `pullfx.kernels.composite.reduce`: exact means, rounded once, ties up."""
    y, u, v = frame
    pairs = sums_over_squares(y, 2)
    half[:] = (pairs + 2) // 4
    side = 2 ** (shift - 1)
    luma, cells = sums_over_squares(pairs, side), 4 * side**2
    grid[0][:] = (luma + cells // 2) // cells
    shrink(u, shift - 1, grid[1])
    shrink(v, shift - 1, grid[2])


def shrink(plane: Plane, bits: int, out: Plane) -> None:
    """Means over squares of 2^bits a side, rounded to nearest, ties up."""
    count = 4**bits
    out[:] = (sums_over_squares(plane, 2**bits) + count // 2) // count


def sums_over_squares(plane: NDArray[Any], side: int) -> NDArray[np.int64]:
    """Sums over squares; what one at the end lacks, the last row and column fill."""
    height, width = plane.shape
    filled = np.pad(plane.astype(np.int64), ((0, -height % side), (0, -width % side)), mode="edge")
    rows, columns = filled.shape[0] // side, filled.shape[1] // side
    total: NDArray[np.int64] = filled.reshape(rows, side, columns, side).sum(axis=(1, 3))
    return total
