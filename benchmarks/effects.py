"""What each effect costs alone, what some cost together, and what each step of quality costs.

    python benchmarks/effects.py [--size 1280x720] [--rounds 8] [--json FILE]

The arms work in turns on frames of the sample clip, all on one CPU; see `_measuring.py`. "copies"
is the time in copies of one frame; "x blur" is how many times as long as background blur alone it
takes; "mean" counts what is not done in every frame, such as the search for faces, and "mean x" is
the ratio of means. Frames follow each other as a camera's do, to and fro, and each arm has seen
`SEEN` of them before: by then a room has been searched for faces. Effects are at their defaults,
but for those that then do nothing, see `made`.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from _measuring import Times, in_turns, pin, processor
from rich.console import Console
from rich.table import Table

from pipeline import clip, each, size_of
from pullfx import Pipeline, Quality, effects, kernels
from pullfx.pipeline.effect import Effect

BLUR = "background_blur"
FRAMES = 24
SEEN = 160
TOGETHER = {
    "blur, lighting": (BLUR, "lighting"),
    "blur, beautify": (BLUR, "beautify"),
    "blur, beautify, lighting": (BLUR, "beautify", "lighting"),
    "replacement, beautify, lighting": ("background_replacement", "beautify", "lighting"),
}

CUBE = "LUT_3D_SIZE 2\n" + "".join(
    f"{r} {g} {b}\n" for b in (0.1, 0.9) for g in (0.1, 0.9) for r in (0.1, 0.9)
)


def made(name: str, folder: Path) -> Effect:
    """The effect with something to do."""
    options: dict[str, Any] = {}
    if name == "overlay":
        options["text"] = "pullfx"
    if name == "lookup_table":
        options["file"] = folder / "some.cube"
        options["file"].write_text(CUBE, encoding="utf-8")
    return effects.by_name(name)(**options)


def table_of(title: str, times: Mapping[str, Times], blur: str) -> Table:
    """Times for people."""
    columns = ("", "p10", "p50", "p95", "mean", "spread", "disturbed", "copies", "x blur", "mean x")
    table = Table(*columns, title=title)
    for column in table.columns[1:]:
        column.justify = "right"
    for arm, taken in times.items():
        void = " void" if taken.is_void else ""
        table.add_row(
            arm,
            *(f"{taken.percentile(percent):.2f}" for percent in (10, 50, 95)),
            f"{taken.mean:.2f}",
            f"{taken.spread:.0%}{void}",
            f"{taken.disturbed:.0%}",
            f"{times['copy'].faster_than(taken):.1f}",
            f"{times[blur].faster_than(taken):.2f}",
            f"{taken.mean / times[blur].mean:.2f}",
        )
    return table


def main() -> None:
    """Runs the benchmark and prints it."""
    parser = argparse.ArgumentParser(description="What effects cost.")
    parser.add_argument("--size", type=size_of, default=(1280, 720))
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    pin(1)
    width, height = options.size
    frames, _ = clip(width, height, FRAMES, every=1)
    frames += frames[-2:0:-1]
    plane = frames[0].to_ndarray()
    target = np.empty_like(plane)
    copy = {"copy": lambda: np.copyto(target, plane)}
    console = Console(width=110)
    report: dict[str, Any] = {"processor": processor(), "isa": kernels.active_isa()}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))

        def arm(*names: str, quality: Quality = Quality.HIGH) -> Callable[[], object]:
            pipeline = Pipeline([made(name, folder) for name in names], quality=quality)
            stack.enter_context(pipeline)
            run = each(frames, pipeline.process)
            for _ in range(SEEN):
                run()
            return run

        groups = {
            "alone": {name: arm(name) for name in effects.names()},
            "together": {
                BLUR: arm(BLUR),
                **{
                    title: arm(*names)
                    for title, names in TOGETHER.items()
                    if set(names) <= set(effects.names())
                },
            },
            "blur by quality": {quality.value: arm(BLUR, quality=quality) for quality in Quality},
        }
        for title, arms in groups.items():
            times = in_turns({**arms, **copy}, options.rounds)
            blur = Quality.HIGH.value if BLUR not in arms else BLUR
            console.print(table_of(f"{title}, ms a frame, {processor()}", times, blur))
            report[title] = {
                name: {
                    **taken.as_dict(),
                    "mean": taken.mean,
                    "copies": times["copy"].faster_than(taken),
                    "times_blur": times[blur].faster_than(taken),
                }
                for name, taken in times.items()
            }
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
