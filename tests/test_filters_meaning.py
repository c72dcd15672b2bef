"""What the filters compute, held against exact arithmetic rather than against their reference."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from pullfx import kernels
from pullfx.kernels.filter import BOXES, LARGEST_RADIUS, gaussian_radii

Array = NDArray[np.uint8]
Exact = NDArray[np.float64]


def noise(height: int, width: int) -> Array:
    return np.random.default_rng(4).integers(0, 256, (height, width), np.uint8)


@pytest.fixture(scope="module")
def photograph(media: Path) -> Array:
    picture = cv2.imread(str(media / "calib" / "vmhuman_person-celeste.jpg"), cv2.IMREAD_GRAYSCALE)
    return np.asarray(picture, np.uint8)[:240, :320].copy()


def test_a_ninth_is_a_multiplication_and_a_shift() -> None:
    sums = np.arange(9 * 255 + 1)
    assert sums.size == 2296
    factor = 2**19 // 9 + 1
    np.testing.assert_array_equal(sums * factor >> 19, sums // 9)
    # As the vectors do it: the high half of a product of 16 bits, then the rest of the shift.
    assert factor < 2**16
    np.testing.assert_array_equal((sums * factor >> 16) >> 3, sums // 9)


def test_mean_3x3_is_the_mean_of_what_surrounds() -> None:
    picture = noise(40, 75)
    out = np.empty_like(picture)
    kernels.mean_3x3(picture, out)
    around = np.pad(picture, 1, mode="edge").astype(float)
    total = sum(around[y : y + 40, x : x + 75] for y in range(3) for x in range(3))
    np.testing.assert_array_equal(out, np.floor(np.asarray(total) / 9 + 1e-9))


def test_division_by_the_size_of_a_box_is_exact() -> None:
    """The condition under which src/filter/area.hpp takes a factor holds for some 32-bit factor."""
    for radius in range(LARGEST_RADIUS + 1):
        area = (2 * radius + 1) ** 2
        shift = next(
            shift for shift in range(31, 64) if -(2**shift) % area * area * 2**8 < 2**shift
        )
        factor = -(-(2**shift) // area)
        assert factor < 2**32
        largest = 255 * area + area // 2
        assert largest < 2**32
        for numerator in (largest, largest // area * area - 1, area - 1, area):
            assert numerator * factor >> shift == numerator // area


@pytest.mark.parametrize("radius", [0, 1, 4, 30])
def test_box_mean_is_the_rounded_mean(radius: int) -> None:
    picture = noise(50, 61)
    out = np.empty_like(picture)
    kernels.box_mean(picture, out, radius)
    side = 2 * radius + 1
    exact = cv2.blur(picture.astype(np.float64), (side, side), borderType=cv2.BORDER_REFLECT)
    assert np.abs(out - exact).max() <= 0.5 + 1e-9


def test_a_box_mean_keeps_the_mean_of_the_picture() -> None:
    """Since the border is mirrored with its outermost pixels."""
    picture = noise(64, 64)
    out = np.empty_like(picture)
    kernels.box_mean(picture, out, 20)
    assert abs(out.mean() - picture.mean()) < 0.1


@pytest.mark.parametrize("sigma", [0.0, 0.5, 0.9, 1.0, 2.0, 3.3, 7.0, 10.0, 64.0, 999.5, 1000.0])
def test_radii_have_the_variance_that_comes_nearest(sigma: float) -> None:
    radii = gaussian_radii(sigma)
    assert len(radii) == BOXES
    assert max(radii) - min(radii) <= 1
    assert max(radii) <= LARGEST_RADIUS

    def variance(radii: tuple[int, ...]) -> float:
        return sum(((2 * radius + 1) ** 2 - 1) / 12 for radius in radii)

    off = abs(variance(radii) - sigma**2)
    for larger in range(BOXES + 1):
        for radius in (min(radii), max(min(radii) - 1, 0)):
            other = (radius,) * (BOXES - larger) + (radius + 1,) * larger
            assert off <= abs(variance(other) - sigma**2) + 1e-9


def gaussian(picture: Array, sigma: float) -> Exact:
    """A Gaussian in float64, cut where it is below 1e-8, borders mirrored."""
    side = 2 * int(np.ceil(6 * sigma)) + 1
    blurred = cv2.GaussianBlur(
        picture.astype(np.float64), (side, side), sigma, borderType=cv2.BORDER_REFLECT
    )
    return np.asarray(blurred, np.float64)


@pytest.mark.parametrize(
    ("sigma", "most", "root_mean_square"), [(2.0, 7.0, 1.0), (5.0, 4.0, 0.9), (12.0, 4.0, 0.9)]
)
def test_three_boxes_look_like_a_gaussian(
    photograph: Array, sigma: float, most: float, root_mean_square: float
) -> None:
    out = np.empty_like(photograph)
    kernels.gaussian_blur(photograph, out, sigma)
    off = out - gaussian(photograph, sigma)
    assert np.abs(off).max() <= most
    assert np.sqrt((off**2).mean()) <= root_mean_square
    # As near as that is only the blur of this deviation.
    for other in (0.8 * sigma, 1.25 * sigma):
        assert np.sqrt((out - gaussian(photograph, other)).var()) > np.sqrt((off**2).mean())


def test_a_blur_of_nothing_changes_nothing() -> None:
    picture = noise(9, 14)
    out = np.empty_like(picture)
    kernels.gaussian_blur(picture, out, 0.0)
    np.testing.assert_array_equal(out, picture)


def bilinear(picture: Array, target: tuple[int, int]) -> Exact:
    values = picture.astype(float)
    for axis in (0, 1):
        length = picture.shape[axis]
        middles = (np.arange(target[axis]) + 0.5) * length / target[axis] - 0.5
        lines = np.moveaxis(values, axis, -1)
        places = np.clip(middles, 0, length - 1)
        interpolated = [np.interp(places, np.arange(length), line) for line in lines]
        values = np.moveaxis(np.asarray(interpolated), -1, axis)
    return values


SIZES = [
    ((20, 30), (40, 60)),
    ((144, 256), (720, 1280)),
    ((144, 256), (479, 853)),
    ((100, 90), (61, 47)),
    ((300, 400), (7, 9)),
    ((5, 3), (5, 3)),
    ((1, 1), (4, 7)),
    ((2, 9), (300, 2)),
]


@pytest.mark.parametrize(("size", "target"), SIZES)
def test_resize_bilinear_against_exact_arithmetic(
    size: tuple[int, int], target: tuple[int, int]
) -> None:
    picture = noise(*size)
    out = np.empty(target, np.uint8)
    kernels.resize_bilinear(picture, out)
    assert np.abs(out - bilinear(picture, target)).max() <= 0.52


@pytest.mark.parametrize(
    ("left", "top", "width", "height"),
    [(0, 0, 30, 20), (3.25, 1.5, 10, 7.125), (29, 19, 1, 1), (0.4, 0.7, 29.1, 0.3)],
)
def test_crop_bilinear_against_exact_arithmetic(
    left: float, top: float, width: float, height: float
) -> None:
    picture = noise(20, 30)
    out = np.empty((33, 47), np.uint8)
    kernels.crop_bilinear(picture, out, left, top, width, height)
    values = picture.astype(float)
    for axis, start, length in ((0, top, height), (1, left, width)):
        places = start + (np.arange(out.shape[axis]) + 0.5) * length / out.shape[axis] - 0.5
        lines = np.moveaxis(values, axis, -1)
        grid = np.arange(picture.shape[axis])
        values = np.moveaxis(np.array([np.interp(places, grid, line) for line in lines]), -1, axis)
    assert np.abs(out - values).max() <= 0.52


def test_crop_bilinear_moves_by_less_than_a_pixel() -> None:
    ramp = np.tile(np.arange(0, 240, 4, dtype=np.uint8), (8, 1))
    out = np.empty((8, 40), np.uint8)
    columns = []
    for step in range(8):
        kernels.crop_bilinear(ramp, out, 10 + step / 8, 0, 40, 8)
        columns.append(int(out[4, 20]))
    # The eighth of a pixel is half a code.
    np.testing.assert_array_equal(columns, [120, 121, 121, 122, 122, 123, 123, 124])


def test_upsample_2x_is_bilinear_rounded_once() -> None:
    picture = noise(33, 50)
    out = np.empty((66, 100), np.uint8)
    kernels.upsample_2x(picture, out)
    np.testing.assert_array_equal(out, np.floor(bilinear(picture, out.shape) + 0.5))


@pytest.mark.parametrize(("size", "target"), SIZES)
def test_resize_area_against_exact_arithmetic(
    size: tuple[int, int], target: tuple[int, int]
) -> None:
    picture = noise(*size)
    out = np.empty(target, np.uint8)
    kernels.resize_area(picture, out)
    values = picture.astype(float)
    for axis in (0, 1):
        edges = np.linspace(0, size[axis], target[axis] + 1)
        lines = np.moveaxis(values, axis, -1)
        up_to = np.concatenate([np.zeros((*lines.shape[:-1], 1)), np.cumsum(lines, -1)], -1)
        integral = [np.interp(edges, np.arange(size[axis] + 1), line) for line in up_to]
        means = np.diff(np.asarray(integral)) * target[axis] / size[axis]
        values = np.moveaxis(means, -1, axis)
    assert np.abs(out - values).max() <= 0.5 + 1e-6
