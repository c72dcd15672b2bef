"""How many live streams a machine carries: sessions of one pipeline, each a 720p camera at 30 fps.

    python benchmarks/streams.py [--effects background_blur] [--cpus 1] [--seconds 4] [--json FILE]

Each stream has a thread that sleeps until its next frame is due, and works on it. Streams begin
spread over the time of a frame. A frame is late when it is done after the next one was due. The
process keeps to so many CPUs; streams are added until more than `MOST_LATE` of all frames are late.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter, process_time, sleep

import av
import cv2
from _measuring import pin, processor
from rich.console import Console
from rich.table import Table

from pipeline import clip, each
from pullfx import Pipeline, effects, kernels

FPS = 30
FRAMES = 24
WARM_UP = 30  # frames
MOST_LATE = 0.01


@dataclass(frozen=True)
class Load:
    """What so many streams were.

    Attributes:
        streams: how many.
        late: the part of the frames that were late.
        cpu: the part of the CPUs that the process used.
    """

    streams: int
    late: float
    cpu: float


def run_stream(work: Callable[[], object], begin: float, count: int, late: list[bool]) -> None:
    """Works on frames as a camera gives them; notes which are late."""
    for number in range(count):
        due = begin + number / FPS
        sleep(max(due - perf_counter(), 0))
        work()
        late.append(perf_counter() > due + 1 / FPS)


def measure(pipe: Pipeline, frames: list[av.VideoFrame], streams: int, seconds: float) -> Load:
    """Runs so many streams at once."""
    count = round(seconds * FPS)
    late: list[list[bool]] = [[] for _ in range(streams)]
    sessions = [pipe.session() for _ in range(streams)]
    works = [each(frames, session.process) for session in sessions]
    for work in works:
        for _ in range(WARM_UP):
            work()
    begin = perf_counter() + 0.1
    threads = [
        threading.Thread(
            target=run_stream,
            args=(work, begin + number / streams / FPS, count, late[number]),
        )
        for number, work in enumerate(works)
    ]
    used, begun = process_time(), perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    cpu = (process_time() - used) / (perf_counter() - begun)
    for session in sessions:
        session.close()
    return Load(streams, sum(map(sum, late)) / (streams * count), cpu)


def main() -> None:
    """Runs the benchmark and prints it."""
    parser = argparse.ArgumentParser(description="How many streams a machine carries.")
    parser.add_argument("--effects", nargs="+", default=["background_blur"])
    parser.add_argument("--cpus", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    pin(options.cpus)
    sys.setswitchinterval(0.001)
    frames, _ = clip(1280, 720, FRAMES, every=1)
    frames += frames[-2:0:-1]
    pipe = Pipeline([effects.by_name(name)() for name in options.effects])
    loads: list[Load] = []
    while not loads or loads[-1].late <= MOST_LATE:
        loads.append(measure(pipe, frames, len(loads) + 1, options.seconds))
    table = Table(
        "streams",
        "late",
        "CPU",
        title=f"{' + '.join(options.effects)}, 720p at {FPS} fps, {options.cpus} of "
        f"{os.cpu_count()} CPUs of {processor()}, {kernels.active_isa()}",
    )
    for load in loads:
        table.add_row(str(load.streams), f"{load.late:.1%}", f"{load.cpu:.0%}")
    console = Console(width=100)
    console.print(table)
    console.print(f"{loads[-1].streams - 1} streams with at most {MOST_LATE:.0%} of frames late")
    if options.json:
        report = {"effects": options.effects, "loads": [asdict(load) for load in loads]}
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
