"""Frames from numpy arrays and back: layouts, colours, strides, sizes, refusals."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from exact_colour import ALL_COLOURS, rgb, spread, square_means, ycbcr
from numpy.typing import NDArray

from pullfx.errors import FrameError
from pullfx.pipeline.formats import PixelFormat, frame_from_array, frame_to_array
from pullfx.pipeline.frame import Frame, Matrix, Range
from pullfx.pipeline.pool import Pool

BGR24, RGB24, I420, NV12, YUYV422 = (
    PixelFormat.BGR24,
    PixelFormat.RGB24,
    PixelFormat.I420,
    PixelFormat.NV12,
    PixelFormat.YUYV422,
)
Array = NDArray[np.uint8]

# How far fixed point is from exact arithmetic, at worst over all pixels of `noise`: a half is the
# rounding itself.
LUMA_ERROR = 0.52
CHROMA_ERROR = 0.53
RGB_ERROR = 0.55


def noise(*shape: int) -> Array:
    return np.random.default_rng(7).integers(0, 256, shape, np.uint8)


def any_frame(width: int, height: int, matrix: Matrix, range: Range) -> Frame:
    chroma = (height + 1) // 2, (width + 1) // 2
    return Frame(noise(height, width), noise(*chroma), noise(*chroma)[::-1], matrix, range)


def worst(found: Array, exact: NDArray[np.float64]) -> float:
    assert found.shape == exact.shape
    return float(np.abs(found - np.clip(exact, 0, 255)).max())


SIZES = [
    (64, 48),
    (853, 479),
    (641, 481),
    (64, 47),
    (63, 48),
    (2, 2),
    (1, 1),
    (1, 2),
    (2, 1),
    (3, 3),
]


@pytest.mark.parametrize(("matrix", "range"), ALL_COLOURS)
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_rgb_in_is_exact(width: int, height: int, matrix: Matrix, range: Range) -> None:
    picture = noise(height, width, 3)
    frame = frame_from_array(picture, RGB24, matrix=matrix, range=range)
    luma, cb, cr = ycbcr(picture, matrix, range)
    assert (frame.matrix, frame.range) == (matrix, range)
    assert worst(frame.y, luma) <= LUMA_ERROR
    assert worst(frame.u, square_means(cb)) <= CHROMA_ERROR
    assert worst(frame.v, square_means(cr)) <= CHROMA_ERROR


@pytest.mark.parametrize(("matrix", "range"), ALL_COLOURS)
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_rgb_out_is_exact(width: int, height: int, matrix: Matrix, range: Range) -> None:
    frame = any_frame(width, height, matrix, range)
    assert worst(frame_to_array(frame, RGB24), rgb(frame)) <= RGB_ERROR


@pytest.mark.parametrize(("matrix", "range"), ALL_COLOURS)
def test_bgr_is_rgb_in_reverse(matrix: Matrix, range: Range) -> None:
    picture = noise(48, 64, 3)
    frame = frame_from_array(picture, BGR24, matrix=matrix, range=range)
    same = frame_from_array(
        np.ascontiguousarray(picture[..., ::-1]), RGB24, matrix=matrix, range=range
    )
    for ours, theirs in zip(frame.planes, same.planes, strict=True):
        assert np.array_equal(ours, theirs)
    assert np.array_equal(frame_to_array(frame, BGR24), frame_to_array(frame, RGB24)[..., ::-1])


@pytest.mark.parametrize(("matrix", "range"), ALL_COLOURS)
def test_a_picture_that_goes_to_and_fro_keeps_its_chroma(matrix: Matrix, range: Range) -> None:
    """Blocks of 2x2 pixels lose only by rounding, however often they go."""
    squares = noise(24, 32, 3)
    picture = np.repeat(np.repeat(squares, 2, axis=0), 2, axis=1)
    once = picture
    for _ in (1, 2, 3):
        frame = frame_from_array(once, BGR24, matrix=matrix, range=range)
        once = frame_to_array(frame, BGR24)
    assert np.abs(once.astype(int) - picture).max() <= 2
    assert np.abs(once.astype(int) - picture).mean() <= 0.6


@pytest.mark.parametrize("height", [48, 46, 2])
def test_i420_is_taken_as_it_lies(height: int) -> None:
    array = noise(height * 3 // 2, 64)
    frame = frame_from_array(
        array, I420, matrix=Matrix.BT709, range=Range.FULL, pts=3, time_base=Fraction(1, 30)
    )
    flat = array.reshape(-1)
    assert np.array_equal(frame.y.reshape(-1), flat[: height * 64])
    assert np.array_equal(frame.u.reshape(-1), flat[height * 64 : height * 80])
    assert np.array_equal(frame.v.reshape(-1), flat[height * 80 :])
    for plane in frame.planes:
        assert np.shares_memory(plane, array)
    assert (frame.matrix, frame.range, frame.seconds) == (Matrix.BT709, Range.FULL, 0.1)


def test_nv12_luma_is_a_view() -> None:
    array = noise(72, 64)
    frame = frame_from_array(array, NV12)
    assert np.shares_memory(frame.y, array)
    assert np.array_equal(frame.y, array[:48])
    assert np.array_equal(frame.u, array[48:, 0::2])
    assert np.array_equal(frame.v, array[48:, 1::2])


@pytest.mark.parametrize("height", [48, 47, 1])
def test_yuyv_chroma_is_the_mean_of_two_rows(height: int) -> None:
    array = noise(height, 64, 2)
    frame = frame_from_array(array, YUYV422)
    cb, cr = array[:, 0::2, 1].astype(float), array[:, 1::2, 1].astype(float)
    ends = np.minimum(np.arange(1, height + 1, 2), height - 1)
    assert np.array_equal(frame.y, array[..., 0])
    assert worst(frame.u, (cb[::2] + cb[ends]) / 2) <= 0.5
    assert worst(frame.v, (cr[::2] + cr[ends]) / 2) <= 0.5


@pytest.mark.parametrize("format", [I420, NV12])
def test_what_goes_out_as_planes_comes_back_the_same(format: PixelFormat) -> None:
    frame = any_frame(64, 46, Matrix.BT601, Range.LIMITED)
    again = frame_from_array(frame_to_array(frame, format), format)
    for ours, theirs in zip(frame.planes, again.planes, strict=True):
        assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("height", [48, 47, 1])
def test_yuyv_out_repeats_chroma_rows(height: int) -> None:
    frame = any_frame(64, height, Matrix.BT601, Range.LIMITED)
    array = frame_to_array(frame, YUYV422)
    cb, cr = (spread(plane, frame.y.shape)[:, ::2] for plane in (frame.u, frame.v))
    assert np.array_equal(array[..., 0], frame.y)
    assert np.array_equal(array[:, 0::2, 1], cb)
    assert np.array_equal(array[:, 1::2, 1], cr)


def in_strides(array: Array) -> dict[str, Array]:
    """The same pixels, laid out in every way that numpy allows."""
    padded = np.zeros((array.shape[0], array.shape[1] + 5, *array.shape[2:]), np.uint8)
    padded[:, : array.shape[1]] = array
    spaced = np.zeros((array.shape[0], 2 * array.shape[1], *array.shape[2:]), np.uint8)
    spaced[:, ::2] = array
    frozen = array.copy()
    frozen.flags.writeable = False
    return {
        "padded rows": padded[:, : array.shape[1]],
        "rows upwards": np.ascontiguousarray(array[::-1])[::-1],
        "rows leftwards": np.ascontiguousarray(array[:, ::-1])[:, ::-1],
        "every second pixel": spaced[:, ::2],
        "columns first": np.asfortranarray(array),
        "read-only": frozen,
    }


LAYOUTS = sorted(in_strides(noise(2, 2)))
SHAPES = {
    BGR24: (46, 64, 3),
    RGB24: (45, 63, 3),
    PixelFormat.BGRA: (46, 64, 4),
    PixelFormat.RGBA: (45, 63, 4),
    I420: (69, 64),
    NV12: (69, 64),
    YUYV422: (45, 64, 2),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("format", PixelFormat)
def test_any_strides_are_read(format: PixelFormat, layout: str) -> None:
    array = noise(*SHAPES[format])
    expected = frame_from_array(array, format)
    frame = frame_from_array(in_strides(array)[layout], format)
    for ours, theirs in zip(frame.planes, expected.planes, strict=True):
        assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("layout", [layout for layout in LAYOUTS if layout != "read-only"])
@pytest.mark.parametrize("format", PixelFormat)
def test_any_strides_are_written(format: PixelFormat, layout: str) -> None:
    frame = frame_from_array(noise(*SHAPES[format]), format)
    out = in_strides(np.zeros(SHAPES[format], np.uint8))[layout]
    assert frame_to_array(frame, format, out) is out
    assert np.array_equal(out, frame_to_array(frame, format))


@pytest.mark.parametrize("format", PixelFormat)
def test_any_strides_of_planes_are_written_out(format: PixelFormat) -> None:
    frame = any_frame(64, 48, Matrix.BT709, Range.LIMITED)
    y, u, v = (in_strides(plane)["padded rows"][::-1] for plane in frame.planes)
    turned = Frame(y, u, v, frame.matrix, frame.range)
    plain = Frame(y.copy(), u.copy(), v.copy(), frame.matrix, frame.range)
    assert np.array_equal(frame_to_array(turned, format), frame_to_array(plain, format))


@pytest.mark.parametrize("format", PixelFormat)
def test_an_array_out_is_the_callers_own(format: PixelFormat) -> None:
    frame = frame_from_array(noise(*SHAPES[format]), format)
    array = frame_to_array(frame, format)
    assert array.flags.c_contiguous
    assert not any(np.shares_memory(array, plane) for plane in frame.planes)


@pytest.mark.parametrize("format", PixelFormat)
@pytest.mark.parametrize("matrix", Matrix)
def test_nothing_is_allocated_once_warm(format: PixelFormat, matrix: Matrix) -> None:
    pool, array = Pool(), noise(*SHAPES[format])
    frame_to_array(frame_from_array(array, format, matrix=matrix, pool=pool), format, pool=pool)
    before = pool.stats().allocations
    for _ in (1, 2, 3):
        frame_to_array(frame_from_array(array, format, matrix=matrix, pool=pool), format, pool=pool)
    assert pool.stats().allocations == before


@pytest.mark.parametrize(
    ("array", "format", "message"),
    [
        ([[1, 2], [3, 4]], BGR24, "must be a numpy array, but is a list"),
        (None, I420, "must be a numpy array, but is a NoneType"),
        (np.zeros((4, 4, 3)), BGR24, "must be uint8, but is float64; scale it to 0..255"),
        (np.zeros((4, 4, 3), np.uint16), RGB24, "must be uint8, but is uint16"),
        (
            np.zeros((4, 4), np.uint8),
            BGR24,
            r"must be \[height, width, 3\], but has shape \(4, 4\)",
        ),
        (np.zeros((4, 4, 4), np.uint8), BGR24, r"\[height, width, 3\], but has shape \(4, 4, 4\)"),
        (np.zeros((4, 4, 3), np.uint8), YUYV422, r"\[height, width, 2\], but has shape"),
        (np.zeros((6, 4, 1), np.uint8), I420, r"\[height \* 3 / 2, width\], but has shape"),
        (np.zeros(24, np.uint8), NV12, r"\[height \* 3 / 2, width\], but has shape \(24,\)"),
        (np.zeros((0, 4, 3), np.uint8), BGR24, r"must not be empty, but has shape \(0, 4, 3\)"),
        (np.zeros((4, 0, 2), np.uint8), YUYV422, "must not be empty"),
        (np.zeros((0, 4), np.uint8), I420, "must not be empty"),
        (np.zeros((7, 4), np.uint8), I420, "a multiple of 3 rows and of 2 columns"),
        (np.zeros((8, 4), np.uint8), NV12, "a multiple of 3 rows and of 2 columns"),
        (np.zeros((6, 5), np.uint8), I420, "a multiple of 3 rows and of 2 columns"),
        (np.zeros((4, 5, 2), np.uint8), YUYV422, "must have an even width"),
    ],
)
def test_arrays_that_are_no_picture_are_refused(
    array: Any, format: PixelFormat, message: str
) -> None:
    with pytest.raises(FrameError, match=message) as raised:
        frame_from_array(array, format)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("width", "height", "format"),
    [(5, 4, I420), (4, 5, I420), (5, 4, NV12), (4, 5, NV12), (5, 4, YUYV422)],
)
def test_odd_frames_have_no_such_array(width: int, height: int, format: PixelFormat) -> None:
    frame = any_frame(width, height, Matrix.BT601, Range.LIMITED)
    with pytest.raises(FrameError, match=f"a {width}x{height} frame has no {format.value} array"):
        frame_to_array(frame, format)


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (np.zeros((4, 6, 3), np.uint8), r"shape \(6, 4, 3\).* but is uint8 of shape \(4, 6, 3\)"),
        (np.zeros((6, 4, 3), np.float32), "but is float32 of shape"),
        ([], "but is a list"),
        (np.frombuffer(bytes(72), np.uint8).reshape(6, 4, 3), "out is read-only"),
    ],
)
def test_an_out_that_does_not_fit_is_refused(out: Any, message: str) -> None:
    frame = any_frame(4, 6, Matrix.BT601, Range.LIMITED)
    with pytest.raises(FrameError, match=message):
        frame_to_array(frame, BGR24, out)
