"""Pictures of every format come in with the right matrix, range and colours."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import av
import numpy as np
import pytest
from av_pictures import (
    FULL,
    LIMITED,
    SIZES,
    assert_planes,
    first_picture,
    flat_picture,
    random_picture,
    rows_of,
)
from exact_colour import BARS, rgb, square_means, ycbcr

from pullfx.errors import FrameError
from pullfx.pipeline.formats import PixelFormat, frame_from_av, frame_to_array
from pullfx.pipeline.formats.reporting import warn_once
from pullfx.pipeline.frame import Matrix, Range


@pytest.fixture(autouse=True)
def fresh_warnings() -> Iterator[None]:
    """Lets each test meet the warnings that a process gives once."""
    warn_once.cache_clear()
    yield
    warn_once.cache_clear()


@pytest.mark.parametrize(
    ("name", "matrix", "range", "error"),
    [  # the files' own codes are as far from exact
        ("bars_bt601_tv.mp4", Matrix.BT601, Range.LIMITED, 0.49),
        ("bars_bt709_tv.mp4", Matrix.BT709, Range.LIMITED, 0.45),
        ("bars_bt709_pc.mp4", Matrix.BT709, Range.FULL, 0.88),
    ],
)
def test_bars_have_their_colours(
    media: Path, name: str, matrix: Matrix, range: Range, error: float
) -> None:
    frame = frame_from_av(first_picture(media / "edge" / name))
    assert (frame.matrix, frame.range) == (matrix, range)
    columns = 32 * np.arange(len(BARS)) + 16
    codes = np.stack((frame.y[120, columns], frame.u[60, columns // 2], frame.v[60, columns // 2]))
    assert np.abs(codes - np.stack(ycbcr(BARS, matrix, range))).max() <= error
    shown = frame_to_array(frame, PixelFormat.RGB24)[120, columns]
    assert np.abs(shown.astype(int) - BARS).max() <= 1


@pytest.mark.parametrize(
    ("width", "height", "matrix"),
    [
        (640, 360, Matrix.BT601),
        (720, 576, Matrix.BT601),
        (1024, 600, Matrix.BT601),
        (480, 854, Matrix.BT601),
        (960, 720, Matrix.BT709),
        (1280, 720, Matrix.BT709),
        (720, 1280, Matrix.BT709),
        (1280, 90, Matrix.BT709),
        (90, 1280, Matrix.BT709),
        (3840, 2160, Matrix.BT709),
    ],
)
@pytest.mark.parametrize("format", ["yuv420p", "yuv420p10le", "gbrp"])
def test_untagged_matrix_goes_by_size(width: int, height: int, matrix: Matrix, format: str) -> None:
    frame = frame_from_av(av.VideoFrame(width, height, format))
    assert (frame.matrix, frame.range) == (matrix, Range.LIMITED)


@pytest.mark.parametrize(
    ("format", "colorspace", "color_range", "expected"),
    [
        ("yuv420p", 1, 0, (Matrix.BT709, Range.LIMITED)),
        ("yuv420p", 5, 1, (Matrix.BT601, Range.LIMITED)),
        ("yuv420p", 6, 2, (Matrix.BT601, Range.FULL)),
        ("yuv420p", 4, 0, (Matrix.BT601, Range.LIMITED)),
        ("yuv420p", 7, 0, (Matrix.BT709, Range.LIMITED)),
        ("yuv420p", 9, 0, (Matrix.BT2020, Range.LIMITED)),
        ("yuv420p", 10, 2, (Matrix.BT2020, Range.FULL)),
        ("yuvj420p", 2, 0, (Matrix.BT601, Range.FULL)),
        ("yuvj444p", 1, 0, (Matrix.BT709, Range.FULL)),
        ("yuv444p10le", 9, 2, (Matrix.BT2020, Range.FULL)),
        ("gray", 2, 0, (Matrix.BT601, Range.FULL)),
        ("gray", 0, 2, (Matrix.BT601, Range.FULL)),
        ("gray", 1, 1, (Matrix.BT709, Range.LIMITED)),
        ("rgb24", 0, 2, (Matrix.BT601, Range.LIMITED)),
        ("rgba", 0, 2, (Matrix.BT601, Range.LIMITED)),
    ],
)
def test_tags_say_matrix_and_range(
    format: str, colorspace: int, color_range: int, expected: tuple[Matrix, Range]
) -> None:
    picture = av.VideoFrame(64, 48, format)
    picture.colorspace, picture.color_range = colorspace, color_range
    frame = frame_from_av(picture)
    assert (frame.matrix, frame.range) == expected
    assert (picture.colorspace, picture.color_range) == (colorspace, color_range)


@pytest.mark.parametrize(
    ("matrix", "tag"), [(Matrix.BT601, 6), (Matrix.BT709, 1), (Matrix.BT2020, 9)]
)
@pytest.mark.parametrize("range", Range)
@pytest.mark.parametrize(
    "format", ["yuv420p10le", "yuv422p10le", "yuv444p10le", "yuv411p", "yuv410p"]
)
def test_depth_and_sampling_change_but_not_the_codes(
    format: str, range: Range, matrix: Matrix, tag: int
) -> None:
    deep = format.endswith("10le")
    codes = (90, 70, 200)
    picture = flat_picture(64, 48, format, tuple(4 * code for code in codes) if deep else codes)
    picture.colorspace, picture.color_range = tag, FULL if range is Range.FULL else LIMITED
    frame = frame_from_av(picture)
    assert (frame.matrix, frame.range) == (matrix, range)
    exact, error = np.array(codes, float), 0.0
    if deep and range is Range.FULL:  # ends at 1023, not at 1020; swscale dithers what lies between
        exact, error = np.array((360, 280 - 512, 800 - 512)) * 255 / 1023 + (0, 128, 128), 0.75
    for plane, ideal in zip(frame.planes, exact, strict=True):
        assert np.abs(plane - ideal).max() <= error


def test_ten_bits_are_rounded_to_eight() -> None:
    picture = av.VideoFrame(641, 481, "yuv420p10le")
    generator = np.random.default_rng(3)
    exact = []
    for plane in picture.planes:
        rows = np.frombuffer(memoryview(plane), np.uint16).reshape(plane.height, -1)
        rows[...] = generator.integers(0, 1021, rows.shape)
        exact.append(rows[:, : plane.width] / 4)
    frame = frame_from_av(picture)
    assert_planes(frame, *exact, within=0.75)  # swscale dithers
    for rounded, ideal in zip(frame.planes, exact, strict=True):
        assert abs(float((rounded - ideal).mean())) < 0.02


@pytest.mark.parametrize(
    ("width", "height", "matrix"),
    [(64, 48, Matrix.BT601), (63, 47, Matrix.BT601), (1280, 64, Matrix.BT709)],
)
@pytest.mark.parametrize("format", ["rgb24", "bgr24"])
def test_packed_rgb_is_exact(width: int, height: int, matrix: Matrix, format: str) -> None:
    picture = random_picture(width, height, format)
    pixels = rows_of(picture, 0)[:, : 3 * width].reshape(height, width, 3)
    pixels = pixels if format == "rgb24" else pixels[..., ::-1]
    frame = frame_from_av(picture)
    luma, cb, cr = ycbcr(pixels, matrix, Range.LIMITED)
    assert_planes(frame, luma, square_means(cb), square_means(cr), within=0.95)


@pytest.mark.parametrize("width", [320, 1280])
@pytest.mark.parametrize(
    ("format", "error"),
    [
        ("gbrp", 0.49),
        ("bgr0", 0.49),
        ("0rgb", 0.49),
        ("rgba", 0.56),
        ("bgra", 0.56),
        ("argb", 0.56),
        ("rgb48le", 0.89),  # swscale dithers
        ("gbrp10le", 0.89),
    ],
)
def test_other_rgb_has_its_colours(format: str, error: float, width: int) -> None:
    picture = av.VideoFrame(width, 64, "rgb24")
    bar = width // len(BARS)
    pixels = np.repeat(BARS, bar, axis=0)
    rows_of(picture, 0)[:, : 3 * width] = pixels.reshape(1, -1)
    frame = frame_from_av(picture.reformat(format=format))
    middles = bar * np.arange(len(BARS)) + bar // 2
    exact = ycbcr(pixels[middles], frame.matrix, Range.LIMITED)
    for plane, codes, step in zip(frame.planes, exact, (1, 2, 2), strict=True):
        assert np.abs(plane[:, middles // step] - codes).max() <= error


def test_hdr_keeps_its_matrix_and_is_reported_once(
    media: Path, caplog: pytest.LogCaptureFixture
) -> None:
    picture = first_picture(media / "edge" / "hdr_pq_bt2020_10bit.mp4")
    same_without_tags = first_picture(media / "edge" / "sdr_10bit.mp4")
    with caplog.at_level(logging.WARNING):
        frames = [frame_from_av(picture) for _ in range(3)]
    assert frames[0].matrix is Matrix.BT2020
    assert [record.message for record in caplog.records] == [
        "HDR is shown as if it were SDR: colours may look pale or dark"
    ]
    assert_planes(frames[0], *frame_from_av(same_without_tags).planes)


def test_a_matrix_that_frames_do_not_have_is_reported_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    picture = av.VideoFrame(64, 48, "yuv420p")
    picture.colorspace = 8  # YCgCo
    with caplog.at_level(logging.WARNING):
        frames = [frame_from_av(picture) for _ in range(3)]
    assert frames[0].matrix is Matrix.BT601
    assert [record.message for record in caplog.records] == [
        "colour matrix 8 of H.273 is not known; shown as bt601"
    ]


def test_a_format_without_conversion_is_refused() -> None:
    with pytest.raises(FrameError, match="xv30be pictures cannot be made yuv420p ones"):
        frame_from_av(av.VideoFrame(64, 48, "xv30be"))


def test_grey_with_sixteen_bits_keeps_its_range(media: Path) -> None:
    picture = first_picture(media / "edge" / "gray16_image.png")
    rows = np.frombuffer(memoryview(picture.planes[0]), ">u2").reshape(picture.height, -1)
    frame = frame_from_av(picture)
    assert frame.range is Range.FULL
    assert np.abs(frame.y - rows[:, : picture.width] / 257).max() <= 0.5
    assert set(np.unique(frame.u)) == set(np.unique(frame.v)) == {128}


def test_grey_files_agree(media: Path) -> None:
    image = frame_from_av(first_picture(media / "edge" / "gray_image.png"))
    video = frame_from_av(first_picture(media / "edge" / "gray.mkv"))
    assert image.range is video.range is Range.FULL
    assert np.abs(image.y.astype(int) - video.y).mean() < 1


def test_a_palette_has_its_colours(media: Path) -> None:
    picture = first_picture(media / "edge" / "palette_image.png")
    palette = np.frombuffer(memoryview(picture.planes[1]), np.uint8).reshape(256, 4)
    colours = palette[rows_of(picture, 0)[:, : picture.width]][..., 2::-1]  # B, G, R, alpha
    luma, cb, cr = ycbcr(colours, Matrix.BT601, Range.LIMITED)
    assert_planes(frame_from_av(picture), luma, square_means(cb), square_means(cr), within=0.95)


def test_alpha_is_shown_before_black(media: Path) -> None:
    picture = first_picture(media / "edge" / "rgba_image.png")
    pixels = rows_of(picture, 0)[:, : 4 * picture.width].reshape(picture.height, -1, 4)
    assert pixels[..., 3].min() == 0
    over = np.round(pixels[..., :3] * (pixels[..., 3:] / 255)).astype(np.uint8)
    luma, cb, cr = ycbcr(over, Matrix.BT601, Range.LIMITED)
    assert_planes(frame_from_av(picture), luma, square_means(cb), square_means(cr), within=0.95)


@pytest.mark.parametrize(
    ("range", "tag", "black"),
    [(Range.LIMITED, LIMITED, 16), (Range.LIMITED, 0, 16), (Range.FULL, FULL, 0)],
)
@pytest.mark.parametrize("format", ["yuva420p", "yuva422p", "yuva444p"])
def test_alpha_of_ycbcr_knows_what_black_is(
    format: str, range: Range, tag: int, black: int
) -> None:
    for alpha in (0, 128, 255):
        picture = flat_picture(64, 48, format, (120, 100, 150, alpha))
        picture.color_range = tag
        frame = frame_from_av(picture)
        assert frame.range is range
        expected = [
            base + (code - base) * alpha / 255
            for code, base in ((120, black), (100, 128), (150, 128))
        ]
        assert [int(plane[20, 20]) for plane in frame.planes] == pytest.approx(expected, abs=0.51)


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_opaque_parts_keep_their_codes(width: int, height: int) -> None:
    picture = random_picture(width, height, "yuva420p")
    planes = [rows_of(picture, i)[:, : picture.planes[i].width] for i in (0, 1, 2)]
    rows_of(picture, 3)[...] = 255
    assert_planes(frame_from_av(picture), *planes)


def test_alpha_of_ten_bits_fades_to_black() -> None:
    picture = flat_picture(64, 48, "yuva444p10le", (480, 400, 600, 0))
    alpha = np.frombuffer(memoryview(picture.planes[3]), np.uint16).reshape(48, -1)
    alpha[:, 32:64] = 1023
    frame = frame_from_av(picture)
    for plane, black, code in zip(frame.planes, (16, 128, 128), (120, 100, 150), strict=True):
        middle = plane.shape[1] // 2
        assert set(np.unique(plane[:, : middle - 1])) == {black}
        assert set(np.unique(plane[:, middle + 1 :])) == {code}


def test_grey_with_alpha_is_shown_before_black() -> None:
    picture = av.VideoFrame(64, 48, "ya8")
    rows_of(picture, 0).reshape(48, -1, 2)[...] = (200, 128)
    frame = frame_from_av(picture)
    shown = rgb(frame)
    assert np.abs(shown - 200 * 128 / 255).max() <= 1.5
