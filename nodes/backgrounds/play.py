"""The node that has the picture behind people for each frame."""

from __future__ import annotations

import threading
import time
from typing import Final

from pullfx.nodes.backgrounds.background import Background, Moment
from pullfx.nodes.backgrounds.loading import Loading
from pullfx.nodes.backgrounds.open import open_background
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.node import UNCHANGED, node
from pullfx.pipeline.pace import Pace
from pullfx.pipeline.shape import Shape

# Seconds between two frames from which on their clock was set, not waited for.
_JUMP: Final = 60.0


@node
class PlayBackground:
    """What is shown behind people, in the shape of the frame and at its time.

    Another background is opened while frames go on: the last good one is shown until it is ready,
    and for good where it cannot be shown, which is logged once.

    Args:
        background: what to begin with, see `open_background`.
        opened: the same, where it is open already.

    Raises:
        ParameterError: the text can mean nothing.
        SourceError: it cannot be shown.
    """

    def __init__(self, background: str, opened: Background | None = None) -> None:
        self._asked = background
        self._shown = opened or open_background(background)
        self._loading: Loading | None = None
        self._start: float | None = None
        self._before = 0.0  # time of the frame before
        self._last: Frame | None = None

    def __call__(self, frame: Frame, background: str, pace: Pace = Pace.EXACT) -> Frame:
        """The picture behind people.

        Args:
            frame: gives shape and time; none of its pixels is read.
            background: see `open_background`.
            pace: whether the frame waits for what is not ready.

        Returns:
            A frame of the shape of `frame`, or `UNCHANGED`.
        """
        shape = Shape.of(frame)
        if background != self._asked:
            self._ask(background, shape)
        if self._loading is not None and self._loading.is_done(wait=pace is Pace.EXACT):
            self._change(self._loading)
        picture = self._shown.at(Moment(shape, self._time_of(frame), pace))
        if picture is self._last:
            return UNCHANGED  # type: ignore[no-any-return]  # stands for the value before
        self._last = picture
        return picture

    def reset(self) -> None:
        """Begins the background anew; it stays open."""
        self._last = None
        self._start = None
        self._shown.rewind()

    def close(self) -> None:
        """Closes the background and what is being opened."""
        if self._loading is not None:
            self._loading.abandon()
        self._shown.close()

    def _ask(self, background: str, shape: Shape) -> None:
        if self._loading is not None:
            self._loading.abandon()
        self._asked = background
        self._loading = Loading(background, Moment(shape, 0.0, Pace.EXACT))

    def _change(self, loading: Loading) -> None:
        self._loading = None
        background = loading.take()
        if background is not None:
            # Not here: a camera or a thread may take its time to end.
            threading.Thread(target=self._shown.close, daemon=True).start()
            self._shown = background
            self._start = None

    def _time_of(self, frame: Frame) -> float:
        """Seconds since it was first shown, by the frames' clock where they have one.

        Where that clock jumps, the background goes on from where it was.
        """
        now = time.monotonic() if frame.seconds is None else frame.seconds
        if self._start is None:
            self._start = self._before = now
        if not 0 <= now - self._before < _JUMP:
            self._start += now - self._before
        self._before = now
        return now - self._start
