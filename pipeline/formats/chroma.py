"""Chroma planes: made smaller by exact means, taken apart and put together.

A chroma sample is taken to lie in the middle of the pixels that it covers, as in JPEG. Making it
from their mean, and giving it to each of them on the way back, are each other's inverse: pixels
that go to and fro keep their chroma.
"""

from __future__ import annotations

import cv2

from pullfx import kernels
from pullfx.pipeline.frame import Plane
from pullfx.pipeline.pool import Pool

NEUTRAL = 128
"""The code of Cb and Cr that says: no colour."""


def mean_of_row_pairs(plane: Plane, pool: Pool) -> Plane:
    """4:2:2 to 4:2:0: the mean of each two rows, uint8; an odd last row stays as it is."""
    pairs = plane.shape[0] // 2
    result = pool.array(((plane.shape[0] + 1) // 2, plane.shape[1]))
    if pairs:
        upper, lower = plane[0 : 2 * pairs : 2], plane[1 : 2 * pairs : 2]
        cv2.addWeighted(upper, 0.5, lower, 0.5, 0.0, dst=result[:pairs])
    result[pairs:] = plane[2 * pairs :]
    return result


def mean_of_squares(plane: Plane, pool: Pool) -> Plane:
    """4:4:4 to 4:2:0: the mean of each 2x2 square, of what there is of it at an odd edge."""
    even = _padded_to_even(plane, pool)
    height, width = even.shape[0] // 2, even.shape[1] // 2
    result = pool.array((height, width))
    cv2.resize(even, (width, height), dst=result, interpolation=cv2.INTER_AREA)
    return result


def _padded_to_even(plane: Plane, pool: Pool) -> Plane:
    """The plane with its last row and column repeated where that makes a side even."""
    height, width = plane.shape
    below, right = height % 2, width % 2
    if not (below or right):
        return plane
    result: Plane = pool.array((height + below, width + right))
    cv2.copyMakeBorder(plane, 0, below, 0, right, cv2.BORDER_REPLICATE, dst=result)
    return result


def split_pairs(pairs: Plane, pool: Pool) -> tuple[Plane, Plane]:
    """Cb and Cr out of interleaved uint8 [height, width, 2]."""
    height, width = pairs.shape[:2]
    cb, cr = pool.array((height, width)), pool.array((height, width))
    kernels.split_pairs(pairs.reshape(height, -1), cb, cr)
    return cb, cr


def neutral_planes(height: int, width: int, pool: Pool) -> tuple[Plane, Plane]:
    """Cb and Cr of a grey picture of this size."""
    cb, cr = (pool.array(((height + 1) // 2, (width + 1) // 2)) for _ in range(2))
    cb.fill(NEUTRAL)
    cr.fill(NEUTRAL)
    return cb, cr
