"""Colours by a table in three dimensions, between whose entries lie straight lines."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

Plane = NDArray[np.uint8]
Whole = NDArray[np.int64]


def map_colours(
    y: Plane,
    u: Plane,
    v: Plane,
    tables: NDArray[np.int16],
    out_y: Plane,
    out_u: Plane,
    out_v: Plane,
) -> None:
    """Defines `pullfx.kernels.map_colours`: exact, and rounded once to codes, ties up."""
    height, width = y.shape
    chroma = [plane.astype(np.int64) for plane in (u, v)]
    full = [plane.repeat(2, 0).repeat(2, 1)[:height, :width] for plane in chroma]
    out_y[:] = _between(tables[0], (full[0], full[1], y.astype(np.int64)))
    even = np.pad(y, ((0, height % 2), (0, width % 2)), mode="edge").astype(np.int64)
    total = even[::2, ::2] + even[::2, 1::2] + even[1::2, ::2] + even[1::2, 1::2]
    for table, out in ((tables[1], out_u), (tables[2], out_v)):
        out[:] = _between(table, (chroma[0], chroma[1], (total + 2) >> 2))


def _between(table: NDArray[np.int16], codes: tuple[Whole, Whole, Whole]) -> Plane:
    """What the eight entries around each colour give."""
    unit = 256 // (len(table) - 1)
    total = np.zeros(codes[0].shape, np.int64)
    for corner in itertools.product((0, 1), repeat=3):
        weight: Whole | int = 1
        for code, step in zip(codes, corner, strict=True):
            weight = weight * (code % unit if step else unit - code % unit)
        places = tuple(code // unit + step for code, step in zip(codes, corner, strict=True))
        total += weight * table[places].astype(np.int64)
    scale = 64 * unit**3
    return ((total + scale // 2) // scale).clip(0, 255).astype(np.uint8)
