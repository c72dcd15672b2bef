"""Frames with alpha: made by replacement, carried by effects, kept by those who can keep it."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import pytest
from av_pictures import rows_of
from made_frames import disc, frame_of, matte_of, noise
from numpy.typing import NDArray
from video_files import INFO, QUICK, write

from pullfx.effects import BackgroundReplacement, Lighting
from pullfx.errors import FrameError, SinkError
from pullfx.nodes import Backdrop, beneath, composite, reduce
from pullfx.pipeline.formats import (
    PixelFormat,
    frame_from_array,
    frame_to_array,
    frame_to_av,
    frame_to_av_like,
)
from pullfx.pipeline.frame import Frame, Range
from pullfx.pipeline.pipeline import Pipeline
from pullfx.pipeline.pool import Pool
from pullfx.pipeline.run import run
from pullfx.pipeline.sinks import EncoderOptions, RawVideoSink, VideoFileSink, open_sink
from pullfx.pipeline.sources import open_source

DESK = "video/lp_s18_desk_1280x720.mp4"
RED = (200, 40, 40)


def red(width: int = 64, height: int = 48) -> Frame:
    """Red that is opaque on the left, half so in the middle and clear on the right."""
    pixels = np.full((height, width, 3), RED, np.uint8)
    alpha = np.zeros((height, width), np.uint8)
    alpha[:, : width // 4] = 255
    alpha[:, width // 4 : 3 * width // 4] = 128
    frame = frame_from_array(pixels, PixelFormat.RGB24, pts=0, time_base=Fraction(1, 25))
    return dataclasses.replace(frame, alpha=alpha)


def columns(pixels: NDArray[np.generic]) -> NDArray[np.float64]:
    """A pixel of the opaque, the half transparent and the clear part."""
    width = pixels.shape[1]
    middle = pixels[pixels.shape[0] // 2]
    return np.asarray(middle[[width // 8, width // 2, width - 3]], np.float64)


OVER_BLACK = np.array([RED, [100, 20, 20], [0, 0, 0]])


@pytest.mark.parametrize(
    ("alpha", "message"),
    [
        (np.zeros((47, 64), np.uint8), r"plane alpha of a 64x48 frame must have shape \(48, 64\)"),
        (np.zeros((48, 64), np.float32), "plane alpha must be uint8, but is float32"),
    ],
)
def test_a_wrong_alpha_is_refused(alpha: NDArray[np.uint8], message: str) -> None:
    with pytest.raises(FrameError, match=message):
        dataclasses.replace(red(), alpha=alpha)


def test_what_is_made_of_a_frame_keeps_its_alpha() -> None:
    frame = red()
    assert Pool().frame(frame).alpha is frame.alpha
    assert frame.replace(y=frame.y.copy()).alpha is frame.alpha


@pytest.mark.parametrize("format", [PixelFormat.RGBA, PixelFormat.BGRA])
def test_arrays_with_alpha(format: PixelFormat) -> None:
    pixels = frame_to_array(red(), format)
    assert pixels.shape == (48, 64, 4)
    colours = pixels[..., :3] if format is PixelFormat.RGBA else pixels[..., 2::-1]
    assert np.abs(columns(colours) - RED).max() <= 2  # straight: as they are
    assert columns(pixels[..., 3]).tolist() == [255, 128, 0]
    opaque = frame_to_array(dataclasses.replace(red(), alpha=None), format)
    assert (opaque[..., 3] == 255).all()


@pytest.mark.parametrize("format", [PixelFormat.RGB24, PixelFormat.I420, PixelFormat.NV12])
@pytest.mark.parametrize("range", Range)
def test_arrays_without_alpha_are_in_front_of_black(format: PixelFormat, range: Range) -> None:
    frame = red()
    again = frame_from_array(
        frame_to_array(dataclasses.replace(frame, alpha=None), PixelFormat.RGB24),
        PixelFormat.RGB24,
        range=range,
    )
    array = frame_to_array(dataclasses.replace(again, alpha=frame.alpha), format)
    back = frame_from_array(array, format, range=range)
    assert np.abs(columns(frame_to_array(back, PixelFormat.RGB24)) - OVER_BLACK).max() <= 3


def test_an_array_with_alpha_comes_in_in_front_of_black() -> None:
    frame = frame_from_array(frame_to_array(red(), PixelFormat.RGBA), PixelFormat.RGBA)
    assert frame.alpha is None
    assert np.abs(columns(frame_to_array(frame, PixelFormat.RGB24)) - OVER_BLACK).max() <= 3


@pytest.mark.parametrize(("width", "height"), [(64, 48), (65, 47)])
def test_pictures_for_the_encoder(width: int, height: int) -> None:
    frame = red(width, height)
    picture = frame_to_av(frame)
    assert picture.format.name == "yuva420p"
    assert frame.alpha is not None
    np.testing.assert_array_equal(rows_of(picture, 3)[:, :width], frame.alpha)
    np.testing.assert_array_equal(rows_of(picture, 0)[:, :width], frame.y)


@pytest.mark.parametrize(
    ("like", "expected"),
    [("yuv420p", "yuva420p"), ("nv12", "yuva420p"), ("bgr24", "yuva420p"), ("rgba", "rgba")],
)
def test_pictures_like_others(like: str, expected: str) -> None:
    picture = frame_to_av_like(red(), av.VideoFrame(64, 48, like))
    assert picture.format.name == expected
    rgba = picture.to_ndarray(format="rgba")
    assert np.abs(columns(rgba[..., 3]) - [255, 128, 0]).max() <= 1


def alpha_in(path: Path, decoder: str | None = None) -> list[NDArray[np.float64]]:
    """Alpha of all frames of a file, as `columns`."""
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        context = av.CodecContext.create(decoder, "r") if decoder else stream.codec_context
        assert isinstance(context, av.VideoCodecContext)
        pictures = [
            picture
            for packet in container.demux(stream)
            for picture in context.decode(packet if packet.size else None)
        ]
        planes = [picture.reformat(format="yuva420p") for picture in pictures]
        return [columns(rows_of(plane, 3)[:, : plane.width]) for plane in planes]


@pytest.mark.parametrize(
    ("name", "codec", "decoder"),
    [
        ("out.webm", None, "libvpx-vp9"),
        ("out.mkv", "libvpx-vp9", "libvpx-vp9"),
        ("out.mov", "prores_ks", None),
        ("out.mkv", "ffv1", None),
    ],
)
@pytest.mark.parametrize(("width", "height"), [(64, 48), (65, 47)])
def test_files_keep_alpha(
    tmp_path: Path, name: str, codec: str | None, decoder: str | None, width: int, height: int
) -> None:
    frames = [dataclasses.replace(red(width, height), pts=index) for index in range(5)]
    frames[3] = dataclasses.replace(frames[3], alpha=None)
    write(VideoFileSink(tmp_path / name, EncoderOptions(codec=codec, crf=10)), frames)
    found = alpha_in(tmp_path / name, decoder)
    assert len(found) == 5
    for index, alpha in enumerate(found):
        expected = [255, 255, 255] if index == 3 else [255, 128, 0]
        assert np.abs(alpha - expected).max() <= 6


def test_a_file_that_cannot_keep_alpha_is_refused(tmp_path: Path) -> None:
    sink = VideoFileSink(tmp_path / "out.mp4", QUICK)
    sink.open(INFO, None)
    with pytest.raises(SinkError, match=r"cannot write what is transparent; write a \.webm file"):
        sink.write(red())


def test_alpha_that_comes_later_is_in_front_of_black(tmp_path: Path) -> None:
    frames = [
        dataclasses.replace(red(), alpha=None),
        dataclasses.replace(red(), pts=1),
    ]
    write(VideoFileSink(tmp_path / "out.mp4", EncoderOptions(crf=5)), frames)
    with av.open(str(tmp_path / "out.mp4")) as container:
        last = [picture.to_ndarray(format="rgb24") for picture in container.decode(video=0)][-1]
    assert np.abs(columns(last) - OVER_BLACK).max() <= 12


@pytest.mark.parametrize(("suffix", "keeps"), [(".png", True), (".webp", True), (".jpg", False)])
def test_picture_files(tmp_path: Path, suffix: str, keeps: bool) -> None:
    path = tmp_path / f"out{suffix}"
    info = dataclasses.replace(INFO, frame_count=1)
    write(open_sink(path), [red()], info)
    pixels = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    assert pixels is not None
    if keeps:
        assert np.abs(columns(pixels[..., 3]) - [255, 128, 0]).max() <= 1
    else:
        assert np.abs(columns(pixels[..., ::-1]) - OVER_BLACK).max() <= 9


def test_raw_pictures_are_in_front_of_black(tmp_path: Path) -> None:
    write(RawVideoSink(tmp_path / "out.y4m"), [red()])
    with open_source(tmp_path / "out.y4m") as source:
        frame = next(source.frames())
    assert np.abs(columns(frame_to_array(frame, PixelFormat.RGB24)) - OVER_BLACK).max() <= 3


# -- replacement by nothing -------------------------------------------------------------------


@pytest.mark.parametrize(("width", "height"), [(320, 180), (321, 181), (2, 2)])
def test_the_matte_becomes_alpha(width: int, height: int) -> None:
    shape = disc(width, height)
    frame, matte = noise(width, height), matte_of(shape)
    nothing = Backdrop(noise(width, height, 1).planes, 0, is_transparent=True)
    out = composite(frame, nothing, matte)
    assert out.alpha is not None
    luma = frame_of(np.full((height, width), 255, np.uint8))
    none = frame_of(np.zeros((height, width), np.uint8))
    np.testing.assert_array_equal(out.alpha, composite(luma, Backdrop(none.planes, 0), matte).y)


def test_beneath_a_person_are_their_own_colours_and_then_black() -> None:
    shape = disc(640, 360)
    room = np.random.default_rng(0).integers(16, 236, shape.shape, np.uint8)
    frame = frame_of(np.where(shape == 1, np.uint8(90), room))
    matte = matte_of(shape)
    nothing = Backdrop(frame.planes, 0, is_transparent=True)
    out = composite(frame, beneath(nothing, frame, reduce(frame), matte), matte).y.astype(int)
    inside = cv2.distanceTransform(shape, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    outside = cv2.distanceTransform(1 - shape, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    np.testing.assert_array_equal(out[inside > 2], 90)
    assert np.abs(out[(outside > 2) & (outside < 4)] - 90).max() <= 12
    assert out[outside > 60].max() <= 18
    # Of the room, which is noise, nothing is left.
    assert np.abs(np.diff(out[outside[:, 0] > 0], axis=1))[:, :100].max() <= 12


def test_an_opaque_background_stays_what_it_is() -> None:
    frame, matte = noise(320, 180), matte_of(disc(320, 180))
    backdrop = Backdrop(noise(320, 180, 1).planes, 0)
    assert beneath(backdrop, frame, reduce(frame), matte) is backdrop


def test_people_are_cut_out(media: Path) -> None:
    with open_source(media / DESK) as source:
        frame = next(source.frames())
    pipe = Pipeline([BackgroundReplacement(background="transparent", light_wrap=1.0)])
    out = pipe.process(frame, strict=True)
    assert out.alpha is not None
    person, room = out.alpha == 255, out.alpha == 0
    assert 0.2 < person.mean() < 0.6
    assert room.mean() > 0.3
    np.testing.assert_array_equal(out.y[person], frame.y[person])
    assert out.y[:300, :400].max() <= 17  # plants; nobody is near
    pipe.set("background_replacement", background="navy")
    assert pipe.process(frame, strict=True).alpha is None


def test_an_effect_behind_it_keeps_the_alpha(media: Path) -> None:
    with open_source(media / DESK) as source:
        frame = next(source.frames())
    pipe = Pipeline([BackgroundReplacement(background="Transparent"), Lighting(strength=1.0)])
    both = pipe.process(frame, strict=True).alpha
    pipe.disable("lighting")
    alone = pipe.process(frame, strict=True).alpha
    assert both is not None
    assert alone is not None
    np.testing.assert_array_equal(both, alone)


def test_an_opaque_one_behind_it_is_opaque(media: Path) -> None:
    with open_source(media / DESK) as source:
        frame = next(source.frames())
    cut_out = BackgroundReplacement(background="transparent")
    pipe = Pipeline([cut_out, BackgroundReplacement(background="white", name="second")])
    out = pipe.process(frame, strict=True)
    assert out.alpha is None
    assert out.y[:300, :400].min() >= 234


def test_arrays_through_a_pipeline(media: Path) -> None:
    with open_source(media / DESK) as source:
        frame = next(source.frames())
    pipe = Pipeline([BackgroundReplacement(background="transparent")])
    out = pipe.process(frame_to_array(frame, PixelFormat.BGRA), format=PixelFormat.BGRA)
    assert out.shape == (720, 1280, 4)
    assert 0.2 < (out[..., 3] == 255).mean() < 0.6
    flat = pipe.process(frame_to_array(frame, PixelFormat.BGR24))
    assert flat.shape == (720, 1280, 3)
    assert flat[:300, :400].max() <= 2


def test_a_video_file_of_a_person_cut_out(tmp_path: Path, media: Path) -> None:
    out = tmp_path / "out.webm"
    with Pipeline([BackgroundReplacement(background="transparent")]) as pipe:
        run(media / DESK, out, pipe, seconds=0.1, sound=False)
    with av.open(str(out)) as container:
        context = av.CodecContext.create("libvpx-vp9", "r")
        assert isinstance(context, av.VideoCodecContext)
        packet = next(container.demux(video=0))
        (picture,) = context.decode(packet) or context.decode(None)
    alpha = rows_of(picture, 3)[:, : picture.width]
    assert 0.2 < (alpha > 250).mean() < 0.6
    assert alpha[:300, :400].max() < 8


def test_with_nothing_to_show_nothing_is_shown(
    media: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_source(media / DESK) as source:
        frame = next(source.frames())
    pipe = Pipeline([BackgroundReplacement(background="transparent")])
    for graph_node, place in pipe._executor.places.items():
        if graph_node.name == "segment":
            monkeypatch.setattr(place, "function", lambda *_: 1 / 0)
    out = pipe.process(frame)
    assert out.alpha is not None
    assert out.alpha.max() == 0
    assert out.y.max() == 16
