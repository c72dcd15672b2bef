"""A network's mask made the matte of a frame, and its edge made soft."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from made_frames import (
    SIZES,
    Plane,
    chroma_shape,
    disc,
    enlarged,
    filled,
    frame_of,
    matte_of,
    network_mask,
    noise,
)

from pullfx.nodes import Mask, Matte, feather, feathering, reduce, refine
from pullfx.pipeline.frame import Frame


def refined(mask: Mask, frame: Frame, edge: float) -> Plane:
    """The matte at full size."""
    return enlarged(refine(mask, frame, reduce(frame), edge), frame.width, frame.height)


def matte_disc(width: int, height: int) -> Matte:
    return Matte(disc(width, height) * np.uint8(255))


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("value", [0, 255])
@pytest.mark.parametrize("edge", [0.0, 0.5, 1.0])
def test_solid_stays_solid(width: int, height: int, value: int, edge: float) -> None:
    frame = noise(width, height)
    matte = refine(filled(256, 144, value), frame, reduce(frame), edge)
    assert matte.shape == chroma_shape(width, height)
    assert matte.dtype == np.uint8
    assert (matte == value).all()


@pytest.mark.parametrize("edge", [0.0, 0.3, 1.0])
def test_solid_stays_solid_beside_an_edge_in_any_picture(edge: float) -> None:
    small = np.zeros((144, 256), np.uint8)
    small[:, 128:] = 255
    mask = refined(Mask(small), noise(1280, 720), edge)
    assert (mask[:, : 640 - 20] == 0).all()  # four pixels of the mask away
    assert (mask[:, 640 + 20 :] == 255).all()


@pytest.mark.parametrize(("width", "height"), [(640, 360), (853, 479), (1280, 720)])
def test_the_edge_of_the_picture_is_followed(width: int, height: int) -> None:
    shape = disc(width, height)
    frame = frame_of(np.where(shape, np.uint8(220), np.uint8(30)))
    mask = network_mask(shape)
    errors = [
        float(np.abs(refined(mask, frame, edge).astype(int) - shape * 255).mean())
        for edge in (0.0, 0.4, 0.7, 1.0)
    ]
    assert sorted(errors, reverse=True) == errors
    exact = matte_of(shape).astype(int)
    plain, best = (
        float(np.abs(refine(mask, frame, reduce(frame), edge) - exact).mean())
        for edge in (0.0, 1.0)
    )
    assert best < 0.25 * plain


def test_no_halo_is_left_around_a_disc() -> None:
    width, height = 1280, 720
    shape = disc(width, height)
    frame = frame_of(np.where(shape, np.uint8(220), np.uint8(30)))
    mask = refined(network_mask(shape), frame, 1.0)
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
    mask = refined(Mask(small), frame_of(y), edge)
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
    mask = refined(Mask(np.asarray(small, np.uint8)), frame, edge)
    first = (mask >= 128).argmax(axis=1)
    place = np.arange(720), first
    below, above = mask[place[0], first - 1].astype(float), mask[place].astype(float)
    crossing = (first - (above - 127.5) / (above - below))[20:-20]
    line = np.polynomial.Polynomial.fit(np.arange(crossing.size), crossing, 1)
    # A pixel of the mask is five wide.
    assert np.abs(crossing - line(np.arange(crossing.size))).max() < 1.5


def test_where_the_network_doubts_its_mask_stands() -> None:
    random = np.random.default_rng(5)
    doubt = Mask(random.integers(70, 180, (144, 256), dtype=np.uint8))
    frame = noise(640, 360)
    np.testing.assert_allclose(
        refined(doubt, frame, 1.0).astype(int), refined(doubt, frame, 0.0), atol=1
    )


def test_no_feather_is_the_same_mask() -> None:
    mask = matte_disc(320, 180)
    assert feather(mask, feathering(0.0)) is mask


@pytest.mark.parametrize(("width", "height"), SIZES[1:])
@pytest.mark.parametrize("amount", [0.05, 0.5, 1.0])
def test_feather_goes_to_its_side(width: int, height: int, amount: float) -> None:
    mask = matte_disc(width, height)
    outward = feather(mask, feathering(amount))
    inward = feather(mask, feathering(-amount))
    assert outward.shape == inward.shape == mask.shape
    assert (outward >= mask).all()
    assert (inward <= mask).all()


def test_more_feather_reaches_farther() -> None:
    mask = matte_disc(1280, 720)
    for side in (1, -1):
        reach = [
            int((feather(mask, feathering(side * amount)) != mask).sum())
            for amount in (0.1, 0.3, 0.6, 1.0)
        ]
        assert sorted(reach) == reach
        assert reach[0] < 0.4 * reach[-1]


@pytest.mark.parametrize("amount", [-1.0, -0.4, 0.4, 1.0])
def test_feather_is_soft(amount: float) -> None:
    mask = matte_disc(640, 360)
    row = feather(mask, feathering(amount))[180].astype(int)
    gaussian = 255 / (abs(amount) * 0.05 * 360 / 2 * np.sqrt(2 * np.pi))
    assert np.abs(np.diff(row)).max() < 2 * 1.1 * gaussian  # twice: only half of it is left
    assert (np.diff(row[:320]) >= 0).all()
