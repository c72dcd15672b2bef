"""Sources: what they give, in which order, at which time, and what they say when they cannot."""

from __future__ import annotations

import contextlib
import functools
import gc
import http.server
import itertools
import logging
import shutil
import threading
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import pytest
from video_files import DESK, packet_places, times

from pullfx.errors import SourceError
from pullfx.pipeline.formats import PixelFormat, frame_to_array
from pullfx.pipeline.frame import Range
from pullfx.pipeline.sources import (
    ArraySource,
    FileSource,
    ImageFolderSource,
    ImageSource,
    LoopedSource,
    SampleSource,
    Source,
    open_source,
)
from pullfx.pipeline.sources.clock import FrameClock
from pullfx.pipeline.sources.completeness import missing_bytes


def seconds(source: Source) -> list[Fraction]:
    found = []
    for frame in source.frames():
        assert frame.pts is not None
        assert frame.time_base is not None
        found.append(frame.pts * frame.time_base)
    return found


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("edge/nothing.mp4", "no such file"),
        ("edge", "is a folder"),
        ("edge/empty.mp4", "is empty (0 bytes)"),
        ("edge/not_a_video.mp4", "is a text file"),
        ("edge/no_moov.mp4", "its index (moov) is missing"),
        ("edge/zero_frames.mkv", "cut off before the first picture"),
        ("edge/audio_only.mp4", "has sound but no picture"),
        ("edge/trunc_half.mp4", "not one frame"),
        ("SOURCES.md", "is a text file"),
    ],
)
def test_a_file_without_frames_is_refused_in_one_line(
    media: Path, name: str, message: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(SourceError) as refusal:
        FileSource(media / name)
    assert message in str(refusal.value)
    assert str(media / name) in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert not caplog.records


@pytest.mark.parametrize(
    ("name", "first", "count", "size"),
    [
        ("video/intelasl_again_640x480_yuvj420p.mkv", Fraction(33, 1000), 77, (640, 480)),
        ("edge/bframes.mp4", Fraction(0), 24, (640, 360)),
        ("edge/one_frame.mp4", Fraction(0), 1, (640, 360)),
        ("edge/odd_853x479_yuv444p.mp4", Fraction(0), 12, (853, 479)),
        ("edge/tiny_2x2.mkv", Fraction(0), 6, (2, 2)),
        ("edge/rot90.mp4", Fraction(0), 12, (360, 640)),
        ("edge/rot270.mp4", Fraction(0), 12, (360, 640)),
        ("edge/rot180.mp4", Fraction(0), 12, (640, 360)),
    ],
)
def test_a_file_gives_every_frame_upright_with_its_time(
    media: Path, name: str, first: Fraction, count: int, size: tuple[int, int]
) -> None:
    with FileSource(media / name) as source:
        assert (source.info.width, source.info.height) == size
        found = seconds(source)
    assert found == times(media / name)
    assert found[0] == first
    assert len(found) == count
    assert source.damaged == 0


def test_a_varying_rate_is_kept(media: Path) -> None:
    with FileSource(media / "edge/vfr.mp4") as source:
        milliseconds = [float(time * 1000) for time in seconds(source)]
    expected = [0, 33, 66, 100, 400, 433, 466, 900, 905, 910, 1500]
    assert milliseconds[: len(expected)] == pytest.approx(expected, abs=0.5)


@pytest.mark.parametrize(
    ("name", "fps", "step"),
    [
        ("video/openh264_menwhisper_640x320_bframes.264", None, Fraction(1, 25)),
        ("video/openh264_menwhisper_640x320_bframes.264", Fraction(12), Fraction(1, 12)),
        ("video/openh264_zhling_webcam_1280x720.264", Fraction(30000, 1001), Fraction(1001, 30000)),
    ],
)
def test_a_stream_without_times_is_timed_by_its_rate(
    media: Path, name: str, fps: Fraction | None, step: Fraction
) -> None:
    with FileSource(media / name, fps=fps) as source:
        found = seconds(source)
    assert len(found) == len(times(media / name))
    assert found == [index * step for index in range(len(found))]


@pytest.mark.parametrize(
    ("marks", "stamps"),
    [
        ([0, 3600, 7200], [0, 3600, 7200]),
        ([900, 4500], [900, 4500]),
        ([-3600, 0], [-3600, 0]),
        ([None, None, None], [0, 3600, 7200]),
        ([0, None, 7300], [0, 3600, 7300]),
        ([0, 0, 0, 3600], [0, 1, 2, 3600]),
        ([0, 7200, 3600, 10800], [0, 7200, 7201, 10800]),
    ],
)
def test_times_strictly_grow(
    marks: list[int | None], stamps: list[int], caplog: pytest.LogCaptureFixture
) -> None:
    clock = FrameClock(Fraction(1, 90_000), Fraction(25), "clip")
    assert [clock.stamp(mark) for mark in marks] == stamps
    moved = [mark for mark, stamp in zip(marks, stamps, strict=True) if mark not in (None, stamp)]
    assert len(caplog.records) == min(1, len(moved))  # said once


@pytest.mark.parametrize("damage", ["zeroed", "head"])
def test_a_damaged_packet_costs_its_own_frames_only(
    media: Path, tmp_path: Path, damage: str
) -> None:
    places = packet_places(media / DESK)
    data = bytearray((media / DESK).read_bytes())
    hit = (50, 51, 120, 200, len(places) - 1)
    for index in hit:
        position, size, _ = places[index]
        if damage == "zeroed":
            data[position + 4 : position + size] = bytes(size - 4)
        else:
            data[position : position + 8] = b"\xff" * 8
    copy = tmp_path / "damaged.mp4"
    copy.write_bytes(data)
    with FileSource(copy) as source:
        found = [frame.pts for frame in source.frames()]
    lost = {places[index][2] for index in hit}
    assert found == sorted({pts for _, _, pts in places} - lost)
    assert source.damaged == len(hit)


@pytest.mark.parametrize(
    ("name", "keep", "at_least"),
    [
        (DESK, 0.5, 130),
        ("video/intelasl_book_640x480_yuvj420p.mkv", 0.5, 45),
        ("edge/odd_641x481_mjpeg.avi", 0.6, 6),
    ],
)
def test_of_a_file_that_was_cut_off_what_is_there_is_given(
    media: Path,
    tmp_path: Path,
    name: str,
    keep: float,
    at_least: int,
    caplog: pytest.LogCaptureFixture,
) -> None:
    data = (media / name).read_bytes()
    copy = tmp_path / Path(name).name
    copy.write_bytes(data[: round(len(data) * keep)])
    assert missing_bytes(media / name) == 0
    assert missing_bytes(copy) == len(data) - copy.stat().st_size
    with FileSource(copy) as source:
        found = seconds(source)
        total = source.info.frame_count
    assert total is not None
    assert at_least <= len(found) < total
    assert source.damaged == total - len(found)
    assert "is cut off" in caplog.text


def test_the_rest_of_the_file_is_on_offer_until_frames_flow(media: Path) -> None:
    with FileSource(media / DESK) as source:
        assert source.other_streams is not None
        assert [stream.type for stream in source.other_streams.streams] == ["audio"]
        source.other_streams.select(source.other_streams.streams)
        source.other_streams.end_at(1.0)
        for _ in source.frames():
            pass
        taken = [packet.seconds for packet in source.other_streams.take()]
    assert 42 <= len(taken) <= 46  # one second at 44.1 kHz, 1024 samples a packet
    assert max(taken) < 1
    with FileSource(media / DESK) as source:
        assert source.other_streams is not None
        for _ in source.frames():
            pass
        assert not list(source.other_streams.take())  # nobody wanted it, so nothing piled up


def test_stop_ends_the_frames(media: Path) -> None:
    with FileSource(media / "edge/bframes.mp4") as source:
        found = []
        for frame in source.frames():
            found.append(frame)
            if len(found) == 5:
                source.stop()
    assert len(found) == 5


def test_frames_are_let_go_as_soon_as_nobody_holds_them(media: Path) -> None:
    def alive() -> int:
        return sum(isinstance(thing, av.VideoFrame) for thing in gc.get_objects())

    gc.collect()
    gc.disable()  # it would come late, after hundreds of pictures
    try:
        before = alive()  # other tests hold some
        with FileSource(media / "edge/bframes.mp4") as source:
            counts = [alive() - before for _ in source.frames()]
    finally:
        gc.enable()
    assert max(counts) <= 6  # of 24: what decoder and loop have in hand


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@contextlib.contextmanager
def serve(folder: Path) -> Iterator[str]:
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_video_comes_from_an_address(media: Path) -> None:
    with serve(media) as host:
        with open_source(f"http://{host}/edge/bframes.mp4") as source:
            assert len(seconds(source)) == 24
        with pytest.raises(SourceError, match="check the address") as refusal:
            open_source(f"http://user:secret@{host}/edge/nothing.mp4")
        assert "secret" not in str(refusal.value)


def test_an_unknown_protocol_is_named() -> None:
    with pytest.raises(SourceError, match="cannot open foo://bar: Protocol not found"):
        open_source("foo://bar")


def with_orientation(jpeg: bytes, orientation: int) -> bytes:
    """A JPEG file with an EXIF orientation (TIFF tag 0x0112) put in."""
    entry = b"\x01\x12\x00\x03\x00\x00\x00\x01" + bytes([0, orientation, 0, 0])
    exif = b"Exif\0\0MM\0\x2a\0\0\0\x08\x00\x01" + entry + bytes(4)
    return jpeg[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif + jpeg[2:]


@pytest.mark.parametrize(
    ("orientation", "turn"),
    [
        (1, None),
        (3, cv2.ROTATE_180),
        (6, cv2.ROTATE_90_CLOCKWISE),
        (8, cv2.ROTATE_90_COUNTERCLOCKWISE),
    ],
)
def test_a_picture_is_turned_upright(tmp_path: Path, orientation: int, turn: int | None) -> None:
    picture = np.zeros((32, 64, 3), np.uint8)
    picture[:16, :32] = 255
    _, data = cv2.imencode(".jpg", picture)
    path = tmp_path / "ähm.jpg"
    path.write_bytes(with_orientation(data.tobytes(), orientation))
    with ImageSource(path) as source:
        (frame,) = source.frames()
        assert source.info.frame_count == 1
    expected = picture if turn is None else cv2.rotate(picture, turn)
    difference = cv2.absdiff(frame_to_array(frame, PixelFormat.BGR24), np.asarray(expected))
    assert frame.range is Range.FULL
    assert difference.max() <= 3


@pytest.mark.parametrize(
    "name", ["rgba_image.png", "gray_image.png", "gray16_image.png", "palette_image.png"]
)
def test_every_kind_of_picture_becomes_a_frame(media: Path, name: str) -> None:
    with open_source(media / "edge" / name) as source:
        (frame,) = source.frames()
    expected = cv2.imread(str(media / "edge" / name))
    assert expected is not None
    stored = cv2.imread(str(media / "edge" / name), cv2.IMREAD_UNCHANGED)
    if stored is not None and stored.ndim == 3 and stored.shape[2] == 4:  # in front of black
        expected = np.rint(expected * (stored[..., 3:] / 255)).astype(np.uint8)
    found = frame_to_array(frame, PixelFormat.BGR24)
    # Frames have chroma at half size, so that is where the two can be compared.
    half = [cv2.resize(p, (320, 180), interpolation=cv2.INTER_AREA) for p in (found, expected)]
    assert cv2.absdiff(*half).mean() < 1.0


def test_a_folder_gives_its_pictures_in_the_order_of_their_numbers(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for number in (10, 2, 1):
        cv2.imwrite(str(tmp_path / f"img{number}.png"), np.full((4, 6, 3), 20 * number, np.uint8))
    (tmp_path / "img3.png").write_bytes(b"no picture")
    (tmp_path / "notes.txt").write_text("not looked at")
    with open_source(tmp_path, fps=10) as source:
        assert isinstance(source, ImageFolderSource)
        assert source.info.names == ("img1.png", "img2.png", "img3.png", "img10.png")
        found = [(frame.pts, int(frame.y[0, 0])) for frame in source.frames()]
    assert found == [(0, 20), (1, 40), (3, 200)]
    assert source.damaged == 1
    assert "img3.png cannot be read" in caplog.text


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda folder: ImageSource(folder / "nothing.png"), "no such file"),
        (lambda folder: ImageSource(folder / "bad.png"), "no picture in .*bad.png can be read"),
        (lambda folder: ImageFolderSource(folder / "nothing"), "no such folder"),
        (lambda folder: ImageFolderSource(folder / "sub"), "holds no pictures"),
        (lambda folder: ArraySource([]), "there are no arrays"),
    ],
)
def test_what_holds_no_picture_is_refused(tmp_path: Path, make: object, message: str) -> None:
    (tmp_path / "bad.png").write_bytes(b"no picture")
    (tmp_path / "sub").mkdir()
    assert callable(make)
    with pytest.raises(SourceError, match=message):
        make(tmp_path)


