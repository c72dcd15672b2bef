"""For every set of active effects: what nobody asked for does not run, and nothing runs twice."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, islice

import pytest

from pullfx import Pipeline, Stats, effects
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.graph import GraphNode, Kind
from pullfx.pipeline.sources import open_source

FRAMES = 4
NAMES = tuple(
    name
    for name in (
        "lighting",
        "beautify",
        "background_blur",
        "portrait_mode",
        "background_replacement",
        "auto_framing",
    )
    if name in effects.names()
)
SUBSETS = [chosen for size in range(len(NAMES) + 1) for chosen in combinations(NAMES, size)]

# What costs most, and how often each effect makes it run in so many frames. Faces are looked for in
# every third frame; beautify alone asks for them only when it makes meshes, in every fourth.
HEAVY = {
    "segment": dict.fromkeys(
        ("background_blur", "portrait_mode", "background_replacement"), FRAMES
    ),
    "detect_faces": {"lighting": 2, "beautify": 1, "auto_framing": 2},
    "detect_meshes": {"beautify": 1},
}


@pytest.fixture(scope="module")
def frames() -> list[Frame]:
    with open_source("sample") as source:
        return list(islice(source.frames(), FRAMES))


@pytest.fixture(scope="module")
def pipe() -> Pipeline:
    """All effects in one pipeline."""
    return Pipeline([effects.by_name(name)() for name in NAMES])


def runs_of(pipe: Pipeline, frames: list[Frame], active: tuple[str, ...]) -> Counter[GraphNode]:
    """How often each node ran."""
    pipe.disable(*NAMES)
    pipe.reset()
    pipe.enable(*active)
    before = Counter({node: place.runs for node, place in pipe._executor.places.items()})
    for frame in frames:
        pipe.process(frame, strict=True)
    after = Counter({node: place.runs for node, place in pipe._executor.places.items()})
    return +(after - before)


@pytest.mark.parametrize("active", SUBSETS, ids="+".join)
def test_only_what_active_effects_ask_for_runs_and_once(
    pipe: Pipeline, frames: list[Frame], active: tuple[str, ...]
) -> None:
    runs = runs_of(pipe, frames, active)
    asked = {
        node
        for node, users in pipe._chain.users.items()
        if any(name in active for name, _ in users)
    }
    assert set(runs) <= asked
    assert all(count <= FRAMES for count in runs.values())
    by_name = Counter({node.name.partition("#")[0]: 0 for node in runs})
    for node, count in runs.items():
        by_name[node.name.partition("#")[0]] += count
    for name, counts in HEAVY.items():
        assert by_name[name] == max([counts.get(effect, 0) for effect in active], default=0), name


@pytest.mark.parametrize("active", SUBSETS, ids="+".join)
def test_no_plan_makes_the_same_call_twice(pipe: Pipeline, active: tuple[str, ...]) -> None:
    pipe.disable(*NAMES)
    pipe.enable(*active)
    plan = pipe._executor.plan(pipe._selection_of(pipe._settings)).plan
    calls = [
        (step.function.specification.function, tuple(map(str, step.arguments.items())))
        for step in plan.steps
        if step.function.specification is not None
    ]
    assert len(calls) == len(set(calls))
    assert all(step.node.kind is Kind.CALL for step in plan.steps)


def test_the_statistics_say_so_too(frames: list[Frame]) -> None:
    with Pipeline([effects.by_name(name)() for name in NAMES], active=()) as pipe:
        for frame in frames:
            assert pipe.process(frame) is frame
        stats: Stats = pipe.stats()
        assert stats.nodes == ()
