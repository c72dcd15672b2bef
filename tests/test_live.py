"""Live runs: one frame in flight, the newest, and a clean end."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from fake_camera import FakeCamera, NoCamera, source_of
from video_files import QUICK, Identity, times

from pullfx.errors import SourceError
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.live import LiveFeed
from pullfx.pipeline.run import Report, run
from pullfx.pipeline.sinks import NullSink
from pullfx.pipeline.sources import ArraySource, Source, SourceInfo


class Ticking(Source):
    """Gives numbered frames at a steady pace.

    Args:
        count: how many.
        pause: seconds between two.
        error: raised after the last.
    """

    def __init__(self, count: int, pause: float, error: Exception | None = None) -> None:
        super().__init__()
        self.info = SourceInfo("ticking", 8, 8, live=True, frame_rate=Fraction(200))
        self.closed = False
        self._count = count
        self._pause = pause
        self._failure = error

    def frames(self) -> Iterator[Frame]:
        for number in range(self._count):
            if self._stopped.is_set():
                return
            time.sleep(self._pause)
            luma, chroma = np.zeros((8, 8), np.uint8), np.zeros((4, 4), np.uint8)
            yield Frame(luma, chroma, chroma, pts=number, time_base=Fraction(1, 200))
        if self._failure is not None:
            raise self._failure

    def close(self) -> None:
        self.closed = True


class Burst(Ticking):
    """Gives as many frames as it is allowed to, and knows which one was handed over last."""

    def __init__(self, count: int) -> None:
        super().__init__(count, 0.0)
        self.allowed = threading.Semaphore(1)
        self.handed_over = -1

    def frames(self) -> Iterator[Frame]:
        for number, frame in enumerate(super().frames()):
            self.allowed.acquire()
            yield frame
            self.handed_over = number


class Slow(Identity):
    """While it works on a frame, a number of newer ones come."""

    def __init__(self, source: Burst, newer: int) -> None:
        super().__init__()
        self.seen: list[int] = []
        self._source = source
        self._newer = newer
        self._working = threading.Lock()

    def process(self, frame: Frame, /, *, strict: bool = False) -> Frame:
        assert self._working.acquire(blocking=False), "two frames in flight"
        assert frame.pts is not None
        self.seen.append(frame.pts)
        for _ in range(self._newer):
            self._source.allowed.release()
        end = time.monotonic() + 5
        while self._source.handed_over < min(frame.pts + self._newer, 99):
            assert time.monotonic() < end
            time.sleep(0.0002)
        self._working.release()
        return super().process(frame, strict=strict)


@pytest.mark.parametrize("newer", [1, 6, 33])
def test_the_newest_frame_is_next_however_many_came_meanwhile(newer: int) -> None:
    source = Burst(100)
    pipeline = Slow(source, newer)
    report = run(source, "null", pipeline)
    # As old at the end as at the beginning, and the last one is not lost.
    assert pipeline.seen == [*range(0, 99, newer), 99]
    assert (report.read, report.frames) == (100, len(pipeline.seen))
    assert report.dropped == 100 - len(pipeline.seen)
    assert not any(pipeline.strict)
    assert source.closed


def capture_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "pullfx-capture"]


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def fail() -> None:
    raise RuntimeError("wrong")


def end_by_seconds(source: Ticking) -> Report:
    return run(source, "null", Identity(), seconds=0.1)


def end_by_stop(source: Ticking) -> Report:
    stop = threading.Event()
    return run(source, "null", Identity(5, stop.set), stop=stop)


def end_by_sink(source: Ticking) -> Report:
    class Closed(NullSink):
        count = 0

        @property
        def done(self) -> bool:
            return self.count >= 5

        def write(self, frame: Frame) -> None:
            self.count += 1

    return run(source, Closed(), Identity())


def end_by_interrupt(source: Ticking) -> Report:
    return run(source, "null", Identity(5, interrupt))


@pytest.mark.parametrize("end", [end_by_seconds, end_by_stop, end_by_sink, end_by_interrupt])
def test_the_end_is_clean(end: Callable[[Ticking], Report]) -> None:
    source = Ticking(100_000, 0.002)
    start = time.monotonic()
    report = end(source)
    assert time.monotonic() - start < 3
    assert report.interrupted is (end is end_by_interrupt)
    assert 1 <= report.frames < 1000
    assert source.closed
    assert not capture_threads()


@pytest.mark.parametrize(
    ("source", "pipeline", "message"),
    [
        (Ticking(5, 0.001, SourceError("the address went away")), Identity(), "went away"),
        (Ticking(100_000, 0.001), Identity(3, fail), "wrong"),
    ],
)
def test_an_error_ends_the_thread_and_is_raised(
    source: Ticking, pipeline: Identity, message: str
) -> None:
    with pytest.raises((SourceError, RuntimeError), match=message):
        run(source, "null", pipeline)
    assert source.closed
    assert not capture_threads()


def test_a_source_that_hangs_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("pullfx.pipeline.live._PATIENCE", 0.05)
    release = threading.Event()

    class Hanging(Ticking):
        def frames(self) -> Iterator[Frame]:
            yield from super().frames()
            release.wait()

    source = Hanging(3, 0.001)
    with caplog.at_level(logging.ERROR):
        run(source, "null", Identity(), seconds=0.1)
    assert not source.closed
    assert "ticking does not answer" in caplog.text
    release.set()
    for thread in capture_threads():
        thread.join()


def test_the_feed_holds_one_frame_and_says_when_it_is_over() -> None:
    source = Ticking(3, 0.0)
    with LiveFeed(source) as feed:
        while feed.read < 3:
            time.sleep(0.001)
        frame = feed.take(1.0)
        assert frame is not None
        assert frame.pts == 2
        assert feed.dropped == 2
        assert feed.take(0.5) is None
        assert feed.ended


@pytest.mark.parametrize("paused", [False, True])
def test_a_source_that_is_silent_is_named_once(
    paused: bool, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Waiting(Ticking):
        go_on = threading.Event()

        @property
        def paused(self) -> bool:
            return paused

        def frames(self) -> Iterator[Frame]:
            frames = super().frames()
            yield next(frames)
            self.go_on.wait(10)
            yield from frames

    source, now = Waiting(2, 0.0), 100.0
    monkeypatch.setattr("pullfx.pipeline.live.time.monotonic", lambda: now)
    with LiveFeed(source) as feed:
        assert feed.take(1.0) is not None
        for _ in range(4):
            now += 3
            assert feed.take(0.01) is None
        source.go_on.set()
        assert feed.take(1.0) is not None
    expected = [
        "ticking has given no picture for 5 seconds; the last one stays",
        "ticking gives pictures again",
    ]
    assert caplog.messages == ([] if paused else expected)


def test_a_slow_effect_never_shows_an_old_frame() -> None:
    """A minute of 200 ms an effect at 30 frames a second, ten times as fast."""
    taken: dict[int, float] = {}
    ages: list[float] = []
    durations: list[float] = []

    class Fast(Ticking):
        def frames(self) -> Iterator[Frame]:
            for frame in super().frames():
                assert frame.pts is not None
                taken[frame.pts] = time.monotonic()
                yield frame

    class Slow(Identity):
        def process(self, frame: Frame, /, *, strict: bool = False) -> Frame:
            begun = time.monotonic()
            time.sleep(0.020)
            durations.append(time.monotonic() - begun)
            return super().process(frame, strict=strict)

    class Screen(NullSink):
        def write(self, frame: Frame) -> None:
            assert frame.pts is not None
            ages.append(time.monotonic() - taken[frame.pts])

    report = run(Fast(10_000, 1 / 300), Screen(), Slow(), seconds=6)
    assert report.frames > 100
    assert report.dropped > report.frames
    for part in (ages[:50], ages[-50:]):
        assert np.median(part) < 2 * np.median(durations)


def test_a_lost_camera_keeps_the_sink_alive() -> None:
    class Waiting(NullSink):
        idled = 0

        def idle(self) -> None:
            self.idled += 1

    sink = Waiting()
    cameras = [FakeCamera(script=iter(["raw"] * 2)), *(NoCamera() for _ in range(5000))]
    report = run(source_of(*cameras), sink, Identity(), seconds=0.35)
    assert report.frames == 1
    assert sink.idled >= 1


def test_a_camera_is_recorded_with_its_times(tmp_path: Path) -> None:
    output = tmp_path / "out.mp4"
    camera = FakeCamera(pause=0.01)
    report = run(source_of(camera), output, Identity(), seconds=0.3, encoder=QUICK)
    found = times(output)
    assert len(found) == report.frames >= 2
    assert found[0] == 0
    assert 0.01 * (report.frames - 1) <= float(found[-1] or 0) <= report.seconds
    with av.open(str(output)) as container:
        assert container.streams.video[0].width == 64


def test_memory_is_flat_over_many_live_frames() -> None:
    camera = FakeCamera(pause=0.0)
    source = source_of(camera)
    pool = source._pool
    counts: list[int] = []

    def watch(done: int, total: int | None) -> None:
        counts.append(pool.stats().allocations)

    stop = threading.Event()
    run(source, "null", Identity(2000, stop.set), stop=stop, progress=watch)
    assert len(counts) > 2000
    assert max(counts) <= 16  # planes of the few frames that can be under way at once


def test_arrays_can_be_live() -> None:
    arrays = (np.full((8, 8, 3), value, np.uint8) for value in range(50))
    report = run(ArraySource(arrays, live=True), "null", Identity())
    assert report.read == 50
    assert report.frames + report.dropped == 50
