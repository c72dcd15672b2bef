"""Backgrounds that move: by their own clock, without a gap, and never in the way of a frame."""

from __future__ import annotations

import gc
import logging
import threading
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from pullfx.effects import BackgroundReplacement
from pullfx.errors import SourceError
from pullfx.nodes import PlayBackground, open_background
from pullfx.nodes.backgrounds import reel
from pullfx.nodes.backgrounds.background import Moment
from pullfx.nodes.backgrounds.moving import MovingBackground
from pullfx.pipeline.frame import Frame, Matrix, Range
from pullfx.pipeline.pace import Pace
from pullfx.pipeline.pipeline import Pipeline
from pullfx.pipeline.shape import Shape
from pullfx.pipeline.sources import Source, SourceInfo

SHAPE = Shape(64, 36, Matrix.BT601, Range.LIMITED)
COUNT = 10


def level(number: int) -> int:
    """Luma of a frame of the clips here."""
    return 40 + 18 * number


def number_of(frame: Frame) -> int:
    return round((float(frame.y.mean()) - 40) / 18)


@pytest.fixture(params=["12", "25", "30000/1001", "60"])
def rate(request: pytest.FixtureRequest) -> Fraction:
    return Fraction(request.param)


def write_clip(path: Path, rate: Fraction, count: int = COUNT, start: int = 0) -> None:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate, options={"crf": "1"})
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        stream.time_base = 1 / rate
        for number in range(count):
            picture = av.VideoFrame(64, 48, "yuv420p")
            for plane, value in zip(picture.planes, (level(number % COUNT), 128, 128), strict=True):
                plane.update(bytes([value]) * plane.buffer_size)
            picture.pts = number + start
            picture.time_base = 1 / rate
            container.mux(stream.encode(picture))
        container.mux(stream.encode(None))


def exact(seconds: float) -> Moment:
    return Moment(SHAPE, seconds, Pace.EXACT)


def live(seconds: float) -> Moment:
    return Moment(SHAPE, seconds, Pace.LIVE)


@pytest.mark.parametrize("in_front", [24, 30, 59.94])
@pytest.mark.parametrize("start", [0, 7])
def test_each_frame_gets_the_one_of_its_time_round_after_round(
    tmp_path: Path, rate: Fraction, in_front: float, start: int
) -> None:
    path = tmp_path / "clip.mkv"
    write_clip(path, rate, start=start)
    background = open_background(str(path))
    for index in range(80):
        seconds = index / in_front
        frame = background.at(exact(seconds))
        assert Shape.of(frame) == SHAPE
        # Where a frame changes at that very moment, the file's clock of 1 ms decides.
        allowed = {int((seconds + shift) * rate) % COUNT for shift in (-0.012, 0, 0.012)}
        assert number_of(frame) in allowed
    background.close()


def test_the_same_input_gives_the_same_frames(tmp_path: Path) -> None:
    write_clip(tmp_path / "clip.mp4", Fraction(25))
    runs = []
    for _ in range(2):
        background = open_background(str(tmp_path / "clip.mp4"))
        runs.append([number_of(background.at(exact(index / 30))) for index in range(60)])
        background.rewind()
        runs.append([number_of(background.at(exact(index / 30))) for index in range(60)])
        background.close()
    assert runs == runs[:1] * 4


class Clip(Source):
    """Frames of growing luma; `pause` seconds apart."""

    def __init__(
        self,
        count: int = COUNT,
        pause: float = 0.0,
        is_live: bool = False,
        fails_at: int = -1,
        gate: threading.Event | None = None,
    ) -> None:
        super().__init__()
        self.info = SourceInfo("test clip", 64, 36, live=is_live)
        self.closed = False
        self.given = 0
        self._count, self._pause, self._fails_at, self._gate = count, pause, fails_at, gate

    def frames(self) -> Iterator[Frame]:
        for number in range(self._count):
            if number > 0:
                time.sleep(self._pause)
            if number > 0 and self._gate is not None:
                self._gate.wait(10)
            if self._stopped.is_set():
                return
            if number == self._fails_at:
                raise SourceError("the test pulled the plug")
            self.given += 1
            grey = np.full((18, 32), 128, np.uint8)
            luma = np.full((36, 64), level(number % COUNT), np.uint8)
            yield Frame(luma, grey, grey.copy(), pts=number, time_base=Fraction(1, 25))

    def close(self) -> None:
        self.closed = True


def moving(make: Callable[[], Clip]) -> tuple[MovingBackground, list[Clip]]:
    clips: list[Clip] = []

    def open() -> Clip:
        clips.append(make())
        return clips[-1]

    return MovingBackground(open(), open), clips


def until(condition: Callable[[], bool], seconds: float = 5.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.005)
    return condition()


def test_live_nothing_waits_and_the_last_frame_stays() -> None:
    gate = threading.Event()
    background, _ = moving(lambda: Clip(gate=gate))
    first = background.at(live(0.0))
    for index in range(1, 5):
        assert background.at(live(index / 25)) is first
    gate.set()
    assert until(lambda: number_of(background.at(live(0.16))) == 4)
    background.close()


def test_live_a_clip_that_is_late_goes_on_from_where_it_was() -> None:
    gate = threading.Event()
    background, _ = moving(lambda: Clip(count=1000, gate=gate))
    background.at(live(0.0))
    background.at(live(30.0))
    gate.set()
    # It has missed 30 seconds, which are 750 frames: it does not hurry after them.
    time.sleep(0.1)
    assert until(lambda: number_of(background.at(live(30.05))) == 1, 1.0)
    background.close()


def test_it_decodes_ahead_and_then_rests() -> None:
    background, clips = moving(lambda: Clip(count=500))
    background.at(exact(0.0))
    assert until(lambda: clips[0].given > 8)
    time.sleep(0.1)
    assert clips[0].given < 14
    background.close()


