"""The smaller nodes, each by itself, called with values."""

from __future__ import annotations

import numpy as np
import pytest
from made_frames import SIZES, disc, filled, frame_of, network_mask, noise

from pullfx.errors import KernelError
from pullfx.nodes import (
    Changed,
    Image,
    Mask,
    Size,
    SmoothMask,
    composite,
    downscale,
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
    image = downscale(frame_of(np.full((height, width), 126, np.uint8)), SELFIE)
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
    image = downscale(Frame(red.y, red.u, red.v, matrix, range), (Size(16, 9),))
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


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_pixels_under_a_full_mask_are_untouched(width: int, height: int) -> None:
    foreground, background = noise(width, height, 1), noise(width, height, 2)
    mask = Mask(disc(width, height, 0.4) * np.uint8(255))
    out = composite(foreground, background, mask)
    np.testing.assert_array_equal(out.y, np.where(mask, foreground.y, background.y))
    even = np.pad(mask, ((0, height % 2), (0, width % 2)), mode="edge")
    fours = even.reshape(even.shape[0] // 2, 2, even.shape[1] // 2, 2)
    for got, front, back in zip(
        out.planes[1:], foreground.planes[1:], background.planes[1:], strict=True
    ):
        whole, none = fours.min(axis=(1, 3)) == 255, fours.max(axis=(1, 3)) == 0
        np.testing.assert_array_equal(got[whole], front[whole])
        np.testing.assert_array_equal(got[none], back[none])
    assert (out.pts, out.time_base, out.matrix, out.range) == (
        foreground.pts,
        foreground.time_base,
        foreground.matrix,
        foreground.range,
    )


def test_composite_of_different_sizes_is_refused() -> None:
    with pytest.raises(KernelError, match="background must have shape"):
        composite(noise(64, 36), noise(32, 18), filled(64, 36, 255))


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
    mask = filled(853, 479, 0)
    mask[100:200] = 128
    mask[200:] = 255
    out = show_mask(frame, mask)
    assert [out.y[row, 400] for row in (50, 150, 300)] == [black, half, white]
    assert (out.u == 128).all()
    assert (out.v == 128).all()
    assert (out.matrix, out.range) == (Matrix.BT709, range)
