"""Pictures with straight alpha, as they look in front of black."""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np
from numpy.typing import NDArray

from pullfx.pipeline.formats.chroma import NEUTRAL, mean_of_squares
from pullfx.pipeline.frame import Frame, Plane, Range
from pullfx.pipeline.pool import Pool


def over_black(frame: Frame, pool: Pool) -> Frame:
    """A frame as it looks in front of black; `frame` itself where it has no alpha."""
    if frame.alpha is None:
        return frame
    y, u, v = planes_over_black(frame.planes, frame.alpha, frame.range, pool)
    return dataclasses.replace(frame, y=y, u=u, v=v, alpha=None, owner=None)


def rgb_over_black(pixels: NDArray[np.uint8], pool: Pool) -> NDArray[np.uint8]:
    """Colours in front of black.

    Args:
        pixels: uint8 [height, width, 4], three colours and alpha.
        pool: where the result and scratch are put.

    Returns:
        The three colours, uint8 [height, width, 3]; as they were where alpha is 255.
    """
    size = pixels.shape[:2]
    *colours, alpha = (pool.array(size) for _ in (0, 1, 2, 3))
    cv2.split(pixels, (*colours, alpha))
    for colour in colours:
        cv2.multiply(colour, alpha, dst=colour, scale=1 / 255)
    result: NDArray[np.uint8] = pool.array((*size, 3))
    cv2.merge(colours, result)
    return result


def planes_over_black(
    planes: tuple[Plane, Plane, Plane], alpha: Plane, range: Range, pool: Pool
) -> tuple[Plane, Plane, Plane]:
    """Planes of a 4:2:0 picture in front of black.

    Args:
        planes: Y, U, V as `Frame` has them.
        alpha: uint8 of the size of Y.
        range: says which code is black.
        pool: where the result and scratch are put.

    Returns:
        The three planes; with their codes as they were where alpha is 255.
    """
    luma, cb, cr = planes
    chroma_alpha = mean_of_squares(alpha, pool)
    return (
        _faded(luma, alpha, 16 if range is Range.LIMITED else 0, pool),
        _faded(cb, chroma_alpha, NEUTRAL, pool),
        _faded(cr, chroma_alpha, NEUTRAL, pool),
    )


def _faded(plane: Plane, alpha: Plane, code: int, pool: Pool) -> Plane:
    """The plane where alpha is 255, `code` where it is 0."""
    above = pool.array(plane.shape, np.int16)
    np.subtract(plane, np.int16(code), out=above)
    cv2.multiply(above, alpha, dst=above, scale=1 / 255, dtype=cv2.CV_16S)
    result: Plane = pool.array(plane.shape)
    np.add(above, np.int16(code), out=result, casting="unsafe")  # lies between two codes
    return result
