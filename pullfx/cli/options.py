"""Options that several commands take, and how their text is read."""

from __future__ import annotations

import re
from typing import Annotated, TypeAlias

import typer

import pullfx

DEFAULT_EFFECTS = ["background_blur"]

AUTOMATIC = "auto"
QUALITIES = ("low", "balanced", "high", "best", AUTOMATIC)
"""Those of `pullfx.Quality`, which help and completion name without loading the engine."""

DEFAULT_QUALITY = "high"

DAMAGED = 3
"""Exit code when all was done, but sources had lost frames or showed damage."""

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it: 128 + SIGINT."""


def complete_effect(typed: str) -> list[str]:
    """Names of effects that begin so, for the shell."""
    return [name for name in pullfx.effects.names() if name.startswith(typed)]


def complete_quality(typed: str) -> list[str]:
    """Values of `--quality` that begin so, for the shell."""
    return [quality for quality in QUALITIES if quality.startswith(typed)]


EffectTexts: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--effect",
        "-e",
        metavar="NAME[:PARAMETER=VALUE,...]",
        help="An effect, first to last; `pullfx effects` lists them.",
        autocompletion=complete_effect,
    ),
]

Threads: TypeAlias = Annotated[
    int, typer.Option(help="Run heavy nodes side by side on so many threads.", min=1)
]

Codec: TypeAlias = Annotated[
    str | None, typer.Option(help="FFmpeg's name of the video encoder; default H.264.")
]

RateFactor: TypeAlias = Annotated[
    int,
    typer.Option(help="Rate factor of a video file: 0 is lossless and huge, 51 poor, small."),
]

Sound: TypeAlias = Annotated[bool, typer.Option(help="Copy sound and subtitles.")]

Quiet: TypeAlias = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]


def parse_size(text: str | None) -> tuple[int, int] | None:
    """Width and height from `1280x720`.

    Raises:
        typer.BadParameter: the text is no size.
    """
    if text is None:
        return None
    match = re.fullmatch(r"(\d+)x(\d+)", text.strip().lower())
    if match is None or 0 in (size := (int(match[1]), int(match[2]))):
        raise typer.BadParameter(f"'{text}' is no size; write it as 1280x720")
    return size
