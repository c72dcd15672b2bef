"""In as any kind of picture, out again as the same kind."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from av_pictures import (
    FULL,
    LIMITED,
    assert_planes,
    filtered,
    first_picture,
    flat_picture,
    random_picture,
    rows_of,
)
from exact_colour import rgb

from pullfx.errors import FrameError
from pullfx.pipeline.formats import Orientation, PixelFormat, enter, leave, orientation_of
from pullfx.pipeline.frame import Frame, Matrix, Range
from pullfx.pipeline.pool import HEAP, Pool

BGR24 = PixelFormat.BGR24


def copied(frame: Frame, pool: Pool) -> Frame:
    """What an effect that changes nothing makes: the same pixels in memory of the pool."""
    result = pool.frame(frame)
    for target, plane in zip(result.planes, frame.planes, strict=True):
        np.copyto(target, plane)
    return result


def through(picture: av.VideoFrame) -> tuple[Frame, av.VideoFrame]:
    pool = Pool()
    frame = copied(enter(picture, BGR24, pool), pool)
    result = leave(frame, picture, BGR24, pool)
    assert isinstance(result, av.VideoFrame)
    return frame, result


def test_a_frame_goes_through_as_it_is() -> None:
    luma, chroma = np.zeros((48, 64), np.uint8), np.zeros((24, 32), np.uint8)
    frame = Frame(luma, chroma, chroma)
    other = Frame(luma + 1, chroma, chroma)
    assert enter(frame, BGR24, HEAP) is frame
    assert leave(other, frame, BGR24) is other


@pytest.mark.parametrize(
    ("format", "shape"),
    [
        (PixelFormat.BGR24, (47, 63, 3)),
        (PixelFormat.RGB24, (48, 64, 3)),
        (PixelFormat.I420, (72, 64)),
        (PixelFormat.NV12, (72, 64)),
        (PixelFormat.YUYV422, (47, 64, 2)),
    ],
)
def test_an_array_comes_out_in_its_format(format: PixelFormat, shape: tuple[int, ...]) -> None:
    pool, array = Pool(), np.full(shape, 128, np.uint8)
    frame = copied(enter(array, format, pool), pool)
    assert (frame.matrix, frame.range) == (Matrix.BT601, Range.LIMITED)
    result = leave(frame, array, format, pool)
    assert isinstance(result, np.ndarray)
    assert result.shape == shape
    assert np.abs(result.astype(int) - array).max() <= 1
    assert not np.shares_memory(result, array)


def test_yuv420p_goes_out_without_a_copy() -> None:
    picture = random_picture(63, 47, "yuv420p")
    frame, result = through(picture)
    assert result is frame.owner
    assert (result.pts, result.time_base) == (5, Fraction(1, 25))
    assert (result.colorspace, result.color_range) == (picture.colorspace, picture.color_range)


def test_an_untouched_picture_is_itself() -> None:
    picture = random_picture(63, 47, "yuv420p")
    frame = enter(picture, BGR24, HEAP)
    assert leave(frame, picture, BGR24) is picture
    assert (picture.colorspace, picture.color_range, picture.pts) == (2, 0, 5)


def test_a_picture_with_a_new_time_has_it() -> None:
    picture = random_picture(63, 47, "yuv420p")
    frame = dataclasses.replace(enter(picture, BGR24, HEAP), pts=6)
    result = leave(frame, picture, BGR24)
    assert isinstance(result, av.VideoFrame)
    assert result.pts == 6


FORMATS = [
    "yuv420p", "yuvj420p", "nv12", "nv21", "yuv422p", "yuvj422p", "yuv444p", "yuvj444p", "yuyv422",
    "uyvy422", "yuv420p10le", "yuv422p10le", "yuv444p12le", "yuv410p", "yuv411p", "gray",
    "gray10le", "gray16be", "rgb24", "bgr24", "bgr0", "rgba", "bgra", "gbrp", "rgb48le", "yuva420p",
    "ya8", "rgba64le", "bgr48be", "gbrp10le", "p010le",
]  # fmt: skip


@pytest.mark.parametrize("tags", [(2, 0), (1, LIMITED), (6, FULL), (9, LIMITED)])
@pytest.mark.parametrize("format", FORMATS)
def test_a_picture_comes_out_in_its_format(format: str, tags: tuple[int, int]) -> None:
    picture = av.VideoFrame(64, 48, "yuv444p")
    for index, code in enumerate((110, 120, 140)):
        rows_of(picture, index)[...] = code
    picture = picture.reformat(format=format)
    picture.colorspace, picture.color_range = tags
    picture.color_trc, picture.color_primaries = 1, 1
    picture.pts, picture.time_base = 5, Fraction(1, 25)
    frame, result = through(picture)
    assert result.format.name == format
    assert (result.width, result.height) == (64, 48)
    assert (result.pts, result.time_base) == (5, Fraction(1, 25))
    assert (result.colorspace, result.color_range) == tags
    assert (result.color_trc, result.color_primaries) == (1, 1)
    again = enter(result, BGR24, HEAP)
    assert (again.matrix, again.range) == (frame.matrix, frame.range)
    assert_planes(again, *frame.planes, within=1)


@pytest.mark.parametrize("format", ["rgb24", "bgr24", "bgr0", "gbrp", "rgba"])
@pytest.mark.parametrize("width", [64, 63, 1280])
def test_rgb_comes_out_in_the_frames_own_matrix(format: str, width: int) -> None:
    picture = av.VideoFrame(width, 48, "rgb24")
    rows_of(picture, 0)[:, : 3 * width].reshape(48, width, 3)[...] = (200, 90, 40)
    frame, result = through(picture.reformat(format=format))
    shown = result.to_ndarray(format="rgb24")
    assert frame.matrix is (Matrix.BT709 if width == 1280 else Matrix.BT601)
    assert np.abs(shown - rgb(frame)).max() <= 1
    assert np.abs(shown.astype(int) - (200, 90, 40)).max() <= 2


@pytest.mark.parametrize("tag", [0, LIMITED, FULL])
@pytest.mark.parametrize("format", ["gray", "gray16le"])
def test_grey_keeps_its_codes_whatever_its_range(format: str, tag: int) -> None:
    picture = random_picture(63, 47, "gray").reformat(format=format)
    picture.color_range = tag
    frame, result = through(picture)
    assert frame.range is (Range.LIMITED if tag == LIMITED else Range.FULL)
    assert np.array_equal(
        rows_of(result, 0)[:, : frame.width], rows_of(picture, 0)[:, : frame.width]
    )


def test_alpha_comes_back_opaque(media: Path) -> None:
    _, result = through(first_picture(media / "edge" / "rgba_image.png"))
    assert result.format.name == "rgba"
    assert set(np.unique(rows_of(result, 0)[:, 3 : 4 * result.width : 4])) == {255}


def test_a_palette_comes_back_as_rgb(media: Path) -> None:
    picture = first_picture(media / "edge" / "palette_image.png")
    frame, result = through(picture)
    assert result.format.name == "rgb24"
    assert np.abs(result.to_ndarray() - rgb(frame)).max() <= 1


@pytest.mark.parametrize("name", ["rot90.mp4", "rot180.mp4", "rot270.mp4"])
def test_a_turned_picture_comes_back_upright(media: Path, name: str) -> None:
    picture = first_picture(media / "edge" / name)
    frame, result = through(picture)
    assert orientation_of(picture) is not Orientation.UPRIGHT
    assert orientation_of(result) is Orientation.UPRIGHT
    assert (result.width, result.height) == (frame.width, frame.height)
    assert_planes(enter(result, BGR24, HEAP), *frame.planes)


def test_an_interlaced_picture_comes_back_progressive() -> None:
    picture = filtered(random_picture(64, 48, "yuv422p"), "setfield", "tff")
    _, result = through(picture)
    assert picture.interlaced_frame
    assert not result.interlaced_frame
    assert result.format.name == "yuv422p"


def test_a_frame_may_have_become_another_size() -> None:
    like = flat_picture(64, 48, "yuv444p", (90, 100, 110))
    smaller = enter(flat_picture(32, 20, "yuv420p", (90, 100, 110)), BGR24, HEAP)
    result = leave(smaller, like, BGR24)
    assert isinstance(result, av.VideoFrame)
    assert (result.width, result.height, result.format.name) == (32, 20, "yuv444p")


def test_a_format_that_cannot_be_written_is_refused() -> None:
    frame = enter(random_picture(64, 48, "yuv420p"), BGR24, HEAP)
    with pytest.raises(FrameError, match="yuv420p pictures cannot be made bayer_bggr8 ones"):
        leave(frame, av.VideoFrame(64, 48, "bayer_bggr8"), BGR24)


@pytest.mark.parametrize("value", [None, "picture.png", [[1, 2], [3, 4]], b"1234", 5])
def test_other_objects_are_refused(value: Any) -> None:
    message = (
        "a picture must be a pullfx.Frame, an av.VideoFrame or a numpy array, "
        f"but is a {type(value).__name__}"
    )
    with pytest.raises(FrameError, match=message):
        enter(value, BGR24, HEAP)
    frame = enter(np.zeros((4, 4, 3), np.uint8), BGR24, HEAP)
    with pytest.raises(FrameError, match=message):
        leave(frame, value, BGR24)
