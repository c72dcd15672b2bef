"""The background's light on the person's edge: inside only, and never more than a little."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from made_frames import SIZES, disc, frame_of, matte_of

from pullfx.nodes import Matte, blur_background, composite, light_wrap, reduce

AMOUNTS = (0.1, 0.5, 1.0)
DEEPEST = 0.05  # of the shorter side: farther from the edge there is no light


def test_no_light_is_the_same_matte() -> None:
    matte = matte_of(disc(320, 180))
    assert light_wrap(matte, 0.0) is matte


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("value", [0, 255])
def test_without_an_edge_nothing_changes(width: int, height: int, value: int) -> None:
    matte = Matte(np.full((height, width), value, np.uint8))
    np.testing.assert_array_equal(light_wrap(matte, 1.0), matte)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 300), st.integers(1, 300), st.integers(1, 40), st.floats(0, 1), st.integers(0, 9)
)
def test_no_value_becomes_larger_nor_less_than_half(
    width: int, height: int, cell: int, amount: float, seed: int
) -> None:
    cells = np.random.default_rng(seed).integers(
        0, 256, (height // cell + 1, width // cell + 1), np.uint8
    )
    matte = Matte(np.repeat(np.repeat(cells, cell, 0), cell, 1)[:height, :width].copy())
    wrapped = light_wrap(matte, amount)
    assert (wrapped <= matte).all()
    assert (wrapped >= np.floor((1 - amount / 2) * matte - 1)).all()


@pytest.mark.parametrize(("width", "height"), SIZES[2:])
@pytest.mark.parametrize("amount", AMOUNTS)
def test_light_lies_along_the_edge_and_not_deeper(width: int, height: int, amount: float) -> None:
    shape = disc(width, height)
    matte = Matte(shape * np.uint8(255))
    wrapped = light_wrap(matte, amount)
    inside = cv2.distanceTransform(shape, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    deep = inside > max(DEEPEST * min(width, height), 4)
    np.testing.assert_array_equal(wrapped[deep], 255)
    np.testing.assert_array_equal(wrapped[shape == 0], 0)
    edge = wrapped[(inside > 0) & (inside <= 1)].mean() / 255
    assert 1 - amount / 2 - 0.01 < edge < 1 - amount / 4


def test_the_border_of_the_frame_is_no_edge() -> None:
    matte = Matte(np.full((360, 640), 255, np.uint8))
    matte[:, :200] = 0
    wrapped = light_wrap(matte, 1.0)
    np.testing.assert_array_equal(wrapped[:, 240:], 255)
    np.testing.assert_array_equal(wrapped, wrapped[:1].repeat(360, 0))


@pytest.mark.parametrize("strength", [0.0, 0.6, 1.0])
def test_a_dark_person_before_a_bright_wall_is_lit_from_the_edge_inward(strength: float) -> None:
    shape = disc(1280, 720)
    frame = frame_of(np.where(shape == 1, 40, 200).astype(np.uint8))
    matte = matte_of(shape)
    backdrop = blur_background(reduce(frame), matte, strength)
    plain, lit = (composite(frame, backdrop, light_wrap(matte, amount)).y for amount in (0.0, 1.0))
    inside = cv2.distanceTransform(shape, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    light = [
        float((lit.astype(int) - plain)[(inside > near) & (inside <= near + 4)].mean())
        for near in range(4, 60, 4)
    ]
    assert light[0] > 30
    assert (np.diff(light) <= 0).all()
    np.testing.assert_array_equal(lit[inside > 40], 40)
    # Outside nothing comes back of the person, and the wall stays as it was.
    assert (lit[shape == 0] >= plain[shape == 0]).all()
    np.testing.assert_array_equal(lit[shape == 0][plain[shape == 0] == 200], 200)
