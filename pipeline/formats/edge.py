"""In as any kind of picture, out again as the same kind."""

from __future__ import annotations

import av
import numpy as np
from numpy.typing import NDArray

from pullfx.errors import FrameError
from pullfx.pipeline.av_memory import holds
from pullfx.pipeline.formats.arrays import frame_from_array, frame_to_array
from pullfx.pipeline.formats.av_frames import frame_from_av, frame_to_av_like
from pullfx.pipeline.formats.pixel_format import PixelFormat
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.pool import HEAP, Pool

Picture = Frame | av.VideoFrame | NDArray[np.uint8]
"""What a pipeline takes and gives."""


def enter(picture: Picture, format: PixelFormat, pool: Pool) -> Frame:
    """A frame with the pixels of any kind of picture.

    Args:
        picture: a frame, which is handed on as it is, a picture of PyAV or an array.
        format: how the pixels of an array lie. Arrays are BT.601 in limited range.
        pool: where planes that are no views are put.

    Raises:
        FrameError: another kind of object, or pixels that cannot be a frame.
    """
    match picture:
        case Frame():
            return picture
        case av.VideoFrame():
            return frame_from_av(picture, pool)
        case np.ndarray():
            return frame_from_array(picture, format, pool=pool)
    raise _refusal(picture)


def leave(frame: Frame, like: Picture, format: PixelFormat, pool: Pool = HEAP) -> Picture:
    """The pixels of a frame as the kind of picture that came in.

    Args:
        frame: what came of `like`; its size may be another.
        like: the picture that came in. A PyAV picture comes back in its pixel format, with the
            frame's time and with its own colour tags: as itself where the frame is still its
            memory, without a copy for yuv420p, upright, progressive and opaque.
        format: how the pixels of an array are to lie.
        pool: where an array, and scratch, are taken from.

    Raises:
        FrameError: another kind of object, or a size or format that cannot be written.
    """
    match like:
        case Frame():
            return frame
        case av.VideoFrame():
            untouched = holds(like, frame) and frame.pts == like.pts
            return like if untouched else frame_to_av_like(frame, like, pool)
        case np.ndarray():
            return frame_to_array(frame, format, pool=pool)
    raise _refusal(like)


def _refusal(picture: object) -> FrameError:
    return FrameError(
        "a picture must be a pullfx.Frame, an av.VideoFrame or a numpy array, "
        f"but is a {type(picture).__name__}"
    )
