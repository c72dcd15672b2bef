"""`pullfx run`: video in, effects, video out."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated

import typer

import pullfx
from pullfx.cli.console import messages
from pullfx.cli.effect_text import parse_effect
from pullfx.cli.options import (
    AUTOMATIC,
    DAMAGED,
    DEFAULT_EFFECTS,
    DEFAULT_QUALITY,
    INTERRUPTED,
    QUALITIES,
    Codec,
    EffectTexts,
    Quiet,
    RateFactor,
    Sound,
    Threads,
    complete_quality,
    parse_size,
)
from pullfx.cli.progress_bar import progress_bar

RATE = 30.0
"""Frames a second that `auto` keeps up with where none are asked for."""


def run(
    source: Annotated[
        str,
        typer.Argument(
            metavar="IN",
            help="File, folder of pictures, address, `camera`, `camera:1`, `sample`, or `-` for "
            "YUV4MPEG2 and the like on standard input.",
        ),
    ],
    sink: Annotated[
        str,
        typer.Argument(
            metavar="OUT",
            help="File, folder, `window`, `virtualcam`, `null`, or `-` for YUV4MPEG2 on standard "
            "output.",
        ),
    ],
    effect: EffectTexts = None,
    seconds: Annotated[float | None, typer.Option(help="End after this much of the video.")] = None,
    size: Annotated[
        str | None,
        typer.Option(metavar="WxH", help="Size to ask a camera for, or of raw video."),
    ] = None,
    fps: Annotated[
        float | None, typer.Option(help="Rate for a camera or a source without times.", min=0.1)
    ] = None,
    raw_in: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="IN is raw video: bare pictures in yuv420p, nv12, bgr24 or what FFmpeg calls it.",
        ),
    ] = None,
    raw_out: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT", help="Write raw video to `-` or a .yuv file: yuv420p, nv12, bgr24..."
        ),
    ] = None,
    live: Annotated[
        bool | None,
        typer.Option(
            "--live/--not-live",
            help="IN comes in real time: the newest frame wins, and an effect that fails is left "
            "out. Cameras and addresses such as rtsp:// are live.",
            show_default=False,
        ),
    ] = None,
    threads: Threads = 1,
    codec: Codec = None,
    crf: RateFactor = 20,
    quality: Annotated[
        str,
        typer.Option(
            metavar="|".join(QUALITIES),
            help="How much work a frame is worth; `auto` is what a live source leaves time for.",
            autocompletion=complete_quality,
        ),
    ] = DEFAULT_QUALITY,
    sound: Sound = True,
    stats: Annotated[bool, typer.Option("--stats", help="Print the time per node.")] = False,
    trace: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a timeline for Chrome or Perfetto (JSON)."),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Put effects on a video: pullfx run in.mp4 out.mp4 -e background_blur:strength=0.6.

    The exit code is 3 when a file was damaged: all of its good frames are in the result.
    """
    asked_size = parse_size(size)
    encoder = pullfx.EncoderOptions(codec=codec, crf=crf)
    effects = [parse_effect(text) for text in effect or DEFAULT_EFFECTS]
    automatic = quality == AUTOMATIC
    first = DEFAULT_QUALITY if automatic else quality
    with pullfx.Pipeline(effects, threads=threads, quality=first) as pipeline:
        recording = contextlib.nullcontext() if trace is None else pipeline.trace(trace)
        with progress_bar("frames", quiet) as progress, recording:
            target = pullfx.open_sink(sink, encoder=encoder, pixel_format=raw_out)
            opened = pullfx.open_source(
                source, size=asked_size, fps=fps, pixel_format=raw_in, live=live
            )
            report = pullfx.run(
                opened,
                target,
                pullfx.Governor(pipeline, fps or RATE) if automatic else pipeline,
                seconds=seconds,
                sound=sound,
                progress=progress,
            )
        if not quiet:
            messages.print(_summary(report), markup=False, highlight=False)
        if stats:
            messages.print(str(pipeline.stats()), markup=False, highlight=False)
    if report.interrupted:
        raise typer.Exit(INTERRUPTED)
    if report.damaged and not opened.info.live:
        raise typer.Exit(DAMAGED)


def _summary(report: pullfx.Report) -> str:
    frames = "1 frame" if report.frames == 1 else f"{report.frames} frames"
    parts = [f"{frames} in {report.seconds:.1f} s ({report.fps:.1f} a second)"]
    if report.dropped:
        parts.append(f"{report.dropped} dropped")
    if report.damaged:
        parts.append(f"{report.damaged} damaged in the source")
    where = "" if report.output is None else f" -> {report.output}"
    state = "interrupted: " if report.interrupted else ""
    return state + ", ".join(parts) + where
