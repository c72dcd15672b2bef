"""Background blur as a whole: ours against the script that most people write and a careful one.

    python benchmarks/pipeline.py [--sizes 1280x720 1920x1080 3840x2160] [--rounds 8]
        [--mediapipe build/mediapipe/bin/python] [--json FILE]

The arms work in turns, on frames of the sample clip, all on one CPU; see `_measuring.py`:

* `usual`: MediaPipe, GaussianBlur(55), numpy's where; in a process of its own, since MediaPipe pins
  numpy < 2 (`make mediapipe` makes its environment);
* `careful`: the selfie network in onnxruntime at its own size, blur at a quarter, blendLinear;
* `pullfx`: from and to av.VideoFrame; `pullfx bgr`: from and to numpy BGR;
* `copy`: one I420 frame copied, the floor.

"cpu" is the part of one CPU that video of 30 frames a second takes, by the time that the system
charges for it, which others disturb less. Only ratios within one run carry over to another machine.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from time import process_time
from typing import Any

import av
import cv2
import numpy as np
import onnxruntime  # type: ignore[import-untyped]
from _measuring import Times, in_turns, losses_of_the_cpu, pin, processor
from _mediapipe import MEDIAPIPE, Script
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from pullfx import BackgroundBlur, Pipeline, kernels, models
from pullfx.pipeline.formats import PixelFormat, frame_to_array
from pullfx.pipeline.sources import open_source

FRAMES = 8
EVERY = 7  # of the clip's frames, so that there is movement
NETWORK = (256, 144)
RATE = 30
CPU_FRAMES = 2 * FRAMES

Picture = NDArray[np.uint8]


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


class Usual:
    """The usual script, in a process of its own."""

    def __init__(self, python: Path) -> None:
        self._script = Script("_usual_script.py", python)
        self.losses = 0
        self.cpu_seconds = 0.0

    def ask(self, order: object) -> None:
        """A file of frames to load, or the number of a frame to work on."""
        losses, seconds = self._script.ask(order).split()
        self.losses, self.cpu_seconds = int(losses), float(seconds)

    def close(self) -> None:
        """Ends it."""
        self._script.close()


@contextmanager
def usual(python: Path, frames: list[Picture]) -> Iterator[Usual]:
    """The usual script with these frames."""
    script = Usual(python)
    try:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "frames.npy"
            np.save(file, np.stack(frames))
            script.ask(file)
        yield script
    finally:
        script.close()


def clip(
    width: int, height: int, count: int = FRAMES, every: int = EVERY
) -> tuple[list[av.VideoFrame], list[Picture]]:
    """Frames of the sample clip at a size, as I420 and as BGR."""
    with open_source("sample") as source:
        chosen = islice(source.frames(), 0, count * every, every)
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


def each(frames: list[Any], work: Callable[[Any], object]) -> Callable[[], object]:
    """Works on one frame after the other, and so on."""
    numbers = count()
    return lambda: work(frames[next(numbers) % len(frames)])


@dataclass(frozen=True)
class Measured:
    """A size.

    Attributes:
        times: of each arm.
        cpu: of each arm, the part of one CPU at `RATE`.
        nodes: ours, node by node, for people.
    """

    times: dict[str, Times]
    cpu: dict[str, float]
    nodes: str


def measure(size: tuple[int, int], rounds: int, mediapipe: Path | None) -> Measured:
    """Works with all arms at a size."""
    width, height = size
    frames, pictures = clip(width, height)
    planes = [frame.to_ndarray() for frame in frames]
    target = np.empty_like(planes[0])
    with ExitStack() as stack:
        pipeline = stack.enter_context(Pipeline([BackgroundBlur()]))
        from_bgr = stack.enter_context(Pipeline([BackgroundBlur()]))
        arms = {
            "careful": each(pictures, Careful(height, width)),
            "pullfx": each(frames, pipeline.process),
            "pullfx bgr": each(pictures, from_bgr.process),
            "copy": each(planes, lambda plane: np.copyto(target, plane)),
        }
        losses_of, cpu_seconds = losses_of_the_cpu, process_time
        if mediapipe is not None:
            script = stack.enter_context(usual(mediapipe, pictures))
            arms = {"usual": each(list(range(FRAMES)), script.ask), **arms}
            losses_of = lambda: losses_of_the_cpu() + script.losses  # noqa: E731
            cpu_seconds = lambda: process_time() + script.cpu_seconds  # noqa: E731
        times = in_turns(arms, rounds, losses_of=losses_of)
        cpu = {}
        for name, run in arms.items():
            before = cpu_seconds()
            for _ in range(CPU_FRAMES):
                run()
            cpu[name] = (cpu_seconds() - before) / CPU_FRAMES * RATE
        return Measured(times, cpu, str(pipeline.stats()))


def cost_of_off(size: tuple[int, int], rounds: int) -> float:
    """Microseconds that a blur that is off adds to a frame."""
    frames, _ = clip(*size)
    with Pipeline([]) as nothing, Pipeline([BackgroundBlur()]) as off:
        off.disable("background_blur")
        arms = {"nothing": each(frames, nothing.process), "off": each(frames, off.process)}
        times = in_turns(arms, 20 * rounds)
    return 1000 * (times["off"].percentile(50) - times["nothing"].percentile(50))


def size_of(text: str) -> tuple[int, int]:
    """Width and height."""
    width, height = map(int, text.split("x"))
    return width, height


def report_of(measured: Measured) -> dict[str, Any]:
    """For JSON."""
    times, cpu = measured.times, measured.cpu
    ours, copy = times["pullfx"], times["copy"]
    return {
        "milliseconds": {name: taken.as_dict() for name, taken in times.items()},
        "times_pullfx": {name: ours.faster_than(taken) for name, taken in times.items()},
        "copies": copy.faster_than(ours),
        "cpu": cpu,
        "cpu_times_pullfx": {name: part / cpu["pullfx"] for name, part in cpu.items()},
        "void": any(taken.is_void for taken in times.values()),
    }


def table_of(name: str, times: dict[str, Times], report: dict[str, Any]) -> Table:
    """For people."""
    table = Table("how", title=f"{name}, ms a frame, one thread of {processor()}")
    for column in ("p10", "p50", "p95", "spread", "disturbed", "x pullfx", "cpu", "x cpu"):
        table.add_column(column, justify="right")
    for arm, taken in times.items():
        void = " void" if taken.is_void else ""
        table.add_row(
            arm,
            *(f"{taken.percentile(percent):.2f}" for percent in (10, 50, 95)),
            f"{taken.spread:.0%}{void}",
            f"{taken.disturbed:.0%}",
            f"{report['times_pullfx'][arm]:.1f}",
            f"{report['cpu'][arm]:.1%}",
            f"{report['cpu_times_pullfx'][arm]:.1f}",
        )
    table.caption = f"pullfx takes as long as {report['copies']:.1f} copies of the frame"
    return table


def main() -> None:
    """Runs the benchmark and prints it."""
    parser = argparse.ArgumentParser(description="What background blur costs.")
    parser.add_argument(
        "--sizes", nargs="+", type=size_of, default=[(1280, 720), (1920, 1080), (3840, 2160)]
    )
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--mediapipe", type=Path, default=MEDIAPIPE, help="a Python that has it")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    mediapipe = options.mediapipe if options.mediapipe.exists() else None
    if mediapipe is None:
        print(f"without the usual script: no {options.mediapipe} (make mediapipe)", file=sys.stderr)
    cv2.setNumThreads(1)
    pin(1)

    console = Console(width=100)
    sizes: dict[str, Any] = {}
    for size in options.sizes:
        name = f"{size[0]}x{size[1]}"
        measured = measure(size, options.rounds, mediapipe)
        sizes[name] = report_of(measured)
        console.print(table_of(name, measured.times, sizes[name]))
        print(measured.nodes)
    off = cost_of_off(options.sizes[0], options.rounds)
    print(f"an effect that is off: {off:.2f} µs a frame")
    if options.json:
        report = {
            "processor": processor(),
            "isa": kernels.active_isa(),
            "rounds": options.rounds,
            "sizes": sizes,
            "off_microseconds": off,
        }
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
