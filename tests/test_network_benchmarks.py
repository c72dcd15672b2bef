"""What the benchmarks of networks rest on: honest figures, layers of the shipped networks, and the
same network without an idea."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import layers
import numpy as np
import pytest
from _ablated_kernels import Change, sources
from _ablated_programs import without_fusion, without_table, without_upconv
from _measuring import Times, in_turns, pace_of
from ablation import VARIANTS

from pullfx import kernels, models
from pullfx.kernels import reference
from pullfx.kernels.network import Network, Program, compile_network
from pullfx.nodes import Size, downscale, reduce
from pullfx.pipeline.sources.sample import SampleSource

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
NAMES = ("selfie_landscape", "selfie_square")
ISAS = sorted(path.stem for path in (BENCHMARKS.parent / "kernels/src/isa").glob("*.cpp"))
each_name = pytest.mark.parametrize("name", NAMES)


def times(rounds: int, value: float, lost: float = 0.0) -> Times:
    """About `value`; of every round's turns the first are lost, and take ten times as long."""
    taken = value * np.random.default_rng(0).normal(1, 0.01, (rounds, 10))
    gone = np.broadcast_to(np.arange(10) < 10 * lost, taken.shape)
    return Times(np.where(gone, 10 * taken, taken), gone)


def test_lost_runs_do_not_count() -> None:
    arm = times(20, 2.0, lost=0.4)
    assert arm.percentile(95) < 2.1
    assert arm.disturbed == pytest.approx(0.4)
    assert arm.spread < 0.02
    assert not arm.is_void
    assert arm.faster_than(times(20, 6.0, lost=0.7)) == pytest.approx(3, rel=0.01)


def test_an_arm_that_was_never_left_alone_is_void() -> None:
    arm = times(20, 2.0, lost=1.0)
    assert arm.is_void
    assert arm.percentile(50) == pytest.approx(20, rel=0.02)
    assert arm.faster_than(times(20, 2.0)) == pytest.approx(0.1, rel=0.02)


def test_an_unsteady_arm_is_void() -> None:
    steady = times(20, 2.0)
    pace = np.where(np.arange(20) % 2, 1.0, 1.3)[:, None]
    unsteady = Times(steady.taken * pace, steady.lost)
    assert unsteady.is_void


def test_the_pace_of_the_machine_is_not_an_arms_own() -> None:
    pace = np.where(np.arange(20) % 2, 1.0, 1.3)[:, None]
    arms = [Times(times(20, value).taken * pace, times(20, value).lost) for value in (1, 2, 6)]
    assert all(arm.is_void for arm in arms)
    common = pace_of(arms)
    assert not any(replace(arm, pace=common).is_void for arm in arms)
    assert arms[0].faster_than(arms[2]) == pytest.approx(6)
    odd = Times(np.where(np.arange(20)[:, None] % 3, 1.0, 2.0) * arms[0].taken, arms[0].lost)
    assert replace(odd, pace=pace_of([*arms, odd])).is_void
    assert pace_of(arms[:2]) == 1


def test_arms_take_turns() -> None:
    order: list[str] = []
    result = in_turns({"a": lambda: order.append("a"), "b": lambda: 1_500_000}, rounds=3)
    assert order == ["a"] * 50  # two rounds to warm up
    assert result["b"].percentile(50) == 1.5


@each_name
def test_layers_are_those_of_the_shipped_network(name: str) -> None:
    """If not: python benchmarks/layers.py --write models/NAME.int8.onnx > benchmarks/layers/..."""
    program = compile_network(models.path(f"{name}.int8"))
    path = BENCHMARKS / "layers" / f"{name}.txt"
    assert path.read_text(encoding="utf-8") == layers.written(program)
    assert sum(layers.read(path).values()) == len(program.steps)


def test_every_layer_runs() -> None:
    isas = [isa for isa in kernels.available_isas() if isa != reference.name]
    for layer in layers.read(BENCHMARKS / "layers" / "selfie_landscape.txt"):
        assert layers.Layer.parse(layer.fields()) == layer
        program = layers.program_of(layer)
        picture = np.full((program.height, program.width, 3), 200, np.uint8)
        masks = [Network(program, isa).run(picture) for isa in isas]
        for mask in masks:
            np.testing.assert_array_equal(mask, masks[0], str(layer))


def overlap(program: Program, other: Program) -> float:
    """Of the masks of the sample clip's first frame."""
    with SampleSource() as source:
        frame = next(source.frames())
    picture = downscale(frame, reduce(frame), (Size(program.width, program.height),))
    masks = [Network(each).run(picture) > 127 for each in (program, other)]
    return float((masks[0] & masks[1]).sum() / (masks[0] | masks[1]).sum())


@each_name
def test_a_program_without_fusion(name: str) -> None:
    program = compile_network(models.path(f"{name}.int8"))
    apart = without_fusion(program)
    for step in apart.steps:
        thin = (
            [each.kind for each in step.finish.thin if each.kind != "scale"] if step.finish else []
        )
        assert len(thin) <= (1 if step.kind == "thin" else 0)
    assert overlap(program, apart) > 0.9


@each_name
def test_a_program_without_upconv(name: str) -> None:
    program = compile_network(models.path(f"{name}.int8"))
    larger = without_upconv(program)
    assert [step.kind for step in larger.steps].count("enlarge") == 3
    assert "upconv" not in [step.kind for step in larger.steps]
    assert overlap(program, larger) > 0.98


def test_a_program_without_a_table() -> None:
    program = compile_network(models.path("selfie_landscape.int8"))
    table = program.steps[-1].table
    assert table is not None
    picture = np.random.default_rng(0).integers(0, 256, (144, 256, 3), np.uint8)
    codes = Network(without_table(program)).run(picture)
    np.testing.assert_array_equal(table[codes], Network(program).run(picture))


@pytest.mark.parametrize("isa", ISAS)
def test_every_change_still_fits_to_the_kernels(isa: str) -> None:
    files = sources(isa, VARIANTS)
    for name in VARIANTS:
        assert f"{isa}_{name}" in files["kernels/src/variants.cpp"]
        assert f"network_{name}/" in files[f"kernels/src/isa/{isa}_{name}.cpp"]


def test_a_change_that_does_not_fit_is_an_error() -> None:
    with pytest.raises(ValueError, match="there 0 times, not once"):
        sources("portable", {"odd": (Change("constexpr int nothing", ""),)})
