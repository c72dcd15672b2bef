"""Blur that grows with the distance from people."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from made_frames import SIZES, disc, frame_of, matte_of, noise, shown

from pullfx.nodes import (
    Matte,
    SteadyDistance,
    blur_background,
    blur_by_distance,
    guess_distance,
    reduce,
)
from pullfx.pipeline.frame import Frame


def detail(frame: Frame, where: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> float:
    luma = frame.y.astype(np.float32)
    return float(np.square(luma - luma.mean())[where].mean())


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_where_there_is_nobody_all_is_far(width: int, height: int) -> None:
    distance = guess_distance(matte_of(np.zeros((height, width), np.uint8)))
    assert (distance == 255).all()


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_where_all_is_person_nothing_is(width: int, height: int) -> None:
    distance = guess_distance(matte_of(np.ones((height, width), np.uint8)))
    assert not distance.any()


def test_distance_grows_away_from_the_person() -> None:
    distance = guess_distance(matte_of(disc(640, 360, 0.25))).astype(int)
    rows, columns = distance.shape
    middle = distance[rows // 2]
    assert middle[columns // 2] == 0
    assert (np.diff(middle[columns // 2 :]) >= 0).all()
    assert (np.diff(middle[: columns // 2]) <= 0).all()
    assert middle[0] == middle[-1] > 200


def test_what_is_below_counts_as_nearer_than_what_is_above() -> None:
    distance = guess_distance(matte_of(disc(640, 360, 0.2))).astype(int)
    for column in (2, len(distance[0]) // 2):
        assert distance[-1, column] < 0.5 * distance[0, column]


def test_a_blob_of_one_frame_hardly_changes_the_distance() -> None:
    steady = SteadyDistance()
    calm = guess_distance(matte_of(disc(640, 360, 0.2)))
    blob = disc(640, 360, 0.2)
    blob[:60, :60] = 1
    for _ in range(10):
        before = steady(calm).astype(int)
    np.testing.assert_array_equal(before, calm)
    after = steady(guess_distance(matte_of(blob)))
    assert np.abs(after - before).max() < 60
    for _ in range(30):
        after = steady(calm)
    np.testing.assert_allclose(after, calm, atol=1)
    steady.reset()
    np.testing.assert_array_equal(steady(calm), calm)


@pytest.mark.parametrize(("width", "height"), [(640, 360), (1280, 720), (480, 640), (853, 479)])
def test_the_blur_grows_with_the_distance(width: int, height: int) -> None:
    rows, columns = np.indices((height, width)) // round(0.05 * min(width, height))
    frame = frame_of(((rows + columns) % 2 * 219 + 16).astype(np.uint8))
    person = disc(width, height, 0.2 * min(width, height) / height)
    matte = matte_of(person)
    backdrop = blur_by_distance(reduce(frame), matte, guess_distance(matte), 1.0)
    pixels = cv2.distanceTransform(1 - person, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    away = np.asarray(pixels, np.float32) / min(width, height)
    above = np.arange(height)[:, None] < height / 2
    result = shown(backdrop, frame)
    left = [
        detail(result, (away > low) & (away <= high) & above)
        for low, high in ((0.02, 0.08), (0.12, 0.2), (0.24, 1.0))
    ]
    assert left[0] > 1.5 * left[1] > 3 * left[2]


@pytest.mark.parametrize("strength", [0.0, 0.6, 1.0])
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_nothing_is_sharper_than_the_least_blur_of_backgrounds(
    width: int, height: int, strength: float
) -> None:
    frame = noise(width, height)
    matte = matte_of(disc(width, height))
    everywhere = np.ones((height, width), bool)
    made = blur_by_distance(reduce(frame), matte, guess_distance(matte), strength)
    least = blur_background(reduce(frame), matte, 0.0)
    assert detail(shown(made, frame), everywhere) <= detail(shown(least, frame), everywhere) + 1


def test_without_people_it_is_one_blur() -> None:
    frame = noise(640, 360)
    nobody = Matte(np.zeros_like(frame.u))
    made = blur_by_distance(reduce(frame), nobody, guess_distance(nobody), 0.6)
    luma = shown(made, frame).y
    quarters = [luma[:180, :320], luma[180:, :320], luma[:180, 320:], luma[180:, 320:]]
    contrasts = [float(part.std()) for part in quarters]
    assert max(contrasts) < 1.5 * min(contrasts) + 0.5
