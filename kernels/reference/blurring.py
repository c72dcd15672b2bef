"""A background out of focus, as if the person were not there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pullfx.kernels.reference.enlarging import doubled
from pullfx.kernels.reference.reducing import shrink

Plane = NDArray[np.uint8]
Planes = tuple[Plane, Plane, Plane]
Floats = NDArray[np.float32]

LEAST_WEIGHT = np.float32(1 / 32)
_MOST_AT_ONCE = 4  # bits: that is how a plane is shrunk by more


def blur(
    grid: Planes, mask: Plane | None, shift: int, halvings: int, taps: list[float], out: Planes
) -> None:
    """Defines `pullfx.kernels.composite.blur`.

    The weight of a pixel is 255 less the most of the mask around it, and `LEAST_WEIGHT`. All is
    float32, an operation at a time, along rows, then along columns; the quotient is rounded to 1/8
    of a code, ties to even, and only then doubled.
    """
    level = shift + halvings
    planes = [_shrunk(plane, halvings) for plane in grid]
    height, width = planes[0].shape
    person = np.zeros((height, width), np.uint8) if mask is None else _shrunk(mask, level - 1)
    around = np.pad(person, 1, mode="edge")
    most = np.max(
        [around[y : y + height, x : x + width] for y in range(3) for x in range(3)], axis=0
    )
    weight = (255 - most.astype(np.int64)).astype(np.float32) + LEAST_WEIGHT
    total = _filtered(weight, taps)
    for plane, target in zip(planes, out, strict=True):
        blurred = _filtered(weight * plane.astype(np.float32), taps) * (np.float32(8) / total)
        eighths = np.rint(blurred).astype(np.int64)
        target[:] = doubled(eighths, 8, target.shape) if level > 1 else (eighths + 4) // 8


def _shrunk(plane: Plane, bits: int) -> Plane:
    while bits > 0:
        step = min(bits, _MOST_AT_ONCE)
        side = 2**step
        out = np.empty((-(-plane.shape[0] // side), -(-plane.shape[1] // side)), np.uint8)
        shrink(plane, step, out)
        plane, bits = out, bits - step
    return plane


def _filtered(plane: Floats, taps: list[float]) -> Floats:
    """Along rows, then along columns; the picture is mirrored beyond its ends."""
    for axis in (1, 0):
        length, radius = plane.shape[axis], len(taps) - 1
        places = np.arange(-radius, length + radius) % (2 * length)
        lines = plane.take(np.minimum(places, 2 * length - 1 - places), axis)

        def moved(
            step: int, lines: Floats = lines, axis: int = axis, radius: int = radius
        ) -> Floats:
            return lines.take(range(radius + step, lines.shape[axis] - radius + step), axis)

        plane = np.float32(taps[0]) * moved(0)
        for step in range(1, radius + 1):
            plane = plane + np.float32(taps[step]) * (moved(-step) + moved(step))
    return plane
