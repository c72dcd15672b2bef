"""A picture made as large as a frame."""

from __future__ import annotations

import math
from typing import NamedTuple

from pullfx import kernels
from pullfx.pipeline.formats import PixelFormat, frame_from_array, frame_to_array
from pullfx.pipeline.frame import Frame, Plane
from pullfx.pipeline.pool import HEAP, Pool
from pullfx.pipeline.shape import Shape


def cover(picture: Frame, shape: Shape, pool: Pool = HEAP) -> Frame:
    """A picture that fills a frame of this shape: never stretched, what sticks out is cut evenly.

    Args:
        picture: of any size and colour description.
        shape: what is wanted.
        pool: where result and scratch come from.

    Returns:
        A frame of that shape, with the picture's time; `picture` itself where it has it.
    """
    if Shape.of(picture) == shape:
        return picture
    scale = max(shape.width / picture.width, shape.height / picture.height)
    across = _cut(picture.width, shape.width, scale)
    down = _cut(picture.height, shape.height, scale)
    y = _scaled(picture.y, down, across, pool)
    u, v = (_scaled(plane, down.halved, across.halved, pool) for plane in (picture.u, picture.v))
    filled = picture.replace(y=y, u=u, v=v)
    if (picture.matrix, picture.range) == (shape.matrix, shape.range):
        return filled
    pixels = frame_to_array(filled, PixelFormat.BGR24, pool=pool)
    return frame_from_array(
        pixels,
        PixelFormat.BGR24,
        matrix=shape.matrix,
        range=shape.range,
        pts=picture.pts,
        time_base=picture.time_base,
        pool=pool,
    )


class _Cut(NamedTuple):
    """What becomes of one side: [start, stop) is made `scaled` long, of which `wanted` is taken.

    All that begins, begins at an even pixel, so that chroma is cut in the same places.
    """

    start: int
    stop: int
    scaled: int
    offset: int
    wanted: int

    @property
    def halved(self) -> _Cut:
        """The same in samples of chroma."""
        return _Cut(
            self.start // 2,
            (self.stop + 1) // 2,
            (self.scaled + 1) // 2,
            self.offset // 2,
            (self.wanted + 1) // 2,
        )


def _cut(length: int, wanted: int, scale: float) -> _Cut:
    """The middle of a side of this length."""
    seen = wanted / scale
    first = (length - seen) / 2
    start = int(first) // 2 * 2
    stop = min(length, 2 * math.ceil((first + seen) / 2))
    scaled = max(wanted, round((stop - start) * scale))
    offset = min(round((first - start) * scale), scaled - wanted) // 2 * 2
    return _Cut(start, stop, scaled, offset, wanted)


def _scaled(plane: Plane, down: _Cut, across: _Cut, pool: Pool) -> Plane:
    cut = plane[down.start : down.stop, across.start : across.stop]
    size = down.scaled, across.scaled
    if cut.shape != size:
        out = pool.array(size)
        smaller = size[0] < cut.shape[0]
        (kernels.resize_area if smaller else kernels.resize_bilinear)(cut, out)
        cut = out
    return cut[
        down.offset : down.offset + down.wanted, across.offset : across.offset + across.wanted
    ]
