"""From the face detector's numbers to faces: squares, anchors, boxes, one of many."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from made_frames import frame_of
from numpy.typing import NDArray

from pullfx.nodes import reduce
from pullfx.nodes.faces.anchors import SIDE, anchors
from pullfx.nodes.faces.candidates import (
    Candidates,
    decode,
    intersection_over_union,
    suppress,
)
from pullfx.nodes.faces.search import SMALLEST_FACE, search_of
from pullfx.nodes.faces.squares import Square, cut, square_around
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.pool import HEAP

Doubles = NDArray[np.float64]

SIZES = [(1280, 720), (720, 1280), (640, 480), (641, 481), (1920, 1080), (320, 192), (3840, 2160)]


def ramps(width: int, height: int) -> Frame:
    """Luma grows to the right, Cb downward: a pixel's colour says where it is."""
    across = np.linspace(16, 235, width)
    down = np.linspace(64, 192, (height + 1) // 2)
    y = np.tile(np.rint(across).astype(np.uint8), (height, 1))
    u = np.tile(np.rint(down).astype(np.uint8)[:, None], (1, (width + 1) // 2))
    return frame_of(y, u)


@pytest.mark.parametrize(("width", "height"), SIZES[:4])
@pytest.mark.parametrize("part", [0.3, 0.6, 0.9, 1.5])
@pytest.mark.parametrize(("x", "y"), [(0.5, 0.5), (0.0, 0.0), (1.0, 0.7)])
def test_a_square_lies_where_its_placement_says(
    width: int, height: int, part: float, x: float, y: float
) -> None:
    frame = ramps(width, height)
    square = square_around(x * width, y * height, part * min(width, height))
    image, placement = cut(frame, reduce(frame), square, SIDE, HEAP)
    rows, columns = np.nonzero(image.any(axis=2))
    inside = (slice(rows.min() + 2, rows.max() - 1), slice(columns.min() + 2, columns.max() - 1))
    down, across = np.indices((SIDE, SIDE))
    places = placement.origin + placement.scale * np.stack((across + 0.5, down + 0.5), axis=-1)
    expected = np.asarray((places[..., 0] - 0.5) / (width - 1) * 255, float)
    np.testing.assert_allclose(
        image[..., 1][inside].mean(axis=0),
        _green(expected, places.astype(float), height)[inside].mean(axis=0),
        atol=3,
    )
    np.testing.assert_allclose(
        image[inside][..., 0].mean(axis=0), np.clip(expected, 0, 255)[inside].mean(axis=0), atol=3
    )


def _green(red: Doubles, places: Doubles, height: int) -> Doubles:
    """BT.601: with Cr at 128, green is luma less 0.344 of Cb."""
    cb = (64 + places[..., 1] / height * 128 - 128) * 255 / 224
    return np.clip(red - 0.344 * cb, 0, 255)


@pytest.mark.parametrize(
    ("square", "filled"),
    [
        (Square(0, -280, 1280), (slice(28, 100), slice(0, 128))),
        (Square(-64, -64, 128), (slice(64, 128), slice(64, 128))),
        (Square(1152, 592, 256), (slice(0, 64), slice(0, 64))),
        (Square(100, 100, 64), (slice(0, 128), slice(0, 128))),
    ],
    ids=["all of it", "corner", "other corner", "enlarged"],
)
def test_beyond_the_frame_is_black(square: Square, filled: tuple[slice, slice]) -> None:
    frame = frame_of(np.full((720, 1280), 235, np.uint8))
    image, _ = cut(frame, reduce(frame), square, SIDE, HEAP)
    expected = np.zeros((SIDE, SIDE), bool)
    expected[filled] = True
    np.testing.assert_array_equal(image.min(axis=2) == 255, expected)
    np.testing.assert_array_equal(image.max(axis=2) == 0, ~expected)


def test_anchors_are_the_middles_of_cells() -> None:
    middles = anchors()
    assert middles.shape == (896, 2)
    np.testing.assert_array_equal(
        middles[[0, 1, 2, 31, 32, 511]],
        [
            [4, 4],
            [4, 4],
            [12, 4],
            [124, 4],
            [4, 12],
            [124, 124],
        ],
    )
    np.testing.assert_array_equal(
        middles[[512, 517, 518, 895]],
        [
            [8, 8],
            [8, 8],
            [24, 8],
            [120, 120],
        ],
    )


@pytest.mark.parametrize("index", [0, 511, 512, 895])
def test_decode_adds_the_anchor(index: int) -> None:
    regressors = np.zeros((896, 16), np.float32)
    regressors[index] = [1, 2, 30, 40, *range(12)]
    logits = np.full(896, -100, np.float32)
    logits[index] = np.log(0.8 / 0.2)
    values, scores = decode(regressors, logits, 0.5)
    x, y = anchors()[index]
    np.testing.assert_allclose(scores, [0.8], rtol=1e-6)
    np.testing.assert_allclose(values[0, :4], [x + 1 - 15, y + 2 - 20, 30, 40])
    np.testing.assert_allclose(
        values[0, 4:].reshape(6, 2), np.arange(12).reshape(6, 2) + anchors()[index]
    )


@pytest.mark.parametrize(("score", "found"), [(0.49, 0), (0.51, 1)])
def test_decode_leaves_out_what_is_less(score: float, found: int) -> None:
    logits = np.full(896, -1e30, np.float32)
    logits[5] = np.log(score / (1 - score))
    assert len(decode(np.zeros((896, 16), np.float32), logits, 0.5).scores) == found


def made(*rows: tuple[float, float, float, float, float]) -> Candidates:
    """Candidates of box and score, with all points in the box's corner."""
    values = np.array([(*row[:4], *(row[:2] * 6)) for row in rows], np.float32).reshape(-1, 16)
    return Candidates(values, np.array([row[4] for row in rows], np.float32))


@pytest.mark.parametrize(
    ("candidates", "expected"),
    [
        (made(), made()),
        (made((0, 0, 10, 10, 0.9)), made((0, 0, 10, 10, 0.9))),
        (
            made((50, 50, 10, 10, 0.6), (0, 0, 10, 10, 0.9)),
            made((0, 0, 10, 10, 0.9), (50, 50, 10, 10, 0.6)),
        ),
        (
            made((0, 0, 10, 10, 0.6), (2, 0, 10, 10, 0.2), (50, 0, 10, 10, 0.5)),
            made((0.5, 0, 10, 10, 0.6), (50, 0, 10, 10, 0.5)),
        ),
        (made((0, 0, 0, 0, 0.9), (0, 0, 0, 0, 0.8)), made((0, 0, 0, 0, 0.9), (0, 0, 0, 0, 0.8))),
    ],
    ids=["none", "one", "two apart", "a mean and one apart", "empty boxes"],
)
def test_suppress(candidates: Candidates, expected: Candidates) -> None:
    faces = suppress(candidates, 0.3)
    np.testing.assert_allclose(faces.values, expected.values)
    np.testing.assert_allclose(faces.scores, expected.scores)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 12), st.integers(0, 999))
def test_suppress_gives_faces_within_their_candidates(count: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = random.uniform(1, 60, (count, 5))
    rows[:, 4] /= 60
    candidates = made(*(tuple(row) for row in rows))
    faces = suppress(candidates, 0.3)
    assert len(faces.scores) <= count
    assert (np.diff(faces.scores) <= 0).all()
    if count:
        assert faces.scores[0] == candidates.scores.max()
        assert (faces.values.min(axis=0) >= candidates.values.min(axis=0) - 1e-4).all()
        assert (faces.values.max(axis=0) <= candidates.values.max(axis=0) + 1e-4).all()


@pytest.mark.parametrize(
    ("box", "expected"),
    [((0, 0, 4, 4), 1), ((2, 0, 4, 4), 1 / 3), ((4, 0, 4, 4), 0), ((1, 1, 2, 2), 1 / 4)],
)
def test_intersection_over_union(box: tuple[float, ...], expected: float) -> None:
    one, boxes = np.array((0, 0, 4, 4), np.float32), np.array([box], np.float32)
    np.testing.assert_allclose(intersection_over_union(one, boxes), [expected])


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(SIZES),
    st.floats(SMALLEST_FACE, 0.95),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_every_face_lies_in_a_square_that_shows_it_large_enough(
    size: tuple[int, int], part: float, x: float, y: float
) -> None:
    width, height = size
    face = min(part * height, width)
    left, top = x * (width - face), y * (height - face)
    slack = 0.1 * face
    pixels = [
        face * SIDE / square.side
        for square in search_of(width, height).all
        if square.left - slack <= left
        and left + face <= square.left + square.side + slack
        and square.top - slack <= top
        and top + face <= square.top + square.side + slack
    ]
    # The smallest squares are not smaller than half of what the network takes.
    assert max(pixels) >= min(17, 2 * face) - 0.5


@pytest.mark.parametrize(
    ("size", "most"), [((1280, 720), 70), ((320, 192), 45), ((1280, 90), 100), ((2, 2), 1)]
)
def test_there_are_few_squares(size: tuple[int, int], most: int) -> None:
    assert len(search_of(*size).all) <= most
