"""Our kernels against onnxruntime, LiteRT and OpenVINO on the same portrait network.

    python benchmarks/network.py [--model landscape] [--threads 1 2] [--rounds 30] [--json FILE]

All run in one process, in turns, iteration by iteration, pinned to as many CPUs as there are
threads; every number of threads has a process of its own. `_measuring.py` says what the figures
mean and when an arm is void. "times faster" than onnxruntime in float32 is the median of the
ratios within each round. With several threads there is a pause between two arms, since some keep
theirs spinning for a while after the work.

"IoU" is that of the mask with onnxruntime's in float32, the mean over real photographs: those of
the test media ($PULLFX_MEDIA, or ../shared/media), else frames of the sample clip. The times are
for the first of them. LiteRT has no last layer (MediaPipe's own operator): it is timed without,
and its mask is completed in numpy. LiteRT and OpenVINO take part where they are installed, see the
extra `bench`; LiteRT wants the original file too, which is fetched from PyPI once.
Only ratios within one run carry over to another machine.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np
import onnxruntime  # type: ignore[import-untyped]
from _measuring import HEADINGS, Times, columns_of, in_turns, pin, processor
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from pullfx import kernels, models
from pullfx.kernels import reference
from pullfx.kernels.network import Network, Program, compile_network
from pullfx.nodes import Size, downscale, reduce
from pullfx.pipeline.sources.sample import SampleSource

ROOT = Path(__file__).resolve().parents[1]
MEDIA = Path(os.environ.get("PULLFX_MEDIA", ROOT.parent / "shared" / "media"))
BASE = "onnxruntime fp32"
PAUSE = 0.005
EVERY = 15  # of the clip's frames

Picture = NDArray[np.uint8]
Person = NDArray[np.bool_]


class Engine(Protocol):
    """What can run a network."""

    def load(self, picture: Picture) -> None:
        """Takes a picture of the network's size; this is not timed."""

    def run(self) -> None:
        """Makes its mask."""

    def person(self) -> Person:
        """Where the mask is more person than background."""


class Ours:
    """The network on our own kernels."""

    def __init__(self, program: Program, isa: str, threads: int) -> None:
        self._network = Network(program, isa, threads)
        self._mask = np.empty((program.height, program.width), np.uint8)

    def load(self, picture: Picture) -> None:
        """See `Engine`."""
        self._picture = picture

    def run(self) -> None:
        """See `Engine`."""
        self._network.run(self._picture, self._mask)

    def person(self) -> Person:
        """See `Engine`."""
        return np.asarray(self._mask > 127)


class OnnxRuntime:
    """With its default optimisations."""

    def __init__(self, path: Path, threads: int) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        self._session = onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"]
        )
        self._name = self._session.get_inputs()[0].name

    def load(self, picture: Picture) -> None:
        """See `Engine`."""
        self._inputs = {self._name: as_floats(picture)}

    def run(self) -> None:
        """See `Engine`."""
        (self._mask,) = self._session.run(None, self._inputs)

    def person(self) -> Person:
        """See `Engine`."""
        return np.asarray(self._mask.squeeze() > 0.5)


class OpenVino:
    """Tuned for latency."""

    def __init__(self, path: Path, threads: int) -> None:
        import openvino  # type: ignore[import-not-found, import-untyped, unused-ignore]

        core = openvino.Core()
        settings = {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY"}
        self._request = core.compile_model(path, "CPU", settings).create_infer_request()

    def load(self, picture: Picture) -> None:
        """See `Engine`."""
        self._inputs = [as_floats(picture)]

    def run(self) -> None:
        """See `Engine`."""
        self._mask = self._request.infer(self._inputs, share_inputs=True)[0]

    def person(self) -> Person:
        """See `Engine`."""
        return np.asarray(self._mask.squeeze() > 0.5)


class LiteRt:
    """With XNNPACK, on the original file without its last layer."""

    def __init__(self, model: str, threads: int) -> None:
        sys.path.insert(0, str(ROOT))
        from tools.convert_tflite.fetch import FOLDER, FetchError, fetch_wheel
        from tools.convert_tflite.litert import LiteRtNetwork
        from tools.convert_tflite.recipes import read_sources

        folder = ROOT / FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        try:
            wheel = fetch_wheel(folder)
        except FetchError as error:
            raise OSError(str(error)) from error
        contents = {recipe.name: content for recipe, content in read_sources(wheel)}
        self._network = LiteRtNetwork(contents[model], threads)

    def load(self, picture: Picture) -> None:
        """See `Engine`."""
        self._network.load(as_floats(picture))

    def run(self) -> None:
        """See `Engine`."""
        self._network.invoke()

    def person(self) -> Person:
        """See `Engine`."""
        return np.asarray(self._network.outputs()[0].squeeze() > 0.5)


def as_floats(picture: Picture) -> NDArray[np.float32]:
    """What the networks themselves take: [1, height, width, 3] in 0..1."""
    return np.asarray(picture[np.newaxis] / np.float32(255))


def engines_of(model: str, quantised: Path, program: Program, threads: int) -> dict[str, Engine]:
    """What takes part, by name."""
    plain = models.path(model)
    makers: dict[str, Callable[[], Engine]] = {
        f"pullfx {isa}": partial(Ours, program, isa, threads)
        for isa in kernels.available_isas()
        if isa != reference.name
    }
    makers[BASE] = partial(OnnxRuntime, plain, threads)
    makers["onnxruntime int8"] = partial(OnnxRuntime, quantised, threads)
    makers["OpenVINO fp32"] = partial(OpenVino, plain, threads)
    makers["OpenVINO int8"] = partial(OpenVino, quantised, threads)
    makers["LiteRT fp32"] = partial(LiteRt, model, threads)
    engines: dict[str, Engine] = {}
    for name, make in makers.items():
        try:
            engines[name] = make()
        except (ImportError, OSError) as error:
            print(f"without {name}: {error}")
    return engines


def photographs(size: Size) -> tuple[list[Picture], str]:
    """Real pictures of persons at the network's size, and what they are."""
    pictures = []
    for mask in sorted(MEDIA.glob("pairs/*_mask.png")):
        (path,) = mask.parent.glob(mask.name.replace("_mask.png", ".[jp][pn]g"))
        pixels = np.asarray(cv2.imread(str(path)), np.uint8)
        pixels = np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)
        pictures.append(np.ascontiguousarray(pixels[..., ::-1]))
    if pictures:
        return pictures, f"{len(pictures)} photographs of {MEDIA.name}/pairs"
    with SampleSource() as source:
        some = islice(source.frames(), 0, None, EVERY)
        pictures = [np.asarray(downscale(frame, reduce(frame), (size,))) for frame in some]
    return pictures, f"{len(pictures)} frames of the sample clip; there is no {MEDIA}"


