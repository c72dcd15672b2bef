"""`ArraySource`: frames from numpy arrays."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from pullfx.errors import SourceError
from pullfx.pipeline.formats import PixelFormat, frame_from_array
from pullfx.pipeline.frame import Frame, Matrix, Range
from pullfx.pipeline.pool import Pool
from pullfx.pipeline.sources.source import Source, SourceInfo


class ArraySource(Source):
    """Frames from an iterable of arrays, taken one by one as they are needed.

    Args:
        arrays: pictures in the layout of `pixel_format`; sizes may change.
        pixel_format: what the arrays hold.
        fps: frames a second, from which the times are made.
        matrix, range: colour description of the frames.
        live: True where the iterable waits for pictures and old ones are better dropped.
        pool: where the frames go.

    Raises:
        SourceError: the iterable gives nothing.
        FrameError: the first array is no picture of that format; `frames` raises it for later ones.
    """

    def __init__(
        self,
        arrays: Iterable[NDArray[np.uint8]],
        pixel_format: PixelFormat = PixelFormat.BGR24,
        *,
        fps: Fraction = Fraction(30),
        matrix: Matrix = Matrix.BT601,
        range: Range = Range.LIMITED,
        live: bool = False,
        pool: Pool | None = None,
    ) -> None:
        super().__init__()
        self._arrays = iter(arrays)
        self._format = pixel_format
        self._time_base = 1 / Fraction(fps)
        self._matrix = matrix
        self._range = range
        self._pool = pool or Pool()
        first = next(self._arrays, None)
        if first is None:
            raise SourceError("there are no arrays to take frames from; pass at least one")
        self._first = self._frame(first, 0)
        self.info = SourceInfo(
            description="arrays",
            width=self._first.width,
            height=self._first.height,
            live=live,
            frame_rate=Fraction(fps),
            frame_count=1 + len(arrays[1:]) if isinstance(arrays, (list, tuple)) else None,
        )

    def frames(self) -> Iterator[Frame]:
        """One frame per array."""
        yield self._first
        for index, array in zip(itertools.count(1), self._arrays):
            if self._stopped.is_set():
                return
            yield self._frame(array, index)

    def close(self) -> None:
        """Does nothing: the arrays belong to the caller."""

    def _frame(self, array: NDArray[np.uint8], index: int) -> Frame:
        return frame_from_array(
            array,
            self._format,
            matrix=self._matrix,
            range=self._range,
            pts=index,
            time_base=self._time_base,
            pool=self._pool,
        )
