"""`PreviewSink`: a window on the screen."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from pullfx.errors import SinkError
from pullfx.pipeline.devices import window_support
from pullfx.pipeline.formats import PixelFormat, frame_to_array
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.pool import Pool
from pullfx.pipeline.sinks.sink import Outcome, Sink
from pullfx.pipeline.sources.other_streams import OtherStreams
from pullfx.pipeline.sources.source import SourceInfo

_WINDOW = cv2.WINDOW_NORMAL | cv2.WINDOW_KEEPRATIO | cv2.WINDOW_GUI_NORMAL
_ESCAPE = 27
_NO_KEY = -1


class PreviewSink(Sink):
    """Shows frames in a window, live ones at once and those of a file in their own time.

    The window is closed with its button, `q` or Escape; the sink is then `done`.

    Args:
        title: of the window.
        on_key: called with the code of any other key that is pressed, in the thread that writes.
        draw: called with each picture, uint8 BGR [height, width, 3], before it is shown; what it
            paints is seen in the window and nowhere else.

    Raises:
        SinkError: no screen, or an OpenCV that was built without windows.
    """

    def __init__(
        self,
        title: str = "pullfx",
        *,
        on_key: Callable[[int], None] | None = None,
        draw: Callable[[NDArray[np.uint8]], None] | None = None,
    ) -> None:
        support = window_support()
        if not support.available:
            raise SinkError(support.reason)
        self._title = title
        self._on_key = on_key
        self._draw = draw
        self._pool = Pool()
        self._closed = False
        self._shown = False
        self._live = True
        self._start: float | None = None

    @property
    def done(self) -> bool:
        """True when the window was closed."""
        return self._closed

    def open(self, info: SourceInfo, other_streams: OtherStreams | None) -> None:
        """Finds out whether frames have to wait for their time; sound is not played."""
        self._live = info.live

    def write(self, frame: Frame) -> None:
        """Shows one frame and looks for keys."""
        if self._closed:
            return
        try:
            if not self._shown:
                # OpenCV's Qt complains of fonts that its wheel leaves out; nobody can mend that.
                os.environ.setdefault("QT_LOGGING_RULES", "*.warning=false")
                cv2.namedWindow(self._title, _WINDOW)
                cv2.resizeWindow(self._title, frame.width, frame.height)
                self._shown = True
            picture = frame_to_array(frame, PixelFormat.BGR24, pool=self._pool)
            if self._draw is not None:
                self._draw(picture)
            key = self._wait(frame)
            cv2.imshow(self._title, picture)
        except cv2.error as error:
            raise SinkError(f"cannot show the picture: {error.err}") from error
        self._react(cv2.pollKey() if key == _NO_KEY else key)

    def idle(self) -> None:
        """Keeps the window alive."""
        if self._shown and not self._closed:
            self._react(cv2.pollKey())

    def close(self, outcome: Outcome) -> Path | None:
        """Closes the window."""
        if self._shown:
            cv2.destroyWindow(self._title)
        return None

    def _react(self, key: int) -> None:
        closed = cv2.getWindowProperty(self._title, cv2.WND_PROP_VISIBLE) < 1
        if closed or key in (ord("q"), _ESCAPE):
            self._closed = True
        elif key != _NO_KEY and self._on_key is not None:
            self._on_key(key)

    def _wait(self, frame: Frame) -> int:
        """Until the frame's time has come, or a key is pressed; the key, or -1."""
        if self._live or frame.seconds is None:
            return _NO_KEY
        now = time.monotonic()
        if self._start is None:
            self._start = now - frame.seconds
        milliseconds = round((self._start + frame.seconds - now) * 1000)
        if milliseconds < 1:
            return _NO_KEY
        return int(cv2.waitKey(milliseconds))
