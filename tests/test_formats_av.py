"""Frames from PyAV's pictures and back: what is a view, and what is copied."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from av_pictures import (
    FULL,
    LIMITED,
    SIZES,
    assert_planes,
    filtered,
    first_picture,
    random_picture,
    rows_of,
)
from exact_colour import square_means

from pullfx.pipeline.formats import frame_from_av, frame_to_av
from pullfx.pipeline.frame import Frame, Matrix, Range
from pullfx.pipeline.pool import Pool


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("format", ["yuv420p", "yuvj420p"])
def test_planar_420_is_the_decoders_memory(width: int, height: int, format: str) -> None:
    picture = random_picture(width, height, format)
    frame = frame_from_av(picture)
    for index, plane in enumerate(frame.planes):
        rows = rows_of(picture, index)
        assert plane.ctypes.data == rows.ctypes.data
        assert np.array_equal(plane, rows[:, : plane.shape[1]])
    assert (frame.width, frame.height) == (width, height)
    assert (frame.pts, frame.time_base, frame.owner) == (5, Fraction(1, 25), picture)


def test_rows_that_lie_upwards_are_a_view_with_negative_strides() -> None:
    picture = random_picture(64, 47, "yuv420p")
    upwards = filtered(picture, "vflip")
    assert upwards.planes[0].line_size < 0
    frame = frame_from_av(upwards)
    assert frame.y.strides[0] < 0
    for index, plane in enumerate(frame.planes):
        assert np.shares_memory(plane, rows_of(picture, index))
        assert np.array_equal(plane, rows_of(picture, index)[::-1, : plane.shape[1]])
    assert frame_to_av(frame) is upwards


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_nv12_luma_is_a_view(width: int, height: int) -> None:
    picture = random_picture(width, height, "nv12")
    frame = frame_from_av(picture)
    assert np.shares_memory(frame.y, rows_of(picture, 0))
    chroma = rows_of(picture, 1)[:, : 2 * frame.u.shape[1]]
    assert_planes(frame, rows_of(picture, 0)[:, :width], chroma[:, 0::2], chroma[:, 1::2])


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("format", ["yuv444p", "yuvj444p", "yuv422p", "yuvj422p"])
def test_more_chroma_becomes_its_mean_and_luma_is_a_view(
    width: int, height: int, format: str
) -> None:
    picture = random_picture(width, height, format)
    frame = frame_from_av(picture)
    assert np.shares_memory(frame.y, rows_of(picture, 0))
    cb, cr = (rows_of(picture, i)[:, : picture.planes[i].width].astype(float) for i in (1, 2))
    if "422" in format:  # already half as wide: doubled, so that the means are those of two rows
        cb, cr = (np.repeat(plane, 2, axis=1) for plane in (cb, cr))
    luma = rows_of(picture, 0)[:, :width]
    assert_planes(frame, luma, square_means(cb), square_means(cr), within=0.5)
    assert frame.range is (Range.FULL if "j" in format else Range.LIMITED)


def test_grey_luma_is_a_view() -> None:
    picture = random_picture(63, 47, "gray")
    frame = frame_from_av(picture)
    assert np.shares_memory(frame.y, rows_of(picture, 0))
    neutral = np.full((24, 32), 128)
    assert_planes(frame, rows_of(picture, 0)[:, :63], neutral, neutral)


@pytest.mark.parametrize("format", ["yuv420p", "nv12", "yuv422p", "yuv444p", "gray", "bgr24"])
def test_nothing_is_allocated_once_warm(format: str) -> None:
    pool, picture = Pool(), random_picture(64, 48, format)
    frame_from_av(picture, pool)
    before = pool.stats().allocations
    for _ in range(3):
        frame_from_av(picture, pool)
    assert pool.stats().allocations == before


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_pool_memory_goes_to_the_encoder_as_it_is(width: int, height: int) -> None:
    like = frame_from_av(random_picture(width, height, "yuv420p"))
    frame = Pool().frame(like)
    picture = frame_to_av(frame)
    assert picture is frame.owner
    assert (picture.pts, picture.time_base) == (5, Fraction(1, 25))


def test_exchanged_planes_find_the_picture_that_has_them() -> None:
    frame = frame_from_av(random_picture(64, 48, "yuv420p"))
    other = Pool().frame(frame)
    replaced = frame.replace(y=other.y, u=other.u, v=other.v, owner=other.owner)
    assert frame_to_av(replaced) is other.owner


def test_planes_from_several_places_are_copied_once() -> None:
    frame = frame_from_av(random_picture(63, 47, "yuv420p"))
    other = Pool().frame(frame)
    mixed = frame.replace(y=np.flipud(frame.y), u=other.u, owner=other.owner)
    picture = frame_to_av(mixed)
    assert picture is not frame.owner
    assert picture is not other.owner
    for index, plane in enumerate(mixed.planes):
        assert np.array_equal(rows_of(picture, index)[:, : plane.shape[1]], plane)
        assert not np.shares_memory(rows_of(picture, index), plane)


@pytest.mark.parametrize(
    ("matrix", "range", "tags"),
    [
        (Matrix.BT601, Range.LIMITED, (6, LIMITED)),
        (Matrix.BT601, Range.FULL, (6, FULL)),
        (Matrix.BT709, Range.FULL, (1, FULL)),
        (Matrix.BT2020, Range.LIMITED, (9, LIMITED)),
    ],
)
@pytest.mark.parametrize("pooled", [True, False])
def test_the_picture_says_what_the_frame_is(
    matrix: Matrix, range: Range, tags: tuple[int, int], pooled: bool
) -> None:
    luma, chroma = np.zeros((48, 64), np.uint8), np.zeros((24, 32), np.uint8)
    frame = Frame(luma, chroma, chroma, matrix, range, 7, Fraction(1, 30))
    picture = frame_to_av(Pool().frame(frame) if pooled else frame)
    assert picture.format.name == "yuv420p"
    assert (picture.colorspace, picture.color_range) == tags
    assert (picture.pts, picture.time_base, picture.pict_type) == (7, Fraction(1, 30), 0)
    again = frame_from_av(picture)
    assert (again.matrix, again.range) == (matrix, range)


def test_the_decoders_kind_of_picture_is_no_order_to_the_encoder(media: Path) -> None:
    picture = first_picture(media / "edge" / "bframes.mp4")
    assert picture.pict_type != 0
    assert frame_to_av(frame_from_av(picture)) is picture
    assert picture.pict_type == 0


def test_a_tag_that_says_the_same_stays() -> None:
    picture = random_picture(64, 48, "yuv420p")
    picture.colorspace = 5  # BT.601 as PAL has it
    assert frame_to_av(frame_from_av(picture)).colorspace == 5


def test_memory_used_again_forgets_its_time() -> None:
    pool, like = Pool(), frame_from_av(random_picture(64, 48, "yuv420p"))
    frame_to_av(pool.frame(like))
    timeless = Frame(like.y, like.u, like.v)
    picture = frame_to_av(pool.frame(timeless))
    assert pool.stats().allocations == 1
    assert (picture.pts, picture.time_base) == (None, None)


@pytest.mark.parametrize("range", Range)
@pytest.mark.parametrize("matrix", Matrix)
def test_an_encoded_file_has_the_frames_codes_and_tags(
    tmp_path: Path, matrix: Matrix, range: Range
) -> None:
    """With the encoder's context told, as `frame_to_av` says, it is read back as it was."""
    generator = np.random.default_rng(1)
    planes = [
        generator.integers(0, 256, shape, np.uint8) for shape in ((48, 64), (24, 32), (24, 32))
    ]
    y, u, v = planes
    frame = Frame(y, u, v, matrix, range, 0, Fraction(1, 25))
    path = tmp_path / "coded.mkv"
    with av.open(path, "w") as container:
        stream = container.add_stream("libx264", rate=25)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        stream.options = {"qp": "0"}  # lossless
        picture = frame_to_av(frame)
        stream.codec_context.colorspace = picture.colorspace
        stream.codec_context.color_range = picture.color_range
        container.mux(stream.encode(picture))
        container.mux(stream.encode())
    again = frame_from_av(first_picture(path))
    assert (again.matrix, again.range) == (matrix, range)
    assert_planes(again, *planes)


FILES = {
    "bframes.mp4": (640, 360),
    "gray_h264.mp4": (640, 360),
    "odd_641x481_mjpeg.avi": (641, 481),
    "odd_853x479_yuv444p.mp4": (853, 479),
    "one_frame.mp4": (640, 360),
    "rot90.mp4": (360, 640),
    "rot180.mp4": (640, 360),
    "rot270.mp4": (360, 640),
    "sdr_10bit.mp4": (640, 360),
    "tiny_16x16.mp4": (16, 16),
    "tiny_2x2.mkv": (2, 2),
    "vfr.mp4": (640, 360),
    "wide_1280x90.mp4": (1280, 90),
    "hdr_pq_bt2020_10bit.mp4": (640, 360),
}


@pytest.mark.parametrize("name", sorted(FILES))
def test_every_frame_of_every_file_comes_in(media: Path, name: str) -> None:
    pool = Pool()
    with av.open(media / "edge" / name) as container:
        times = []
        for picture in container.decode(video=0):
            frame = frame_from_av(picture, pool)
            assert (frame.width, frame.height) == FILES[name]
            assert 20 < frame.y.mean() < 235
            times.append(frame.seconds)
    assert times == sorted(time for time in times if time is not None)
    assert times
