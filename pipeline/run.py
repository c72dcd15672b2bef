"""`run`: everything from a source through a pipeline into a sink."""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Protocol

from pullfx.errors import ParameterError, SinkError
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.interruption import Interruption
from pullfx.pipeline.live import LiveFeed
from pullfx.pipeline.sinks import EncoderOptions, Outcome, Sink, open_sink
from pullfx.pipeline.sources import Source, SourceInfo, open_source

_POLL = 0.1  # seconds between two looks at what else might end a live run


class Processor(Protocol):
    """What is used of `Pipeline`."""

    def reset(self) -> None:
        """Forgets the frames of an earlier run."""

    def process(self, frame: Frame, /, *, strict: bool = False) -> Frame:
        """The frame with the effects in it; with `strict`, an effect that fails raises."""


Progress = Callable[[int, int | None], None]
"""Called after each frame with the number of frames done, and of all frames where that is known."""

OnFrame = Callable[[Frame, Frame], Frame | None]
"""Called with each frame as it came and as it is after the effects; what it returns is written
instead of the latter, unless that is None."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a run did.

    Attributes:
        read: frames that the source gave.
        frames: frames processed and handed to the sink.
        dropped: frames of a live source that a newer one replaced.
        damaged: frames that the source lost, or gave with visible damage.
        seconds: how long it took.
        output: where what was written can be found, or None.
        interrupted: True after Ctrl-C; `output` then names what was written until then.
    """

    read: int
    frames: int
    dropped: int
    damaged: int
    seconds: float
    output: Path | None
    interrupted: bool

    @property
    def fps(self) -> float:
        """Frames a second."""
        return self.frames / self.seconds if self.seconds > 0 else 0.0


def run(
    source: int | str | Path | Source,
    sink: str | Path | Sink,
    pipeline: Processor,
    *,
    seconds: float | None = None,
    size: tuple[int, int] | None = None,
    fps: Fraction | float | None = None,
    sound: bool = True,
    encoder: EncoderOptions | None = None,
    progress: Progress | None = None,
    on_frame: OnFrame | None = None,
    stop: threading.Event | None = None,
) -> Report:
    """Takes every frame of a source through a pipeline into a sink.

    A file is worked through frame by frame: same input, same output. An error stops the run, and
    nothing is left under the output's name. A live source is read in a thread of its own, with one
    frame in flight: while that is worked on, newer frames replace each other, so the picture never
    falls behind. An effect that fails there is handled as the pipeline says, and the picture goes
    on.

    After Ctrl-C the frame at hand is finished and what was written so far is made readable as
    `<stem>.partial<suffix>`.

    Args:
        source: what `open_source` takes, or a source; it is closed at the end.
        sink: what `open_sink` takes, or a sink; it is closed at the end. A file of that name is
            replaced once the new one is whole.
        pipeline: what happens to each frame.
        seconds: end after this much of a file's own time, or of real time where the source is live.
        size: width and height to ask a camera for.
        fps: frames a second to ask a camera for, or of a source without times.
        sound: False leaves sound and subtitles out.
        encoder: how a video file is encoded.
        progress: told after each frame.
        on_frame: shown each frame, and may exchange it before it is written.
        stop: ends the run as if the source had ended, from any thread.

    Returns:
        Counts, and where the output is.

    Raises:
        SourceError: the source gives nothing.
        SinkError: the output cannot be written, or is the input.
        NodeError: an effect failed on a frame of a file.
        ParameterError: `seconds` is no positive number.
    """
    if seconds is not None and not seconds > 0:
        raise ParameterError(f"seconds must be more than 0, but is {seconds:g}")
    target = sink if isinstance(sink, Sink) else open_sink(sink, encoder=encoder)
    opened = source if isinstance(source, Source) else open_source(source, size=size, fps=fps)
    work = _Work(opened, target, pipeline, seconds, progress, on_frame, stop or threading.Event())
    outcome = Outcome.FAILED
    start = time.monotonic()
    with contextlib.ExitStack() as stack:
        stack.callback(work.close_source)
        try:
            with Interruption() as interruption:
                _refuse_overwriting(opened.info, target)
                pipeline.reset()  # the same file gives the same output, whatever came before
                target.open(opened.info, opened.other_streams if sound else None)
                (work.follow if opened.info.live else work.go_through)(interruption)
            outcome = Outcome.INTERRUPTED if interruption.requested else Outcome.COMPLETE
        except KeyboardInterrupt:
            outcome = Outcome.INTERRUPTED
        finally:
            output = target.close(outcome)
    return Report(
        read=work.read,
        frames=work.written,
        dropped=work.dropped,
        damaged=opened.damaged,
        seconds=time.monotonic() - start,
        output=output,
        interrupted=outcome is Outcome.INTERRUPTED,
    )


@dataclass(slots=True)
class _Work:
    """One run: what takes part in it, and what has been done."""

    source: Source
    sink: Sink
    pipeline: Processor
    seconds: float | None
    progress: Progress | None
    on_frame: OnFrame | None
    stop: threading.Event
    read: int = 0
    written: int = 0
    dropped: int = 0
    stuck: bool = False

    def close_source(self) -> None:
        """Closes the source, if nobody hangs in it."""
        if not self.stuck:
            self.source.close()

    def go_through(self, interruption: Interruption) -> None:
        """Every frame of a source that waits."""
        total = self._total()
        end = math.inf
        for frame in self.source.frames():
            if self.read == 0 and self.seconds is not None and frame.seconds is not None:
                end = frame.seconds + self.seconds
                if self.source.other_streams is not None:
                    self.source.other_streams.end_at(end)
            if frame.seconds is not None and frame.seconds >= end:
                return
            self.read += 1
            self._put(frame, total, strict=True)
            if self._is_over(interruption):
                return

    def follow(self, interruption: Interruption) -> None:
        """The newest frame of a source that does not wait, again and again."""
        feed = LiveFeed(self.source)
        try:
            with feed:
                self._follow(feed, interruption)
        finally:
            self.read, self.dropped, self.stuck = feed.read, feed.dropped, feed.stuck

    def _follow(self, feed: LiveFeed, interruption: Interruption) -> None:
        deadline = math.inf
        while not self._is_over(interruption) and time.monotonic() < deadline:
            frame = feed.take(_POLL)
            if frame is None:
                if feed.ended:
                    return
                self.sink.idle()
                continue
            if self.written == 0 and self.seconds is not None:
                deadline = time.monotonic() + self.seconds
            self._put(frame, None, strict=False)

    def _put(self, frame: Frame, total: int | None, *, strict: bool) -> None:
        result = self.pipeline.process(frame, strict=strict)
        if self.on_frame is not None:
            result = self.on_frame(frame, result) or result
        self.sink.write(result)
        self.written += 1
        if self.progress is not None:
            self.progress(self.written, total)

    def _is_over(self, interruption: Interruption) -> bool:
        return interruption.requested or self.stop.is_set() or self.sink.done

    def _total(self) -> int | None:
        info = self.source.info
        if self.seconds is None or info.frame_rate is None:
            return info.frame_count
        asked = math.ceil(self.seconds * info.frame_rate)
        return asked if info.frame_count is None else min(asked, info.frame_count)


def _refuse_overwriting(info: SourceInfo, sink: Sink) -> None:
    if info.path is None or sink.path is None or not sink.path.exists():
        return
    if sink.path.samefile(info.path):
        raise SinkError(f"{sink.path} is the input too; choose another name for the output")
