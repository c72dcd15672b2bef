"""Raw pictures, picture files and the window."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, BinaryIO, cast

import cv2
import numpy as np
import pytest
from video_files import (
    DESK,
    INFO,
    Array,
    frames,
    stacked,
    write,
)

from pullfx.errors import SinkError
from pullfx.pipeline import devices
from pullfx.pipeline.formats import PixelFormat, frame_to_array
from pullfx.pipeline.frame import Range
from pullfx.pipeline.sinks import (
    ImageSink,
    Outcome,
    PreviewSink,
    RawVideoSink,
    open_sink,
)
from pullfx.pipeline.sources import FileSource, SourceInfo


@pytest.mark.parametrize("size", [(64, 48), (63, 47)])
@pytest.mark.parametrize("range_", list(Range))
def test_y4m_holds_the_very_pixels(tmp_path: Path, size: tuple[int, int], range_: Range) -> None:
    given = list(frames(4, *size, range=range_))
    info = SourceInfo("noise", *size, frame_rate=Fraction(30000, 1001))
    write(open_sink(tmp_path / "out.y4m"), given, info)
    with FileSource(tmp_path / "out.y4m") as source:
        assert source.info.frame_rate == Fraction(30000, 1001)
        for frame, found in zip(given, source.frames(), strict=True):
            assert found.range is range_
            for plane, expected in zip(found.planes, frame.planes, strict=True):
                np.testing.assert_array_equal(plane, expected)


def test_yuv_is_nothing_but_pixels(tmp_path: Path) -> None:
    given = list(frames(3))
    write(open_sink(tmp_path / "out.yuv"), given)
    expected = b"".join(stacked(frame).tobytes() for frame in given)
    assert (tmp_path / "out.yuv").read_bytes() == expected


def test_raw_pictures_go_to_an_open_stream() -> None:
    stream = io.BytesIO()
    write(RawVideoSink(stream), frames(2))
    assert stream.getvalue().startswith(b"YUV4MPEG2 W64 H48 F25:1 Ip A1:1 C420jpeg")
    assert stream.getvalue().count(b"FRAME\n") == 2


def test_a_reader_that_goes_away_is_the_end_and_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "wb", buffering=0) as stream:
        sink = RawVideoSink(cast(BinaryIO, stream))
        sink.open(INFO, None)
        states = [sink.done]
        for frame in frames(2):
            sink.write(frame)
            states.append(sink.done)
        assert states == [False, True, True]
        assert sink.close(Outcome.COMPLETE) is None


def test_a_program_whose_reader_goes_away_says_so_in_one_line(media: Path) -> None:
    program = f"""
from video_files import Identity
from pullfx.pipeline.run import run
report = run({str(media / DESK)!r}, "-", Identity())
assert report.frames < 20, report
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-P", "-c", program],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.read(20) == b"YUV4MPEG2 W1280 H720"
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read().splitlines() == [
            b"the program that reads the pipe has gone away; no more is written"
        ]
        assert process.wait() == 0


class Trickle(io.RawIOBase):
    """Takes a thousand bytes at a time, as a pipe may."""

    def __init__(self) -> None:
        self.taken = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.taken += bytes(data[:1000])
        return min(1000, len(data))


def test_a_stream_that_takes_part_of_a_picture_gets_the_rest(tmp_path: Path) -> None:
    stream = Trickle()
    write(RawVideoSink(cast(BinaryIO, stream), y4m=False), frames(2))
    assert bytes(stream.taken) == b"".join(stacked(frame).tobytes() for frame in frames(2))


