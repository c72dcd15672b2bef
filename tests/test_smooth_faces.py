"""Faces between the frames in which they are looked for: they neither tremble nor lag."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from made_frames import frame_of
from numpy.typing import NDArray

from pullfx.nodes import Faces, SmoothFaces
from pullfx.nodes.faces import Sighting, Sightings
from pullfx.nodes.faces.detect import EVERY
from pullfx.nodes.faces.one_euro import OneEuroFilter
from pullfx.nodes.faces.sightings import Box
from pullfx.pipeline.frame import Frame

HEIGHT = 60.0
RATE = 30
Path = Callable[[float], tuple[float, float]]


def frame_at(number: int, clock: bool = True) -> Frame:
    y = np.zeros((720, 1280), np.uint8)
    frame = frame_of(y)
    return Frame(y, frame.u, frame.v, pts=number if clock else None, time_base=Fraction(1, RATE))


def sighting(x: float, y: float, identity: int = 0, seen: bool = True) -> Sighting:
    """A face with all points in its middle."""
    box = Box(x - HEIGHT / 2, y - HEIGHT / 2, HEIGHT, HEIGHT)
    return Sighting(box, np.full((6, 2), (x, y), np.float32), 0.9, identity, seen)


def middles(
    path: Path, seconds: float, noise: float = 0, clock: bool = True
) -> NDArray[np.float64]:
    """Where a face is shown that goes along a path and is seen in every third frame, in heights.

    Args:
        path: x and y in heights at a time in seconds.
        seconds: how long.
        noise: standard deviation of where it is seen, in heights.
        clock: whether frames carry their time.
    """
    random = np.random.default_rng(3)
    smooth, shown = SmoothFaces(), []
    for number in range(round(seconds * RATE)):
        if number % EVERY == 0:
            x, y = HEIGHT * (np.array(path(number / RATE)) + random.normal(0, noise, 2))
            sightings = Sightings((sighting(x, y),))
        (face,) = smooth(frame_at(number, clock), sightings)
        np.testing.assert_allclose(
            face.points[0], (face.left + face.width / 2, face.top + face.height / 2), atol=0.01
        )
        shown.append(face.points[0] / HEIGHT)
    return np.array(shown, float)


# How the detector's boxes tremble: in a frame with noise of sigma 3, and for a face 70 pixels high
# before a USB webcam.
@pytest.mark.parametrize("noise", [0.003, 0.005])
def test_a_still_face_does_not_tremble(noise: float) -> None:
    shown = middles(lambda _: (5, 5), 10, noise)[RATE:]
    assert shown.std(axis=0).max() < 0.6 * noise
    assert np.abs(np.diff(shown, axis=0)).max() < 1.5 * noise


@pytest.mark.parametrize("clock", [True, False])
@pytest.mark.parametrize("speed", [0.35, 0.6, 1, 2, 4])
def test_a_moving_face_lags_by_less_than_a_frame(speed: float, clock: bool) -> None:
    """At every frame, also those between runs; `speed` is in heights per second."""
    shown = middles(lambda time: (1 + speed * time, 5), 4, clock=clock)
    truth = 1 + speed * np.arange(len(shown)) / RATE
    assert np.abs(shown[RATE:, 0] - truth[RATE:]).max() < speed / RATE
    np.testing.assert_allclose(shown[:, 1], 5, atol=1e-4)


def test_a_face_that_stops_goes_hardly_too_far() -> None:
    shown = middles(lambda time: (1 + min(max(time - 1, 0), 1), 5), 4)
    assert shown.max() < 5.001
    assert shown[:, 0].max() < 2.08
    np.testing.assert_allclose(shown[100:, 0], 2, atol=0.01)


def test_a_still_face_keeps_its_value() -> None:
    smooth, sightings = SmoothFaces(), Sightings((sighting(400, 300),))
    first = smooth(frame_at(0), sightings)
    assert smooth(frame_at(1), sightings) is first


def test_one_that_is_not_seen_stays_where_it_was() -> None:
    smooth, speed = SmoothFaces(), 2 * HEIGHT / RATE
    lefts = []
    for number in range(30):
        if number < 15 and number % EVERY == 0:
            sightings = Sightings((sighting(400 + speed * number, 300),))
        elif number % EVERY == 0:
            sightings = Sightings((sightings[0]._replace(seen=False),))
        lefts.append(smooth(frame_at(number), sightings)[0].left)
    assert lefts[14] <= lefts[15] <= lefts[14] + 1.2 * speed
    assert lefts[15:] == [lefts[15]] * 15


@pytest.mark.parametrize(
    ("x", "y", "box"),
    [
        (10, 10, (0, 0, 40, 40)),
        (1270, 710, (1240, 680, 40, 40)),
        (640, 360, (610, 330, 60, 60)),
        (-200, 300, None),
    ],
)
def test_boxes_are_clipped_to_the_frame(x: float, y: float, box: tuple[float, ...] | None) -> None:
    faces = SmoothFaces()(frame_at(0), Sightings((sighting(x, y),)))
    assert [face[:4] for face in faces] == ([] if box is None else [pytest.approx(box)])


def test_the_largest_comes_first() -> None:
    near = Sighting(Box(100, 100, 200, 200), np.zeros((6, 2), np.float32), 0.7, 4)
    faces = SmoothFaces()(frame_at(0), Sightings((sighting(700, 300, 2), near)))
    assert [face.height for face in faces] == [200, 60]


def test_faces_come_and_go() -> None:
    smooth = SmoothFaces()
    one, two = sighting(200, 300, 1), sighting(700, 300, 2)
    counts = [
        len(smooth(frame_at(number), Sightings(sightings)))
        for number, sightings in enumerate([(), (one,), (one, two), (two,), ()])
    ]
    assert counts == [0, 1, 2, 1, 0]
    smooth.reset()
    assert smooth(frame_at(9), Sightings(())) == Faces(())


def test_the_filter_follows_a_line_in_a_line() -> None:
    smooth = OneEuroFilter(1.0, 12.0)
    for number in range(20):
        point = np.array([[3 * number, 4 * number]], np.float32)
        shown = smooth(point, 0.1, 50.0)
        assert shown[0, 0] * 4 == pytest.approx(shown[0, 1] * 3, abs=1e-3)
