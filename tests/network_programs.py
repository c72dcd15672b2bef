"""Made-up programs of one step under test, with numbers drawn at random."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pullfx.kernels.network.arena import place_tensors
from pullfx.kernels.network.program import (
    BLOCK,
    PICTURE,
    Finish,
    Output,
    Program,
    Step,
    Thin,
    Window,
)

Codes = NDArray[np.uint8]

FULL_TABLE = np.arange(256, dtype=np.uint8)


class Maker:
    """Draws the numbers of steps; `extreme` takes weights and codes from their two ends."""

    def __init__(self, seed: int, extreme: bool = False) -> None:
        self.random = np.random.default_rng(seed)
        self.extreme = extreme
        self.largest_weight = 128 if seed % 2 else 64

    def codes(self, count: int) -> Codes:
        """Zero points or borders."""
        if self.extreme:
            return self.random.choice(np.array([0, 255], np.uint8), count)
        return self.random.integers(0, 256, count, np.uint8)

    def weights(self, *shape: int) -> NDArray[np.int8]:
        """int8, -128 and 127 only where extreme; of an even seed few are large.

        Some instruction sets do what is large, or large together with its neighbour, in two goes.
        """
        if self.extreme:
            return self.random.choice(np.array([-128, 127], np.int8), shape)
        large = self.random.integers(-128, 128, shape)
        usual = self.random.integers(-self.largest_weight, self.largest_weight, shape)
        return np.where(self.random.random(shape) < 0.01, large, usual).astype(np.int8)

    def floats(self, count: int, low: float, high: float) -> NDArray[np.float32]:
        """Factors."""
        return self.random.uniform(low, high, count).astype(np.float32)

    def chain(
        self, name: str, count: int, spread: float, other: int, gate: int, narrow: int
    ) -> Finish:
        """A chain of thin operations for sums of about `spread`."""
        scale = Thin("scale", self.floats(count, 20, 200) / np.float32(spread))
        pieces: dict[str, tuple[Thin, ...]] = {
            "scale": (scale,),
            "hard_swish": (
                Thin(
                    "hard_swish",
                    self.floats(count, 0.1, 2) / np.float32(spread),
                    self.floats(count, 20, 200) / np.float32(spread),
                ),
            ),
            "add": (scale, self.second("add", count, other)),
            "prelu": (scale, Thin("prelu", self.floats(count, -0.5, 1.5))),
            "add_prelu": (
                scale,
                self.second("add", count, other),
                Thin("prelu", self.floats(count, -0.5, 1.5)),
            ),
            "narrow_add": (scale, self.narrow(count, narrow)),
            "codes": (Thin("scale", np.ones(count, np.float32)),),
            "clip_add": (scale, self.clip(count), self.second("add", count, other)),
            "multiply_round": (
                scale,
                Thin("round", self.floats(count, -128, 0), self.floats(count, 0, 127)),
                self.second("multiply", count, other),
            ),
            "shared_gate": (
                replace(scale, kind="gate", table=self.floats(256, 0, 1), tensor=gate),
            ),
            "gate_add": (
                replace(
                    scale,
                    kind="gate",
                    table=self.floats(256 * count, -1, 1).reshape(count, 256),
                    tensor=gate,
                ),
                self.second("add", count, other),
            ),
        }
        low, high = np.sort(self.random.integers(0, 256, (2, count), np.uint8), axis=0)
        if not self.extreme or name == "codes":
            low, high = np.zeros_like(low), np.full_like(high, 255)
        return Finish(pieces[name], self.codes(count), low, high)

    def clip(self, count: int) -> Thin:
        """Bounds within the range of codes."""
        return Thin("clip", self.floats(count, -100, 0), self.floats(count, 0, 100))

    def narrow(self, count: int, tensor: int) -> Thin:
        """To add a tensor that lacks all channels of the last block but one."""
        made = self.second("add", count, tensor)
        has = np.arange(count) < narrowest(count)
        return replace(made, a=np.where(has, made.a, np.float32(0)))

    def second(self, kind: str, count: int, other: int) -> Thin:
        """An operation with a second tensor."""
        zero = self.codes(count).astype(np.float32)
        return Thin(kind, self.floats(count, 0.01, 1), zero, tensor=other)


CHAINS = (
    "scale",
    "hard_swish",
    "add",
    "narrow_add",
    "clip_add",
    "prelu",
    "add_prelu",
    "multiply_round",
    "shared_gate",
    "gate_add",
)


def narrowest(channels: int) -> int:
    """The fewest channels that take as many blocks."""
    return (channels - 1) // BLOCK * BLOCK + 1


def _same(height: int, width: int) -> tuple[int, int]:
    return height, width


@dataclass(frozen=True)
class Case:
    """A step to test: from the size of its output and its channels to the step.

    `inputs` gives the size of its input for a size of its output.
    """

    name: str
    kind: str
    window: Window = field(default_factory=Window)
    inputs: Callable[[int, int], tuple[int, int]] = _same
    same_channels: bool = True
    size: Callable[[int, int], tuple[int, int]] = _same
    chains: tuple[str, ...] = CHAINS


def _strided(window: Window) -> Callable[[int, int], tuple[int, int]]:
    def inputs(height: int, width: int) -> tuple[int, int]:
        return (
            max(1, (height - 1) * window.row_stride + 1 - window.top % 2),
            max(1, (width - 1) * window.column_stride + 1),
        )

    return inputs


def _windowed(name: str, kind: str, *numbers: int, **more: Any) -> Case:
    window = Window(*numbers)
    return Case(name, kind, window, _strided(window), kind != "dense", **more)


STEPS = (
    Case("pointwise", "dense", same_channels=False),
    _windowed("dense_3x3", "dense", 3, 3, 1, 1, 1, 1, 1, 1),
    _windowed("dense_3x3_s2", "dense", 3, 3, 2, 2, 1, 1, 0, 0),
    _windowed("dense_3x3_d2", "dense", 3, 3, 1, 1, 2, 2, 2, 2),
    _windowed("dense_5x5_s2", "dense", 5, 5, 2, 2, 1, 1, 2, 2),
    _windowed("dense_1x1_s2", "dense", 1, 1, 2, 2),
    _windowed("depthwise_3x3", "depthwise", 3, 3, 1, 1, 1, 1, 1, 1),
    _windowed("depthwise_3x3_s2", "depthwise", 3, 3, 2, 2, 1, 1, 0, 0),
    _windowed("depthwise_5x5", "depthwise", 5, 5, 1, 1, 1, 1, 2, 2),
    _windowed("depthwise_5x5_s2", "depthwise", 5, 5, 2, 2, 1, 1, 1, 1),
    _windowed("depthwise_3x3_d2", "depthwise", 3, 3, 1, 1, 2, 2, 2, 2),
    _windowed("depthwise_4x2_s3", "depthwise", 4, 2, 3, 3, 1, 1, 1, 1),
    _windowed("maximum_2x2_s2", "maximum", 2, 2, 2, 2, 1, 1, 1, 1, chains=("codes", "scale")),
    _windowed("maximum_3x3_s2", "maximum", 3, 3, 2, 2, 1, 1, 1, 1),
    _windowed("average_2x2_s2", "average", 2, 2, 2, 2, 1, 1, 0, 0),
    Case(
        "upconv",
        "upconv",
        same_channels=False,
        size=lambda height, width: (2 * height, 2 * width),
    ),
    Case("enlarge", "enlarge", size=lambda height, width: (2 * height, 2 * width)),
    Case("thin", "thin"),
    Case("mean", "mean", size=lambda height, width: (1, 1), chains=("scale", "hard_swish")),
)


def program_of(
    case: Case, chain: str, height: int, width: int, channels: int, outputs: int, maker: Maker
) -> Program:
    """A program that makes the step's inputs from a picture, runs the step, and makes a mask."""
    out_channels = channels if case.same_channels else outputs
    in_height, in_width = case.inputs(height, width)
    out_height, out_width = case.size(height, width)
    program = Program(in_height, in_width)
    _from_picture(program, maker, "first", channels, in_height, in_width)
    other = program.add_tensor("other", out_channels, out_height, out_width)
    gate = program.add_tensor("gate", out_channels, 1, 1)
    narrow = program.add_tensor("narrow", narrowest(out_channels), out_height, out_width)
    _filled(program, maker, other)
    _filled(program, maker, narrow)
    _filled(program, maker, gate)
    output = program.add_tensor("result", out_channels, out_height, out_width)
    window = case.window
    taps = window.rows * window.columns * (channels if case.kind in ("dense", "upconv") else 1)
    spread = 255.0 * 128 * taps**0.5 * (16 if case.kind in ("enlarge", "upconv") else 1)
    if case.kind in ("thin", "maximum", "average", "mean"):
        spread = 255.0 * (taps if case.kind == "average" else 1)
    step = Step(
        case.kind,
        case.name,
        (0,),
        output,
        maker.chain(chain, out_channels, spread, other, gate, narrow),
        window,
    )
    if case.kind in ("dense", "upconv"):
        shape = (out_channels, window.rows, window.columns, channels)
        step = replace(step, weights=maker.weights(*shape))
    elif case.kind in ("depthwise", "enlarge"):
        step = replace(step, weights=maker.weights(channels, window.rows, window.columns))
    if step.weights is not None:
        bias = maker.random.integers(-(2**12), 2**12, out_channels).astype(np.int32)
        step = replace(step, bias=bias)
    if case.kind in ("thin", "mean"):
        step = replace(step, zeros=(maker.codes(channels),))
    if case.kind == "mean":
        factor = maker.floats(channels, 0.5, 1) / np.float32(in_height * in_width)
        step = replace(step, factors=(factor,))
    if case.kind not in ("thin", "mean"):
        assert step.finish is not None
        border = step.finish.zero if chain == "codes" else maker.codes(channels)
        step = replace(step, border=border)
    program.steps.append(step)
    program.steps.append(Step("mask", "mask", (0,), -1, table=FULL_TABLE))
    place_tensors(program, share=False)
    return program


