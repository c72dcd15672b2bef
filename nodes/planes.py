"""Planes resized and rounded, into memory from a pool."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from pullfx.nodes.types import Size
from pullfx.pipeline.frame import Plane
from pullfx.pipeline.pool import Pool

Floats = NDArray[np.float32]

# Shorter side of what `soften` gives.
_SHORTER_SIDE: Final = 180


def halve(plane: Plane, pool: Pool) -> Plane:
    """Half the plane in both directions, rounded up, as 4:2:0 has its chroma.

    Args:
        plane: uint8 [height, width].
        pool: where the result comes from.

    Returns:
        uint8 [(height + 1) // 2, (width + 1) // 2].
    """
    height, width = plane.shape
    return resize(plane, Size((width + 1) // 2, (height + 1) // 2), pool)


def shrink(plane: Plane, size: Size, pool: Pool) -> Plane:
    """The plane at `size`: halved while that leaves enough, then interpolated.

    OpenCV's INTER_AREA gives much the same picture, but takes several times as long where the ratio
    is no whole number.

    Args:
        plane: uint8 [height, width].
        size: size of the result; where it is larger than the plane, this enlarges.
        pool: where the result comes from.

    Returns:
        uint8 [size.height, size.width]; `plane` itself where it has that size.
    """
    height, width = plane.shape
    while (width + 1) // 2 >= size.width and (height + 1) // 2 >= size.height:
        if (width, height) == (1, 1):
            break
        plane = halve(plane, pool)
        height, width = plane.shape
    return plane if (width, height) == size else resize(plane, size, pool)


def resize(plane: Plane, size: Size, pool: Pool) -> Plane:
    """The plane at `size`, bilinear.

    Args:
        plane: uint8 [height, width].
        size: size of the result.
        pool: where the result comes from.

    Returns:
        uint8 [size.height, size.width].
    """
    out = pool.array((size.height, size.width))
    cv2.resize(plane, size, dst=out, interpolation=cv2.INTER_LINEAR)
    return out


def soften(plane: Plane, deviation: float, pool: Pool) -> Plane:
    """The plane under a Gaussian, in small: soft things need no more pixels.

    Beyond its ends the plane goes on as it ends, so that the border is no edge.

    Args:
        plane: uint8 [height, width].
        deviation: standard deviation, as a part of the shorter side.
        pool: where result and scratch come from.

    Returns:
        uint8 of the plane's shape, with a shorter side of 180 at most; where all is one value, so
        is this.
    """
    height, width = plane.shape
    scale = min(1.0, _SHORTER_SIDE / min(height, width))
    small = Size(max(1, round(width * scale)), max(1, round(height * scale)))
    out = pool.array((small.height, small.width))
    cv2.GaussianBlur(
        shrink(plane, small, pool),
        (0, 0),
        max(deviation * min(small), 0.1),
        dst=out,
        borderType=cv2.BORDER_REPLICATE,
    )
    return out


def rounded(values: Floats, pool: Pool) -> Plane:
    """The values as bytes, rounded, and saturated at 0 and 255.

    Args:
        values: float32 of any shape; rounded and saturated in place.
        pool: where the result comes from.

    Returns:
        uint8 of the same shape.
    """
    np.rint(values, out=values)
    np.clip(values, 0, 255, out=values)
    out = pool.array(values.shape)
    np.copyto(out, values, casting="unsafe")
    return out
