"""The one rule for all caching, seen from outside: who ran how often, and with what result."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from engine_nodes import (
    Brighten,
    Invert,
    RunningSum,
    Summed,
    WhenChanged,
    add,
    after_change,
    calls,
    double,
    halve,
    make_frame,
    mean_luma,
    slow_mean,
)

from pullfx.pipeline.effect import Effect, parameter
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.node import UNCHANGED, node
from pullfx.pipeline.pipeline import Pipeline


@pytest.fixture(autouse=True)
def fresh_counts() -> Iterator[None]:
    calls.clear()
    yield
    calls.clear()


class Slow(Effect):
    """Asks for a value that is renewed on every third frame."""

    def build(self, frame: Frame, original: Frame) -> Frame:
        return add(frame, slow_mean(halve(original)), 0)


class Held(Effect):
    """Asks for a value that hangs on a node which holds its version."""

    def build(self, frame: Frame, original: Frame) -> Frame:
        return add(frame, after_change(WhenChanged()(original)), 0)


class Derived(Effect):
    """Asks for a value that depends on a parameter only."""

    amount: int = parameter(default=3, minimum=0, maximum=20)

    def build(self, frame: Frame, original: Frame) -> Frame:
        return add(frame, 0.0, double(self.amount))


class FromFrame(Effect):
    """Looks at what it paints from, not at the picture as it came."""

    def build(self, frame: Frame, original: Frame) -> Frame:
        return add(frame, mean_luma(frame), 1)


def test_what_is_the_same_while_an_effect_between_is_off_runs_once() -> None:
    pipe = Pipeline([Invert(), FromFrame(), FromFrame(name="again")])
    pipe.disable("from_frame")
    frame = make_frame()
    pipe.process(frame, strict=True)
    assert calls["mean_luma"] == 2  # of the original for Invert, and of what that makes of it
    pipe.disable("invert")
    calls.clear()
    alone = pipe.process(frame, strict=True)
    assert calls == {"mean_luma": 1, "add": 1}
    calls.clear()
    pipe.enable("from_frame", "invert")
    pipe.disable("again", "invert")
    np.testing.assert_array_equal(pipe.process(frame, strict=True).y, alone.y)


class Twice(Effect):
    """Asks for the mean of the picture as it came and of the picture so far."""

    def build(self, frame: Frame, original: Frame) -> Frame:
        return add(add(frame, mean_luma(original), 1), mean_luma(frame), 1)


def test_an_effect_alone_looks_once_though_it_asks_twice() -> None:
    pipe = Pipeline([Invert(), Twice()])
    for number in range(4):
        (pipe.enable if number % 2 else pipe.disable)("invert")
        calls.clear()
        pipe.process(make_frame(number), strict=True)
        assert calls["mean_luma"] == 1 + number % 2
        assert calls["add"] == 2


def test_two_effects_share_one_run_per_frame() -> None:
    pipe = Pipeline([Brighten(), Invert()])
    for _ in range(5):
        pipe.process(make_frame())
    assert calls["mean_luma"] == 5
    assert pipe.stats().node("mean_luma").runs == 5


def test_what_no_active_effect_needs_never_runs() -> None:
    pipe = Pipeline([Brighten(), Invert()], active=[])
    frame = make_frame()
    assert pipe.process(frame) is frame
    assert not calls
    pipe.enable("invert")
    pipe.process(frame)
    assert calls == {"mean_luma": 1, "invert": 1}


def test_a_parameter_reruns_only_what_depends_on_it() -> None:
    pipe = Pipeline([Derived()])
    for amount in (3, 3, 4, 4, 4):
        pipe.set("derived", amount=amount)
        assert pipe.process(make_frame(50)).y[1, 0] == 50 + 2 * amount
    assert calls["double"] == 2
    assert calls["add"] == 5


def test_a_cadence_rests_in_between_and_so_does_what_only_it_needs() -> None:
    pipe = Pipeline([Slow()])
    results = [int(pipe.process(make_frame(value)).y[1, 0]) for value in (100, 1, 1, 200, 1, 1, 1)]
    assert results == [101, 2, 2, 202, 3, 3, 1]
    assert calls["slow_mean"] == calls["halve"] == 3
    assert pipe.stats().node("slow_mean").cached == 4


def test_a_held_version_stops_all_that_hangs_on_it() -> None:
    pipe = Pipeline([Held()])
    results = [int(pipe.process(make_frame(value)).y[1, 0]) for value in (100, 100, 100, 7, 7)]
    assert results == [101, 101, 101, 7, 7]
    assert calls["after_change"] == 2
    assert pipe.stats().node("after_change").cached == 3


def test_what_remembers_is_reset_when_it_comes_back() -> None:
    pipe = Pipeline([Summed()])

    def luma() -> int:
        return int(pipe.process(make_frame(100)).y[1, 0])

    mean = make_frame(100).y.mean()
    expected = [100 + int(mean * n) // 100 for n in (1, 2, 3)]
    assert [luma() for _ in range(3)] == expected
    pipe.disable("summed")
    assert luma() == 100
    pipe.enable("summed")
    assert luma() == expected[0]


def test_another_effect_that_comes_or_goes_resets_nobody() -> None:
    pipe = Pipeline([Summed(), Invert()], active=["summed"])
    for step in range(4):
        if step % 2:
            pipe.toggle("invert")
        pipe.process(make_frame(100))
    assert calls["running_sum.reset"] <= 1  # once before its first frame
    assert calls["running_sum"] == 4


def test_frames_of_another_size_begin_a_new_story() -> None:
    pipe = Pipeline([Summed()])
    for width in (32, 32, 64, 64):
        result = pipe.process(make_frame(100, width=width))
    assert result.width == 64
    single = Pipeline([Summed()])
    for _ in range(2):
        alone = single.process(make_frame(100, width=64))
    assert (result.y == alone.y).all()


def test_reset_begins_a_new_stream() -> None:
    pipe = Pipeline([Summed()])
    first = [pipe.process(make_frame(100)).y.tobytes() for _ in range(3)]
    pipe.reset()
    assert [pipe.process(make_frame(100)).y.tobytes() for _ in range(3)] == first


def test_state_belongs_to_the_pipeline_and_not_to_the_effect() -> None:
    effect = Summed()
    pipes = [Pipeline([effect]), Pipeline([effect])]
    pipes[0].process(make_frame(100))
    pipes[0].process(make_frame(100))
    fresh = pipes[1].process(make_frame(100))
    assert (fresh.y == Pipeline([Summed()]).process(make_frame(100)).y).all()


def test_a_static_node_runs_once() -> None:
    seen = []

    @node
    def picture(path: str) -> float:
        seen.append(path)
        return 2.0

    @node
    def fitted(value: float, size: int) -> float:
        calls["fitted"] += 1
        return value * size

    @node
    class SizeOf:
        def __init__(self) -> None:
            self.last = 0

        def __call__(self, frame: Frame) -> int:
            if frame.width == self.last:
                return UNCHANGED  # type: ignore[no-any-return]
            self.last = frame.width
            return self.last

        def reset(self) -> None:
            self.last = 0

    class Backdrop(Effect):
        path: str = parameter(default="a.png")

        def build(self, frame: Frame, original: Frame) -> Frame:
            return add(frame, fitted(picture(self.path), SizeOf()(original)), 0)

    pipe = Pipeline([Backdrop()])
    for _ in range(4):
        pipe.process(make_frame())
    assert seen == ["a.png"]
    assert calls["fitted"] == 1
    pipe.set("backdrop", path="b.png")
    pipe.process(make_frame())
    assert seen == ["a.png", "b.png"]
    pipe.process(make_frame(width=64))
    assert seen == ["a.png", "b.png"]
    assert calls["fitted"] == 3


def test_running_sum_is_counted_once_per_frame_with_two_readers() -> None:
    class Other(Effect):
        def build(self, frame: Frame, original: Frame) -> Frame:
            return add(frame, RunningSum()(mean_luma(original)), 1)

    pipe = Pipeline([Summed(), Other()])
    for _ in range(3):
        pipe.process(make_frame())
    assert calls["running_sum"] == 3
