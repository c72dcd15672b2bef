"""The memory of PyAV's pictures as numpy views; nothing here copies or converts."""

from __future__ import annotations

import av
import numpy as np
from av.video.plane import VideoPlane

from pullfx.pipeline.frame import Frame, Plane

PLANAR_420 = ("yuv420p", "yuvj420p")
"""The names of the format that frames have; the second says full range in its name."""


def planes_of(picture: av.VideoFrame) -> tuple[Plane, Plane, Plane]:
    """The three planes of a planar 8-bit picture, each uint8 [rows, columns]."""
    y, u, v = (_rows(plane)[:, : plane.width] for plane in picture.planes[:3])
    return y, u, v


def luma_of(picture: av.VideoFrame) -> Plane:
    """The luma plane of an 8-bit picture that has one, uint8 [height, width]."""
    return _rows(picture.planes[0])[:, : picture.width]


def alpha_of(picture: av.VideoFrame) -> Plane:
    """The alpha plane of a planar 8-bit picture that has one, uint8 [height, width]."""
    return _rows(picture.planes[3])[:, : picture.width]


def chroma_pairs_of(picture: av.VideoFrame) -> Plane:
    """Cb and Cr by turns of an nv12 picture, uint8 [rows, columns, 2]."""
    plane = picture.planes[1]
    rows = _rows(plane)[:, : 2 * plane.width]
    return rows.reshape(rows.shape[0], -1, 2)


def pixels_of(picture: av.VideoFrame) -> Plane:
    """The pixels of a packed 8-bit RGB picture, uint8 [height, width, 3 or, with alpha, 4]."""
    channels = len(picture.format.components)
    rows = _rows(picture.planes[0])[:, : channels * picture.width]
    return rows.reshape(picture.height, -1, channels)


def holds(picture: av.VideoFrame, frame: Frame) -> bool:
    """True where the frame's planes are exactly those of the picture."""
    if picture.format.name not in PLANAR_420:
        return False
    return all(map(_is_at, frame.planes, picture.planes))


def _is_at(ours: Plane, theirs: VideoPlane) -> bool:
    if ours.shape != (theirs.height, theirs.width) or ours.strides != (theirs.line_size, 1):
        return False
    return bool(ours.__array_interface__["data"][0] == theirs.buffer_ptr)


def _rows(plane: VideoPlane) -> Plane:
    rows = np.frombuffer(memoryview(plane), np.uint8).reshape(plane.height, -1)
    return rows[::-1] if plane.line_size < 0 else rows
