"""Squares of a frame, made small for a network to look at."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pullfx import kernels
from pullfx.nodes.types import Image, Reduced
from pullfx.pipeline.frame import Frame, Range
from pullfx.pipeline.pool import Pool

Floats = NDArray[np.float32]

# Pixels of the reduced luma for one of the network's along a side, from which on it is read.
_AMPLE: Final = 2


class Square(NamedTuple):
    """A part of a frame in pixels; may reach beyond the frame, where there is black.

    Attributes:
        left, top: its corner, even, so that it is one of chroma too.
        side: width and height, even, 2 or more.
    """

    left: int
    top: int
    side: int


class Placement(NamedTuple):
    """Where the pixels of a network's picture lie in the frame.

    Attributes:
        origin: float32 [2], x and y in the frame of the picture's corner.
        scale: float32 [2], pixels of the frame for one of the picture, across and down.
    """

    origin: Floats
    scale: Floats


def square_around(x: float, y: float, side: float) -> Square:
    """The square of about this middle and side, in pixels of the frame."""
    half = max(round(side / 2), 1)
    return Square(2 * round((x - half) / 2), 2 * round((y - half) / 2), 2 * half)


def cut(
    frame: Frame, reduced: Reduced, square: Square, side: int, pool: Pool
) -> tuple[Image, Placement]:
    """The square as RGB, with black where it reaches beyond the frame.

    Smaller it is made by exact means of what each pixel covers, larger by interpolation.

    Args:
        frame: the picture.
        reduced: the same in small, which is read where it is large enough.
        square: must share at least a pixel of chroma with the frame.
        side: width and height of the result.
        pool: where result and scratch come from.

    Returns:
        RGB picture, uint8 [side, side, 3], full range, and where it lies.
    """
    columns = _span(square.left, square.side, frame.width, side)
    rows = _span(square.top, square.side, frame.height, side)
    out = Image(pool.array((side, side, 3)))
    whole = rows.target == columns.target == side
    part = out if whole else Image(pool.array((rows.target, columns.target, 3)))
    if columns.target > columns.length or rows.target > rows.length:
        _enlarge(frame, rows, columns, part, pool)
    else:
        _reduce(frame, reduced, rows, columns, part)
    if not whole:
        out.fill(0)
        out[rows.offset :, columns.offset :][: rows.target, : columns.target] = part
    scale = np.array((columns.scale, rows.scale), np.float32)
    offset = np.array((columns.offset, rows.offset), np.float32)
    corner = np.array((columns.first, rows.first), np.float32)
    return out, Placement(corner - offset * scale, scale)


class _Span(NamedTuple):
    """What a square has of the frame along an axis.

    Attributes:
        first, length: in pixels of the frame; `first` is even.
        offset, target: where that lies in the network's picture.
    """

    first: int
    length: int
    offset: int
    target: int

    @property
    def scale(self) -> float:
        return self.length / self.target

    @property
    def luma(self) -> slice:
        return slice(self.first, self.first + self.length)

    @property
    def chroma(self) -> slice:
        return slice(self.first // 2, (self.first + self.length + 1) // 2)


def _span(start: int, side: int, frame_side: int, target_side: int) -> _Span:
    first, end = max(start, 0), min(start + side, frame_side)
    target = min(max(round((end - first) * target_side / side), 1), target_side)
    offset = round((first - start) * target_side / side)
    return _Span(first, end - first, min(offset, target_side - target), target)


def _reduce(frame: Frame, reduced: Reduced, rows: _Span, columns: _Span, out: Image) -> None:
    ample = rows.scale >= 2 * _AMPLE and columns.scale >= 2 * _AMPLE
    luma = reduced.half[rows.chroma, columns.chroma] if ample else frame.y[rows.luma, columns.luma]
    u, v = frame.u[rows.chroma, columns.chroma], frame.v[rows.chroma, columns.chroma]
    kernels.downscale_rgb(luma, u, v, out, frame.matrix.value, frame.range is Range.FULL)


def _enlarge(frame: Frame, rows: _Span, columns: _Span, out: Image, pool: Pool) -> None:
    shape = rows.target, columns.target
    halved = (shape[0] + 1) // 2, (shape[1] + 1) // 2
    y, u, v = pool.array(shape), pool.array(halved), pool.array(halved)
    kernels.resize_bilinear(frame.y[rows.luma, columns.luma], y)
    for plane, target in ((frame.u, u), (frame.v, v)):
        kernels.resize_bilinear(plane[rows.chroma, columns.chroma], target)
    kernels.i420_to_rgb(y, u, v, out, frame.matrix.value, frame.range is Range.FULL)