def test_a_terminal_gets_no_raw_video(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    with pytest.raises(SinkError, match="pipe it to a program"):
        open_sink("-")


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".webp", ".bmp", ".tiff"])
def test_a_picture_is_written(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"ähm{suffix}"
    info = SourceInfo("noise", 64, 48, frame_count=1)
    (frame,) = frames(1)
    assert write(ImageSink(path), [frame], info) == path
    found = cv2.imdecode(np.fromfile(path, np.uint8), cv2.IMREAD_COLOR)
    assert found is not None
    difference = cv2.absdiff(np.asarray(found), frame_to_array(frame, PixelFormat.BGR24))
    assert difference.mean() < (40 if suffix in (".jpg", ".webp") else 0.001)  # noise is hard


def test_one_picture_does_not_hold_a_video(tmp_path: Path) -> None:
    sink = ImageSink(tmp_path / "out.png")
    with pytest.raises(SinkError, match=r"out\.png holds one picture, but noise gives more"):
        sink.open(INFO, None)
    sink.close(Outcome.FAILED)


@pytest.mark.parametrize("exists", [False, True])
def test_frames_of_a_video_go_into_a_folder(tmp_path: Path, exists: bool) -> None:
    folder = tmp_path / "out"
    if exists:
        folder.mkdir()
        (folder / "notes.txt").write_text("stays")
    sink = open_sink(folder)
    sink.open(INFO, None)
    for frame in frames(3):
        sink.write(frame)
    assert not list(folder.glob("*.png"))
    assert sink.close(Outcome.COMPLETE) == folder
    names = sorted(path.name for path in folder.glob("*.png"))
    assert names == ["frame_000001.png", "frame_000002.png", "frame_000003.png"]
    assert (folder / "notes.txt").exists() is exists
    assert list(tmp_path.iterdir()) == [folder]


class FakeWindow:
    """Stands in for OpenCV's windows."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, keys: list[int]) -> None:
        self.shown: list[Array] = []
        self.visible = 1.0
        self.keys = keys
        replaced: dict[str, Callable[..., Any]] = {
            "namedWindow": lambda *_: None,
            "resizeWindow": lambda *_: None,
            "destroyWindow": lambda *_: None,
            "imshow": lambda _, picture: self.shown.append(picture.copy()),
            "pollKey": lambda: self.keys.pop(0) if self.keys else -1,
            "waitKey": lambda _: -1,
            "getWindowProperty": lambda *_: self.visible,
        }
        for name, replacement in replaced.items():
            monkeypatch.setattr(cv2, name, replacement)
        monkeypatch.setattr(
            "pullfx.pipeline.sinks.preview.window_support", lambda: devices.WindowSupport(True)
        )


def test_a_window_shows_frames_and_hands_on_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    window = FakeWindow(monkeypatch, [ord("a"), -1, ord("q")])
    pressed: list[int] = []
    sink = PreviewSink(on_key=pressed.append, draw=lambda picture: picture[0].fill(255))
    sink.open(SourceInfo("camera", 64, 48, live=True), None)
    given = list(frames(3))
    states = []
    for frame in given:
        sink.write(frame)
        states.append(sink.done)
    assert states == [False, False, True]
    assert pressed == [ord("a")]
    expected = frame_to_array(given[0], PixelFormat.BGR24)
    np.testing.assert_array_equal(window.shown[0][1:], expected[1:])
    assert (window.shown[0][0] == 255).all()
    sink.close(Outcome.COMPLETE)


def test_a_window_that_is_closed_ends_the_show(monkeypatch: pytest.MonkeyPatch) -> None:
    window = FakeWindow(monkeypatch, [])
    sink = PreviewSink()
    sink.open(SourceInfo("camera", 64, 48, live=True), None)
    for frame in frames(1):
        sink.write(frame)
    assert not sink.done
    window.visible = 0.0
    sink.idle()
    assert sink.done


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is full")
def test_a_full_disk_is_named() -> None:
    with open("/dev/full", "wb", buffering=0) as full:
        sink = RawVideoSink(cast(BinaryIO, full))
        sink.open(INFO, None)
        (frame,) = frames(1)
        with pytest.raises(SinkError, match="No space left on device"):
            sink.write(frame)
