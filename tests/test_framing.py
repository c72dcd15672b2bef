"""The view that follows faces: it stands, starts, runs and arrives like an operator's."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from made_frames import SIZES, frame_of, noise
from numpy.typing import NDArray

from pullfx.effects import AutoFraming
from pullfx.nodes import Crop, DetectFaces, Face, Faces, Framing, MoveCamera, reduce, reframe
from pullfx.nodes.move_camera import _ACCELERATION, _DEAD_ZONE, _SPEED, _ZOOM_WEIGHT
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.pipeline import Pipeline
from pullfx.pipeline.sources import open_source

RATE = 30
WIDTH, HEIGHT = 1280, 720
Spot = tuple[float, float, float]  # x and y of a face's middle, and its height
Path_ = Callable[[float], list[Spot]]


def frame_at(number: int) -> Frame:
    frame = frame_of(np.zeros((HEIGHT, WIDTH), np.uint8))
    return Frame(*frame.planes, pts=number, time_base=Fraction(1, RATE))


def face(x: float, y: float, height: float, identity: int = 0) -> Face:
    box = x - height / 2, y - height / 2, height, height
    return Face(*box, np.zeros((6, 2), np.float32), 0.9, identity)


def film(
    path: Path_,
    seconds: float,
    *,
    size: float = 0.3,
    zoom: float = 2.0,
    speed: float = 1.0,
    everyone: bool = True,
    tremble: float = 0.0,
) -> NDArray[np.float64]:
    """Left, top, width and height of what is shown in each frame.

    Args:
        path: the faces at a time in seconds.
        seconds: how long.
        size, zoom, speed, everyone: see `Framing`.
        tremble: deviation of the faces, as a part of their height.
    """
    random = np.random.default_rng(5)
    camera, wishes = MoveCamera(), Framing(size, zoom, speed, everyone)
    crops = []
    for number in range(round(seconds * RATE)):
        faces = []
        for identity, (x, y, height) in enumerate(path(number / RATE)):
            off = random.normal(0, tremble * height, 3)
            faces.append(face(x + off[0], y + off[1], height + off[2], identity))
        crops.append(camera(frame_at(number), Faces(tuple(faces)), wishes))
    return np.array(crops, float)


def views(crops: NDArray[np.float64]) -> NDArray[np.float64]:
    """Middle and weighed height of each crop."""
    left, top, width, height = crops.T
    return np.stack((left + width / 2, top + height / 2, height * _ZOOM_WEIGHT), axis=1)


def test_a_face_gets_its_size_and_its_place() -> None:
    left, top, width, height = film(lambda _: [(500, 300, 120)], 6)[-1]
    assert 120 / height == pytest.approx(0.3, abs=0.003)
    assert width / height == pytest.approx(WIDTH / HEIGHT)
    assert (500 - left) / width == pytest.approx(0.5, abs=0.004)
    assert (300 - top) / height == pytest.approx(0.42, abs=0.004)


@pytest.mark.parametrize(
    ("spot", "zoom", "height"),
    [
        ((640, 300, 40), 2.0, 360),
        ((640, 300, 40), 1.0, 720),
        ((640, 300, 40), 4.0, 180),
        ((640, 360, 650), 2.0, 720),
        ((760, 300, 250), 2.0, 585),
    ],
    ids=["as large as zoom allows", "no zoom", "more zoom", "a large one", "to the middle"],
)
def test_zoom_has_bounds(spot: Spot, zoom: float, height: float) -> None:
    assert film(lambda _: [spot], 8, zoom=zoom)[-1, 3] == pytest.approx(height, abs=1)


@pytest.mark.parametrize("tremble", [0.0, 0.005])
def test_inside_of_the_dead_zone_nothing_moves(tremble: float) -> None:
    sway = 0.8 * _DEAD_ZONE * 400

    def path(time: float) -> list[Spot]:
        return [(500 + (sway * np.sin(3 * time) if time > 4 else 0), 300, 120)]

    crops = film(path, 12, tremble=tremble)
    np.testing.assert_array_equal(crops[4 * RATE :], crops[4 * RATE : 4 * RATE + 1].repeat(240, 0))


@pytest.mark.parametrize("speed", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("tremble", [0.0, 0.002])  # of still faces as they are smoothed
def test_speed_and_acceleration_have_bounds(speed: float, tremble: float) -> None:
    def path(time: float) -> list[Spot]:
        return [(300 if time < 5 else 950, 300, 120 if time < 10 else 190)]

    crops = film(path, 15, speed=speed, tremble=tremble)
    heights = crops[1:, 3:]
    velocity = np.diff(views(crops), axis=0) * RATE
    assert np.linalg.norm(velocity / heights, axis=1).max() < 1.02 * speed * _SPEED
    acceleration = np.diff(velocity / heights, axis=0) * RATE
    assert np.linalg.norm(acceleration, axis=1).max() < 1.1 * speed * _ACCELERATION


@pytest.mark.parametrize("speed", [0.5, 1.0, 3.0])
def test_it_arrives_without_going_too_far(speed: float) -> None:
    crops = film(lambda time: [(400 if time < 6 else 800, 300, 120)], 18, speed=speed)
    for part, direction in ((crops[: 6 * RATE], 1), (crops[6 * RATE :], 1)):
        assert (np.diff(part[:, 0]) * direction >= -1e-6).all()
        np.testing.assert_array_equal(part[-10:], part[-1:].repeat(10, 0))
    assert (np.diff(crops[: 6 * RATE, 2]) <= 1e-6).all()


def test_it_eases_in_and_out() -> None:
    crops = film(lambda time: [(400 if time < 6 else 800, 300, 120)], 12)
    speeds = np.abs(np.diff(crops[6 * RATE :, 0]))
    speeds = speeds[: np.flatnonzero(speeds)[-1] + 1]
    top = speeds.max()
    assert speeds[0] < 0.1 * top
    assert speeds[-1] < 0.1 * top
    assert (np.diff(speeds[: speeds.argmax()]) >= -1e-6).all()


def test_somebody_who_walks_stays_in_the_view() -> None:
    crops = film(lambda time: [(300 + 120 * max(time - 4, 0), 300, 120)], 9)
    for number in range(4 * RATE, 9 * RATE):
        left, _, width, _ = crops[number]
        x = 300 + 120 * max(number / RATE - 4, 0)
        assert 0.2 < (x - left) / width < 0.8


def test_nobody_for_a_moment_changes_nothing_and_for_longer_shows_everything() -> None:
    def path(time: float) -> list[Spot]:
        return [] if 5 < time < 6 or time > 10 else [(500, 300, 120)]

    crops = film(path, 20)
    np.testing.assert_array_equal(crops[4 * RATE : 11 * RATE], crops[4 * RATE :][:1].repeat(210, 0))
    np.testing.assert_array_equal(crops[-1], (0, 0, WIDTH, HEIGHT))


def test_a_face_that_only_flashes_up_is_not_looked_at() -> None:
    crops = film(lambda time: [(500, 300, 120)] if 2 < time < 2.3 else [], 6)
    np.testing.assert_array_equal(crops, [(0, 0, WIDTH, HEIGHT)] * len(crops))


@pytest.mark.parametrize(("everyone", "inside"), [(True, True), (False, False)])
def test_everyone_or_the_largest(everyone: bool, inside: bool) -> None:
    near, far = (350.0, 300.0, 120.0), (900.0, 330.0, 80.0)
    left, _, width, _ = film(lambda _: [far, near], 10, everyone=everyone)[-1]
    assert left <= near[0] - 60 < near[0] + 60 <= left + width
    assert (left <= far[0] - 40 < far[0] + 40 <= left + width) == inside


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 9999), st.floats(1, 4), st.floats(0.1, 0.7), st.floats(0.25, 4))
def test_the_view_stays_within_the_frame(seed: int, zoom: float, size: float, speed: float) -> None:
    random = np.random.default_rng(seed)
    spots = random.uniform((0, 0, 30), (WIDTH, HEIGHT, 600), (6, 3))
    counts = random.integers(0, 3, 6)

    def path(time: float) -> list[Spot]:
        place = int(time)
        x, y, height = spots[place].tolist()
        return [(x, y, height), (WIDTH - x, y, height / 2)][: counts[place]]

    crops = film(path, 5.9, zoom=zoom, size=size, speed=speed)
    left, top, width, height = crops.T
    assert (left >= 0).all()
    assert (top >= 0).all()
    assert (left + width <= WIDTH + 1e-6).all()
    assert (top + height <= HEIGHT + 1e-6).all()


def test_all_of_the_frame_is_the_frame_itself() -> None:
    frame = noise(640, 480)
    assert reframe(frame, Crop(0, 0, 640, 480)) is frame


@pytest.mark.parametrize(("width", "height"), [size for size in SIZES if min(size) > 16])
@pytest.mark.parametrize("part", [0.25, 0.7, 0.99])
def test_a_crop_has_the_size_of_the_frame_and_what_is_in_it(
    width: int, height: int, part: float
) -> None:
    y = np.tile(np.linspace(20, 220, width), (height, 1))
    u = np.tile(np.linspace(20, 220, (height + 1) // 2)[:, None], (1, (width + 1) // 2))
    frame = frame_of(np.rint(y).astype(np.uint8), np.rint(u).astype(np.uint8))
    left, top = 0.8 * (1 - part) * width, (1 - part) * height
    out = reframe(frame, Crop(left, top, part * width, part * height))
    assert out.y.shape == frame.y.shape
    across = left + (np.arange(width) + 0.5) * part - 0.5
    np.testing.assert_allclose(out.y[0], np.interp(across, np.arange(width), y[0]), atol=1.1)
    rows = (height + 1) // 2
    down = top / 2 + (np.arange(rows) + 0.5) * part * height / 2 / rows - 0.5
    np.testing.assert_allclose(out.u[:, 0], np.interp(down, np.arange(rows), u[:, 0]), atol=1.5)
    assert (out.pts, out.time_base) == (frame.pts, frame.time_base)


def test_a_slow_pan_moves_in_every_frame() -> None:
    """By parts of a pixel: nothing stands and then jumps."""
    rows, columns = np.indices((360, 640))
    spot = 200 * np.exp(-((columns - 330) ** 2 + (rows - 180) ** 2) / 200)
    frame = frame_of(np.rint(spot).astype(np.uint8))
    middles = []
    for step in range(40):
        shown = reframe(frame, Crop(100 + step / 8, 50, 480, 270)).y.astype(float)
        middles.append(float((shown * columns).sum() / shown.sum()))
    steps = -np.diff(middles)
    assert steps.min() > 0.5 * steps.mean()
    assert steps.max() < 1.5 * steps.mean()


def to_and_fro(media: Path, clip: str, count: int) -> Iterator[Frame]:
    with open_source(str(media / "video" / clip)) as source:
        frames = list(source.frames())
    for frame in itertools.islice(itertools.chain(frames, frames[::-1], frames), count):
        yield Frame(*frame.planes, frame.matrix, frame.range)


@pytest.mark.parametrize("clip", ["intelasl_bird_640x480_yuvj420p.mkv"])
def test_a_real_person_is_framed(media: Path, clip: str) -> None:
    with Pipeline([AutoFraming()]) as pipe:
        outputs = [pipe.process(frame) for frame in to_and_fro(media, clip, 120)]
    last = outputs[-1]
    (sighting,) = DetectFaces()(last, reduce(last))
    assert sighting.box.height / last.height == pytest.approx(0.28, abs=0.05)
    assert sighting.box.middle[0] / last.width == pytest.approx(0.5, abs=_DEAD_ZONE)
    assert all(output.y.shape == (480, 640) for output in outputs)
