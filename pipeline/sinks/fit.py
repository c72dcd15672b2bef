"""Frames made to fit a stream that has begun: its size and colours cannot change any more."""

from __future__ import annotations

import cv2
import numpy as np

from pullfx.pipeline.formats import PixelFormat, frame_from_array, frame_to_array
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.pool import Pool
from pullfx.pipeline.shape import Shape


def fit(frame: Frame, shape: Shape, pool: Pool) -> Frame:
    """The frame in another shape: scaled to fit with its proportions kept, centred on black.

    Returns:
        `frame` itself when it has the shape already.
    """
    if Shape.of(frame) == shape:
        return frame
    picture = frame_to_array(frame, PixelFormat.BGR24, pool=pool)
    scale = min(shape.width / frame.width, shape.height / frame.height)
    width = min(shape.width, max(1, round(frame.width * scale)))
    height = min(shape.height, max(1, round(frame.height * scale)))
    left, top = (shape.width - width) // 2, (shape.height - height) // 2
    canvas = np.zeros((shape.height, shape.width, 3), np.uint8)
    cv2.resize(
        picture,
        (width, height),
        dst=canvas[top : top + height, left : left + width],
        interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC,
    )
    return frame_from_array(
        canvas,
        PixelFormat.BGR24,
        matrix=shape.matrix,
        range=shape.range,
        pts=frame.pts,
        time_base=frame.time_base,
        pool=pool,
    )


def pad_to_even(frame: Frame, pool: Pool) -> Frame:
    """The frame with its last luma row and column repeated where that makes a side even.

    The chroma planes of an odd frame are rounded up, so they fit the even one as they are.

    Returns:
        `frame` itself when both sides are even.
    """
    height, width = frame.height, frame.width
    below, right = height % 2, width % 2
    if not below and not right:
        return frame
    luma = pool.array((height + below, width + right))
    luma[:height, :width] = frame.y
    luma[height:, :width] = frame.y[-1]
    luma[:, width:] = luma[:, width - 1 : width]
    return frame.replace(y=luma, owner=luma)
