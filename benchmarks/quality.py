"""How good the masks are: the refined one against the network's own, enlarged, and MediaPipe's.

    python benchmarks/quality.py [--media FOLDER] [--step 10]
        [--mediapipe build/mediapipe/bin/python] [--json FILE]

MediaPipe runs in a process of its own (`make mediapipe` makes its environment) and has the whole
frame; its mask is what it returns. It is left out where it is not there.

On labelled pictures and clips (FOLDER/pairs, see its SOURCES.md; also found through PULLFX_MEDIA).
Tier A are pictures labelled by people, tier A' clips with an exact, soft alpha.

IoU is intersection over union of the two masks cut at one half; BIoU that of what lies within 1 %
of the diagonal of their outlines (Cheng and others, "Boundary IoU", CVPR 2021). SAD and MSE are the
mean absolute and the mean squared difference from the labels, masks taken as 0..1, times 1000; grad
is the mean absolute difference of the lengths of their gradients, smoothed by a Gaussian of 1.4
pixels (Rhemann and others, CVPR 2009), times 1000. The second table
follows the network's mask through every frame of the clips: its error, and its flicker, which is
how far its change from frame to frame is from that of the labels (mean absolute, times 1000).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import av
import cv2
import numpy as np
from _mediapipe import MEDIAPIPE, Script
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from pullfx.effects import BackgroundBlur
from pullfx.nodes import (
    Mask,
    Segment,
    Size,
    SmoothMask,
    downscale,
    expose,
    reduce,
    refine,
    smoothing_table,
)
from pullfx.nodes.planes import resize, shrink
from pullfx.pipeline.formats import PixelFormat, frame_from_array, frame_from_av, frame_to_array
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.pool import HEAP

Labels = NDArray[np.uint8]
Metrics = dict[str, float]
Arm = Callable[[Mask, Frame], Labels]

MEDIA = Path(os.environ.get("PULLFX_MEDIA", Path(__file__).parents[2] / "shared" / "media"))
CLIPS = ("gs_static", "gs_motion")

cv2.setNumThreads(1)


@dataclass(frozen=True)
class Sample:
    """A picture and how far each of its pixels is person: uint8 [height, width]."""

    frame: Frame
    labels: Labels


def pictures(pairs: Path, prefix: str) -> Iterator[Sample]:
    """The labelled pictures whose names begin so."""
    for mask in sorted(pairs.glob(f"{prefix}*_mask.png")):
        (picture,) = pairs.glob(mask.name.replace("_mask.png", ".[jp][pn]g"))
        pixels = np.asarray(cv2.imread(str(picture)), np.uint8)
        labels = np.asarray(cv2.imread(str(mask), cv2.IMREAD_GRAYSCALE), np.uint8)
        yield Sample(frame_from_array(pixels, PixelFormat.BGR24), labels)


def clip(pairs: Path, name: str, step: int) -> Iterator[Sample]:
    """Every so many frames of a clip."""
    with (
        av.open(str(pairs / f"{name}.mp4")) as video,
        av.open(str(pairs / f"{name}_alpha.mkv")) as alpha,
    ):
        both = zip(video.decode(video=0), alpha.decode(video=0), strict=True)
        for index, (picture, labels) in enumerate(both):
            if index % step == 0:
                grey = labels.to_ndarray(format="gray")
                yield Sample(frame_from_av(picture), np.asarray(grey, np.uint8))


def overlap(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> float:
    """Intersection over union."""
    return float((one & other).sum() / max(1, (one | other).sum()))


def outline(person: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """What of a mask lies near its edge; the picture's border is one."""
    reach = max(1, round(0.01 * float(np.hypot(*person.shape))))
    padded = np.pad(person, 1).astype(np.uint8)
    inner = cv2.erode(padded, np.ones((3, 3), np.uint8), iterations=reach)
    return np.asarray(person & (inner[1:-1, 1:-1] == 0), np.bool_)


def steepness(mask: Labels) -> NDArray[np.float32]:
    """Length of the gradient of a mask taken as 0..1."""
    smooth = cv2.GaussianBlur(mask.astype(np.float32) / 255, (0, 0), 1.4)
    down, across = np.gradient(np.asarray(smooth, np.float32))
    return np.asarray(np.hypot(down, across), np.float32)


def compare(mask: Labels, labels: Labels) -> Metrics:
    """All the metrics of one mask."""
    person, truth = mask >= 128, labels >= 128
    difference = (mask.astype(np.float32) - labels) / 255
    return {
        "iou": overlap(person, truth),
        "biou": overlap(outline(person), outline(truth)),
        "sad": float(np.abs(difference).mean() * 1000),
        "mse": float(np.square(difference).mean() * 1000),
        "grad": float(np.abs(steepness(mask) - steepness(labels)).mean() * 1000),
    }


def mean(rows: list[Metrics]) -> Metrics:
    """The mean of each metric."""
    return {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}


def enlarged(mask: Mask, frame: Frame) -> Labels:
    """The network's own mask at the frame's size, bilinear."""
    return resize(mask, Size(frame.width, frame.height), HEAP)