def overlaps(engines: dict[str, Engine], pictures: list[Picture]) -> dict[str, float]:
    """Intersection over union with the mask of the base, the mean over pictures."""
    parts: dict[str, list[float]] = {name: [] for name in engines}
    for picture in pictures:
        masks = {}
        for name, engine in engines.items():
            engine.load(picture)
            engine.run()
            masks[name] = engine.person()
        for name, mask in masks.items():
            both, either = (mask & masks[BASE]).sum(), (mask | masks[BASE]).sum()
            parts[name].append(float(both / either) if either else 1.0)
    return {name: float(np.mean(values)) for name, values in parts.items()}


@dataclass(frozen=True)
class Session:
    """What was measured with one number of threads."""

    threads: int
    pictures: str
    times: dict[str, Times]
    overlaps: dict[str, float] = field(default_factory=dict)

    @property
    def best(self) -> str:
        """Ours that is fastest."""
        ours = [name for name in self.times if name.startswith("pullfx")]
        return max(ours, key=self.faster)

    def faster(self, name: str) -> float:
        """How many times faster than the base."""
        return self.times[name].faster_than(self.times[BASE])

    def table(self, model: str) -> Table:
        """For reading."""
        table = Table(
            title=f"{model} on {processor()}, {self.threads} thread(s): ms, times faster than "
            f"{BASE}, IoU with it on {self.pictures}"
        )
        for column in ("how", *HEADINGS, "times faster", "IoU"):
            table.add_column(column, justify="left" if column == "how" else "right")
        for name, times in self.times.items():
            iou = f"{self.overlaps[name]:.3f}"
            table.add_row(name, *columns_of(times), f"{self.faster(name):.2f}", iou)
        return table

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "threads": self.threads,
            "best": self.best,
            "ratio_over_onnxruntime_fp32": self.faster(self.best),
            "void": self.times[BASE].is_void or self.times[self.best].is_void,
            "iou_pictures": self.pictures,
            "milliseconds": {
                name: {
                    **times.as_dict(),
                    "ratio_over_onnxruntime_fp32": self.faster(name),
                    "iou": self.overlaps[name],
                }
                for name, times in self.times.items()
            },
        }


def measure(model: str, quantised: Path, rounds: int, threads: int) -> Session:
    """Measures with a number of threads, in the process of the caller."""
    pin(threads)
    cv2.setNumThreads(1)
    program = compile_network(quantised)
    engines = engines_of(model, quantised, program, threads)
    pictures, words = photographs(Size(program.width, program.height))
    ious = overlaps(engines, pictures)
    for engine in engines.values():
        engine.load(pictures[0])
    arms = {name: engine.run for name, engine in engines.items()}
    times = in_turns(arms, rounds, pause=PAUSE if threads > 1 else 0)
    return Session(threads, words, times, ious)


def main() -> None:
    """Runs the benchmark and prints it."""
    parser = argparse.ArgumentParser(description="What a portrait network costs.")
    parser.add_argument("--model", choices=("landscape", "square"), default="landscape")
    parser.add_argument("--quantised", type=Path, help="in 8 bits; default: the shipped one")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=30, help="of 10 turns each")
    parser.add_argument("--json", type=Path, help="the first of --threads, others under 'others'")
    options = parser.parse_args()
    model = f"selfie_{options.model}"
    quantised = options.quantised or models.path(f"{model}.int8")

    # A process each, since libraries keep threads, and the CPUs they are pinned to, until the end.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context, max_tasks_per_child=1) as processes:
        work = partial(measure, model, quantised, options.rounds)
        sessions = list(processes.map(work, options.threads))
    for session in sessions:
        Console().print(session.table(model))
    if options.json:
        first, *others = (session.as_dict() for session in sessions)
        report = {
            "model": options.model,
            "rounds": options.rounds,
            "processor": processor(),
            "isas": kernels.available_isas(),
            **first,
            "others": others,
        }
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
