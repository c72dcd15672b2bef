"""`pullfx graph`: what the effects are made of, and where the time goes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, cast

import typer

import pullfx
from pullfx.cli.console import messages, results
from pullfx.cli.effect_text import parse_effect
from pullfx.cli.options import DEFAULT_EFFECTS, EffectTexts, complete_effect
from pullfx.errors import ParameterError, SinkError

_TEXT_FORMATS = {".mmd": "mermaid", ".mermaid": "mermaid", ".dot": "dot", ".gv": "dot"}


def graph(
    effect: EffectTexts = None,
    off: Annotated[
        list[str] | None,
        typer.Option(
            help="An effect that is there but switched off.", autocompletion=complete_effect
        ),
    ] = None,
    source: Annotated[
        str | None, typer.Option("--times-from", metavar="IN", help="Take times from this video.")
    ] = None,
    seconds: Annotated[float, typer.Option(help="How much of it.")] = 2.0,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help=".mmd, .dot, or a picture (.png)."),
    ] = None,
    format: Annotated[str, typer.Option(help="On standard output: mermaid or dot.")] = "mermaid",
) -> None:
    """Draw the graph: active nodes black with their times, the others grey."""
    effects = [parse_effect(text) for text in effect or DEFAULT_EFFECTS]
    inactive = set(off or ())
    names = {made.name for made in effects}
    if unknown := inactive - names:
        raise ParameterError(f"--off {', '.join(sorted(unknown))}: not among {', '.join(names)}")
    with pullfx.Pipeline(effects, active=names - inactive) as pipeline:
        if source is not None:
            pullfx.run(source, pullfx.open_sink("null"), pipeline, seconds=seconds)
        if output is None:
            text = pipeline.graph(cast(Literal["mermaid", "dot"], format))
            results.print(text, markup=False, highlight=False, end="")
        else:
            _write(pipeline, output)
            messages.print(f"graph -> {output}", markup=False, highlight=False)


def _write(pipeline: pullfx.Pipeline, output: Path) -> None:
    import cv2

    suffix = output.suffix.lower()
    try:
        if suffix in _TEXT_FORMATS:
            kind = cast(Literal["mermaid", "dot"], _TEXT_FORMATS[suffix])
            output.write_text(pipeline.graph(kind), encoding="utf-8")
        else:
            _, encoded = cv2.imencode(suffix or ".png", pipeline.graph_picture())
            output.write_bytes(encoded.tobytes())
    except cv2.error as error:
        raise SinkError(
            f"{output}: graphs are written as .mmd, .dot or a picture such as .png"
        ) from error
    except OSError as error:
        raise SinkError(f"{output} cannot be written: {error.strerror}") from error