def test_arrays_become_frames() -> None:
    arrays = [np.full((6, 8, 3), value, np.uint8) for value in (0, 100, 200)]
    with ArraySource(arrays, fps=Fraction(10), range=Range.FULL) as source:
        assert (source.info.width, source.info.height, source.info.frame_count) == (8, 6, 3)
        found = [(frame.seconds, int(frame.y[0, 0])) for frame in source.frames()]
    assert found == [(0.0, 0), (0.1, 100), (0.2, 200)]


def test_the_sample_clip_is_there() -> None:
    with open_source("sample") as source:
        assert isinstance(source, SampleSource)
        assert (source.info.width, source.info.height) == (640, 480)
        assert source.info.frame_rate == Fraction(30)
        found = seconds(source)
    assert found == [Fraction(index, 30) for index in range(109)]


@pytest.mark.parametrize(
    ("specification", "kind"),
    [
        ("clip.mp4", FileSource),
        (Path("clip.mp4"), FileSource),
        ("12:30 50%.mp4", FileSource),  # neither a protocol nor a pattern
        ("pictures", ImageFolderSource),
        ("pictures/one.png", ImageSource),
        ("sample", SampleSource),
        (Path("sample"), FileSource),
        ("./7", FileSource),
    ],
)
def test_text_means_a_source(
    media: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    specification: str | Path,
    kind: type[Source],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("clip.mp4", "12:30 50%.mp4", "sample", "7"):
        shutil.copy(media / "edge/tiny_16x16.mp4", tmp_path / name)
    (tmp_path / "pictures").mkdir()
    cv2.imwrite(str(tmp_path / "pictures/one.png"), np.zeros((2, 2, 3), np.uint8))
    with open_source(specification) as source:
        assert type(source) is kind


def test_a_size_for_a_file_is_not_silently_ignored(
    media: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        open_source(media / "edge/tiny_16x16.mp4", size=(640, 480)).close()
    assert "a size can only be asked of a camera" in caplog.text


def test_a_loop_begins_again_and_its_times_go_on(media: Path) -> None:
    clip = media / "edge" / "tiny_16x16.mp4"
    once = seconds(FileSource(clip))
    with LoopedSource(lambda: FileSource(clip)) as source:
        looped = list(itertools.islice(source.frames(), 3 * len(once)))
        assert source.info.frame_count is None
    step = once[1] - once[0]
    found = [frame.seconds for frame in looped]
    assert found == pytest.approx([float(number * step) for number in range(3 * len(once))])
    assert (looped[0].y == looped[len(once)].y).all()


def test_a_loop_ends_when_it_is_stopped(media: Path) -> None:
    with LoopedSource(lambda: FileSource(media / "edge" / "one_frame.mp4")) as source:
        for number, _ in enumerate(source.frames()):
            if number == 4:
                source.stop()
    assert number == 4


def test_a_title_that_is_not_utf8_is_no_reason_to_refuse(media: Path, tmp_path: Path) -> None:
    path = tmp_path / "titled.mkv"
    with av.open(str(media / "edge" / "one_frame.mp4")) as clip, av.open(str(path), "w") as out:
        out.metadata["title"] = "Zoe@home"
        stream = out.add_stream_from_template(clip.streams.video[0])
        for packet in clip.demux(video=0):
            if packet.dts is not None:
                packet.stream = stream
                out.mux(packet)
    path.write_bytes(path.read_bytes().replace(b"Zoe@home", b"Zo\xeb@home"))
    with FileSource(path) as source:
        assert len(list(source.frames())) == 1
