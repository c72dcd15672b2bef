"""Our kernels against onnxruntime, LiteRT and OpenVINO on the same network.

    python benchmarks/network.py [--model landscape] [--threads 1 2] [--rounds 30] [--json FILE]

Models are the portrait networks, `landscape` and `square`, the face detector, `faces`, and the face
mesh, `mesh`.

All run in one process, in turns, iteration by iteration, pinned to as many CPUs as there are
threads; every number of threads has a process of its own. `_measuring.py` says what the figures
mean and when an arm is void. "times faster" than onnxruntime in float32 is the median of the
ratios within each round. With several threads there is a pause between two arms, since some keep
theirs spinning for a while after the work.

"IoU" is that of the mask with onnxruntime's in float32, or of the box of the surest face or of the
mesh, the mean over real photographs: those of the test media ($PULLFX_MEDIA, or ../shared/media),
else frames of the sample clip. The times are for the first of them. LiteRT has no last layer of a
portrait network (MediaPipe's own operator): it is timed without, and its mask is completed in
numpy. LiteRT and OpenVINO take part where they are installed, see the extra `bench`; LiteRT wants
the original file too, which is fetched from PyPI once.
Only ratios within one run carry over to another machine.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
from collections.abc import Callable, Sequence
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
from pullfx.nodes.faces.candidates import decode, intersection_over_union, suppress
from pullfx.pipeline.sources.sample import SampleSource

ROOT = Path(__file__).resolve().parents[1]
MEDIA = Path(os.environ.get("PULLFX_MEDIA", ROOT.parent / "shared" / "media"))
BASE = "onnxruntime fp32"
PAUSE = 0.005
LEAST = 0.5  # the score of a face
EVERY = 15  # of the clip's frames

MODELS = {
    "landscape": "selfie_landscape",
    "square": "selfie_square",
    "faces": "face_short_range",
    "mesh": "face_mesh",
}
MESH_NUMBERS = 3 * 468

Picture = NDArray[np.uint8]
Answer = Sequence[NDArray[Any]]
"""A network's outputs, in the order of its file; a mask in 0..1."""


class Engine(Protocol):
    """What can run a network."""

    def load(self, picture: Picture) -> None:
        """Takes a picture of the network's size; this is not timed."""

    def run(self) -> None:
        """Makes its outputs."""

    def answer(self) -> Answer:
        """What it made."""


class Ours:
    """The network on our own kernels."""

    def __init__(self, program: Program, isa: str, threads: int) -> None:
        self._network = Network(program, isa, threads)
        self._mask = np.empty((program.height, program.width), np.uint8)
        self._numbers = np.empty(program.numbers, np.float32)

    def load(self, picture: Picture) -> None:
        """See `Engine`."""
        self._picture = picture

    def run(self) -> None:
        """See `Engine`."""
        if self._numbers.size:
            self._outputs = self._network.run_outputs(self._picture, self._numbers)
        else:
            self._network.run(self._picture, self._mask)

    def answer(self) -> Answer:
        """See `Engine`."""
        return self._outputs if self._numbers.size else [self._mask / 255]


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
        self._outputs: Answer = self._session.run(None, self._inputs)

    def answer(self) -> Answer:
        """See `Engine`."""
        return self._outputs


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
        outputs = self._request.infer(self._inputs, share_inputs=True)
        self._outputs: Answer = [outputs[index] for index in range(len(outputs))]

    def answer(self) -> Answer:
        """See `Engine`."""
        return self._outputs


class LiteRt:
    """With XNNPACK, on the original file, without its last layer where that gives a mask."""

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
        ((recipe, content),) = (found for found in read_sources(wheel) if found[0].name == model)
        self._network = LiteRtNetwork(content, threads)
        self._normalisation = recipe.normalisation

    def load(self, picture: Picture) -> None:
        """See `Engine`."""
        image = as_floats(picture)
        if (wanted := self._normalisation) is not None:
            image = image * np.float32(wanted.scale) + np.float32(wanted.offset)
        self._network.load(image)

    def run(self) -> None:
        """See `Engine`."""
        self._network.invoke()

    def answer(self) -> Answer:
        """See `Engine`."""
        return self._network.outputs()


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


