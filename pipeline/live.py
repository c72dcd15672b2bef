"""`LiveFeed`: the newest frame of a source that does not wait."""

from __future__ import annotations

import logging
import threading
import time
from types import TracebackType
from typing import Self

from pullfx.pipeline.frame import Frame
from pullfx.pipeline.sources.source import Source

logger = logging.getLogger(__name__)

# Longer than a camera driver waits for a picture, and than an address may be silent.
_PATIENCE = 20.0
# Seconds without a frame after which a person is told.
_SILENT = 5.0


class LiveFeed:
    """Reads a source in a thread of its own, and keeps one frame: the newest.

    Whoever takes frames slower than they come misses some, but never sees an old one: the time
    from source to taker does not grow, however slow the taker is.

    Args:
        source: what to read; whoever made it closes it afterwards, unless it is `stuck`.

    Attributes:
        read: frames that came.
        dropped: frames that a newer one replaced before anybody took them.
        stuck: True when the source did not come back from its last read; it may not be closed then.
    """

    def __init__(self, source: Source) -> None:
        self.read = 0
        self.dropped = 0
        self.stuck = False
        self._source = source
        self._newest: Frame | None = None
        self._ended = False
        self._error: BaseException | None = None
        self._change = threading.Condition()
        self._silent_since: float | None = None
        self._told = False
        self._thread = threading.Thread(target=self._capture, name="pullfx-capture", daemon=True)

    @property
    def ended(self) -> bool:
        """True when no frame will come any more."""
        with self._change:
            return self._ended and self._newest is None

    def take(self, timeout: float) -> Frame | None:
        """The newest frame that was not taken yet.

        Args:
            timeout: seconds to wait for one.

        Returns:
            None when none came in that time.

        Raises:
            Exception: whatever the source raised, once the frames before it are taken.
        """
        with self._change:
            self._change.wait_for(lambda: self._newest is not None or self._ended, timeout)
            frame, self._newest = self._newest, None
            if frame is None and self._error is not None:
                error, self._error = self._error, None
                raise error
        self._note(frame)
        return frame

    def _note(self, frame: Frame | None) -> None:
        """Tells a person when a source has been silent for long, and when it no longer is."""
        if frame is not None or self._source.paused or self._silent_since is None:
            if self._told:
                logger.warning("%s gives pictures again", self._source.info.description)
            self._silent_since, self._told = time.monotonic(), False
        elif not self._told and time.monotonic() - self._silent_since >= _SILENT:
            self._told = True
            logger.warning(
                "%s has given no picture for %g seconds; the last one stays",
                self._source.info.description,
                _SILENT,
            )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._source.stop()
        self._thread.join(_PATIENCE)
        self.stuck = self._thread.is_alive()
        if self.stuck:
            logger.error("%s does not answer and is left as it is", self._source.info.description)
        self._newest = None

    def _capture(self) -> None:
        try:
            for frame in self._source.frames():
                with self._change:
                    self.read += 1
                    self.dropped += self._newest is not None
                    self._newest = frame
                    self._change.notify_all()
                del frame  # while the next one is awaited, only the taker holds this one
        except BaseException as error:  # raised again where the frames are taken
            self._error = error
        finally:
            with self._change:
                self._ended = True
                self._change.notify_all()
