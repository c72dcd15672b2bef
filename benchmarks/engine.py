"""What the engine itself costs: a chain of empty nodes against the same calls in a plain loop.

    python benchmarks/engine.py [--nodes 50] [--frames 2000] [--json FILE]

The two are timed in turns within one process after a warm-up; times are per frame, so the cost of
a node is the difference divided by the number of nodes.
"""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Callable
from pathlib import Path
from time import perf_counter_ns

import numpy as np

from pullfx.pipeline.effect import Effect
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.node import node
from pullfx.pipeline.pipeline import Pipeline

WARM_UP = 200


@node
def empty(frame: Frame, place: int) -> Frame:
    """Does nothing; `place` makes each call in the chain a node of its own."""
    return frame


def plain(frame: Frame, place: int) -> Frame:
    """The same function without the engine."""
    return frame


def chain_of(nodes: int) -> Effect:
    """An effect that is a chain of so many empty nodes."""

    class Chain(Effect):
        def build(self, frame: Frame, original: Frame) -> Frame:
            for place in range(nodes):
                frame = empty(frame, place)
            return frame

    return Chain()


def percentiles(nanoseconds: list[int]) -> dict[str, float]:
    """p10, p50 and p95 in microseconds."""
    values = np.percentile(np.array(nanoseconds) / 1000, [10, 50, 95])
    return dict(zip(("p10", "p50", "p95"), map(float, values), strict=True))


def main() -> None:
    """Runs the benchmark and prints it."""
    parser = argparse.ArgumentParser(description="What the engine itself costs.")
    parser.add_argument("--nodes", type=int, default=50)
    parser.add_argument("--frames", type=int, default=2000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()

    frame = Frame(
        np.zeros((16, 16), np.uint8), np.zeros((8, 8), np.uint8), np.zeros((8, 8), np.uint8)
    )
    pipe = Pipeline([chain_of(options.nodes)])
    off = Pipeline([chain_of(options.nodes)], active=[])

    def loop() -> None:
        value = frame
        for place in range(options.nodes):
            value = plain(value, place)

    arms: dict[str, Callable[[], object]] = {
        "engine": lambda: pipe.process(frame),
        "plain loop": loop,
        "all effects off": lambda: off.process(frame),
    }
    times: dict[str, list[int]] = {name: [] for name in arms}
    for round_number in range(WARM_UP + options.frames):
        for name, run in arms.items():
            begun = perf_counter_ns()
            run()
            ended = perf_counter_ns()
            if round_number >= WARM_UP:
                times[name].append(ended - begun)

    results = {name: percentiles(values) for name, values in times.items()}
    per_node = (results["engine"]["p50"] - results["plain loop"]["p50"]) / options.nodes
    print(f"{'microseconds per frame':<24}{'p10':>9}{'p50':>9}{'p95':>9}")
    for name, row in results.items():
        print(f"{name:<24}{row['p10']:>9.2f}{row['p50']:>9.2f}{row['p95']:>9.2f}")
    print(f"overhead per node per frame: {per_node:.2f} microseconds (limit 2)")
    if options.json:
        report = {
            "nodes": options.nodes,
            "frames": options.frames,
            "processor": platform.processor() or platform.machine(),
            "python": platform.python_version(),
            "microseconds": results,
            "overhead_per_node": per_node,
        }
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
