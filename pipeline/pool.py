"""Memory that is used again, so that in steady state nothing is allocated.

A buffer is free when nobody but the pool refers to it. The interpreter's reference count knows
that exactly, views and frames that a caller keeps included, so no reader can be overlooked and
a frame that an app holds on to is never written over.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import av
import numpy as np
from numpy.typing import DTypeLike, NDArray

from pullfx.pipeline.av_memory import planes_of
from pullfx.pipeline.frame import Frame

Owner = TypeVar("Owner")


@dataclass(frozen=True, slots=True)
class PoolStats:
    """What a pool holds: `buffers` and `bytes` now, `allocations` since it was made."""

    buffers: int
    bytes: int
    allocations: int


def _references(buffers: list[Any], index: int) -> int:
    return sys.getrefcount(buffers[index])


# What the count reads for a buffer that only the list holds; it differs between interpreters.
_IDLE = _references([object()], 0)


class Pool:
    """Hands out arrays and frames, and takes them back when the last reference is gone.

    Safe to use from several threads. Contents of what it hands out are undefined.

    Args:
        reuse: False makes every call allocate; nodes that are called directly work so.
    """

    def __init__(self, *, reuse: bool = True) -> None:
        self._reuse = reuse
        self._lock = threading.Lock()
        self._buffers: dict[object, list[Any]] = {}
        self._count = 0
        self._bytes = 0
        self._allocations = 0

    def array(self, shape: tuple[int, ...], dtype: DTypeLike = np.uint8) -> NDArray[Any]:
        """A C-contiguous array of this shape and dtype, undefined inside."""
        if not self._reuse:
            return np.empty(shape, dtype)
        # The view is what the caller gets: its base, and that of every view of it, is the buffer.
        buffer = self._take((shape, np.dtype(dtype)), lambda: np.empty(shape, dtype), _array_bytes)
        return buffer[...]

    def frame(self, like: Frame) -> Frame:
        """A frame of the size, time, colour description and alpha of `like`, undefined inside.

        Its memory is that of an `av.VideoFrame` (its `owner`), which an encoder takes as it is.
        """
        width, height = like.width, like.height
        if self._reuse:
            picture = self._take(
                (width, height), lambda: av.VideoFrame(width, height, "yuv420p"), _picture_bytes
            )
            # An encoder that looks ahead may still hold the memory; then there is fresh memory.
            picture.make_writable()
        else:
            picture = av.VideoFrame(width, height, "yuv420p")
        y, u, v = planes_of(picture)
        return Frame(
            y, u, v, like.matrix, like.range, like.pts, like.time_base, picture, like.alpha
        )

    def clear(self) -> None:
        """Forgets all buffers; those in use live on until their users let go."""
        with self._lock:
            self._buffers.clear()
            self._count = 0
            self._bytes = 0

    def stats(self) -> PoolStats:
        """Buffers and bytes held now, and allocations since the pool was made."""
        with self._lock:
            return PoolStats(self._count, self._bytes, self._allocations)

    def _take(
        self, key: object, allocate: Callable[[], Owner], size: Callable[[Owner], int]
    ) -> Owner:
        with self._lock:
            buffers: list[Owner] = self._buffers.setdefault(key, [])
            for index in range(len(buffers)):
                if _references(buffers, index) == _IDLE:
                    return buffers[index]
            buffer = allocate()
            buffers.append(buffer)
            self._count += 1
            self._bytes += size(buffer)
            self._allocations += 1
            return buffer


HEAP = Pool(reuse=False)
"""The pool of nodes that are called directly: each call allocates, as numpy does."""


def _array_bytes(buffer: NDArray[Any]) -> int:
    return buffer.nbytes


def _picture_bytes(picture: av.VideoFrame) -> int:
    return sum(plane.buffer_size for plane in picture.planes)
