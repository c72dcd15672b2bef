"""One setting for how much work a picture is worth: what is not asked for does not run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from engine_nodes import add, calls, halve, make_frame, mean_luma, slow_mean

from pullfx import Effect, Frame, GraphError, ParameterError, Pipeline, Quality, by_quality


@pytest.fixture(autouse=True)
def fresh_counts() -> Iterator[None]:
    calls.clear()
    yield
    calls.clear()


class Costly(Effect):
    """Takes a value that is cheap, of every third frame, or of each."""

    def build(self, frame: Frame, original: Frame) -> Frame:
        mean = by_quality(low=slow_mean(original), high=mean_luma(halve(original)))
        return add(frame, mean, 1)


@pytest.mark.parametrize(
    ("quality", "runs"),
    [
        (Quality.LOW, {"slow_mean": 2}),
        ("balanced", {"slow_mean": 2}),
        ("high", {"halve": 6, "mean_luma": 6}),
        (Quality.BEST, {"halve": 6, "mean_luma": 6}),
    ],
)
def test_only_what_a_quality_asks_for_runs(quality: Quality | str, runs: dict[str, int]) -> None:
    pipe = Pipeline([Costly()], quality=quality)
    for _ in range(6):
        pipe.process(make_frame(), strict=True)
    assert calls == {"add": 6} | runs


def test_a_new_quality_takes_effect_on_the_next_frame() -> None:
    pipe = Pipeline([Costly()])
    pipe.process(make_frame(), strict=True)
    assert pipe.quality is Quality.HIGH
    pipe.quality = Quality.LOW
    pipe.process(make_frame(), strict=True)
    assert calls == {"halve": 1, "mean_luma": 1, "slow_mean": 1, "add": 2}
    assert pipe.quality is Quality.LOW


def test_effects_share_what_the_same_choice_gives() -> None:
    pipe = Pipeline([Costly(), Costly(name="again")])
    for quality in Quality:
        pipe.quality = quality
        pipe.process(make_frame(), strict=True)
    assert calls["mean_luma"] == 2
    assert calls["slow_mean"] == 1


def test_what_all_steps_share_is_no_choice() -> None:
    class Same(Effect):
        def build(self, frame: Frame, original: Frame) -> Frame:
            mean = mean_luma(original)
            return add(frame, by_quality(low=mean, best=mean), 1)

    assert "quality" not in Pipeline([Same()]).graph()


def test_values_that_are_no_ports_are_those_of_high() -> None:
    assert by_quality(low=1, balanced=2) == 2
    assert by_quality(low=1, best=3) == 1


@pytest.mark.parametrize("quality", ["ultra", "", "HIGH"])
def test_an_unknown_quality_is_told_what_there_is(quality: str) -> None:
    with pytest.raises(ParameterError, match="quality must be one of low, balanced, high, best"):
        Pipeline([], quality=quality)
    pipe = Pipeline([])
    with pytest.raises(ParameterError, match="quality must be one of"):
        pipe.quality = quality


def test_a_choice_between_types_is_an_error() -> None:
    class Wrong(Effect):
        def build(self, frame: Frame, original: Frame) -> Frame:
            return by_quality(low=frame, high=mean_luma(original))  # type: ignore[return-value]

    with pytest.raises(GraphError, match="argument 'high' takes Frame, but 'mean_luma' gives"):
        Pipeline([Wrong()])


def test_a_choice_between_a_node_and_a_number_is_an_error() -> None:
    class Mixed(Effect):
        def build(self, frame: Frame, original: Frame) -> Frame:
            return add(frame, by_quality(low=0.0, high=mean_luma(original)), 1)

    with pytest.raises(GraphError, match="make each a node"):
        Pipeline([Mixed()])


@pytest.mark.parametrize(
    ("quality", "by", "there"),
    [
        (Quality.LOW, 1, Quality.BALANCED),
        (Quality.HIGH, -2, Quality.LOW),
        (Quality.BEST, 1, Quality.BEST),
        (Quality.LOW, -1, Quality.LOW),
    ],
)
def test_steps_end_at_the_ends_of_the_ladder(quality: Quality, by: int, there: Quality) -> None:
    assert quality.step(by) is there