def photographs(size: Size, whole: bool) -> tuple[list[Picture], str]:
    """Real pictures of persons at the network's size, and what they are.

    Args:
        size: of the network's picture.
        whole: squeezes all of a picture in; else what is around the middle is seen as it is.
    """
    pictures = []
    for mask in sorted(MEDIA.glob("pairs/*_mask.png")):
        (path,) = mask.parent.glob(mask.name.replace("_mask.png", ".[jp][pn]g"))
        pixels = np.asarray(cv2.imread(str(path)), np.uint8)
        if not whole:
            pixels = middle_of(pixels, size)
        pixels = np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)
        pictures.append(np.ascontiguousarray(pixels[..., ::-1]))
    if pictures:
        return pictures, f"{len(pictures)} photographs of {MEDIA.name}/pairs"
    with SampleSource() as source:
        some = islice(source.frames(), 0, None, EVERY)
        pictures = [np.asarray(downscale(frame, reduce(frame), (size,))) for frame in some]
    return pictures, f"{len(pictures)} frames of the sample clip; there is no {MEDIA}"


def middle_of(pixels: Picture, size: Size) -> Picture:
    """The largest part around the middle that has the shape of a size."""
    height, width, _ = pixels.shape
    scale = min(height / size.height, width / size.width)
    rows, columns = round(size.height * scale), round(size.width * scale)
    top, left = (height - rows) // 2, (width - columns) // 2
    return pixels[top : top + rows, left : left + columns]


def overlap_of(answer: Answer, base: Answer) -> float:
    """Intersection over union of masks, or of the boxes of the surest faces."""
    if len(base) > 1:
        one, other = boxes_of(answer), boxes_of(base)
        if not len(one) or not len(other):
            return float(len(one) == len(other))
        return float(intersection_over_union(one[0], other[:1])[0])
    mask, base_mask = (a[0].squeeze() > 0.5 for a in (answer, base))
    both, either = (mask & base_mask).sum(), (mask | base_mask).sum()
    return float(both / either) if either else 1.0


def boxes_of(answer: Answer) -> NDArray[np.float32]:
    """Left, top, width and height of faces, the surest first, or of a mesh: float32 [count, 4]."""
    if answer[0].size == MESH_NUMBERS:
        points = answer[0].reshape(-1, 3)[:, :2]
        low = points.min(axis=0)
        return np.concatenate((low, points.max(axis=0) - low))[None]
    return suppress(decode(answer[0][0], answer[1][0, :, 0], LEAST), 0.3).values[:, :4]


def overlaps(engines: dict[str, Engine], pictures: list[Picture]) -> dict[str, float]:
    """Intersection over union with the base, the mean over pictures."""
    parts: dict[str, list[float]] = {name: [] for name in engines}
    for picture in pictures:
        answers = {}
        for name, engine in engines.items():
            engine.load(picture)
            engine.run()
            answers[name] = engine.answer()
        for name, answer in answers.items():
            parts[name].append(overlap_of(answer, answers[BASE]))
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
    has_mask = model.startswith("selfie")
    program = compile_network(quantised, outputs=not has_mask)
    engines = engines_of(model, quantised, program, threads)
    pictures, words = photographs(Size(program.width, program.height), whole=has_mask)
    ious = overlaps(engines, pictures)
    for engine in engines.values():
        engine.load(pictures[0])
    arms = {name: engine.run for name, engine in engines.items()}
    times = in_turns(arms, rounds, pause=PAUSE if threads > 1 else 0)
    return Session(threads, words, times, ious)


def main() -> None:
    """Runs the benchmark and prints it."""
    parser = argparse.ArgumentParser(description="What a network costs.")
    parser.add_argument("--model", choices=MODELS, default="landscape")
    parser.add_argument("--quantised", type=Path, help="in 8 bits; default: the shipped one")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=30, help="of 10 turns each")
    parser.add_argument("--json", type=Path, help="the first of --threads, others under 'others'")
    options = parser.parse_args()
    model = MODELS[options.model]
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