def test_one_frame_is_not_opened_again_and_again() -> None:
    background, clips = moving(lambda: Clip(count=1))
    for index in range(20):
        assert number_of(background.at(exact(index / 30))) == 0
    assert len(clips) == 1
    background.close()


@pytest.mark.parametrize("pace", [exact, live])
def test_one_that_breaks_keeps_its_last_frame_and_says_so_once(
    pace: Callable[[float], Moment], caplog: pytest.LogCaptureFixture
) -> None:
    background, _ = moving(lambda: Clip(fails_at=4))
    assert until(lambda: number_of(background.at(pace(0.13))) == 3)
    for index in range(4, 60):
        assert number_of(background.at(pace(index / 25))) == 3
    (warning,) = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert warning.message == "the background's last picture stays: the test pulled the plug"
    background.close()


def test_a_file_that_vanishes_keeps_its_last_frame_and_says_so_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "clip.mp4"
    write_clip(path, Fraction(25), count=20)
    background = open_background(str(path))
    background.at(exact(0.0))
    path.unlink()
    for index in range(100):
        frame = background.at(exact(index / 25))
    assert number_of(frame) == 19 % COUNT
    warnings = [record.message for record in caplog.records if record.levelno >= logging.WARNING]
    assert len(warnings) == 1
    assert "no such file" in warnings[0]
    background.close()


def test_of_a_camera_the_newest_frame_is_shown() -> None:
    background, clips = moving(lambda: Clip(count=10_000, pause=0.002, is_live=True))
    background.at(live(0.0))
    time.sleep(0.2)
    given = clips[0].given
    assert given > 20
    shown = number_of(background.at(live(0.0)))
    assert shown in {(given + late) % COUNT for late in range(-2, 6)}
    background.close()
    assert clips[0].closed


def test_a_camera_that_nobody_watches_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reel, "_UNWATCHED", 0.1)
    monkeypatch.setattr(reel, "_LOOK", 0.01)
    background, clips = moving(lambda: Clip(count=10_000, pause=0.002, is_live=True))
    background.at(live(0.0))
    assert until(lambda: clips[0].closed)
    assert until(lambda: background.at(live(0.0)) is not None and len(clips) == 2)
    assert not clips[1].closed
    background.close()
    assert clips[1].closed


@pytest.mark.parametrize("is_live", [True, False])
def test_its_thread_ends_with_it(is_live: bool) -> None:
    background, _ = moving(lambda: Clip(count=10_000, pause=0.001, is_live=is_live))
    background.at(live(0.0))
    thread = background._thread
    assert thread is not None
    assert thread.is_alive()
    del background
    gc.collect()
    thread.join(5)
    assert not thread.is_alive()


def test_frames_of_another_shape() -> None:
    background, _ = moving(lambda: Clip(count=100))
    shapes = [
        SHAPE,
        Shape(65, 31, Matrix.BT709, Range.FULL),
        Shape(8, 200, Matrix.BT2020, Range.LIMITED),
    ]
    for index in range(30):
        shape = shapes[index % 3]
        frame = background.at(Moment(shape, index / 25, Pace.EXACT))
        assert Shape.of(frame) == shape
    background.close()


def test_a_run_begins_at_the_first_frame_whatever_came_before(tmp_path: Path) -> None:
    path = tmp_path / "clip.mp4"
    write_clip(path, Fraction(25))
    pipe = Pipeline([BackgroundReplacement(background=path, model="selfie_float")])
    grey = np.full((18, 32), 128, np.uint8)
    rounds = []
    for _ in range(2):
        shown = []
        for index in range(15):
            luma = np.full((36, 64), 90, np.uint8)
            frame = Frame(luma, grey, grey, pts=1000 + index, time_base=Fraction(1, 25))
            shown.append(pipe.process(frame, strict=True).y.copy())
        rounds.append(np.stack(shown))
        pipe.reset()
    np.testing.assert_array_equal(rounds[0], rounds[1])
    assert (rounds[0][0] != rounds[0][5]).any()
    pipe.close()


@pytest.mark.parametrize("jump", [-0.4, -3600.0, 3600.0])
def test_when_the_clock_in_front_jumps_it_goes_on(tmp_path: Path, jump: float) -> None:
    path = tmp_path / "clip.mp4"
    write_clip(path, Fraction(25))
    play = PlayBackground(str(path))
    grey = np.full((18, 32), 128, np.uint8)
    seen = []
    for index in range(10):
        ticks = index + (25 * jump if index >= 5 else 0)
        luma = np.full((36, 64), 90, np.uint8)
        frame = Frame(luma, grey, grey, pts=round(ticks), time_base=Fraction(1, 25))
        seen.append(number_of(play(frame, str(path))))
    assert seen[:5] == [0, 1, 2, 3, 4]
    assert seen[5:] == [4, 5, 6, 7, 8]
    play.close()


def test_a_video_in_place_of_a_colour_while_it_runs(tmp_path: Path) -> None:
    path = tmp_path / "clip.mp4"
    write_clip(path, Fraction(25))
    with Pipeline([BackgroundReplacement(background="black", smoothing=0.0)]) as pipe:
        grey = np.full((18, 32), 128, np.uint8)
        frames = [
            Frame(np.full((36, 64), 90, np.uint8), grey, grey, pts=i, time_base=Fraction(1, 25))
            for i in range(12)
        ]
        pipe.process(frames[0], strict=True)
        pipe.set("background_replacement", background=path)
        corners = [int(pipe.process(frame, strict=True).y[0, 0]) for frame in frames[1:]]
    assert all(abs(seen - level(index % COUNT)) <= 3 for index, seen in enumerate(corners))
