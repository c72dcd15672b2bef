"""What the conversions compute, held against exact arithmetic rather than their reference."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from exact_colour import ALL_COLOURS, BARS, rgb as exact_rgb, square_means, ycbcr
from numpy.typing import NDArray

from pullfx import kernels
from pullfx.kernels.colour_tables import LARGEST_FACTOR
from pullfx.kernels.isa import implementations
from pullfx.pipeline.frame import Frame, Matrix, Range

Array = NDArray[np.uint8]

colours = pytest.mark.parametrize(("matrix", "range"), ALL_COLOURS)
WORST = 0.55  # of which 0.5 is the rounding of the result


def noise(*shape: int) -> Array:
    return np.random.default_rng(6).integers(0, 256, shape, np.uint8)


def planes(height: int, width: int) -> tuple[Array, Array, Array]:
    half = (height + 1) // 2, (width + 1) // 2
    return np.empty((height, width), np.uint8), np.empty(half, np.uint8), np.empty(half, np.uint8)


def to_planes(pixels: Array, matrix: Matrix, range: Range, bgr: bool = False) -> Frame:
    y, u, v = planes(*pixels.shape[:2])
    kernels.rgb_to_i420(pixels, y, u, v, matrix.value, range is Range.FULL, bgr=bgr)
    return Frame(y, u, v, matrix, range)


def to_pixels(frame: Frame, bgr: bool = False) -> Array:
    out = np.empty((*frame.y.shape, 3), np.uint8)
    full_range = frame.range is Range.FULL
    kernels.i420_to_rgb(frame.y, frame.u, frame.v, out, frame.matrix.value, full_range, bgr=bgr)
    return out


@colours
@pytest.mark.parametrize("bgr", [False, True])
@pytest.mark.parametrize(("height", "width"), [(64, 96), (33, 47), (1, 1)])
def test_rgb_to_i420_against_exact_arithmetic(
    height: int, width: int, bgr: bool, matrix: Matrix, range: Range
) -> None:
    pixels = noise(height, width, 3)
    pixels[height // 2 :] = pixels[height // 2 :] // 128 * 255  # corners of the cube as well
    frame = to_planes(pixels, matrix, range, bgr)
    luma, cb, cr = ycbcr(pixels[..., ::-1] if bgr else pixels, matrix, range)
    for plane, exact in zip(frame.planes, (luma, square_means(cb), square_means(cr)), strict=True):
        assert np.abs(plane - np.clip(exact, 0, 255)).max() <= WORST


@colours
@pytest.mark.parametrize("bgr", [False, True])
@pytest.mark.parametrize(("height", "width"), [(64, 96), (33, 47), (1, 1)])
def test_i420_to_rgb_against_exact_arithmetic(
    height: int, width: int, bgr: bool, matrix: Matrix, range: Range
) -> None:
    y, u, v = (noise(*plane.shape) for plane in planes(height, width))
    frame = Frame(y, u, v, matrix, range)
    pixels = to_pixels(frame, bgr)
    assert np.abs((pixels[..., ::-1] if bgr else pixels) - exact_rgb(frame)).max() <= WORST


@colours
def test_every_grey_is_itself_again(matrix: Matrix, range: Range) -> None:
    greys = np.repeat(np.arange(256, dtype=np.uint8), 2)[None, :, None].repeat(2, 0).repeat(3, 2)
    frame = to_planes(greys, matrix, range)
    assert (frame.u == 128).all()
    assert (frame.v == 128).all()
    black, white = (0, 255) if range is Range.FULL else (16, 235)
    assert (frame.y[0, 0], frame.y[0, -1]) == (black, white)
    off = np.abs(to_pixels(frame).astype(int) - greys)
    assert off.max() <= (0 if range is Range.FULL else 1)
    assert not off[0, [0, -1]].any()


@colours
def test_codes_that_mean_a_colour_come_back(matrix: Matrix, range: Range) -> None:
    bars = BARS[None].repeat(4, 1).repeat(4, 0)
    assert np.abs(to_pixels(to_planes(bars, matrix, range)).astype(int) - bars).max() <= 2


@pytest.fixture(scope="module")
def photograph(media: Path) -> Array:
    picture = cv2.imread(str(media / "calib" / "vmhuman_person-celeste.jpg"))
    return np.asarray(picture, np.uint8)[:360, :480].copy()


@colours
def test_five_generations_drift_by_two_at_most(
    photograph: Array, matrix: Matrix, range: Range
) -> None:
    """The first one takes colour detail away, as 4:2:0 has none; the others must leave it be.

    Clipped colours are another matter: what leaves 0..255 in the mean of four pixels is cut off in
    each generation, so the drift is that of squares which stay within.
    """
    first = to_pixels(to_planes(photograph, matrix, range, True), True)
    frame = to_planes(first, matrix, range, True)
    within = ((first > 0) & (first < 255)).all(-1)
    within = np.repeat(np.repeat(square_means(within.astype(float)) == 1, 2, 0), 2, 1)
    assert within.mean() > 0.5
    last = first
    for _ in np.arange(4):
        last = to_pixels(to_planes(last, matrix, range, True), True)
    assert np.abs(last.astype(int) - first)[within].max() <= 2
    assert np.abs(last.astype(int) - first).mean() < 0.5
    for plane, start in zip(to_planes(last, matrix, range, True).planes, frame.planes, strict=True):
        assert np.abs(plane.astype(int) - start).mean() < 0.5


@colours
def test_flat_chroma_survives_five_generations(matrix: Matrix, range: Range) -> None:
    """Where the four pixels of a sample have one colour, even the first generation keeps it."""
    flat = np.repeat(np.repeat(noise(60, 80, 3), 2, 0), 2, 1)
    pixels = flat
    for _ in np.arange(5):
        pixels = to_pixels(to_planes(pixels, matrix, range))
    assert np.abs(pixels.astype(int) - flat).max() <= 2


def test_pairs_come_apart_and_together() -> None:
    pairs, (u, v) = noise(5, 14), (np.empty((5, 7), np.uint8) for _ in (0, 1))
    kernels.split_pairs(pairs, u, v)
    np.testing.assert_array_equal(np.stack((u, v), -1).reshape(5, 14), pairs)
    again = np.empty_like(pairs)
    kernels.merge_pairs(u, v, again)
    np.testing.assert_array_equal(again, pairs)


def test_yuyv_loses_only_every_second_row_of_chroma() -> None:
    y, u, v = (noise(*plane.shape) for plane in planes(6, 10))
    yuyv = np.empty((6, 20), np.uint8)
    kernels.i420_to_yuyv(y, u, v, yuyv)
    assert (yuyv[3, 4], yuyv[3, 5], yuyv[3, 6], yuyv[3, 7]) == (y[3, 2], u[1, 1], y[3, 3], v[1, 1])
    again = planes(6, 10)
    kernels.yuyv_to_i420(yuyv, *again)
    for plane, expected in zip(again, (y, u, v), strict=True):
        np.testing.assert_array_equal(plane, expected)


@pytest.mark.parametrize("factor", [0.0, 0.3, 1.0, 1.37, 2.5, LARGEST_FACTOR])
def test_saturate_against_exact_arithmetic(factor: float) -> None:
    codes = np.arange(256, dtype=np.uint8).reshape(4, 64)
    u, v = np.empty_like(codes), np.empty_like(codes)
    kernels.saturate(codes, codes, u, v, factor)
    np.testing.assert_array_equal(u, v)
    assert np.abs(u - np.clip(128 + (codes - 128.0) * factor, 0, 255)).max() <= 0.52
    if factor == 1:
        np.testing.assert_array_equal(u, codes)


@pytest.mark.parametrize("isa", kernels.available_isas())
def test_a_table_serves_every_code(isa: str) -> None:
    codes = np.arange(256, dtype=np.uint8)[None].repeat(2, 0)
    for table in (codes[0], 255 - codes[0], noise(256)):
        out = np.empty_like(codes)
        implementations()[isa].apply_table(codes, table, out)
        np.testing.assert_array_equal(out, table[codes])


@pytest.mark.parametrize("isa", kernels.available_isas())
def test_a_pair_table_that_keeps_what_stays_takes_every_other_pair(isa: str) -> None:
    run = implementations()[isa].apply_pair_table
    codes = np.arange(256, dtype=np.uint8)
    first, second = np.repeat(codes[:, None], 256, 1), np.tile(codes, (256, 1))
    table = np.where(first == second, first, (255 - first) ^ second).reshape(-1)
    out = np.empty_like(first)
    run(first, second, table, out)
    np.testing.assert_array_equal(out.reshape(-1), table)
    same = np.tile(codes, (3, 1))
    run(same, same.copy(), table, out[:3])
    np.testing.assert_array_equal(out[:3], same)
