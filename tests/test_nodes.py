"""The smaller nodes, each by itself, called with values."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from made_frames import SIZES, disc, filled, frame_of, network_mask, noise

from pullfx.errors import KernelError
from pullfx.kernels import composite as composite_kernels
from pullfx.nodes import (
    Backdrop,
    Changed,
    Image,
    Mask,
    Matte,
    Size,
    SmoothMask,
    composite,
    downscale,
    main_person,
    reduce,
    show_mask,
    smoothing_table,
)
from pullfx.pipeline.frame import Frame, Matrix, Range
from pullfx.pipeline.pool import Pool

SELFIE = (Size(256, 144), Size(256, 256))

# -- downscale ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("width", "height", "expected"),
    [
        (1280, 720, (144, 256, 3)),
        (1920, 1080, (144, 256, 3)),
        (640, 480, (144, 256, 3)),  # equally near to both: the first
        (638, 480, (256, 256, 3)),
        (480, 480, (256, 256, 3)),
        (720, 1280, (256, 256, 3)),
        (1280, 90, (144, 256, 3)),
        (2, 2, (256, 256, 3)),
        (853, 479, (144, 256, 3)),
    ],
)
def test_downscale_takes_the_nearest_shape(
    width: int, height: int, expected: tuple[int, ...]
) -> None:
    frame = frame_of(np.full((height, width), 126, np.uint8))
    image = downscale(frame, reduce(frame), SELFIE)
    assert image.shape == expected
    assert (image == 128).all()  # (126 - 16) * 255 / 219


@pytest.mark.parametrize(
    ("matrix", "range", "expected"),
    [
        (Matrix.BT601, Range.LIMITED, (255, 1, 0)),
        (Matrix.BT709, Range.LIMITED, (255, 24, 0)),
        (Matrix.BT601, Range.FULL, (238, 14, 14)),
    ],
)
def test_downscale_heeds_the_colours(
    matrix: Matrix, range: Range, expected: tuple[int, int, int]
) -> None:
    y = np.full((90, 160), 81, np.uint8)
    red = frame_of(y, 90, 240)
    frame = Frame(red.y, red.u, red.v, matrix, range)
    image = downscale(frame, reduce(frame), (Size(16, 9),))
    assert np.abs(image[4, 8].astype(int) - expected).max() <= 1


# -- smoothing in time ----------------------------------------------------------------------------


def test_no_smoothing_is_the_current_mask() -> None:
    current = np.repeat(np.arange(256), 256)
    np.testing.assert_array_equal(smoothing_table(0.0), current)


@pytest.mark.parametrize("strength", [0.3, 0.7, 1.0])
def test_smoothing_table(strength: float) -> None:
    current, previous = np.indices((256, 256))
    table = smoothing_table(strength).reshape(256, 256).astype(int)
    np.testing.assert_array_equal(table[[0, 255]], current[[0, 255]])  # sure: at once
    moved = np.abs(current - previous) >= 100
    np.testing.assert_array_equal(table[moved], current[moved])  # moved: at once
    between = (table - current) * (table - previous) <= 0
    assert between.all()
    assert table[128, 118] < 128 - 10 * strength * 0.8  # unsure and still: held back


def test_more_smoothing_holds_back_more() -> None:
    current = np.indices((256, 256))[0]
    kept = [
        np.abs(smoothing_table(s).reshape(256, 256).astype(int) - current) for s in (0.2, 0.5, 1.0)
    ]
    assert (kept[0] <= kept[1]).all()
    assert (kept[1] <= kept[2]).all()
    assert kept[0].sum() < kept[1].sum() < kept[2].sum()


def test_a_still_unsure_mask_is_calmed_and_does_not_drift() -> None:
    random = np.random.default_rng(3)
    smooth, table, pool = SmoothMask(), smoothing_table(0.7), Pool()
    masks = [Mask(random.normal(128, 12, (144, 256)).astype(np.uint8)) for _ in range(30)]
    out = np.stack([smooth(mask, table, pool).copy() for mask in masks]).astype(float)
    given = np.stack(masks).astype(float)
    change, given_change = (np.abs(np.diff(x, axis=0)).mean() for x in (out, given))
    assert change < 0.5 * given_change
    assert abs(out[10:].mean() - given[10:].mean()) < 1


def test_a_moving_edge_leaves_no_trail() -> None:
    smooth, table = SmoothMask(), smoothing_table(1.0)
    for column in range(20, 200, 15):
        shape = np.zeros((144, 256), np.uint8)
        shape[:, column : column + 40] = 1
        mask = network_mask(shape)
        out = smooth(mask, table)
        behind = out[:, : column - 8].astype(int) - mask[:, : column - 8]
        assert behind.max() <= 2


def test_smoothing_starts_afresh_when_the_size_changes_and_on_reset() -> None:
    smooth, table = SmoothMask(), smoothing_table(1.0)
    smooth(filled(256, 144, 110), table)
    assert (smooth(filled(256, 144, 130), table) < 130).all()
    assert (smooth(filled(256, 256, 130), table) == 130).all()
    smooth.reset()
    assert (smooth(filled(256, 256, 150), table) == 150).all()


# -- composite ------------------------------------------------------------------------------------


@pytest.mark.parametrize("shift", [0, 1, 3])
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_pixels_under_a_full_matte_are_untouched(width: int, height: int, shift: int) -> None:
    foreground, background = noise(width, height, 1), noise(width, height, 2)
    grid = composite_kernels.grid_shape((height, width), shift)
    planes = (
        background.planes
        if shift == 0
        else (background.y[: grid[0], : grid[1]],) * 3  # any will do
    )
    backdrop = Backdrop(planes, shift)
    rows, columns = foreground.u.shape
    matte = Matte(disc(columns, rows, 0.4) * np.uint8(255))
    out = composite(foreground, backdrop, matte)
    hidden = composite(foreground, backdrop, Matte(np.zeros_like(matte)))
    around = np.pad(matte, 1, mode="edge")
    near = np.stack(
        [
            around[row : row + matte.shape[0], column : column + matte.shape[1]]
            for row in range(3)
            for column in range(3)
        ]
    )
    masks = [
        (np.repeat(np.repeat(value, 2, axis=0), 2, axis=1)[:height, :width], other)
        for value, other in (
            (near.min(axis=0) == 255, matte == 255),
            (near.max(axis=0) == 0, matte == 0),
        )
    ]
    for (luma, chroma), expected in zip(masks, (foreground, hidden), strict=True):
        np.testing.assert_array_equal(out.y[luma], expected.y[luma])
        np.testing.assert_array_equal(out.u[chroma], expected.u[chroma])
        np.testing.assert_array_equal(out.v[chroma], expected.v[chroma])
    assert (out.pts, out.time_base, out.matrix, out.range) == (
        foreground.pts,
        foreground.time_base,
        foreground.matrix,
        foreground.range,
    )


def test_nothing_of_the_foreground_is_left_where_there_is_no_person() -> None:
    background = Backdrop(noise(640, 360, 2).planes, 0)
    nobody = Matte(np.zeros((180, 320), np.uint8))
    one, other = (composite(noise(640, 360, seed), background, nobody) for seed in (3, 4))
    for plane, same in zip(one.planes, other.planes, strict=True):
        np.testing.assert_array_equal(plane, same)


def test_composite_of_different_sizes_is_refused() -> None:
    backdrop = Backdrop(noise(32, 18).planes, 0)
    with pytest.raises(KernelError, match=r"background\[0\] must have shape"):
        composite(noise(64, 36), backdrop, Matte(np.zeros((18, 32), np.uint8)))


# -- the main person ------------------------------------------------------------------------------


def people(*columns: tuple[int, int]) -> Mask:
    mask = filled(256, 144, 0)
    for left, right in columns:
        mask[40:, left:right] = 255
    return Mask(np.asarray(cv2.GaussianBlur(mask, (0, 0), 1.5), np.uint8))


def test_one_person_is_the_main_one() -> None:
    mask = people((100, 160))
    assert main_person(mask) is mask


@pytest.mark.parametrize(
    ("main", "other"),
    [
        ((100, 160), (200, 240)),
        ((20, 110), (180, 230)),  # larger, if not in the middle
        ((100, 150), (190, 256)),  # in the middle, if not larger
    ],
)
def test_the_main_person_is_large_and_in_the_middle(
    main: tuple[int, int], other: tuple[int, int]
) -> None:
    both = people(main, other)
    np.testing.assert_array_equal(main_person(both), people(main))


# -- changed --------------------------------------------------------------------------------------


def still(value: int = 100) -> Image:
    return Image(np.full((144, 256, 3), value, np.uint8))


def test_noise_is_no_change_and_a_hand_is() -> None:
    random = np.random.default_rng(1)
    changed = Changed()
    first = still()
    assert changed(first) is first
    noisy = Image(np.rint(random.normal(100, 1, first.shape)).astype(np.uint8))
    assert changed(noisy) is first
    hand = still()
    hand[70:86, 100:116] = 140  # a two-hundredth of the picture
    assert changed(hand) is hand


def test_slow_change_adds_up() -> None:
    changed = Changed()
    first = still(100)
    assert changed(first) is first
    assert changed(still(100)) is first
    brighter = still(101)
    assert changed(brighter) is brighter
    passed = [changed(still(101 + step // 3)).max() for step in range(12)]
    assert passed == [101] * 3 + [102] * 3 + [103] * 3 + [104] * 3


def test_another_size_and_a_reset_pass() -> None:
    changed = Changed()
    changed(still())
    square = Image(np.full((256, 256, 3), 100, np.uint8))
    assert changed(square) is square
    again = Image(square.copy())
    assert changed(again) is square
    changed.reset()
    assert changed(again) is again


# -- show -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("range", "black", "half", "white"),
    [(Range.LIMITED, 16, 126, 235), (Range.FULL, 0, 128, 255)],
)
def test_show_mask(range: Range, black: int, half: int, white: int) -> None:
    source = noise(853, 479)
    frame = Frame(source.y, source.u, source.v, Matrix.BT709, range)
    matte = Matte(np.zeros(frame.u.shape, np.uint8))
    matte[50:100] = 128
    matte[100:] = 255
    out = show_mask(frame, matte)
    assert [out.y[row, 400] for row in (50, 150, 300)] == [black, half, white]
    assert (out.u == 128).all()
    assert (out.v == 128).all()
    assert (out.matrix, out.range) == (Matrix.BT709, range)
