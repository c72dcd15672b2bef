"""The webcam demo: effects on your own picture, switched while it runs.

    python demo.py                          camera in a window; else the sample clip into demo.mp4
    python demo.py --source clip.mp4 --output out.mp4 --effects background_blur

In the window: 1, 2, ... switch effects, + and - change the strength of the effect switched last,
o the overlay, m the mask, g the graph, q ends. Only the public names of pullfx are used here.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from pathlib import Path
from typing import Annotated, TypedDict

# Python puts this folder first on the path, where the source folder pullfx/ hides the installed
# package with all its parts. An editable install is found even so.
sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != Path(__file__).parent]

import cv2
import numpy as np
import typer
from numpy.typing import NDArray

import pullfx

Picture = NDArray[np.uint8]

STRENGTH_STEP = 0.1
HELP = "1-{count} effects   +/- strength   m mask   g graph   o overlay   q quit"
OUTPUT = Path("demo.mp4")
COMPARISON = Path("demo.png")
UNWATCHED_SECONDS = 6.0


class Options(TypedDict):
    """What is asked of the source, and for how long."""

    size: tuple[int, int] | None
    fps: float | None
    seconds: float | None


class Controls:
    """What the keys do, and what the overlay says about it."""

    def __init__(self, pipeline: pullfx.Pipeline) -> None:
        self.pipeline = pipeline
        # The mask is not an effect that people want on their call: it has a key of its own.
        self.names = [effect.name for effect in pipeline.effects if effect.name != "show_mask"]
        self.selected = self.names[0]
        self.show_overlay = True
        self._show_graph = False
        self._arrivals: deque[float] = deque(maxlen=30)

    def press(self, key: int) -> None:
        """Does what a key stands for; others are ignored."""
        letter = chr(key & 0xFF)
        if letter.isdigit() and 1 <= int(letter) <= len(self.names):
            self.selected = self.names[int(letter) - 1]
            self.pipeline.toggle(self.selected)
        elif letter in "+=":
            self.change_strength(STRENGTH_STEP)
        elif letter in "-_":
            self.change_strength(-STRENGTH_STEP)
        elif letter == "m":
            self.pipeline.toggle("show_mask")
        elif letter == "o":
            self.show_overlay = not self.show_overlay
        elif letter == "g":
            self._show_graph = not self._show_graph
            if not self._show_graph:
                cv2.destroyWindow("graph")

    def change_strength(self, step: float) -> None:
        """Moves the strength of the selected effect within its range."""
        strength = self.pipeline.get(self.selected).get("strength")
        if strength is not None:
            self.pipeline.set(self.selected, strength=min(1.0, max(0.0, strength + step)))

    def draw(self, picture: Picture) -> None:
        """Writes frame rate, milliseconds per node and which nodes ran onto a preview picture."""
        self._arrivals.append(time.perf_counter())
        if self._show_graph:
            cv2.imshow("graph", self.pipeline.graph_picture())
        if not self.show_overlay:
            return
        for row, line in enumerate(self.lines()):
            origin = (12, 24 + 20 * row)
            cv2.putText(picture, line, origin, cv2.FONT_HERSHEY_SIMPLEX, 0.5, (0, 0, 0), 4)
            cv2.putText(picture, line, origin, cv2.FONT_HERSHEY_SIMPLEX, 0.5, (255, 255, 255), 1)

    def lines(self) -> list[str]:
        """The overlay, top to bottom."""
        stats = self.pipeline.stats()
        lines = [HELP.format(count=len(self.names)), self._rate(stats)]
        for number, name in enumerate(self.names, start=1):
            state = "on " if name in self.pipeline.active else "off"
            strength = self.pipeline.get(name).get("strength")
            level = "" if strength is None else f"  strength {strength:.1f}"
            lines.append(f"{number} {state} {name}{level}{' <' * (name == self.selected)}")
        lines += [
            f"    {node.name}  {node.p50:.2f} ms"
            for node in stats.nodes
            if node.active and node.p50 is not None
        ]
        return lines

    def _rate(self, stats: pullfx.Stats) -> str:
        span = self._arrivals[-1] - self._arrivals[0] if len(self._arrivals) > 1 else 0.0
        rate = (len(self._arrivals) - 1) / span if span else 0.0
        return f"{rate:.0f} fps   {stats.p50 or 0.0:.1f} ms a frame"


def make_pipeline(names: str) -> pullfx.Pipeline:
    """A pipeline with all effects loaded, those in `names` on."""
    chosen = [name for name in names.split(",") if name]
    effects = [pullfx.BackgroundBlur(), pullfx.ShowMask()]
    return pullfx.Pipeline(effects, active=chosen)


def show(source: str | pullfx.Source, pipeline: pullfx.Pipeline, options: Options) -> None:
    """Runs in a preview window until it is closed."""
    controls = Controls(pipeline)
    window = pullfx.PreviewSink("pullfx", on_key=controls.press, draw=controls.draw)
    pullfx.run(source, window, pipeline, **options)


def record(source: str, output: Path, pipeline: pullfx.Pipeline, options: Options) -> None:
    """Writes a file, and a picture of one frame before and after; says where the time went."""
    kept: dict[str, Picture] = {}

    def keep_one(before: pullfx.Frame, after: pullfx.Frame) -> None:
        if not kept or (after.seconds or 0.0) < 1.0:
            kept["before"] = pullfx.frame_to_array(before, pullfx.PixelFormat.BGR24)
            kept["after"] = pullfx.frame_to_array(after, pullfx.PixelFormat.BGR24)

    report = pullfx.run(source, output, pipeline, on_frame=keep_one, **options)
    typer.echo(f"{report.frames} frames, {report.fps:.0f} a second, in {report.output}")
    if kept and kept["before"].shape == kept["after"].shape:
        cv2.imwrite(str(COMPARISON), np.hstack([kept["before"], kept["after"]]))
        typer.echo(f"one frame before and after: {COMPARISON}")
    typer.echo(f"\nwhere the time went:\n{pipeline.stats()}")


def main(
    source: Annotated[
        str | None, typer.Option(help="Camera number, file, folder, address, or `sample`.")
    ] = None,
    output: Annotated[Path | None, typer.Option(help="Write here instead of a window.")] = None,
    size: Annotated[str | None, typer.Option(help="Ask the camera for it, as 1280x720.")] = None,
    fps: Annotated[float | None, typer.Option(help="Ask the camera for it.")] = None,
    effects: Annotated[str, typer.Option(help="On at the start, by commas.")] = "background_blur",
    seconds: Annotated[float | None, typer.Option(help="End after so long.")] = None,
) -> None:
    """Shows the effects on a camera, or on a clip where there is none."""
    if source is None:
        cameras = pullfx.list_cameras()
        source = str(cameras[0].index) if cameras else "sample"
        if not cameras:
            typer.echo("no camera found: taking the sample clip (--source takes another)")
    window = pullfx.window_support()
    if output is None and not window.available:
        output, seconds = OUTPUT, seconds or UNWATCHED_SECONDS
        typer.echo(f"no window: {window.reason.partition(';')[0]}; writing {output}")
    width, _, height = (size or "").partition("x")
    try:
        options = Options(
            size=(int(width), int(height)) if size else None, fps=fps, seconds=seconds
        )
        with make_pipeline(effects) as pipeline:
            if output is None and source == "sample":
                show(pullfx.LoopedSource(lambda: pullfx.open_source("sample")), pipeline, options)
            elif output is None:
                show(source, pipeline, options)
            else:
                record(source, output, pipeline, options)
    except ValueError:
        raise typer.BadParameter(f"'{size}' is no size; write it as 1280x720") from None
    except pullfx.PullfxError as error:
        typer.echo(f"demo: {error}", err=True)
        raise typer.Exit(2) from None


if __name__ == "__main__":
    typer.run(main)
