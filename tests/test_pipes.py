"""Video through pipes: in from another program and out to one, with heads and without."""

from __future__ import annotations

import errno
import io
import logging
import os
import shutil
import subprocess
import sys
import threading
import time
from fractions import Fraction
from pathlib import Path
from typing import BinaryIO, cast

import av
import numpy as np
import pytest
from video_files import INFO, Array, Identity, frames, stacked, write

from pullfx.errors import SinkError, SourceError
from pullfx.pipeline.formats import PixelFormat, frame_from_av, frame_to_array
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.run import run
from pullfx.pipeline.sinks import RawVideoSink, open_sink
from pullfx.pipeline.sources import FileSource, open_source
from pullfx.pipeline.sources.pipe import InputPipe
from pullfx.pipeline.sources.raw import RawVideo

SIZE = 64, 48
FFMPEG = shutil.which("ffmpeg")
PULLFX = [sys.executable, "-P", "-m", "pullfx"]
MIRROR = ["run", "-", "-", "-e", "mirror", "-q"]
needs_ffmpeg = pytest.mark.skipif(FFMPEG is None, reason="no ffmpeg on this machine")


def y4m(count: int = 4) -> bytes:
    stream = io.BytesIO()
    write(RawVideoSink(stream), frames(count))
    return stream.getvalue()


def source_of(data: bytes, raw: RawVideo | None = None) -> FileSource:
    return FileSource(InputPipe(io.BytesIO(data), "the pipe"), raw=raw)


def flipped(frame: Frame) -> Array:
    """The planes left to right, one below the other."""
    return np.concatenate([plane[:, ::-1].reshape(-1, 64) for plane in frame.planes])


def test_y4m_comes_in_as_it_was_written() -> None:
    with source_of(y4m()) as source:
        assert source.info.frame_rate == Fraction(25)
        assert source.info.path is None
        for found, expected in zip(source.frames(), frames(4), strict=True):
            assert found.pts == expected.pts
            np.testing.assert_array_equal(stacked(found), stacked(expected))
        assert source.damaged == 0


@pytest.mark.parametrize("fps", [None, Fraction(30000, 1001)])
@pytest.mark.parametrize(
    "name", ["yuv420p", "nv12", "yuyv422", "bgr24", "rgba", "gray", "yuv444p", "gray16le"]
)
def test_raw_video_comes_in(name: str, fps: Fraction | None) -> None:
    colours = [frame_to_array(frame, PixelFormat.BGR24) for frame in frames(3)]
    arrays = [
        av.VideoFrame.from_ndarray(picture, "bgr24").reformat(format=name).to_ndarray()
        for picture in colours
    ]
    data = b"".join(array.tobytes() for array in arrays)
    with source_of(data, RawVideo(SIZE, name, fps)) as source:
        assert source.info.frame_rate == (fps or 30)
        found = list(source.frames())
    assert [frame.seconds for frame in found] == [float(n / (fps or 30)) for n in range(3)]
    for frame, array in zip(found, arrays, strict=True):
        expected = frame_from_av(av.VideoFrame.from_ndarray(array, name))
        np.testing.assert_array_equal(stacked(frame), stacked(expected))


