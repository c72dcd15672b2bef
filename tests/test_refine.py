"""A network's mask raised to the frame's size, and its edge made soft."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from made_frames import SIZES, disc, filled, frame_of, network_mask, noise

from pullfx.nodes import Mask, feather, feathering, refine


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("value", [0, 255])
@pytest.mark.parametrize("edge", [0.0, 0.5, 1.0])
def test_solid_stays_solid(width: int, height: int, value: int, edge: float) -> None:
    mask = refine(filled(256, 144, value), noise(width, height), edge)
    assert mask.shape == (height, width)
    assert mask.dtype == np.uint8
    assert (mask == value).all()


@pytest.mark.parametrize("edge", [0.0, 0.3, 1.0])
def test_solid_stays_solid_beside_an_edge_in_any_picture(edge: float) -> None:
    small = np.zeros((144, 256), np.uint8)
    small[:, 128:] = 255
    mask = refine(Mask(small), noise(1280, 720), edge)
    assert (mask[:, : 640 - 20] == 0).all()  # four pixels of the mask away
    assert (mask[:, 640 + 20 :] == 255).all()


@pytest.mark.parametrize(("width", "height"), [(640, 360), (853, 479), (1280, 720)])
def test_the_edge_of_the_picture_is_followed(width: int, height: int) -> None:
    shape = disc(width, height)
    frame = frame_of(np.where(shape, np.uint8(220), np.uint8(30)))
    mask = network_mask(shape)
    errors = [
        float(np.abs(refine(mask, frame, edge).astype(int) - shape * 255).mean())
        for edge in (0.0, 0.4, 0.7, 1.0)
    ]
    assert sorted(errors, reverse=True) == errors
    assert errors[-1] < 0.25 * errors[0]


def test_no_halo_is_left_around_a_disc() -> None:
    width, height = 1280, 720
    shape = disc(width, height)
    frame = frame_of(np.where(shape, np.uint8(220), np.uint8(30)))
    mask = refine(network_mask(shape), frame, 1.0)
    outside = cv2.dilate(shape, np.ones((9, 9), np.uint8)) == 0
    inside = cv2.erode(shape, np.ones((9, 9), np.uint8)) == 1
    assert mask[outside].max() <= 26
    assert mask[inside].min() >= 229


@pytest.mark.parametrize(("width", "height"), SIZES[2:])
@pytest.mark.parametrize("edge", [0.0, 1.0])
def test_a_person_cut_by_the_border_is_whole_up_to_it(width: int, height: int, edge: float) -> None:
    small = np.zeros((144, 256), np.uint8)
    small[60:, 90:] = 255
    y = np.full((height, width), 40, np.uint8)
    y[height * 60 // 144 :, width * 90 // 256 :] = 200
    mask = refine(Mask(small), frame_of(y), edge)
    assert mask[-1, width * 2 // 3 :].min() >= 0.95 * 255
    assert mask[height * 2 // 3 :, -1].min() >= 0.95 * 255
    assert mask[0].max() <= 0.05 * 255
    assert mask[:, 0].max() <= 0.05 * 255


@pytest.mark.parametrize("edge", [0.0, 1.0])
def test_a_slanted_edge_has_no_steps(edge: float) -> None:
    rows, columns = np.indices((720, 1280))
    shape = (columns - 500 > rows * 0.3).astype(np.uint8)
    small = cv2.resize(shape * np.uint8(255), (256, 144), interpolation=cv2.INTER_AREA)
    frame = frame_of(np.full((720, 1280), 100, np.uint8))  # the picture gives no help
    mask = refine(Mask(np.asarray(small, np.uint8)), frame, edge)
    crossing = (mask >= 128).argmax(axis=1)[20:-20]
    line = np.polynomial.Polynomial.fit(np.arange(crossing.size), crossing, 1)
    # A pixel of the mask is five wide.
    assert np.abs(crossing - line(np.arange(crossing.size))).max() < 1.5


def test_where_the_network_doubts_its_mask_stands() -> None:
    random = np.random.default_rng(5)
    doubt = Mask(random.integers(70, 180, (144, 256), dtype=np.uint8))
    frame = noise(640, 360)
    np.testing.assert_allclose(
        refine(doubt, frame, 1.0).astype(int), refine(doubt, frame, 0.0), atol=1
    )


def test_no_feather_is_the_same_mask() -> None:
    mask = Mask(disc(320, 180) * np.uint8(255))
    assert feather(mask, feathering(0.0)) is mask


@pytest.mark.parametrize(("width", "height"), SIZES[1:])
@pytest.mark.parametrize("amount", [0.05, 0.5, 1.0])
def test_feather_goes_to_its_side(width: int, height: int, amount: float) -> None:
    mask = Mask(disc(width, height) * np.uint8(255))
    outward = feather(mask, feathering(amount))
    inward = feather(mask, feathering(-amount))
    assert outward.shape == inward.shape == mask.shape
    assert (outward >= mask).all()
    assert (inward <= mask).all()


def test_more_feather_reaches_farther() -> None:
    mask = Mask(disc(1280, 720) * np.uint8(255))
    for side in (1, -1):
        reach = [
            int((feather(mask, feathering(side * amount)) != mask).sum())
            for amount in (0.1, 0.3, 0.6, 1.0)
        ]
        assert sorted(reach) == reach
        assert reach[0] < 0.4 * reach[-1]


@pytest.mark.parametrize("amount", [-1.0, -0.4, 0.4, 1.0])
def test_feather_is_soft(amount: float) -> None:
    mask = Mask(disc(640, 360) * np.uint8(255))
    row = feather(mask, feathering(amount))[180].astype(int)
    gaussian = 255 / (abs(amount) * 0.05 * 360 / 2 * np.sqrt(2 * np.pi))
    assert np.abs(np.diff(row)).max() < 2 * 1.1 * gaussian  # twice: only half of it is left
    assert (np.diff(row[:320]) >= 0).all()
