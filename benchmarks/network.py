"""Our kernels against onnxruntime, LiteRT and OpenVINO on the same portrait network.

    python benchmarks/network.py [--model landscape] [--threads 1] [--rounds 200] [--json FILE]

All run in one process, in turns, iteration by iteration; the first rounds are discarded. A run is
void where the middle half of an arm's times spreads by more than 15 % of their median. "IoU" is
that of the mask with onnxruntime's in float32, on one made-up picture; `tests/` has the accuracy on
photographs. LiteRT and OpenVINO take part where they are installed (`ai-edge-litert`, `openvino`);
LiteRT also needs the original file, which `tools/convert_tflite` fetches, and is timed without the
network's last layer, which it does not have. Our kernels use one thread, whatever `--threads` says.
Only ratios within one run carry over to another machine.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter_ns
from typing import Any

import numpy as np
import onnxruntime  # type: ignore[import-untyped]
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from pullfx import kernels, models
from pullfx.kernels import reference
from pullfx.kernels.network import Network, compile_network

ROOT = Path(__file__).resolve().parents[1]
WARM_UP = 30
LARGEST_SPREAD = 0.15
BASE = "onnxruntime fp32"

Arm = Callable[[], NDArray[Any] | None]


def picture_of(height: int, width: int) -> NDArray[np.uint8]:
    """Something like a head and shoulders before a wall, with noise."""
    y, x = np.mgrid[:height, :width].astype(np.float64)
    head = ((x - width / 2) / (width / 9)) ** 2 + ((y - height * 0.35) / (height / 4)) ** 2 < 1
    body = ((x - width / 2) / (width / 4)) ** 2 + ((y - height) / (height * 0.45)) ** 2 < 1
    picture = np.stack([90 + 60 * x / width, 100 + 40 * y / height, np.full_like(x, 120)], axis=-1)
    picture[body] = (40, 50, 90)
    picture[head] = (205, 160, 135)
    noise = np.random.default_rng(1).normal(0, 4, picture.shape)
    return np.clip(picture + noise, 0, 255).astype(np.uint8)


def onnxruntime_arm(path: Path, picture: NDArray[np.uint8], threads: int) -> Arm:
    """Onnxruntime with its default optimisations."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    tensor = picture[None].astype(np.float32) / np.float32(255)
    return lambda: np.asarray(session.run(None, {name: tensor})[0])


