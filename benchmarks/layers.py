"""Each kind of layer of a network alone, on every instruction set.

    python benchmarks/layers.py [--layers benchmarks/layers/selfie_landscape.txt] [--rounds 20]
        [--json FILE]
    python benchmarks/layers.py --write models/selfie_landscape.int8.onnx > FILE

The first form times the layers of a file, the second writes such a file: a line for each kind of
step of the compiled network, with fields between spaces:

    times   how often the network has it
    kind    of step, see `pullfx.kernels.network.program.Step`
    input   height x width x channels; several with a + between them; 3 channels are the picture's
    output  height x width x channels
    window, stride, dilation   rows x columns
    border  top x left
    thin    operations after the sum, with commas between them, or -

A line that begins with # is a comment. Weights are random, small enough for every instruction set's
fast path. A step runs 3 times in a row, so that what it reads lies in the cache; only it is timed.
One CPU; instruction sets in turns; `_measuring.py` says what the figures mean.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Self

import numpy as np
from _measuring import Times, in_turns, pin, processor
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from pullfx import kernels
from pullfx.kernels import reference
from pullfx.kernels.network import Network, Program, compile_network
from pullfx.kernels.network.arena import place_tensors
from pullfx.kernels.network.program import (
    PICTURE,
    Finish,
    Step,
    Thin,
    Window,
    kernel_name,
)

LAYERS = Path(__file__).parent / "layers" / "selfie_landscape.txt"
REPEAT = 3
HEADER = "# times kind input output window stride dilation border thin"

Shape = tuple[int, int, int]
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Layer:
    """A step without its numbers."""

    kind: str
    inputs: tuple[Shape, ...]
    output: Shape
    window: Window
    thin: tuple[str, ...]

    @classmethod
    def of_step(cls, program: Program, step: Step) -> Self:
        """What a step of a program is like."""
        picture = (program.height, program.width, 3)
        mask = (program.height, program.width, 1)
        shapes = [(each.height, each.width, each.channels) for each in program.tensors]
        return cls(
            step.kind,
            tuple(picture if index == PICTURE else shapes[index] for index in step.inputs),
            mask if step.output < 0 else shapes[step.output],
            step.window,
            tuple(thin.kind for thin in step.finish.thin) if step.finish else (),
        )

    @classmethod
    def parse(cls, fields: list[str]) -> Self:
        """From the fields of a line after the first."""
        kind, inputs, output, *numbers, thin = fields
        return cls(
            kind,
            tuple(_shape(text) for text in inputs.split("+")),
            _shape(output),
            Window(*(number for text in numbers for number in _numbers(text))),
            () if thin == "-" else tuple(thin.split(",")),
        )

    def fields(self) -> list[str]:
        """What `parse` takes."""
        w = self.window
        pairs = (
            (w.rows, w.columns),
            (w.row_stride, w.column_stride),
            (w.row_dilation, w.column_dilation),
            (w.top, w.left),
        )
        return [
            self.kind,
            "+".join(_text(shape) for shape in self.inputs),
            _text(self.output),
            *(_text(pair) for pair in pairs),
            ",".join(self.thin) or "-",
        ]


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split("x")]


def _shape(text: str) -> Shape:
    height, width, channels = _numbers(text)
    return height, width, channels


def _text(numbers: Iterable[int]) -> str:
    return "x".join(map(str, numbers))


def read(path: Path) -> dict[Layer, int]:
    """The layers of a file, and how often the network has each."""
    layers = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            times, *fields = line.split()
            layers[Layer.parse(fields)] = int(times)
    return layers


def written(program: Program) -> str:
    """The layers of a program as a file, in the order in which they first occur."""
    layers = Counter(Layer.of_step(program, step) for step in program.steps)
    rows = [[str(times), *layer.fields()] for layer, times in layers.items()]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = (
        " ".join(field.ljust(width) for field, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
    return "\n".join((HEADER, *lines)) + "\n"


class Numbers:
    """Draws what a layer lacks."""

    def __init__(self) -> None:
        self._random = np.random.default_rng(0)

    def weights(self, *shape: int) -> NDArray[np.int8]:
        """So small that two neighbours never saturate."""
        return self._random.integers(-63, 64, shape, np.int8)

    def floats(self, count: int) -> Floats:
        """Factors."""
        return self._random.uniform(0.001, 0.01, count).astype(np.float32)

    def thin(self, kind: str, count: int, tensor: int) -> Thin:
        """A thin operation."""
        table = self.floats(256) if kind == "gate" else None
        return Thin(kind, self.floats(count), self.floats(count), table, tensor)


def program_of(layer: Layer) -> Program:
    """A program that begins with the layer, `REPEAT` times, on tensors of zeros."""
    numbers = Numbers()
    height, width, channels = layer.output
    picture = layer.inputs[0][2] == 3
    program = Program(1, 1)
    if picture:
        program.height, program.width = layer.inputs[0][:2]
    elif layer.kind in ("expand", "mask"):
        program.height, program.width = height, width

    def tensor(name: str, shape: Shape) -> int:
        return program.add_tensor(name, shape[2], *shape[:2])

    inputs = tuple(PICTURE if picture else tensor("input", shape) for shape in layer.inputs)
    from_channels = layer.inputs[0][2]
    gate, other = tensor("gate", (1, 1, channels)), tensor("other", layer.output)
    thin = tuple(
        numbers.thin(kind, channels, gate if kind == "gate" else other) for kind in layer.thin
    )
    codes = np.zeros(channels, np.uint8)
    weights = {
        "dense": (channels, layer.window.rows, layer.window.columns, from_channels),
        "upconv": (channels, 1, 1, from_channels),
        "depthwise": (channels, layer.window.rows, layer.window.columns),
        "enlarge": (channels, 1, 1),
        "expand": (4, from_channels),
    }.get(layer.kind)
    to_mask = layer.kind in ("expand", "mask")
    step = Step(
        layer.kind,
        "layer",
        inputs,
        -1 if to_mask else tensor("output", layer.output),
        None if layer.kind in ("copy", "mask") else Finish(thin, codes, codes, codes + 255),
        layer.window,
        None if weights is None else numbers.weights(*weights),
        None if weights is None else np.zeros(4 if layer.kind == "expand" else channels, np.int32),
        None if layer.kind == "copy" else np.zeros(from_channels, np.uint8),
        factors=tuple(numbers.floats(channels) for _ in inputs) if layer.kind == "mean" else (),
        zeros=tuple(codes for _ in inputs) if layer.kind in ("mean", "thin") else (),
        table=np.zeros(256 if from_channels != 2 else 65536, np.uint8) if to_mask else None,
    )
    program.steps.extend([step] * REPEAT)
    if not to_mask:
        last = tensor("mask", (program.height, program.width, 1))
        program.steps.append(Step("mask", "mask", (last,), -1, table=np.zeros(256, np.uint8)))
    place_tensors(program, share=False)
    return program


def run_once(network: Network, picture: NDArray[np.uint8]) -> int:
    """Nanoseconds of one of the layers."""
    return sum(network.run_timed(picture)[:REPEAT]) // REPEAT


def measure(layer: Layer, rounds: int) -> tuple[dict[str, Times], int]:
    """What the layer takes on each instruction set, and its multiply-adds."""
    program = program_of(layer)
    picture = np.zeros((program.height, program.width, 3), np.uint8)
    arms = {
        isa: partial(run_once, Network(program, isa), picture)
        for isa in kernels.available_isas()
        if isa != reference.name
    }
    return in_turns(arms, rounds), program.multiply_adds(program.steps[0])


def main() -> None:
    """Runs the benchmark and prints it."""
    parser = argparse.ArgumentParser(description="What each layer of a network costs.")
    parser.add_argument("--layers", type=Path, default=LAYERS)
    parser.add_argument("--rounds", type=int, default=20, help="of 10 turns each")
    parser.add_argument("--write", type=Path, help="print the layers of this network, and end")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if options.write is not None:
        print(written(compile_network(options.write)), end="")
        return
    pin(1)
    table = Table(title=f"{options.layers.stem}, µs, one thread of {processor()}")
    for heading in ("times", "kernel", "input", "output", "isa"):
        table.add_column(heading)
    for heading in ("p10", "p50", "p95", "spread", "multiply-adds per ns"):
        table.add_column(heading, justify="right")
    rows = []
    totals: dict[str, float] = {}
    for layer, times in read(options.layers).items():
        measured, multiply_adds = measure(layer, options.rounds)
        step = program_of(layer).steps[0]
        for isa, arm in measured.items():
            p10, p50, p95 = (1000 * arm.percentile(percent) for percent in (10, 50, 95))
            per_nanosecond = multiply_adds / (1000 * p50)
            _, inputs, output, *_ = layer.fields()
            figures = (*(f"{value:.2f}" for value in (p10, p50, p95)), f"{arm.spread:.0%}")
            names = (str(times), kernel_name(step), inputs, output, isa)
            table.add_row(*names, *figures, f"{per_nanosecond:.1f}" if multiply_adds else "")
            totals[isa] = totals.get(isa, 0) + times * p50
            rows.append(
                {
                    "layer": " ".join(layer.fields()),
                    "times": times,
                    "isa": isa,
                    "microseconds": {"p10": p10, "p50": p50, "p95": p95},
                    "spread": arm.spread,
                    "void": arm.is_void,
                    "multiply_adds": multiply_adds,
                    "multiply_adds_per_nanosecond": per_nanosecond,
                }
            )
        table.add_section()
    for isa, total in totals.items():
        table.add_row("", "all, as often as the network has them", "", "", isa, "", f"{total:.0f}")
    Console(width=160).print(table)
    if options.json:
        report = {"processor": processor(), "file": options.layers.name, "layers": rows}
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
