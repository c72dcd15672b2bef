"""`Sink`: where frames go to, and what every kind of sink promises."""

from __future__ import annotations

import abc
import enum
from pathlib import Path
from types import TracebackType
from typing import Self

from pullfx.pipeline.frame import Frame
from pullfx.pipeline.sources.other_streams import OtherStreams
from pullfx.pipeline.sources.source import SourceInfo


class Outcome(enum.Enum):
    """How the writing ended."""

    COMPLETE = "complete"
    """All frames came: what was written gets its final name."""

    INTERRUPTED = "interrupted"
    """A person broke off: what was written is made readable, but never under the final name."""

    FAILED = "failed"
    """Something went wrong: what was written is removed."""


class Sink(abc.ABC):
    """Takes frames, once, in the order of their time.

    The contract:

    * The constructor checks what can be checked without a frame: ending, folder, screen. It writes
      nothing.
    * `open` is called once before the first frame, and refuses what the sink cannot carry. It
      writes nothing either.
    * `write` is called once per frame. Once `done` is true, nothing more is wanted.
    * `close` is called once, whatever happened, and after it nothing else. Only with
      `Outcome.COMPLETE` may anything come to stand under the final name, and then it is whole.
    * Each of them raises `SinkError`, and after a `SinkError` only `close(Outcome.FAILED)` follows.
    * All calls come from the same thread.

    Used as a context manager it closes itself with the outcome that fits.

    Attributes:
        path: final name of what is written, or None where no file is.
    """

    path: Path | None = None

    @property
    def done(self) -> bool:
        """True when no more frames are wanted: a window was closed, a reader went away."""
        return False

    @abc.abstractmethod
    def open(self, info: SourceInfo, other_streams: OtherStreams | None) -> None:
        """Gets ready for the frames of a source.

        Args:
            info: what is known about the source.
            other_streams: sound and subtitles that travel with the frames, or None. A sink that
                carries some selects them here and takes their packets as it writes.

        Raises:
            SinkError: the sink cannot carry this.
        """

    @abc.abstractmethod
    def write(self, frame: Frame) -> None:
        """Takes one frame.

        Raises:
            SinkError: the frame cannot be written: no space, no permission, no screen.
        """

    def idle(self) -> None:  # noqa: B027 (only a window has something to do)
        """Called several times a second while a live source gives nothing."""

    @abc.abstractmethod
    def close(self, outcome: Outcome) -> Path | None:
        """Ends the writing.

        Returns:
            Where what was written can be found, or None where that is nowhere.

        Raises:
            SinkError: the end cannot be written; nothing stands under the final name then.
        """

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.close(Outcome.COMPLETE)
        elif isinstance(error, KeyboardInterrupt):
            self.close(Outcome.INTERRUPTED)
        else:
            self.close(Outcome.FAILED)