def openvino_arm(path: Path, picture: NDArray[np.uint8], threads: int) -> Arm:
    """OpenVINO, tuned for latency."""
    import openvino  # type: ignore[import-not-found]

    core = openvino.Core()
    settings = {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY"}
    request = core.compile_model(core.read_model(path), "CPU", settings).create_infer_request()
    tensor = picture[None].astype(np.float32) / np.float32(255)
    return lambda: np.asarray(request.infer([tensor], share_inputs=True)[0])


def litert_arm(model: str, picture: NDArray[np.uint8], threads: int) -> Arm:
    """LiteRT with XNNPACK on the original file, up to the last layer."""
    sys.path.insert(0, str(ROOT))
    import tflite  # type: ignore[import-untyped]
    from ai_edge_litert.interpreter import Interpreter  # type: ignore[import-untyped]

    from tools.convert_tflite import litert
    from tools.convert_tflite.fetch import FOLDER, WHEEL
    from tools.convert_tflite.recipes import read_sources

    sources = {recipe.name: content for recipe, content in read_sources(ROOT / FOLDER / WHEEL)}
    content = sources[f"selfie_{model}"]
    graph = tflite.Model.GetRootAsModel(content, 0).Subgraphs(0)
    for index in range(graph.OperatorsLength()):
        code = tflite.Model.GetRootAsModel(content, 0).OperatorCodes(
            graph.Operators(index).OpcodeIndex()
        )
        if (code.CustomCode() or b"").decode() == litert.CUSTOM_KIND:
            content = litert.cut_subgraph(content, index, graph.Operators(index).Inputs(0))
            break
    interpreter = Interpreter(model_content=content, num_threads=threads)
    interpreter.allocate_tensors()
    place = interpreter.get_input_details()[0]["index"]
    interpreter.set_tensor(place, picture[None].astype(np.float32) / np.float32(255))

    def run() -> None:
        interpreter.invoke()

    return run


def arms_of(model: str, quantised: Path, threads: int) -> dict[str, Arm]:
    """What takes part, by name."""
    program = compile_network(quantised)
    picture = picture_of(program.height, program.width)
    arms: dict[str, Arm] = {}
    out = np.empty((program.height, program.width), np.uint8)
    for isa in kernels.available_isas():
        if isa != reference.name:
            network = Network(program, isa)
            arms[f"pullfx {isa}"] = lambda network=network: network.run(picture, out)  # type: ignore[misc]
    plain = models.path(f"selfie_{model}")
    makers: dict[str, Callable[[], Arm]] = {
        BASE: lambda: onnxruntime_arm(plain, picture, threads),
        "onnxruntime int8": lambda: onnxruntime_arm(quantised, picture, threads),
        "OpenVINO fp32": lambda: openvino_arm(plain, picture, threads),
        "OpenVINO int8": lambda: openvino_arm(quantised, picture, threads),
        "LiteRT fp32": lambda: litert_arm(model, picture, threads),
    }
    for name, make in makers.items():
        try:
            arms[name] = make()
        except (ImportError, OSError) as error:
            print(f"without {name}: {error}")
    return arms


def measure(arms: dict[str, Arm], rounds: int) -> dict[str, dict[str, Any]]:
    """Milliseconds (p10, p50, p95), spread and IoU of each arm."""
    times: dict[str, list[int]] = {name: [] for name in arms}
    for number in range(WARM_UP + rounds):
        for name, run in arms.items():
            begun = perf_counter_ns()
            run()
            ended = perf_counter_ns()
            if number >= WARM_UP:
                times[name].append(ended - begun)
    expected = _mask(arms[BASE]())
    assert expected is not None
    result: dict[str, dict[str, Any]] = {}
    for name, run in arms.items():
        p10, p25, p50, p75, p95 = np.percentile(np.array(times[name]) / 1e6, [10, 25, 50, 75, 95])
        mask = _mask(run())
        iou = None
        if mask is not None:
            iou = float((mask & expected).sum() / max((mask | expected).sum(), 1))
        spread = float((p75 - p25) / p50)
        result[name] = {
            "p10": float(p10),
            "p50": float(p50),
            "p95": float(p95),
            "spread": spread,
            "void": spread > LARGEST_SPREAD,
            "iou": iou,
        }
    return result


def _mask(output: NDArray[Any] | None) -> NDArray[np.bool_] | None:
    if output is None:
        return None
    half = 127.5 if output.dtype == np.uint8 else 0.5
    return np.asarray(np.squeeze(output) > half)


def processor() -> str:
    """The CPU's name."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def main() -> None:
    """Runs the benchmark and prints it."""
    parser = argparse.ArgumentParser(description="What a portrait network costs.")
    parser.add_argument("--model", choices=("landscape", "square"), default="landscape")
    parser.add_argument("--quantised", type=Path, help="in 8 bits; default: the shipped one")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    quantised = options.quantised
    if quantised is None:
        name = f"selfie_{options.model}.int8"
        if name not in models.names():
            parser.error(f"no {name} among the shipped models; give --quantised FILE")
        quantised = models.path(name)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-options.threads :])

    results = measure(arms_of(options.model, quantised, options.threads), options.rounds)
    base = results[BASE]["p50"]
    ours = {name: row["p50"] for name, row in results.items() if name.startswith("pullfx")}
    best = min(ours, key=lambda name: ours[name])
    title = f"selfie {options.model}, ms, {options.threads} thread(s), {processor()}"
    table = Table(title=title)
    for column in ("how", "p10", "p50", "p95", "spread", "times faster than fp32", "IoU"):
        table.add_column(column, justify="left" if column == "how" else "right")
    for name, row in results.items():
        void = " void" if row["void"] else ""
        iou = "" if row["iou"] is None else f"{row['iou']:.3f}"
        table.add_row(
            name,
            *(f"{row[part]:.3f}" for part in ("p10", "p50", "p95")),
            f"{row['spread']:.0%}{void}",
            f"{base / row['p50']:.2f}",
            iou,
        )
    Console().print(table)
    if options.json:
        report = {
            "model": options.model,
            "threads": options.threads,
            "rounds": options.rounds,
            "processor": processor(),
            "isas": kernels.available_isas(),
            "best": best,
            "ratio_over_onnxruntime_fp32": base / ours[best],
            "void": any(row["void"] for row in results.values()),
            "milliseconds": results,
        }
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
