"""Frames made to fit a stream that has begun: its size and colours cannot change any more."""

from __future__ import annotations

import dataclasses

import cv2
import numpy as np

from pullfx.pipeline.formats import PixelFormat, frame_from_array, frame_to_array
from pullfx.pipeline.frame import Frame, Plane
from pullfx.pipeline.pool import Pool
from pullfx.pipeline.shape import Shape


def fit(frame: Frame, shape: Shape, pool: Pool) -> Frame:
    """The frame in another shape: scaled to fit with its proportions kept, centred on black.

    Returns:
        `frame` itself when it has the shape already.
    """
    if Shape.of(frame) == shape:
        return frame
    colours = dataclasses.replace(frame, alpha=None)
    picture = frame_to_array(colours, PixelFormat.BGR24, pool=pool)
    scale = min(shape.width / frame.width, shape.height / frame.height)
    width = min(shape.width, max(1, round(frame.width * scale)))
    height = min(shape.height, max(1, round(frame.height * scale)))
    left, top = (shape.width - width) // 2, (shape.height - height) // 2
    canvas = np.zeros((shape.height, shape.width, 3), np.uint8)
    middle = np.s_[top : top + height, left : left + width]
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    cv2.resize(picture, (width, height), dst=canvas[middle], interpolation=how)
    fitted = frame_from_array(
        canvas,
        PixelFormat.BGR24,
        matrix=shape.matrix,
        range=shape.range,
        pts=frame.pts,
        time_base=frame.time_base,
        pool=pool,
    )
    if frame.alpha is None:
        return fitted
    alpha = np.zeros((shape.height, shape.width), np.uint8)
    cv2.resize(frame.alpha, (width, height), dst=alpha[middle], interpolation=how)
    return dataclasses.replace(fitted, alpha=alpha)


def pad_to_even(frame: Frame, pool: Pool) -> Frame:
    """The frame with its last luma row and column repeated where that makes a side even.

    The chroma planes of an odd frame are rounded up, so they fit the even one as they are.

    Returns:
        `frame` itself when both sides are even.
    """
    if frame.height % 2 == 0 and frame.width % 2 == 0:
        return frame
    luma = _padded(frame.y, pool)
    alpha = None if frame.alpha is None else _padded(frame.alpha, pool)
    return dataclasses.replace(frame, y=luma, alpha=alpha, owner=(frame.owner, luma))


def _padded(plane: Plane, pool: Pool) -> Plane:
    height, width = plane.shape
    below, right = height % 2, width % 2
    padded: Plane = pool.array((height + below, width + right))
    padded[:height, :width] = plane
    padded[height:, :width] = plane[-1]
    padded[:, width:] = padded[:, width - 1 : width]
    return padded
