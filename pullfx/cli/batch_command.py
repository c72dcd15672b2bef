"""`pullfx batch`: many files through the same effects."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import pullfx
from pullfx.cli.console import messages
from pullfx.cli.effect_text import parse_effect
from pullfx.cli.options import (
    DAMAGED,
    DEFAULT_EFFECTS,
    DEFAULT_QUALITY,
    INTERRUPTED,
    Codec,
    EffectTexts,
    Quiet,
    RateFactor,
    Sound,
    Threads,
    complete_quality,
)
from pullfx.cli.progress_bar import progress_bar

SOME_FAILED = 1
"""Exit code when a file failed for good."""


def batch(
    sources: Annotated[
        list[str],
        typer.Argument(metavar="IN...", help="Files, or patterns in quotes: 'in/*.mp4'."),
    ],
    folder: Annotated[
        Path, typer.Argument(metavar="OUT", help="Folder for the results; made if not there.")
    ],
    effect: EffectTexts = None,
    on: Annotated[
        str,
        typer.Option(
            metavar="processes|ray|ray://HOST:PORT",
            help="Where to work: processes of this machine, or a Ray cluster on which the files "
            "have the same names.",
        ),
    ] = "processes",
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", "-j", help="Files at a time; one per CPU.", min=1, show_default=False
        ),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Do files anew whose result is there.")
    ] = False,
    tries: Annotated[int, typer.Option(help="How often a file is tried.", min=1)] = 3,
    threads: Threads = 1,
    codec: Codec = None,
    crf: RateFactor = 20,
    quality: Annotated[
        str,
        typer.Option(
            metavar="low|balanced|high|best",
            help="How much work a frame is worth.",
            autocompletion=complete_quality,
        ),
    ] = DEFAULT_QUALITY,
    sound: Sound = True,
    quiet: Quiet = False,
) -> None:
    """Put effects on many files: pullfx batch 'in/*.mp4' out/ -e background_blur.

    A file whose result is there is skipped, so a batch that was broken off goes on when it is
    called again. The exit code is 1 when a file failed, and else 3 when one was damaged.
    """
    with progress_bar("files", quiet) as progress:
        report = pullfx.run_batch(
            sources,
            folder,
            [parse_effect(text) for text in effect or DEFAULT_EFFECTS],
            on=on,
            jobs=jobs,
            again=again,
            tries=tries,
            quality=quality,
            threads=threads,
            encoder=pullfx.EncoderOptions(codec=codec, crf=crf),
            sound=sound,
            progress=progress,
        )
    if not quiet:
        messages.print(_summary(report, folder), markup=False, highlight=False)
    if report.interrupted:
        raise typer.Exit(INTERRUPTED)
    if report.count(pullfx.FileState.FAILED):
        raise typer.Exit(SOME_FAILED)
    if any(file.damaged for file in report.files):
        raise typer.Exit(DAMAGED)


def _summary(report: pullfx.BatchReport, folder: Path) -> str:
    counts = [(state, report.count(state)) for state in pullfx.FileState]
    parts = [f"{count} {state}" for state, count in counts if count or state == "done"]
    damaged = sum(1 for file in report.files if file.damaged)
    if damaged:
        parts.append(f"{damaged} damaged in the source")
    files = "1 file" if len(report.files) == 1 else f"{len(report.files)} files"
    state = "interrupted: " if report.interrupted else ""
    return f"{state}{files} in {report.seconds:.1f} s: {', '.join(parts)} -> {folder}"
