"""What the kernels compute, held against exact arithmetic rather than against their reference."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from pullfx import kernels
from pullfx.kernels import isa

Array = NDArray[np.uint8]


@pytest.mark.parametrize("variant", kernels.available_isas())
def test_blend_is_the_rounded_mean_of_every_pair(variant: str) -> None:
    foreground, background = np.indices((256, 256)).astype(np.uint8)
    out = np.empty_like(foreground)
    for weight in range(256):
        mask = np.full_like(foreground, weight)
        isa.implementations()[variant].blend(foreground, background, mask, out)
        mean = foreground * (weight / 255) + background * (1 - weight / 255)
        assert np.abs(out - mean).max() <= 0.5
        if weight == 255:
            np.testing.assert_array_equal(out, foreground)
        if weight == 0:
            np.testing.assert_array_equal(out, background)


def test_division_by_255_is_exact() -> None:
    numerator = np.arange(255 * 255 + 1, dtype=np.uint16)
    total = numerator + np.uint16(128)
    quotient = (total + (total >> 8)) >> 8
    np.testing.assert_array_equal(quotient, (2 * numerator.astype(int) + 255) // 510)


def test_division_by_the_area_of_a_box_is_exact() -> None:
    """The condition under which src/downscale.inc takes a factor holds for some 32-bit factor."""
    for area in range(1, 2**15 + 1):
        shift = next(
            shift for shift in range(31, 64) if -(2**shift) % area * area * 2**16 < 2**shift
        )
        factor = -(-(2**shift) // area)
        assert factor < 2**32
        largest = 256 * 255 * area + area // 2
        assert largest < 2**32
        for numerator in (largest, largest // area * area - 1, area - 1, area):
            assert numerator * factor >> shift == numerator // area


def test_blend_half_averages_what_there_is() -> None:
    mask = np.array([[0, 255, 255], [0, 254, 0], [10, 20, 31]], np.uint8)
    white, black = np.full((2, 2), 255, np.uint8), np.zeros((2, 2), np.uint8)
    out = np.empty((2, 2), np.uint8)
    kernels.blend_half(white, black, mask, out)
    np.testing.assert_array_equal(out, [[127, 128], [15, 31]])


def planes(height: int, width: int) -> tuple[Array, Array, Array]:
    """Noise in 4:2:0."""
    random = np.random.default_rng(5)
    chroma = ((height + 1) // 2, (width + 1) // 2)
    y, u, v = (
        random.integers(0, 256, shape, np.uint8) for shape in ((height, width), chroma, chroma)
    )
    return y, u, v


def box_means(
    plane: Array, size: tuple[int, int], per_sample: int, target: tuple[int, int]
) -> NDArray[np.float64]:
    """The integral of what is constant over each sample is straight between samples' edges."""
    values = plane.astype(float)
    for axis in (0, 1):
        edges = np.minimum(np.arange(values.shape[axis] + 1) * per_sample, size[axis])
        boxes = np.linspace(0, size[axis], target[axis] + 1)
        rows = np.moveaxis(values, axis, -1)
        integrals = [
            np.interp(boxes, edges, np.concatenate([[0], np.cumsum(row * np.diff(edges))]))
            for row in rows
        ]
        values = np.moveaxis(np.diff(integrals) * target[axis] / size[axis], -1, axis)
    return values


@pytest.mark.parametrize("full_range", [False, True])
@pytest.mark.parametrize(
    ("matrix", "red", "blue"),
    [("bt601", 0.299, 0.114), ("bt709", 0.2126, 0.0722), ("bt2020", 0.2627, 0.0593)],
)
@pytest.mark.parametrize(
    ("height", "width", "size"),
    [
        (720, 1280, (144, 256)),  # 5 pixels each, chroma 2.5
        (480, 640, (144, 256)),
        (479, 853, (144, 256)),  # nothing in common: the wide path
        (16, 16, (144, 256)),  # smaller than the network
        (144, 256, (144, 256)),
        (1, 1, (3, 2)),
    ],
)
def test_downscale_against_exact_arithmetic(
    height: int,
    width: int,
    size: tuple[int, int],
    matrix: str,
    red: float,
    blue: float,
    full_range: bool,
) -> None:
    y, u, v = planes(height, width)
    out = np.empty((*size, 3), np.uint8)
    kernels.downscale_rgb(y, u, v, out, matrix, full_range)

    luma = box_means(y, y.shape, 1, size)
    cb, cr = (box_means(plane, y.shape, 2, size) - 128 for plane in (u, v))
    if not full_range:
        luma, cb, cr = (luma - 16) * 255 / 219, cb * 255 / 224, cr * 255 / 224
    r = luma + 2 * (1 - red) * cr
    b = luma + 2 * (1 - blue) * cb
    g = luma - (red * 2 * (1 - red) * cr + blue * 2 * (1 - blue) * cb) / (1 - red - blue)
    exact = np.clip(np.stack([r, g, b], axis=-1), 0, 255)
    assert np.abs(out - exact).max() <= 0.6  # 0.5 is the rounding


@pytest.mark.parametrize(
    ("yuv", "rgb"),
    [((16, 128, 128), (0, 0, 0)), ((235, 128, 128), (255, 255, 255)), ((81, 90, 240), (255, 0, 0))],
)
def test_downscale_of_known_colours(yuv: tuple[int, int, int], rgb: tuple[int, int, int]) -> None:
    y, u, v = planes(36, 64)
    for plane, code in zip((y, u, v), yuv, strict=True):
        plane[:] = code
    out = np.empty((9, 16, 3), np.uint8)
    kernels.downscale_rgb(y, u, v, out, "bt601", False)
    assert np.abs(out.astype(int) - rgb).max() <= 1
