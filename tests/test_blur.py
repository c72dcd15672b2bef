"""Backgrounds out of focus."""

from __future__ import annotations

from fractions import Fraction

import cv2
import numpy as np
import pytest
from made_frames import SIZES, Plane, disc, frame_of, matte_of, noise, shown
from numpy.typing import NDArray

from pullfx.nodes import HIDING_STRENGTH, blur_background, blur_whole, reduce
from pullfx.pipeline.frame import Frame


def blurred(frame: Frame, person: Plane, strength: float) -> Frame:
    """The background of a frame at full size; `person` is 1 where there is one."""
    return shown(blur_background(reduce(frame), matte_of(person), strength), frame)


def nobody(width: int, height: int) -> Plane:
    return np.zeros((height, width), np.uint8)


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("strength", [0.0, 0.6, 1.0])
def test_flat_stays_flat(width: int, height: int, strength: float) -> None:
    frame = frame_of(np.full((height, width), 77, np.uint8), 60, 200)
    person = disc(width, height)
    for out in (blurred(frame, person, strength), blur_whole(frame, strength)):
        assert out.y.shape == frame.y.shape
        assert (out.pts, out.time_base) == (7, Fraction(1, 30))
        for plane, value in zip(out.planes, (77, 60, 200), strict=True):
            assert (plane == value).all()


@pytest.mark.parametrize("strength", [0.0, 0.3, 0.6, 1.0])
def test_the_person_does_not_run_into_the_background(strength: float) -> None:
    shape = disc(1280, 720)
    half = shape[::2, ::2].astype(bool)
    frame = frame_of(
        np.where(shape, np.uint8(40), np.uint8(180)),
        np.where(half, np.uint8(90), np.uint8(128)),
        np.where(half, np.uint8(230), np.uint8(128)),
    )
    out = blurred(frame, shape, strength)
    assert np.abs(out.y[shape == 0].astype(int) - 180).max() <= 4
    assert np.abs(out.v[~half].astype(int) - 128).max() <= 3
    without = blurred(frame, nobody(1280, 720), strength)
    assert np.abs(without.y[shape == 0].astype(int) - 180).max() > 40  # what it would look like


def test_deep_inside_a_person_the_colours_are_the_person() -> None:
    frame = frame_of(np.full((720, 1280), 50, np.uint8), 100, 150)
    frame.y[:, :40] = 220
    person = np.ones((720, 1280), np.uint8)
    person[:, :40] = 0
    out = blurred(frame, person, 0.6)
    assert np.abs(out.y[:, 700:].astype(int) - 50).max() <= 1


def look(frame: Frame) -> NDArray[np.int_]:
    return np.asarray(cv2.resize(frame.y, (320, 180), interpolation=cv2.INTER_AREA), int)


@pytest.mark.parametrize("strength", [0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
def test_the_look_is_the_same_at_every_size(strength: float) -> None:
    random = np.random.default_rng(2)
    scene = np.kron(random.integers(0, 256, (9, 16), dtype=np.uint8), np.ones((120, 120), np.uint8))
    looks = []
    for width, height in ((640, 360), (853, 479), (1280, 720), (1920, 1080)):
        y = cv2.resize(scene, (width, height), interpolation=cv2.INTER_AREA)
        frame = frame_of(np.asarray(y, np.uint8))
        looks.append(look(blurred(frame, nobody(width, height), strength)))
    for other in looks[1:]:
        assert np.abs(other - looks[0]).mean() < 1.5
        assert np.abs(other - looks[0]).max() < 12


def test_more_strength_blurs_more_and_even_none_blurs() -> None:
    y = np.zeros((720, 1280), np.uint8)
    y[:, 640:] = 255
    steepest = [
        int(np.abs(np.diff(blurred(frame_of(y), nobody(1280, 720), s).y[360].astype(int))).max())
        for s in (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)
    ]
    assert sorted(steepest, reverse=True) == steepest
    assert steepest[0] < 15
    assert steepest[-1] < 5


@pytest.mark.parametrize("strength", [0.0, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0])
def test_a_blurred_edge_is_that_of_a_gaussian(strength: float) -> None:
    """On the average over where the edge lies, since a small picture has a grid."""
    sigma = (0.012 + 0.038 * strength) * 720
    rows = []
    for edge in range(640, 656):
        y = np.zeros((720, 1280), np.uint8)
        y[:, edge:] = 255
        row = blurred(frame_of(y), nobody(1280, 720), strength).y[360]
        rows.append(np.diff(row.astype(float))[edge - 440 : edge + 440] / 255)
    spread = np.mean(rows, axis=0)
    places = np.arange(880) - 439.0
    mean = (spread * places).sum()
    deviation = float(np.sqrt((spread * places**2).sum() - mean**2))
    assert abs(mean) < 0.5
    assert deviation == pytest.approx(sigma, rel=0.03)


@pytest.mark.parametrize("strength", [0.0, 0.2, HIDING_STRENGTH])
def test_without_a_mask_no_less_than_hides(strength: float) -> None:
    frame = noise(640, 360)
    np.testing.assert_array_equal(
        blur_whole(frame, strength).y, blur_whole(frame, HIDING_STRENGTH).y
    )


def test_without_a_mask_strength_counts_as_well() -> None:
    y = np.zeros((360, 640), np.uint8)
    y[:, 320:] = 255
    steepest = [np.abs(np.diff(blur_whole(frame_of(y), s).y.astype(int))).max() for s in (0.5, 1)]
    assert steepest[1] < steepest[0] < 10
