"""Video files: what is in those that are written, and what is refused before there is one."""

from __future__ import annotations

import logging
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from video_files import (
    DESK,
    INFO,
    LOSSLESS,
    QUICK,
    RATE,
    frames,
    pictures,
    stacked,
    times,
    write,
)

from pullfx.errors import SinkError
from pullfx.pipeline.frame import Frame, Matrix, Range
from pullfx.pipeline.sinks import (
    EncoderOptions,
    ImageFolderSink,
    ImageSink,
    NullSink,
    Outcome,
    RawVideoSink,
    Sink,
    VideoFileSink,
    open_sink,
)
from pullfx.pipeline.sources import FileSource, SourceInfo


@pytest.mark.parametrize(
    ("specification", "message"),
    [
        ("out.avi", "files ending in .avi are not written; use one of .mp4"),
        ("out.txt", "files ending in .txt are not written"),
        ("missing/out.mp4", "the folder missing for out.mp4 does not exist; make it first"),
        ("missing/out.y4m", "does not exist"),
        ("missing/out.png", "does not exist"),
        ("missing/out", "does not exist"),
        ("file/out.mp4", "file is not a folder"),
        ("file", "is a file and no folder"),
        ("folder.mp4", "folder.mp4 is a folder; name a file"),
        ("folder.png", "folder.png is a folder; name a file"),
    ],
)
def test_what_cannot_be_written_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, specification: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    (tmp_path / "folder.mp4").mkdir()
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(SinkError) as refusal:
        open_sink(specification)
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("specification", "kind"),
    [
        ("null", NullSink),
        ("out.mp4", VideoFileSink),
        ("out.MKV", VideoFileSink),
        ("out.webm", VideoFileSink),
        ("out.y4m", RawVideoSink),
        ("-", RawVideoSink),
        ("out.png", ImageSink),
        ("out", ImageFolderSink),
        (Path("null"), ImageFolderSink),
    ],
)
def test_text_means_a_sink(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    specification: str | Path,
    kind: type[Sink],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert type(open_sink(specification)) is kind
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"codec": "nonsense"}, "the encoder nonsense does not exist or does not work"),
        ({"codec": "aac"}, "the encoder aac does not exist or does not work"),
        ({"crf": 52}, "crf must be 0 (lossless) to 51 (poor), but is 52"),
        ({"bit_rate": 3}, "the bit rate is in bits a second"),
    ],
)
def test_encoder_options_are_checked(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(SinkError) as refusal:
        VideoFileSink(tmp_path / "out.mp4", EncoderOptions(**options))
    assert message in str(refusal.value)


@pytest.mark.parametrize("options", [{"preset": "hasty"}, {"extra": {"profile": "nonsense"}}])
def test_an_encoder_that_refuses_its_options_leaves_no_file(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    sink = VideoFileSink(tmp_path / "out.mp4", EncoderOptions(**options))
    sink.open(INFO, None)
    (frame,) = frames(1)
    with pytest.raises(SinkError, match=r"cannot begin .*out.mp4 \(libx264, 64x48"):
        sink.write(frame)
    sink.close(Outcome.FAILED)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", [".mp4", ".m4v", ".mov", ".mkv"])
def test_pixels_go_to_the_encoder_as_they_are(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"out{suffix}"
    given = list(frames(8))
    assert write(VideoFileSink(path, LOSSLESS), given) == path
    for frame, found in zip(given, pictures(path), strict=True):
        np.testing.assert_array_equal(found, stacked(frame))


@pytest.mark.parametrize("matrix", list(Matrix))
@pytest.mark.parametrize("range_", list(Range))
@pytest.mark.parametrize("suffix", [".mp4", ".mkv"])
def test_colour_is_tagged_as_it_is(
    tmp_path: Path, matrix: Matrix, range_: Range, suffix: str
) -> None:
    path = tmp_path / f"out{suffix}"
    info = SourceInfo("noise", 64, 48, frame_rate=RATE, colour_primaries=9, colour_transfer=16)
    write(VideoFileSink(path, QUICK), frames(2, matrix=matrix, range=range_), info)
    with FileSource(path) as source:
        (first, _) = source.frames()
        assert (first.matrix, first.range) == (matrix, range_)
        assert (source.info.colour_primaries, source.info.colour_transfer) == (9, 16)


@pytest.mark.parametrize("aspect", [Fraction(1), Fraction(128, 117), Fraction(4, 3)])
def test_the_shape_of_pixels_is_kept(tmp_path: Path, aspect: Fraction) -> None:
    path = tmp_path / "out.mp4"
    info = SourceInfo("noise", 64, 48, frame_rate=RATE, sample_aspect_ratio=aspect)
    write(VideoFileSink(path, QUICK), frames(2), info)
    with FileSource(path) as source:
        assert source.info.sample_aspect_ratio == aspect


@pytest.mark.parametrize(
    ("size", "even"), [((63, 48), (64, 48)), ((64, 47), (64, 48)), ((1, 1), (2, 2))]
)
def test_odd_sizes_lose_no_pixel(
    tmp_path: Path,
    size: tuple[int, int],
    even: tuple[int, int],
    caplog: pytest.LogCaptureFixture,
) -> None:
    path = tmp_path / "out.mp4"
    (width, height), (even_width, even_height) = size, even
    given = list(frames(3, width, height))
    write(VideoFileSink(path, LOSSLESS), given)
    for frame, found in zip(given, pictures(path), strict=True):
        luma, chroma = found[:even_height], found[even_height:]
        assert luma.shape == (even_height, even_width)
        expected = np.pad(frame.y, ((0, height % 2), (0, width % 2)), mode="edge")
        np.testing.assert_array_equal(luma, expected)
        np.testing.assert_array_equal(chroma.ravel(), [*frame.u.ravel(), *frame.v.ravel()])
    assert f"{width}x{height} is written as {even_width}x{even_height}" in caplog.text


def test_a_size_that_changes_is_fitted_to_the_first(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def grey(pts: int, width: int, height: int) -> Frame:
        chroma = np.full(((height + 1) // 2, (width + 1) // 2), 128, np.uint8)
        return Frame(
            np.full((height, width), 180, np.uint8), chroma, chroma, pts=pts, time_base=1 / RATE
        )

    path = tmp_path / "out.mp4"
    write(VideoFileSink(path, LOSSLESS), [grey(0, 64, 48), grey(1, 32, 48), grey(2, 101, 77)])
    _, narrow, large = (picture[:48] for picture in pictures(path))
    assert abs(int(narrow[24, 32]) - 180) <= 1  # in the middle the picture, half as wide
    assert (narrow[:, :14] == 16).all()  # black beside it
    assert (narrow[:, 50:] == 16).all()
    assert abs(large[1:-1, 1:-1].astype(int) - 180).max() <= 1
    assert caplog.text.count("pictures change in mid-stream (32x48") == 1


def test_a_colour_that_changes_is_converted_to_the_first(tmp_path: Path) -> None:
    def grey(pts: int, luma: int, range_: Range) -> Frame:
        chroma = np.full((24, 32), 128, np.uint8)
        plane = np.full((48, 64), luma, np.uint8)
        return Frame(plane, chroma, chroma, range=range_, pts=pts, time_base=1 / RATE)

    path = tmp_path / "out.mp4"
    # Middle grey: 126 of 16..235 is 128 of 0..255.
    write(VideoFileSink(path, LOSSLESS), [grey(0, 126, Range.LIMITED), grey(1, 128, Range.FULL)])
    first, second = (picture[:48] for picture in pictures(path))
    assert (first == 126).all()
    assert abs(second.astype(int) - 126).max() <= 1


def test_any_clock_is_kept_to_the_tick(tmp_path: Path) -> None:
    ticks = [1001, 1002, 40_000, 40_001, 1_000_000, 2_000_000_000]
    given = [
        Frame(f.y, f.u, f.v, pts=tick, time_base=Fraction(1, 1_000_000))
        for f, tick in zip(frames(len(ticks)), ticks, strict=True)
    ]
    write(VideoFileSink(tmp_path / "out.mp4", QUICK), given)
    assert times(tmp_path / "out.mp4") == [Fraction(tick, 1_000_000) for tick in ticks]


@pytest.mark.parametrize("name", ["out.mp4", "out.mkv", "out.y4m", "out.png"])
@pytest.mark.parametrize("outcome", list(Outcome))
def test_only_a_whole_file_gets_the_name(tmp_path: Path, name: str, outcome: Outcome) -> None:
    path = tmp_path / name
    path.write_bytes(b"what was there before")
    sink = open_sink(path)
    info = SourceInfo("noise", 64, 48, frame_rate=RATE, frame_count=1)
    sink.open(info, None)
    for frame in frames(1):
        sink.write(frame)
    assert path.read_bytes() == b"what was there before"
    output = sink.close(outcome)
    partial = tmp_path / f"out.partial{path.suffix}"
    expected = {Outcome.COMPLETE: path, Outcome.INTERRUPTED: partial, Outcome.FAILED: None}
    assert output == expected[outcome]
    assert (path.read_bytes() == b"what was there before") is (outcome is not Outcome.COMPLETE)
    left = {path, partial} if outcome is Outcome.INTERRUPTED else {path}
    assert set(tmp_path.iterdir()) == left
    if output is not None and path.suffix != ".png":
        assert len(pictures(output)) == 1


def test_a_file_without_frames_is_no_file(tmp_path: Path) -> None:
    assert write(VideoFileSink(tmp_path / "out.mp4"), []) is None
    assert not list(tmp_path.iterdir())


def test_a_video_that_cannot_be_finished_leaves_no_file(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")  # where there is none, neither is a limit
    sink = VideoFileSink(tmp_path / "out.mp4", LOSSLESS)
    sink.open(INFO, None)

    def write_too_much() -> None:
        for frame in frames(200):
            sink.write(frame)
        sink.close(Outcome.COMPLETE)

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limits[1]))
    try:
        with pytest.raises(SinkError, match=r"cannot write .*out\.mp4: File too large"):
            write_too_much()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    sink.close(Outcome.FAILED)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "message"),
    [("out.webm", r"out.webm cannot hold the sound .*\(aac\); write out.mkv, or leave the sound")],
)
def test_sound_that_does_not_fit_is_refused_before_a_file_exists(
    media: Path, tmp_path: Path, name: str, message: str
) -> None:
    sink = VideoFileSink(tmp_path / name)
    with FileSource(media / DESK) as source, pytest.raises(SinkError, match=message):
        sink.open(source.info, source.other_streams)
    sink.close(Outcome.FAILED)
    assert not list(tmp_path.iterdir())


def with_subtitles(path: Path) -> None:
    """A Matroska file of three frames with one line of SubRip."""
    with av.open(str(path), "w") as container:
        video = container.add_stream("libx264", 25)
        video.width, video.height = 64, 48
        text = container.add_mux_stream("subrip")
        text.time_base = Fraction(1, 1000)
        for frame in frames(3):
            picture = av.VideoFrame(64, 48, "yuv420p")
            picture.pts, picture.time_base = frame.pts, frame.time_base or Fraction(1)
            container.mux(video.encode(picture))
        line = av.Packet(b"hello")
        line.stream, line.pts, line.dts, line.duration = text, 0, 0, 100
        line.time_base = Fraction(1, 1000)
        container.mux(line)
        container.mux(video.encode(None))


@pytest.mark.parametrize(("name", "kept"), [("out.mkv", [b"hello"]), ("out.mp4", [])])
def test_subtitles_go_along_where_the_container_takes_them(
    tmp_path: Path, name: str, kept: list[bytes], caplog: pytest.LogCaptureFixture
) -> None:
    with_subtitles(tmp_path / "in.mkv")
    sink = VideoFileSink(tmp_path / name)
    with FileSource(tmp_path / "in.mkv") as source:
        sink.open(source.info, source.other_streams)
        for frame in source.frames():
            sink.write(frame)
    sink.close(Outcome.COMPLETE)
    with av.open(str(tmp_path / name)) as container:
        texts = [bytes(packet) for packet in container.demux(subtitles=0)] if kept else []
        assert [text for text in texts if text] == kept
        assert len(container.streams.subtitles) == len(kept)
    assert ("cannot hold the subtitles (srt)" in caplog.text) is (not kept)


def test_a_sink_closes_itself_by_how_it_is_left(tmp_path: Path) -> None:
    def leave(name: str, error: BaseException | None) -> None:
        with open_sink(tmp_path / name) as sink:
            sink.open(INFO, None)
            for frame in frames(2):
                sink.write(frame)
            if error is not None:
                raise error

    leave("whole.mp4", None)
    with pytest.raises(KeyboardInterrupt):
        leave("broken_off.mp4", KeyboardInterrupt())
    with pytest.raises(ValueError, match="wrong"):
        leave("failed.mp4", ValueError("wrong"))
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["broken_off.partial.mp4", "whole.mp4"]


def test_webm_gets_vp9(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        write(open_sink(tmp_path / "out.webm"), frames(3))
    with av.open(str(tmp_path / "out.webm")) as container:
        assert container.streams.video[0].codec_context.name in ("vp9", "libvpx-vp9")
    assert len(pictures(tmp_path / "out.webm")) == 3
    assert not caplog.records
