"""The commands: `python -m tools.quantise COMMAND`, from the root of the repository."""

import json
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, ParamSpec

import cv2
import torch
import typer

from tools.quantise.augment import PictureMaker
from tools.quantise.card import Stage, read_card, render_card
from tools.quantise.detections import Detections, measure_detections
from tools.quantise.errors import QuantisationError
from tools.quantise.export import export
from tools.quantise.held_out import Part
from tools.quantise.judge import Judge
from tools.quantise.material import read_material
from tools.quantise.measures import Report, measure
from tools.quantise.meshes import MeshReport, measure_meshes
from tools.quantise.network import read_network
from tools.quantise.repair import load_simulation, read_trainings, repair, save_simulation
from tools.quantise.training import Plan, Trainer

MODELS = Path("models")
BUILD = Path("build/quantise")
CUTTER = "selfie_square"
DETECTOR = MODELS / "face_short_range.onnx"
SAVE_EVERY = 50
REPORT_EVERY = 25

app = typer.Typer(add_completion=False, no_args_is_help=True)
Arguments = ParamSpec("Arguments")

Name = Annotated[str, typer.Argument(help="A model of `models/`, such as selfie_landscape.")]
Media = Annotated[
    Path,
    typer.Option(exists=True, file_okay=False, help="The test media; see their SOURCES.md."),
]


def _command(function: Callable[Arguments, None]) -> Callable[Arguments, None]:
    """A command on one thread that ends with one line where something is wrong."""

    @app.command(function.__name__.removesuffix("_model"))
    @wraps(function)
    def command(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        torch.set_num_threads(1)
        cv2.setNumThreads(1)
        try:
            function(*args, **kwargs)
        except QuantisationError as error:
            typer.echo(f"error: {error}", err=True)
            raise typer.Exit(1) from error

    return command


@_command
def repair_model(
    name: Name,
    media: Media,
    plain: Annotated[
        bool, typer.Option(help="Without repairs, to show what they are worth.")
    ] = False,
) -> None:
    """Quantise without training."""
    source = MODELS / f"{name}.onnx"
    material = read_material(media, Judge(_cutter(source)))
    simulation = repair(source, material, DETECTOR, plain)
    stage = "plain" if plain else "repaired"
    save_simulation(simulation, BUILD / f"{name}.{stage}.npz")
    _write(BUILD / f"{name}.{stage}.onnx", export(simulation))


@_command
def train(
    name: Name,
    media: Media,
    steps: int = 500,
    rate: float = 3e-5,
    calm: Annotated[float, typer.Option(help="Weighs flicker in the loss.")] = 80.0,
    tighter: Annotated[float, typer.Option(help="Multiplies all scales first.")] = 0.88,
    start: Annotated[
        Path | None, typer.Option(exists=True, help="What an earlier training wrote (.npz).")
    ] = None,
) -> None:
    """Train what `repair` or an earlier training wrote; goes on where a run stopped."""
    first = start or BUILD / f"{name}.repaired.npz"
    if not first.exists():
        raise QuantisationError(f"{first} is missing: run repair")
    simulation, trainings = load_simulation(first), read_trainings(first)
    network = simulation.network
    material = read_material(media, Judge(_cutter(MODELS / f"{name}.onnx")))
    maker = PictureMaker(material, network.size, seed=2, bars=not network.has_mask)
    plan = Plan(steps, rate, calm, tighter)
    trainer = Trainer(simulation, maker, plan)
    state = BUILD / f"{name}.training.pt"
    if state.exists():
        trainer.resume(state)
    sums: dict[str, float] = {}

    def report(step: int, losses: dict[str, float]) -> None:
        for part, loss in losses.items():
            sums[part] = sums.get(part, 0.0) + loss / REPORT_EVERY
        if step % REPORT_EVERY == 0:
            parts = "  ".join(f"{part} {loss:.4f}" for part, loss in sums.items())
            typer.echo(f"{name} step {step}: {parts}")
            sums.clear()

    while trainer.step < steps:
        trainer.run(report, until=trainer.step + SAVE_EVERY)
        trainer.save(state)
        trained = trainer.averaged()
        save_simulation(trained, BUILD / f"{name}.trained.npz", [*trainings, plan.options])
        _write(BUILD / f"{name}.trained.onnx", export(trained))


@_command
def evaluate(
    name: Name,
    media: Media,
    quantised: Annotated[Path | None, typer.Option(help="Instead of the shipped file.")] = None,
    part: Part = Part.DEVELOPMENT,
    json_file: Annotated[Path | None, typer.Option("--json")] = None,
) -> None:
    """Measure a quantised file against the float one, both run by onnxruntime."""
    source = MODELS / f"{name}.onnx"
    file = quantised or MODELS / f"{name}.int8.onnx"
    report = _measured(source, file, media, part)
    text = json.dumps(report.as_dictionary(), indent=2)
    typer.echo(text)
    if json_file:
        _write(json_file, f"{text}\n".encode())


@_command
def ship(name: Name, media: Media) -> None:
    """Copy the last file to `models/` and write its card: the trained one, but of the face mesh.

    Measures all stages, and the last one also on the part that was kept aside.
    """
    source = MODELS / f"{name}.onnx"
    stages = {}
    # Without training points are as near already as another float network's would be.
    last = "repaired" if read_network(source).is_of_one_face else "trained"
    for stage in ("plain", "repaired", "trained")[: 2 if last == "repaired" else 3]:
        file = BUILD / f"{name}.{stage}.onnx"
        if not file.exists():
            raise QuantisationError(f"{file} is missing: run repair, repair --plain and train")
        report = _measured(source, file, media, Part.DEVELOPMENT)
        stages[stage] = Stage(stage, report)
        typer.echo(json.dumps({stage: report.as_dictionary()}, indent=2))
    content = (BUILD / f"{name}.{last}.onnx").read_bytes()
    report = _measured(source, BUILD / f"{name}.{last}.onnx", media, Part.FINAL)
    stages["final"] = Stage(f"{last}, on final", report)
    typer.echo(json.dumps({"final": report.as_dictionary()}, indent=2))
    trainings = read_trainings(BUILD / f"{name}.{last}.npz")
    text = render_card(name, content, read_card(source), trainings, stages)
    _write(MODELS / f"{name}.int8.onnx", content)
    _write(MODELS / f"{name}.int8.md", text.encode())


def _measured(
    source: Path, file: Path, media: Path, part: Part
) -> Report | Detections | MeshReport:
    """A quantised file against the float one."""
    judges = Judge(source), Judge(file)
    network = read_network(source)
    if network.has_mask:
        return measure(*judges, media, part)
    if network.is_of_one_face:
        return measure_meshes(*judges, Judge(DETECTOR), media, part)
    return measure_detections(*judges, media, part)


def _cutter(source: Path) -> Path:
    """The network that cuts persons out of the material: the one to quantise where it can."""
    return source if read_network(source).has_mask else MODELS / f"{CUTTER}.onnx"


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    typer.echo(f"wrote {path} ({len(content)} bytes)")


if __name__ == "__main__":
    app()