def refined(mask: Mask, frame: Frame) -> Labels:
    """The matte as the effects have it by default, as it is enlarged where they paint."""
    matte = refine(mask, frame, reduce(frame), BackgroundBlur().edge)
    height, width = matte.shape
    whole = resize(matte, Size(2 * width, 2 * height), HEAP)
    return whole[: frame.height, : frame.width]


@contextmanager
def mediapipe(python: Path) -> Iterator[Arm]:
    """MediaPipe's mask of a frame; it has no use for ours."""
    script = Script("_mediapipe_masks.py", python)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "picture.npy"

        def arm(_: Mask, frame: Frame) -> Labels:
            np.save(file, frame_to_array(frame, PixelFormat.RGB24))
            script.ask(file)
            return np.asarray(np.rint(np.load(file) * 255), np.uint8)

        try:
            yield arm
        finally:
            script.close()


def found(frame: Frame, segment: Segment) -> Mask:
    """The network's mask, as the effects have it."""
    return segment(expose(downscale(frame, reduce(frame), segment.sizes)))


def measure_masks(pairs: Path, step: int, arms: Mapping[str, Arm]) -> dict[str, dict[str, Metrics]]:
    """For each source and each tier, and each way to raise the mask: the metrics."""
    segment = Segment()
    tiers = {
        "A": {name: list(pictures(pairs, name)) for name in ("easyportrait", "cihp")},
        "A'": {name: list(clip(pairs, name, step)) for name in CLIPS},
    }
    results: dict[str, dict[str, Metrics]] = {}
    for tier, sources in tiers.items():
        rows: dict[str, dict[str, list[Metrics]]] = {}
        for source, samples in sources.items():
            rows[f"{tier} {source}"] = {arm: [] for arm in arms}
            for sample in samples:
                mask = found(sample.frame, segment)
                for arm, raise_mask in arms.items():
                    metrics = compare(raise_mask(mask, sample.frame), sample.labels)
                    rows[f"{tier} {source}"][arm].append(metrics)
        rows[tier] = {arm: [m for row in [*rows.values()] for m in row[arm]] for arm in arms}
        results |= {
            name: {arm: mean(metrics) for arm, metrics in row.items()} for name, row in rows.items()
        }
    return results


def measure_smoothing(pairs: Path) -> dict[str, dict[str, Metrics]]:
    """For each clip, with and without smoothing in time: error and flicker."""
    segment = Segment()
    default = BackgroundBlur().smoothing
    results: dict[str, dict[str, Metrics]] = {}
    for name in CLIPS:
        samples = list(clip(pairs, name, step=1))
        masks = [found(sample.frame, segment) for sample in samples]
        size = Size(*reversed(masks[0].shape))
        truths = [shrink(sample.labels, size, HEAP) for sample in samples]
        results[name] = {}
        for arm, strength in (("network", 0.0), ("smoothed", default)):
            smooth, table = SmoothMask(), smoothing_table(strength)
            wrong = np.stack(
                [
                    smooth(mask, table).astype(np.float32) - truth
                    for mask, truth in zip(masks, truths, strict=True)
                ]
            )
            results[name][arm] = {
                "sad": float(np.abs(wrong).mean() / 255 * 1000),
                "flicker": float(np.abs(np.diff(wrong, axis=0)).mean() / 255 * 1000),
            }
    return results


def table_of(title: str, results: dict[str, dict[str, Metrics]]) -> Table:
    """The results for people."""
    names = list(next(iter(next(iter(results.values())).values())))
    table = Table("", "", *names, title=title, title_justify="left")
    for column in table.columns[2:]:
        column.justify = "right"
    for source, row in results.items():
        for arm, metrics in row.items():
            cells = (
                f"{value:.4f}" if name.endswith("iou") else f"{value:.2f}"
                for name, value in metrics.items()
            )
            table.add_row(source, arm, *cells)
    return table


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description="How good the masks are.")
    parser.add_argument("--media", type=Path, default=MEDIA, help="folder with pairs/ in it")
    parser.add_argument("--step", type=int, default=10, help="every so many frames of a clip")
    parser.add_argument("--mediapipe", type=Path, default=MEDIAPIPE, help="a Python that has it")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    pairs = options.media / "pairs"
    if not pairs.is_dir():
        parser.error(f"no labelled pictures in '{pairs}'; give --media or set PULLFX_MEDIA")

    arms: dict[str, Arm] = {"network": enlarged, "refined": refined}
    with ExitStack() as stack:
        if options.mediapipe.exists():
            arms["mediapipe"] = stack.enter_context(mediapipe(options.mediapipe))
        else:
            print(f"without MediaPipe: no {options.mediapipe} (make mediapipe)", file=sys.stderr)
        masks = measure_masks(pairs, options.step, arms)
    smoothing = measure_smoothing(pairs)
    console = Console(width=100)
    console.print(table_of("the mask at the frame's size", masks))
    console.print(table_of("the mask in time", smoothing))
    if options.json:
        report = {"step": options.step, "masks": masks, "smoothing": smoothing}
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
