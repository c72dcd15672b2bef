"""What each idea of the network's compiler and kernels is worth: the same network without it.

    python benchmarks/ablation.py [--model landscape] [--rounds 60] [--json FILE]

Ideas of the compiler are taken out of the program (`_ablated_programs.py`), those of the kernels
out of a copy of the sources, which is compiled into a module with all variants in it
(`_ablated_kernels.py`; wants CMake and a compiler, and some minutes the first time). All run on one
CPU in one process, in turns; `_measuring.py` says what the figures mean. A gain is how much faster
the network is with the idea than without. Three claims come from the articles that this project
began with; they were made about other engines, on other machines.

* fusion: activations, ReLU, additions and gates within the step before them, against passes of
  their own over memory; +10 % of a pipeline was claimed.
* Upconv: convolution and then enlargement, against the other way round; +15 % was claimed.
* four pixels by sixteen channels per pass over the weights, against one pixel; +36 % was claimed.
* the tile as it ships, against one pixel.
* depthwise reuse: a column of the window, widened once, for all outputs that it reaches, against
  one output at a time.
* depthwise cases: a loop of its own for each usual window, against one for all.
* table: the function after the last convolution by table, against `expf` per pixel, and against
  numpy's exponential, which is vectorised, in passes of its own.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from _ablated_kernels import Change, build, constant, sources, use
from _ablated_programs import without_fusion, without_table, without_upconv
from _measuring import HEADINGS, Times, columns_of, in_turns, pin, processor
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from pullfx import kernels, models
from pullfx.kernels.network import Network, Program, compile_network

SHIPPED = "as shipped"
TOLERANCE = 0.1
"""A claim is reproduced by a gain that is at most so much smaller."""

VARIANTS = {
    "one": (constant("tile", 1), constant("small_tile", 1)),
    "four": (constant("tile", 4), constant("small_tile", 4)),
    "no_reuse": (constant("depthwise_tile", 1),),
    "no_cases": (constant("depthwise_cases", "false"),),
    "expf": (
        Change(
            r"static void expand\(",
            """static void by_exponential(std::uint8_t* codes, std::ptrdiff_t count) {
    for (std::ptrdiff_t index = 0; index < count; ++index) {
        const float value = 0.0625f * (codes[index] - 128);
        codes[index] = static_cast<std::uint8_t>(255 / (1 + __builtin_expf(-value)) + 0.5f);
    }
}

\\g<0>""",
            "expand.inc",
        ),
        Change(
            r"look_up\((upper), step\.table, static_cast<int>\((2 \* length)\), upper\)",
            r"by_exponential(\1, \2)",
            "expand.inc",
        ),
    ),
}


@dataclass(frozen=True)
class Idea:
    """Two arms, one with it and one without; `claim` is a gain in percent."""

    name: str
    with_it: str
    without_it: str
    claim: int | None = None


IDEAS = (
    Idea("fusion of thin operations", SHIPPED, "thin operations alone", 10),
    Idea("Upconv", SHIPPED, "enlarged, then convolved", 15),
    Idea("four pixels per pass", "four pixels", "one pixel", 36),
    Idea("the tile", SHIPPED, "one pixel"),
    Idea("depthwise reuse", SHIPPED, "no depthwise reuse"),
    Idea("depthwise cases", SHIPPED, "no depthwise cases"),
    Idea("table, against expf", SHIPPED, "expf"),
    Idea("table, against numpy", SHIPPED, "numpy's exponential"),
)


def arms_of(program: Program, isa: str) -> dict[str, Callable[[], object]]:
    """What runs, by name."""
    random = np.random.default_rng(0)
    picture = random.integers(0, 256, (program.height, program.width, 3), np.uint8)
    out = np.empty(picture.shape[:2], np.uint8)

    def arm(changed: Program, variant: str = isa) -> Callable[[], object]:
        return partial(Network(changed, variant).run, picture, out)

    codes = Network(without_table(program), isa)
    values = np.empty(out.shape, np.float32)

    def by_numpy() -> NDArray[np.uint8]:
        codes.run(picture, out)
        np.multiply(np.subtract(out, np.float32(128), out=values), np.float32(-0.0625), out=values)
        np.add(np.exp(values, out=values), np.float32(1), out=values)
        np.add(np.divide(np.float32(255), values, out=values), np.float32(0.5), out=values)
        np.copyto(out, values, casting="unsafe")
        return out

    return {
        SHIPPED: arm(program),
        "thin operations alone": arm(without_fusion(program)),
        "enlarged, then convolved": arm(without_upconv(program)),
        "one pixel": arm(program, f"{isa}_one"),
        "four pixels": arm(program, f"{isa}_four"),
        "no depthwise reuse": arm(program, f"{isa}_no_reuse"),
        "no depthwise cases": arm(program, f"{isa}_no_cases"),
        "expf": arm(program, f"{isa}_expf"),
        "numpy's exponential": by_numpy,
    }


def measure(model: str, isa: str, rounds: int) -> dict[str, Times]:
    """Measures in a process that runs on the module with all variants."""
    pin(1)
    return in_turns(arms_of(compile_network(models.path(model)), isa), rounds)


def main() -> None:
    """Runs the benchmark and prints it."""
    parser = argparse.ArgumentParser(description="What each idea is worth.")
    parser.add_argument("--model", choices=("landscape", "square"), default="landscape")
    parser.add_argument("--rounds", type=int, default=60, help="of 10 turns each")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    model = f"selfie_{options.model}.int8"
    isa = kernels.available_isas()[0]
    module = build(sources(isa, VARIANTS))
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context, initializer=use, initargs=(module,)) as process:
        times = process.submit(measure, model, isa, options.rounds).result()

    table = Table(title=f"{model}, ms, {isa}, one thread of {processor()}")
    for heading in ("how", *HEADINGS):
        table.add_column(heading, justify="left" if heading == "how" else "right")
    for name, arm in times.items():
        table.add_row(name, *columns_of(arm))
    gains = {idea.name: times[idea.with_it].faster_than(times[idea.without_it]) for idea in IDEAS}
    worth = Table("idea", "gain", "claimed", "", title="what each idea is worth")
    for idea in IDEAS:
        gain = 100 * (gains[idea.name] - 1)
        void = times[idea.with_it].is_void or times[idea.without_it].is_void
        words = ("void",) if void else ()
        if idea.claim is not None:
            nearly = gain >= (1 - TOLERANCE) * idea.claim
            words = (*words, "reproduced" if nearly else "less")
        claim = "" if idea.claim is None else f"+{idea.claim} %"
        worth.add_row(idea.name, f"{gain:+.1f} %", claim, ", ".join(words))
    console = Console()
    console.print(table, worth)
    if options.json:
        report = {
            "model": options.model,
            "rounds": options.rounds,
            "processor": processor(),
            "isa": isa,
            "milliseconds": {name: arm.as_dict() for name, arm in times.items()},
            "gains": gains,
            "claims": {idea.name: 1 + idea.claim / 100 for idea in IDEAS if idea.claim},
        }
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
