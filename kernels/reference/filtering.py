"""Means over squares of pixels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Plane = NDArray[np.uint8]


def mean_3x3(plane: Plane, out: Plane) -> None:
    """Defines `pullfx.kernels.mean_3x3`: rounded down, beyond the border the outermost pixels."""
    out[:] = _box_sums(plane, 1) // 9


def box_mean(plane: Plane, out: Plane, radius: int) -> None:
    """Defines `pullfx.kernels.box_mean`: rounded to nearest; an odd number of pixels has no tie."""
    count = (2 * radius + 1) ** 2
    out[:] = (_box_sums(plane, radius) + count // 2) // count


def _box_sums(plane: Plane, radius: int) -> NDArray[np.int64]:
    """Sums over the squares around each pixel of the picture, mirrored at its borders."""
    sums = np.pad(plane, radius, mode="symmetric").astype(np.int64)
    for axis in (0, 1):
        up_to = np.insert(np.cumsum(sums, axis), 0, 0, axis)
        length = plane.shape[axis]
        after, before = (
            np.take(up_to, np.arange(length) + start, axis) for start in (2 * radius + 1, 0)
        )
        sums = after - before
    return sums