def test_a_container_with_times_comes_in_too(media: Path) -> None:
    data = (media / "video" / "intelasl_again_640x480_yuvj420p.mkv").read_bytes()
    with source_of(data) as source:
        assert [frame.seconds for frame in source.frames()][:2] == [0.033, 0.067]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "nothing came through the pipe"),
        (b"YUV4MPEG2 W64 H4", "damaged head of YUV4MPEG2: YUV4MPEG2 W64 H4 (cut off)"),
        (b"YUV4MPEG2 H48 F25:1\nFRAME\n", "damaged head of YUV4MPEG2: YUV4MPEG2 H48 F25:1"),
        (y4m()[:2000], "not one frame of the pipe can be decoded"),
        (bytes(range(256)) * 40, "say how raw pictures lie, as with --raw-in yuv420p"),
    ],
)
def test_what_is_no_video_is_refused_in_one_line(data: bytes, message: str) -> None:
    with pytest.raises(SourceError) as refusal:
        source_of(data)
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("end", [-1, -4000, -4612])
def test_a_cut_y4m_gives_its_whole_pictures_and_says_so(
    end: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "cut.y4m"
    path.write_bytes(y4m()[:end])
    for source in (source_of(y4m()[:end]), FileSource(path)):
        caplog.clear()
        with source:
            assert len(list(source.frames())) == 3
        assert source.damaged == 1
        (record,) = caplog.records
        assert "has a last picture that is cut off" in record.getMessage()


def test_cut_raw_video_gives_its_whole_pictures_and_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    data = b"".join(stacked(frame).tobytes() for frame in frames(4))
    with source_of(data[:-5], RawVideo(SIZE, "yuv420p")) as source:
        assert len(list(source.frames())) == 3
        assert source.damaged == 1
    assert len(caplog.records) == 1


def test_a_picture_comes_in_before_the_one_after_it_is_written() -> None:
    reader, writer = os.pipe()
    taken: list[Frame] = []

    def take() -> None:
        with (
            open(reader, "rb", buffering=0) as stream,
            FileSource(InputPipe(stream, "the pipe")) as source,
        ):
            for frame in source.frames():
                taken.append(frame)
                came.set()

    came = threading.Event()
    thread = threading.Thread(target=take)
    thread.start()
    with open(writer, "wb", buffering=0) as stream:
        data = y4m(5)
        start = data.index(b"\n") + 1
        stream.write(data[:start])
        picture = (len(data) - start) // 5
        # FFmpeg looks at the first two before it gives any.
        stream.write(data[start : start + 2 * picture])
        assert came.wait(10)
        for number in range(2, 5):
            came.clear()
            stream.write(data[start + number * picture : start + (number + 1) * picture])
            assert came.wait(10)
    thread.join(10)
    assert len(taken) == 5


class Breaking(io.RawIOBase):
    """Gives so many bytes, and then what breaks off a read, once; to go on would be to hang."""

    def __init__(self, data: bytes, failure: BaseException) -> None:
        self._data = io.BytesIO(data)
        self._failures = [failure]

    def read(self, size: int = -1) -> bytes:
        if data := self._data.read(size):
            return data
        raise self._failures.pop()


@pytest.mark.parametrize("data", [b"", b"YUV4MPEG2", y4m(3)[:-100]])
def test_an_interrupted_read_ends_the_run(data: bytes) -> None:
    with pytest.raises(KeyboardInterrupt):
        list(FileSource(InputPipe(Breaking(data, KeyboardInterrupt()), "the pipe")).frames())


@pytest.mark.parametrize("data", [b"", y4m(3)[:-100]])
def test_a_pipe_that_cannot_be_read_is_named(data: bytes) -> None:
    broken = Breaking(data, OSError(errno.EIO, "Input/output error"))
    with pytest.raises(SourceError, match="the pipe cannot be read: Input/output error"):
        list(FileSource(InputPipe(broken, "the pipe")).frames())


@pytest.mark.parametrize(("live", "expected"), [(None, False), (False, False), (True, True)])
def test_a_pipe_is_live_when_a_person_says_so(live: bool | None, expected: bool) -> None:
    with FileSource(InputPipe(io.BytesIO(y4m()), "the pipe"), live=live) as source:
        assert source.info.live is expected


def test_a_live_pipe_drops_frames_and_forgives(tmp_path: Path) -> None:
    (tmp_path / "in.y4m").write_bytes(y4m(40))

    pipe = Identity(at=0, act=lambda: time.sleep(0.3))
    with open_source(tmp_path / "in.y4m", live=True) as source:
        report = run(source, "null", pipe)
    assert report.read == 40
    assert report.dropped >= 30
    assert not any(pipe.strict)


def test_a_picture_can_be_read_before_the_one_after_it_is_written() -> None:
    reader, writer = os.pipe()
    with open(writer, "wb") as stream:
        sink = RawVideoSink(cast(BinaryIO, stream), y4m=False)
        sink.open(INFO, None)
        for frame in frames(3):
            sink.write(frame)
            assert os.read(reader, 100_000) == stacked(frame).tobytes()
    os.close(reader)


@pytest.mark.parametrize("format", list(PixelFormat))
def test_raw_video_goes_out(tmp_path: Path, format: PixelFormat) -> None:
    write(open_sink(tmp_path / "out.yuv", pixel_format=format.value), frames(2))
    expected = b"".join(frame_to_array(frame, format).tobytes() for frame in frames(2))
    assert (tmp_path / "out.yuv").read_bytes() == expected
    with open_source(tmp_path / "out.yuv", size=SIZE, fps=25, pixel_format=format) as source:
        assert len(list(source.frames())) == 2


@pytest.mark.parametrize("format", [PixelFormat.NV12, PixelFormat.YUYV422])
def test_an_odd_picture_goes_out_with_a_row_and_a_column_more(format: PixelFormat) -> None:
    stream = io.BytesIO()
    write(RawVideoSink(stream, pixel_format=format), frames(1, 63, 47))
    assert len(stream.getvalue()) == 64 * 48 * (3 if format is PixelFormat.NV12 else 4) // 2


@pytest.mark.parametrize(
    ("name", "format", "message"),
    [
        ("-", "yuv422p10le", "raw video is not written in 'yuv422p10le'; use one of bgr24, rgb24"),
        ("out.mp4", "nv12", "out.mp4 holds no raw video in nv12"),
        ("out.y4m", "nv12", "YUV4MPEG2 is written in yuv420p, not nv12"),
    ],
)
def test_raw_video_that_cannot_be_written_is_refused(name: str, format: str, message: str) -> None:
    with pytest.raises(SinkError, match=message):
        open_sink(name, pixel_format=format)


@pytest.mark.parametrize(
    ("name", "size", "format", "message"),
    [
        ("-", None, "nv12", "has no head that names its size; give it, as with --size 1280x720"),
        ("-", SIZE, "nv13", "there is no pixel format 'nv13'"),
        ("camera", SIZE, "nv12", "no such file: camera"),
        ("rtsp://camera", SIZE, "nv12", "rtsp://camera gives no raw video"),
        ("0", None, "", "there is no pixel format ''"),
    ],
)
def test_raw_video_that_cannot_be_read_is_refused(
    name: str, size: tuple[int, int] | None, format: str, message: str
) -> None:
    with pytest.raises(SourceError) as refusal:
        open_source(name, size=size, pixel_format=format)
    assert message in str(refusal.value)


def test_a_terminal_gives_no_video(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    with pytest.raises(SourceError, match="no program writes into standard input"):
        open_source("-")


def test_from_one_pipe_into_another() -> None:
    done = subprocess.run([*PULLFX, *MIRROR], input=y4m(), capture_output=True, check=True)
    with source_of(done.stdout) as source:
        for found, given in zip(source.frames(), frames(4), strict=True):
            np.testing.assert_array_equal(stacked(found), flipped(given))
    assert done.stderr == b""


def test_bad_input_through_a_pipe_is_one_line_and_exit_code_2() -> None:
    for data, arguments in ((b"YUV4MPEG2 W64", []), (y4m(), ["--raw-in", "nv12"])):
        done = subprocess.run(
            [*PULLFX, *MIRROR, *arguments], input=data, capture_output=True, check=False
        )
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1
        assert done.stdout == b""


@needs_ffmpeg
@pytest.mark.parametrize(
    ("into", "arguments", "out_of"),
    [
        ("-f yuv4mpegpipe", "", "-f yuv4mpegpipe"),
        ("-c:v rawvideo -f nut", "", "-f yuv4mpegpipe"),
        (
            "-pix_fmt nv12 -f rawvideo",
            "--raw-in nv12 --size 64x48 --fps 25 --raw-out nv12",
            "-f rawvideo -pixel_format nv12 -video_size 64x48 -framerate 25",
        ),
    ],
)
def test_between_two_ffmpegs(tmp_path: Path, into: str, arguments: str, out_of: str) -> None:
    (tmp_path / "in.y4m").write_bytes(y4m())
    command = [str(FFMPEG), "-nostdin", "-v", "error"]
    with (
        subprocess.Popen(
            [*command, "-i", "in.y4m", *into.split(), "-"], cwd=tmp_path, stdout=subprocess.PIPE
        ) as before,
        subprocess.Popen(
            [*PULLFX, *MIRROR, *arguments.split()], stdin=before.stdout, stdout=subprocess.PIPE
        ) as effects,
    ):
        subprocess.run(
            [*command, *out_of.split(), "-i", "-", "-pix_fmt", "yuv420p", "out.y4m"],
            cwd=tmp_path,
            stdin=effects.stdout,
            check=True,
        )
    assert (before.returncode, effects.returncode) == (0, 0)
    with FileSource(tmp_path / "out.y4m") as source:
        assert source.info.frame_rate == 25
        for found, given in zip(source.frames(), frames(4), strict=True):
            np.testing.assert_array_equal(stacked(found), flipped(given))


def test_nothing_of_this_is_logged_twice(caplog: pytest.LogCaptureFixture) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "wb", buffering=0) as stream, caplog.at_level(logging.INFO):
        write(RawVideoSink(cast(BinaryIO, stream)), frames(3))
    (record,) = caplog.records
    assert "has gone away" in record.getMessage()
