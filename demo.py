"""The webcam demo: effects on your own picture, switched while it runs.

    python demo.py                          camera in a window; else the sample clip into demo.mp4
    python demo.py --source clip.mp4 --output out.mp4 --effects background_blur,lighting

In the window: 1 to 0 switch effects, + and - change the strength of the one switched last, s opens
sliders for all that can be set of it, b is the next background, k the next quality; m shows the
mask, f the faces, g the graph, o hides the text, p gives the camera back until it is pressed again,
q ends. Only the public names of pullfx are used.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from itertools import cycle
from pathlib import Path
from typing import Annotated, Any, TypedDict

# Python puts this folder first on the path, where the source folder pullfx/ hides the installed
# package with all its parts. An editable install is found even so.
sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != Path(__file__).parent]

import cv2
import numpy as np
import typer
from numpy.typing import NDArray

import pullfx

Picture = NDArray[np.uint8]

KEYS = "1234567890l"
STRENGTH_STEP = 0.1
HELP = (
    "+/- strength   s sliders   b background   k quality   m mask   f faces   g graph   p pause"
    "   q quit"
)
BACKGROUNDS = ("#20334d", "green", "#d9c7a8")
# Of these, one is on at a time.
BEHIND = ("background_blur", "portrait_mode", "background_replacement")
ON_KEYS = (
    "background_blur",
    "background_replacement",
    "portrait_mode",
    "beautify",
    "lighting",
    "auto_framing",
    "mirror",
    "sharpen",
    "denoise",
    "overlay",
    "lookup_table",
)
SHOWN_BY_KEY = {"m": "show_mask", "f": "show_faces"}
OUTPUT = Path("demo.mp4")
COMPARISON = Path("demo.png")
UNWATCHED_SECONDS = 6.0


class Options(TypedDict):
    """What is asked of the source, and for how long."""

    size: tuple[int, int] | None
    fps: float | None
    seconds: float | None


def write(picture: Picture, lines: list[str]) -> None:
    """Writes lines onto the left of a picture, which gets darker there."""
    font, size, step = cv2.FONT_HERSHEY_SIMPLEX, 0.42, 16
    for row, line in enumerate(lines):
        width = cv2.getTextSize(line, font, size, 1)[0][0]
        behind = picture[4 + step * row : 4 + step * (row + 1), : width + 16]
        np.floor_divide(behind, 3, out=behind)
        cv2.putText(picture, line, (8, 16 + step * row), font, size, (255, 255, 255), 1)


class Sliders:
    """A window with a slider for each parameter of an effect that is a number or a choice."""

    WINDOW = "settings"

    def __init__(self, pipeline: pullfx.Pipeline) -> None:
        self.pipeline = pipeline
        self.shown: str | None = None

    def show(self, name: str) -> None:
        """Opens the window for an effect, in place of the one before."""
        self.close()
        (effect,) = (effect for effect in self.pipeline.effects if effect.name == name)
        cv2.namedWindow(self.WINDOW, cv2.WINDOW_AUTOSIZE | cv2.WINDOW_GUI_NORMAL)
        values = self.pipeline.get(name)
        for parameter in effect.parameters().values():
            if parameter.name in values:
                self._add(name, parameter, values[parameter.name])
        self.shown = name
        self._describe(name)

    def close(self) -> None:
        """Closes the window."""
        if self.shown is not None:
            cv2.destroyWindow(self.WINDOW)
            self.shown = None

    def _add(self, effect: str, parameter: pullfx.Parameter, value: Any) -> None:
        choices = self._choices(parameter)
        if not choices:
            return
        places = [
            abs(choice - value) if parameter.type is float else choice != value
            for choice in choices
        ]

        def chosen(place: int) -> None:
            self.pipeline.set(effect, **{parameter.name: choices[place]})
            self._describe(effect)

        last = len(choices) - 1
        cv2.createTrackbar(parameter.name, self.WINDOW, int(np.argmin(places)), last, chosen)

    def _describe(self, effect: str) -> None:
        """Names and values, since not every build of OpenCV has fonts to label its sliders with."""
        values = self.pipeline.get(effect)
        lines = [effect, *(f"   {name}  {value}" for name, value in values.items())]
        picture = np.full((16 * len(lines) + 10, 560, 3), 96, np.uint8)
        write(picture, [line[:80] for line in lines])
        cv2.imshow(self.WINDOW, picture)

    @staticmethod
    def _choices(parameter: pullfx.Parameter) -> list[Any]:
        """The values along a slider; none for a text that may be anything."""
        if parameter.choices:
            return list(parameter.choices)
        if parameter.type is bool:
            return [False, True]
        low, high = parameter.minimum, parameter.maximum
        if low is None or high is None:
            return []
        if parameter.type is int:
            return list(range(int(low), int(high) + 1))
        return [round(float(value), 2) for value in np.linspace(low, high, 101)]


class Controls:
    """What the keys do, and what the text in the window says about it."""

    def __init__(self, pipeline: pullfx.Pipeline, source: pullfx.Source) -> None:
        self.pipeline = pipeline
        self.source = source
        loaded = {effect.name for effect in pipeline.effects}
        self.names = [name for name in ON_KEYS if name in loaded]
        self.selected = self.names[0]
        self.sliders = Sliders(pipeline)
        self._backgrounds = cycle(BACKGROUNDS)
        self._show_text = True
        self._show_graph = False
        self._arrivals: deque[float] = deque(maxlen=30)

    def press(self, key: int) -> None:
        """Does what a key stands for; others are ignored."""
        letter = chr(key & 0xFF)
        if letter in KEYS[: len(self.names)]:
            self.toggle(self.names[KEYS.index(letter)])
        elif letter in "+=":
            self.change_strength(STRENGTH_STEP)
        elif letter in "-_":
            self.change_strength(-STRENGTH_STEP)
        elif letter in SHOWN_BY_KEY:
            self.pipeline.toggle(SHOWN_BY_KEY[letter])
        elif letter == "b":
            self.pipeline.set("background_replacement", background=next(self._backgrounds))
        elif letter == "k":
            ladder = list(pullfx.Quality)
            self.pipeline.quality = ladder[(ladder.index(self.pipeline.quality) + 1) % len(ladder)]
        elif letter == "p" and isinstance(self.source, pullfx.CameraSource):
            self.source.resume() if self.source.paused else self.source.pause()
        elif letter == "s":
            self.sliders.close() if self.sliders.shown else self.sliders.show(self.selected)
        elif letter == "o":
            self._show_text = not self._show_text
        elif letter == "g":
            self._show_graph = not self._show_graph
            if not self._show_graph:
                cv2.destroyWindow("graph")

    def toggle(self, name: str) -> None:
        """Switches an effect over, and selects it."""
        if name in BEHIND and name not in self.pipeline.active:
            self.pipeline.disable(*(other for other in BEHIND if other in self.names))
        self.pipeline.toggle(name)
        self.selected = name
        if self.sliders.shown:
            self.sliders.show(name)

    def change_strength(self, step: float) -> None:
        """Moves the strength of the selected effect within its range."""
        strength = self.pipeline.get(self.selected).get("strength")
        if strength is not None:
            self.pipeline.set(self.selected, strength=min(1.0, max(0.0, strength + step)))

    def draw(self, picture: Picture) -> None:
        """Writes frame rate, effects and the milliseconds of the nodes that ran onto a picture."""
        self._arrivals.append(time.perf_counter())
        if self._show_graph:
            cv2.imshow("graph", self.pipeline.graph_picture())
        if not self._show_text:
            return
        write(picture, self.lines())

    def lines(self) -> list[str]:
        """The text, top to bottom."""
        stats = self.pipeline.stats()
        lines = [HELP, self._rate(stats)]
        for key, name in zip(KEYS, self.names, strict=False):
            state = "on " if name in self.pipeline.active else "off"
            strength = self.pipeline.get(name).get("strength")
            level = "" if strength is None else f"  strength {strength:.1f}"
            lines.append(f"{key} {state} {name}{level}{' <' * (name == self.selected)}")
        lines += [
            f"    {node.name}  {node.p50:.2f} ms"
            for node in stats.nodes
            if node.active and node.p50 is not None and node.runs > stats.frames / 10
        ]
        return lines

    def _rate(self, stats: pullfx.Stats) -> str:
        span = self._arrivals[-1] - self._arrivals[0] if len(self._arrivals) > 1 else 0.0
        rate = (len(self._arrivals) - 1) / span if span else 0.0
        quality = self.pipeline.quality
        return f"{rate:.0f} fps   {stats.p50 or 0.0:.1f} ms a frame   quality {quality}"


def make_pipeline(
    names: str, background: str | None, lookup: Path | None, quality: str
) -> pullfx.Pipeline:
    """A pipeline with all effects, in an order in which they go well; those in `names` are on."""
    chosen = [name for name in names.split(",") if name]
    effects: list[pullfx.Effect] = [
        pullfx.Denoise(),
        pullfx.Lighting(),
        pullfx.Beautify(),
        pullfx.BackgroundBlur(),
        pullfx.PortraitMode(),
        pullfx.BackgroundReplacement(background=background or BACKGROUNDS[0]),
        pullfx.Sharpen(),
        pullfx.AutoFraming(),
        pullfx.Mirror(),
        pullfx.Overlay(text="pullfx"),
        pullfx.ShowMask(),
        pullfx.ShowFaces(),
    ]
    if lookup is not None:
        effects.insert(-3, pullfx.LookupTable(file=lookup))
    return pullfx.Pipeline(effects, active=chosen, quality=quality)


def show(
    source: str | pullfx.Source, pipeline: pullfx.Pipeline, automatic: bool, options: Options
) -> None:
    """Runs in a preview window until it is closed."""
    if isinstance(source, str):
        source = pullfx.open_source(source, size=options["size"], fps=options["fps"])
    controls = Controls(pipeline, source)
    window = pullfx.PreviewSink("pullfx", on_key=controls.press, draw=controls.draw)
    governed = pullfx.Governor(pipeline, options["fps"] or 30.0) if automatic else pipeline
    pullfx.run(source, window, governed, **options)


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
    background: Annotated[
        str | None, typer.Option(help="Behind people: a picture, a video or a colour.")
    ] = None,
    lookup: Annotated[Path | None, typer.Option(help="A .cube file, switched by l.")] = None,
    quality: Annotated[
        str, typer.Option(help="low, balanced, high, best, or auto: what there is time for.")
    ] = "auto",
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
    automatic = quality == "auto"
    try:
        options = Options(
            size=(int(width), int(height)) if size else None, fps=fps, seconds=seconds
        )
        with make_pipeline(
            effects, background, lookup, "high" if automatic else quality
        ) as pipeline:
            if output is None and source == "sample":
                looped = pullfx.LoopedSource(lambda: pullfx.open_source("sample"))
                show(looped, pipeline, automatic, options)
            elif output is None:
                show(source, pipeline, automatic, options)
            else:
                record(source, output, pipeline, options)
    except ValueError:
        raise typer.BadParameter(f"'{size}' is no size; write it as 1280x720") from None
    except pullfx.PullfxError as error:
        typer.echo(f"demo: {error}", err=True)
        raise typer.Exit(2) from None


if __name__ == "__main__":
    typer.run(main)
