"""The governor on machines made up for the purpose: it settles, and where it settles is right."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from engine_nodes import Invert, make_frame

from pullfx import Governor, ParameterError, Pipeline, Quality

FPS = 30
COSTS = {Quality.LOW: 0.3, Quality.BALANCED: 0.5, Quality.HIGH: 0.7, Quality.BEST: 1.5}


class Machine:
    """A pipeline whose frames take a time made up, and the clock that shows it."""

    def __init__(self, slowness: Callable[[float], float], start: Quality, noise: float) -> None:
        self.quality: Any = start
        self.now = 0.0
        self.frames = 0
        self.qualities: list[Quality] = []
        self._slowness = slowness
        self._noise = noise
        self._random = np.random.default_rng(5)

    def process(self, picture: Any, /, *, strict: bool = False) -> Any:
        cost = COSTS[Quality(self.quality)] * self._slowness(self.frames / FPS)
        jitter = 1 + self._noise * float(self._random.exponential())
        self.now += cost * jitter / FPS
        self.frames += 1
        self.qualities.append(Quality(self.quality))
        return picture

    def reset(self) -> None:
        pass

    def changes(self, start: float = 0.0) -> int:
        seen = self.qualities[round(start * FPS) :]
        return sum(a is not b for a, b in pairwise(seen))


def governed(
    slowness: Callable[[float], float],
    seconds: float,
    start: Quality = Quality.HIGH,
    noise: float = 0.05,
    **options: Any,
) -> Machine:
    machine = Machine(slowness, start, noise)
    governor = Governor(machine, FPS, clock=lambda: machine.now, **options)
    for _ in range(round(seconds * FPS)):
        governor.process(None)
    return machine


@pytest.mark.parametrize("start", list(Quality))
@pytest.mark.parametrize(
    ("slowness", "settled"),
    [
        (0.4, Quality.BEST),  # 0.6 at best
        (1.0, Quality.HIGH),
        (1.3, Quality.BALANCED),  # 0.91 at high, with noise more than 0.95
        (2.0, Quality.LOW),
        (5.0, Quality.LOW),  # nothing fits
    ],
)
def test_it_settles_where_frames_are_in_time(
    start: Quality, slowness: float, settled: Quality
) -> None:
    machine = governed(lambda _: slowness, 600, start)
    neighbours = {settled, settled.step(-1)}  # room is kept: it may stay a step below
    assert machine.qualities[-1] in neighbours
    assert COSTS[machine.qualities[-1]] * slowness <= 1 or settled is Quality.LOW
    assert machine.changes(start=300) <= 2


@pytest.mark.parametrize("noise", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("slowness", np.linspace(0.3, 3.5, 9).tolist())
def test_it_never_swings(slowness: float, noise: float) -> None:
    machine = governed(lambda _: slowness, 1200, noise=noise)
    assert machine.changes() <= 12
    assert machine.changes(start=600) <= 4


def test_it_goes_down_within_seconds_and_up_again_when_the_load_is_gone() -> None:
    machine = governed(lambda t: 2.5 if 20 < t < 60 else 1.0, 120)
    assert machine.qualities[round(24 * FPS)] is Quality.LOW
    assert machine.qualities[-1] in (Quality.BALANCED, Quality.HIGH)
    assert machine.changes() <= 6


def test_a_single_late_frame_changes_nothing() -> None:
    machine = governed(lambda t: 8.0 if abs(t - 10) < 0.5 / FPS else 1.0, 30)
    assert machine.changes() == 0


@pytest.mark.parametrize("slowness", [0.1, 9.0])
def test_the_ends_of_the_ladder_that_are_given_are_kept(slowness: float) -> None:
    ends: dict[str, Any] = {"lowest": Quality.BALANCED, "highest": Quality.HIGH}
    for start in Quality:
        machine = governed(lambda _: slowness, 60, start, **ends)
        assert set(machine.qualities[2 * FPS :]) <= {Quality.BALANCED, Quality.HIGH}


def test_frames_of_files_are_not_judged() -> None:
    machine = Machine(lambda _: 9.0, Quality.HIGH, 0.0)
    governor = Governor(machine, FPS, clock=lambda: machine.now)
    for _ in range(200):
        governor.process(None, strict=True)
    assert machine.changes() == 0


def test_it_stands_in_the_place_of_a_pipeline() -> None:
    pipe = Pipeline([Invert()])
    frame = make_frame()
    governor = Governor(pipe, fps=1e-3)
    for _ in range(3):
        np.testing.assert_array_equal(governor.process(frame).y, pipe.process(frame).y)
    governor.reset()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fps": 0}, "fps must be more than 0, but is 0"),
        ({"fps": float("nan")}, "fps must be more than 0"),
        ({"lowest": Quality.BEST, "highest": Quality.LOW}, "lowest is best, which is above"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Governor(Pipeline([]), **options)
