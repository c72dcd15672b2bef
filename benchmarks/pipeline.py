"""Background blur as a whole: ours against the script that most people write and a careful one.

    python benchmarks/pipeline.py [--sizes 1280x720 1920x1080 3840x2160] [--rounds 60]
        [--mediapipe build/mediapipe/bin/python] [--json FILE]

The arms work in turns, frame by frame, on the frames of the sample clip, all on one CPU; the first
rounds are discarded:

* `usual`: MediaPipe, GaussianBlur(55), numpy's where; in a process of its own, since MediaPipe pins
  numpy < 2 (`make mediapipe` makes its environment);
* `careful`: the selfie network in onnxruntime at its own size, blur at a quarter, blendLinear;
* `pullfx`: from and to av.VideoFrame; `pullfx bgr`: from and to numpy BGR;
* `copy`: one I420 frame copied, the floor.

`x` is how many times as long an arm takes. A size is void where an arm's middle half spreads by
more than 15 % of its median. `cpu` is CPU time per second of video at 30 frames a second, which
other processes disturb less than the wall clock. Only ratios within one run carry over to another
machine.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from time import perf_counter_ns, process_time_ns
from typing import Any

import av
import cv2
import numpy as np
import onnxruntime  # type: ignore[import-untyped]
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from pullfx import BackgroundBlur, Pipeline, kernels, models
from pullfx.pipeline.formats import PixelFormat, frame_to_array
from pullfx.pipeline.sources import open_source

ROOT = Path(__file__).resolve().parents[1]
MEDIAPIPE = ROOT / "build" / "mediapipe" / "bin" / "python"
FRAMES = 8
EVERY = 7  # of the clip's frames, so that there is movement
WARM_UP = 10
LARGEST_SPREAD = 0.15
NETWORK = (256, 144)

Picture = NDArray[np.uint8]
Arm = Callable[[int], tuple[int, int]]
"""Works on a frame, by number; gives the nanoseconds of wall clock and of CPU that it took."""


@dataclass
class Times:
    """What an arm took, in nanoseconds."""

    wall: list[int] = field(default_factory=list)
    cpu: list[int] = field(default_factory=list)

    def summary(self) -> dict[str, float]:
        """Milliseconds, their spread, and CPU seconds per second of video."""
        p10, p25, p50, p75, p95 = np.percentile(np.array(self.wall) / 1e6, [10, 25, 50, 75, 95])
        return {
            "p10": float(p10),
            "p50": float(p50),
            "p95": float(p95),
            "spread": float((p75 - p25) / p50),
            "cpu": float(np.median(self.cpu)) * 30 / 1e9,
        }


class Careful:
    """The same with OpenCV and onnxruntime as a careful person writes it, into memory it keeps."""

    def __init__(self, height: int, width: int) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(
            models.path("selfie_landscape"), options, providers=["CPUExecutionProvider"]
        )
        self.input = self.session.get_inputs()[0].name
        self.size = (width, height)
        self.quarter = (width // 4, height // 4)
        self.blurred = np.empty((height, width, 3), np.uint8)
        self.mask = np.empty((height, width), np.float32)
        self.rest = np.empty((height, width), np.float32)
        self.out = np.empty((height, width, 3), np.uint8)

    def __call__(self, frame: Picture) -> Picture:
        """BGR to BGR."""
        small = cv2.resize(frame, NETWORK, interpolation=cv2.INTER_AREA)
        rgb = cv2.cvtColor(small, cv2.COLOR_BGR2RGB).astype(np.float32) * np.float32(1 / 255)
        (mask,) = self.session.run(None, {self.input: rgb[None]})
        cv2.resize(mask[0, :, :, 0], self.size, self.mask, interpolation=cv2.INTER_LINEAR)
        np.subtract(np.float32(1), self.mask, out=self.rest)
        quarter = cv2.resize(frame, self.quarter, interpolation=cv2.INTER_AREA)
        quarter = cv2.GaussianBlur(quarter, (15, 15), 0)
        cv2.resize(quarter, self.size, self.blurred, interpolation=cv2.INTER_LINEAR)
        cv2.blendLinear(frame, self.blurred, self.mask, self.rest, self.out)
        return self.out


def timed(work: Callable[[int], object]) -> Arm:
    """An arm of this process."""

    def run(number: int) -> tuple[int, int]:
        cpu, begun = process_time_ns(), perf_counter_ns()
        work(number)
        return perf_counter_ns() - begun, process_time_ns() - cpu

    return run


@contextmanager
def usual(python: Path, frames: list[Picture]) -> Iterator[Arm]:
    """The usual script, in a process of its own."""
    process = subprocess.Popen(
        [str(python), str(Path(__file__).with_name("_usual_script.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    orders, answers = process.stdin, process.stdout
    assert orders is not None
    assert answers is not None

    def ask(order: object) -> str:
        orders.write(f"{order}\n")
        orders.flush()
        return answers.readline()

    def run(number: int) -> tuple[int, int]:
        wall, cpu = ask(number).split()
        return int(wall), int(cpu)

    try:
        if answers.readline() != ".\n":
            raise SystemExit(f"{python} cannot run _usual_script.py: has it mediapipe==0.10.21?")
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "frames.npy"
            np.save(file, np.stack(frames))
            ask(file)
        yield run
    finally:
        orders.close()
        process.wait()


def clip(width: int, height: int) -> tuple[list[av.VideoFrame], list[Picture]]:
    """Frames of the sample clip at a size, as I420 and as BGR."""
    with open_source("sample") as source:
        chosen = islice(source.frames(), 0, FRAMES * EVERY, EVERY)
        raw = [frame_to_array(frame, PixelFormat.BGR24) for frame in chosen]
    pictures = []
    for picture in raw:
        rows = min(picture.shape[0], picture.shape[1] * height // width)
        top = (picture.shape[0] - rows) // 2
        cut = picture[top : top + rows]
        cubic = cv2.resize(cut, (width, height), interpolation=cv2.INTER_CUBIC)
        pictures.append(np.asarray(cubic, np.uint8))
    frames = [
        av.VideoFrame.from_ndarray(p, format="bgr24").reformat(format="yuv420p") for p in pictures
    ]
    return frames, pictures


def measure(
    size: tuple[int, int], rounds: int, mediapipe: Path | None
) -> tuple[dict[str, dict[str, float]], str]:
    """Times of all arms at a size, and ours by node."""
    width, height = size
    frames, pictures = clip(width, height)
    planes = [frame.to_ndarray() for frame in frames]
    target = np.empty_like(planes[0])
    careful = Careful(height, width)
    with Pipeline([BackgroundBlur()]) as pipeline, Pipeline([BackgroundBlur()]) as from_bgr:
        arms: dict[str, Arm] = {
            "copy": timed(lambda number: np.copyto(target, planes[number % FRAMES])),
            "careful": timed(lambda number: careful(pictures[number % FRAMES])),
            "pullfx": timed(lambda number: pipeline.process(frames[number % FRAMES])),
            "pullfx bgr": timed(lambda number: from_bgr.process(pictures[number % FRAMES])),
        }
        times = {name: Times() for name in ("usual", *arms)}
        if mediapipe is None:
            del times["usual"]
            _turns(arms, times, rounds)
        else:
            with usual(mediapipe, pictures) as arm:
                _turns({"usual": arm, **arms}, times, rounds)
        return {name: taken.summary() for name, taken in times.items()}, str(pipeline.stats())


def _turns(arms: dict[str, Arm], times: dict[str, Times], rounds: int) -> None:
    for number in range(WARM_UP + rounds):
        for name, run in arms.items():
            wall, cpu = run(number)
            if number >= WARM_UP:
                times[name].wall.append(wall)
                times[name].cpu.append(cpu)


def cost_of_off(size: tuple[int, int]) -> float:
    """Microseconds that a blur that is off adds to a frame."""
    frames, _ = clip(*size)
    with Pipeline([]) as nothing, Pipeline([BackgroundBlur()]) as off:
        off.disable("background_blur")
        arms = {
            "nothing": timed(lambda number: nothing.process(frames[number % FRAMES])),
            "off": timed(lambda number: off.process(frames[number % FRAMES])),
        }
        times = {name: Times() for name in arms}
        _turns(arms, times, 2000)
    return float(np.median(times["off"].wall) - np.median(times["nothing"].wall)) / 1000


def size_of(text: str) -> tuple[int, int]:
    """Width and height."""
    width, height = map(int, text.split("x"))
    return width, height


def main() -> None:
    """Runs the benchmark and prints it."""
    parser = argparse.ArgumentParser(description="What background blur costs.")
    parser.add_argument(
        "--sizes", nargs="+", type=size_of, default=[(1280, 720), (1920, 1080), (3840, 2160)]
    )
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--mediapipe", type=Path, default=MEDIAPIPE, help="a Python that has it")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    mediapipe = options.mediapipe if options.mediapipe.exists() else None
    if mediapipe is None:
        print(f"without the usual script: no {options.mediapipe} (make mediapipe)", file=sys.stderr)
    cv2.setNumThreads(1)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

    console = Console(width=100)
    report: dict[str, Any] = {
        "rounds": options.rounds,
        "processor": platform.processor() or platform.machine(),
        "isa": kernels.active_isa(),
        "sizes": {},
    }
    for size in options.sizes:
        name = f"{size[0]}x{size[1]}"
        rows, nodes = measure(size, options.rounds, mediapipe)
        ours = rows["pullfx"]["p50"]
        void = any(row["spread"] > LARGEST_SPREAD for row in rows.values())
        title = f"{name}, ms a frame, one thread{', void' if void else ''}"
        table = Table("how", title=title)
        for column in ("p10", "p50", "p95", "spread", "x pullfx", "x copy", "cpu", "x cpu"):
            table.add_column(column, justify="right")
        for arm, row in rows.items():
            table.add_row(
                arm,
                *(f"{row[part]:.2f}" for part in ("p10", "p50", "p95")),
                f"{row['spread']:.0%}",
                f"{row['p50'] / ours:.1f}",
                f"{row['p50'] / rows['copy']['p50']:.1f}",
                f"{row['cpu']:.1%}",
                f"{row['cpu'] / rows['pullfx']['cpu']:.1f}",
            )
        console.print(table)
        print(nodes)
        report["sizes"][name] = {
            "void": void,
            "milliseconds": rows,
            "times_pullfx": {arm: row["p50"] / ours for arm, row in rows.items()},
            "copies": ours / rows["copy"]["p50"],
            "cpu_times_pullfx": {
                arm: row["cpu"] / rows["pullfx"]["cpu"] for arm, row in rows.items()
            },
        }
    report["off_microseconds"] = cost_of_off(options.sizes[0])
    print(f"an effect that is off: {report['off_microseconds']:.2f} µs a frame")
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