def with_outputs(program: Program, name: str) -> Program:
    """The same with the sums of a dense step as its output, twice, instead of a mask."""
    at = next(number for number, step in enumerate(program.steps) if step.name == name)
    step = program.steps[at]
    assert step.finish is not None
    made = program.tensors[step.output]
    made.floats = True
    nothing = np.empty(0, np.uint8)
    program.steps[at] = replace(step, finish=Finish(step.finish.thin, nothing, nothing, nothing))
    shape = (made.height, made.width, made.channels)
    program.outputs = [Output("first", shape), Output("second", (int(np.prod(shape)),))]
    program.steps[-1:] = [
        Step("result", f"result_{place}", (step.output,), -1, place=place)
        for place in (0, program.outputs[0].size)
    ]
    place_tensors(program, share=False)
    return program


def _from_picture(
    program: Program, maker: Maker, name: str, channels: int, height: int, width: int
) -> None:
    tensor = program.add_tensor(name, channels, height, width)
    weights = maker.weights(channels, 1, 1, 3)
    bias = (-weights.astype(np.int32).sum(axis=(1, 2, 3)) * 128).astype(np.int32)
    finish = Finish(
        (Thin("scale", np.full(channels, 0.008, np.float32)),),
        np.full(channels, 128, np.uint8),
        np.zeros(channels, np.uint8),
        np.full(channels, 255, np.uint8),
    )
    border = np.zeros(3, np.uint8)
    program.steps.append(
        Step("dense", name, (PICTURE,), tensor, finish, Window(), weights, bias, border)
    )


def _filled(program: Program, maker: Maker, tensor: int) -> None:
    """A step that gives a tensor of any size codes: of the picture, and of its border beyond."""
    made = program.tensors[tensor]
    shifted = Window(1, 1, 1, 1, 1, 1, 1, 1)
    weights = maker.weights(made.channels, 1, 1, 3)
    bias = (maker.random.integers(-9000, 9000, made.channels)).astype(np.int32)
    finish = Finish(
        (Thin("scale", np.full(made.channels, 0.01, np.float32)),),
        np.full(made.channels, 128, np.uint8),
        np.zeros(made.channels, np.uint8),
        np.full(made.channels, 255, np.uint8),
    )
    border = np.array([255, 0, 200], np.uint8)
    program.steps.append(
        Step("dense", made.name, (PICTURE,), tensor, finish, shifted, weights, bias, border)
    )
