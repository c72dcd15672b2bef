"""The mean of 3x3 bytes: does fixed point with rows in registers take 17.5 % less than float?

    python benchmarks/filters.py [--rounds 300] [--instructions] [--json FILE]

So an article says of Arm's NEBox3x3. `filters.cpp` beside this file has both ways for AVX2, and
fixed point alone in between; it is built with the system's C++ compiler ($CXX or c++). With them
run the kernel `mean_3x3` and `cv2.blur`, all by turns within one process, on one pinned thread;
the first rounds are discarded. --instructions has Valgrind count what the three of them execute.
Only ratios within one run carry over to another machine.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter_ns

import cv2
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from pullfx import kernels

Array = NDArray[np.uint8]

SOURCE = Path(__file__).with_name("filters.cpp")
WAYS = ("through_float", "in_fixed_point", "with_rows_in_registers")
WIDTH, HEIGHT = 1280, 720
WARM_UP = 20

cv2.setNumThreads(1)


def built(folder: Path, name: str, *flags: str) -> Path:
    """The C++ file as a program or, with the flags for it, as a shared library."""
    result = folder / name
    compiler = os.environ.get("CXX", "c++")
    subprocess.run(
        [compiler, "-O3", "-mavx2", "-std=c++17", *flags, str(SOURCE), "-o", str(result)],
        check=True,
    )
    return result


def competitors(
    library: ctypes.CDLL, picture: Array
) -> dict[str, tuple[Callable[[], None], Array]]:
    """Per way: a call that does it, and where its result is."""
    arms: dict[str, tuple[Callable[[], None], Array]] = {}
    for name in WAYS:
        function = getattr(library, name)
        function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int]
        out = np.zeros_like(picture)
        arguments = picture.ctypes.data, out.ctypes.data, WIDTH, HEIGHT
        arms[name] = (lambda f=function, a=arguments: f(*a)), out  # type: ignore[misc]
    ours, theirs = np.zeros_like(picture), np.zeros_like(picture)
    arms["pullfx mean_3x3"] = (lambda: kernels.mean_3x3(picture, ours)), ours
    arms["cv2.blur"] = (
        (lambda: void(cv2.blur(picture, (3, 3), dst=theirs, borderType=cv2.BORDER_REPLICATE))),
        theirs,
    )
    return arms


def void(value: object) -> None:
    """Takes what a call gives and is not needed."""


def measure(
    arms: dict[str, tuple[Callable[[], None], Array]], rounds: int
) -> dict[str, list[float]]:
    """Microseconds of each arm: p10, p50, p95."""
    times: dict[str, list[int]] = {name: [] for name in arms}
    for number in range(WARM_UP + rounds):
        for name, (run, _) in arms.items():
            begun = perf_counter_ns()
            run()
            ended = perf_counter_ns()
            if number >= WARM_UP:
                times[name].append(ended - begun)
    return {
        name: list(np.percentile(np.array(t) / 1000, [10, 50, 95])) for name, t in times.items()
    }


def instructions(program: Path, name: str) -> float:
    """What one call executes, as Callgrind counts it: the difference of one call and eleven."""

    def counted(rounds: int) -> int:
        valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        finished = subprocess.run(
            [*valgrind, str(program), name, str(rounds)], check=True, capture_output=True, text=True
        )
        line = next(line for line in finished.stderr.splitlines() if "Collected" in line)
        return int(line.split(":")[1])

    return (counted(11) - counted(1)) / 10


def main() -> None:
    """Runs the benchmark and prints it."""
    parser = argparse.ArgumentParser(description="What the seeds' first filter costs, and why.")
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--instructions", action="store_true", help="count them with Valgrind")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if "avx2" not in kernels.available_isas():
        sys.exit("filters.cpp is written for AVX2, which this machine lacks")
    if options.instructions and not shutil.which("valgrind"):
        sys.exit("--instructions needs Valgrind; install it from your distribution")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

    picture = np.random.default_rng(1).integers(0, 256, (HEIGHT, WIDTH), np.uint8)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        library = ctypes.CDLL(str(built(folder, "filters.so", "-shared", "-fPIC")))
        arms = competitors(library, picture)
        results = measure(arms, options.rounds)
        counts: dict[str, float] = {}
        if options.instructions:
            program = built(folder, "filters")
            counts = {way: instructions(program, way) for way in WAYS}
    exact = arms["pullfx mean_3x3"][1][1:-1, 1:-1].astype(int)

    table = Table(title=f"mean of 3x3, {WIDTH}x{HEIGHT}, microseconds, one thread")
    for column in ("how", "p10", "p50", "p95", "of float", "off by", "instructions"):
        table.add_column(column, justify="left" if column == "how" else "right")
    base = results[WAYS[0]][0]
    for way, figures in results.items():
        off = np.abs(arms[way][1][1:-1, 1:-1].astype(int) - exact).max()
        count = f"{counts[way] / 1000:.0f} k" if way in counts else ""
        micros = [f"{figure:.0f}" for figure in figures]
        table.add_row(way, *micros, f"{figures[0] / base:.0%}", str(off), count)
    Console().print(table)
    if options.json:
        report = {
            "size": f"{WIDTH}x{HEIGHT}",
            "rounds": options.rounds,
            "processor": platform.processor() or platform.machine(),
            "opencv": cv2.__version__,
            "microseconds": results,
            "instructions": counts,
        }
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
