"""One frame of the sample clip before and after each effect, for docs/effects.md."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from pullfx import (
    Frame,
    Pipeline,
    PixelFormat,
    effects,
    frame_from_array,
    frame_to_array,
    open_source,
)

PICTURES = Path(__file__).parents[2] / "docs" / "effects"
FRAMES = 45  # enough for what settles in time
HEIGHT = 270

CUBE = "LUT_3D_SIZE 2\n" + "".join(
    f"{red} {green} {blue}\n"
    for blue in (0.18, 0.80)
    for green in (0.05, 0.97)
    for red in (0.02, 1.0)
)

Picture = NDArray[np.uint8]

# What makes an effect seen in a small picture, and the part of the frame that is shown: left, top,
# right, bottom.
OPTIONS: dict[str, dict[str, Any]] = {
    "background_blur": {"strength": 0.8},
    "beautify": {"strength": 1.0},
    "sharpen": {"strength": 1.0},
    "overlay": {"text": "Anna, pullfx", "place": "bottom left", "size": 0.16},
}
PARTS: dict[str, tuple[float, float, float, float]] = {
    "beautify": (0.37, 0.16, 0.57, 0.36),
    "sharpen": (0.37, 0.16, 0.57, 0.36),
    "denoise": (0.37, 0.16, 0.57, 0.36),
}


def frames_of(name: str) -> list[Frame]:
    """Frames of the clip; darker or noisy for the effects against that."""
    with open_source("sample") as source:
        frames = list(islice(source.frames(), FRAMES))
    random = np.random.default_rng(1)
    worse = []
    for frame in frames:
        pixels = frame_to_array(frame, PixelFormat.BGR24).astype(np.float32)
        if name == "lighting":
            pixels *= (0.22, 0.30, 0.36)
        elif name == "denoise":
            pixels += random.normal(0, 12, pixels.shape)
        else:
            return frames
        rounded = np.clip(np.rint(pixels), 0, 255).astype(np.uint8)
        worse.append(
            frame_from_array(rounded, PixelFormat.BGR24, pts=frame.pts, time_base=frame.time_base)
        )
    return worse


def picture(name: str, folder: Path) -> Picture:
    """Before and after, side by side."""
    options = dict(OPTIONS.get(name, {}))
    if name == "lookup_table":
        options["file"] = folder / "evening.cube"
        options["file"].write_text(CUBE, encoding="utf-8")
    if name == "background_replacement":
        options["background"] = folder / "wall.png"
        cv2.imwrite(str(options["background"]), wall())
    with Pipeline([effects.by_name(name)(**options)]) as pipeline:
        for frame in frames_of(name):
            after = pipeline.process(frame, strict=True)
    sides = [cut(frame_to_array(f, PixelFormat.BGR24), name) for f in (frame, after)]
    return np.hstack(sides)


def cut(whole: Picture, name: str) -> Picture:
    """The part that is shown, at the height of the pictures."""
    height, width = whole.shape[:2]
    left, top, right, bottom = PARTS.get(name, (0, 0, 1, 1))
    part = whole[
        round(top * height) : round(bottom * height), round(left * width) : round(right * width)
    ]
    size = round(HEIGHT * part.shape[1] / part.shape[0]), HEIGHT
    smaller = part.shape[0] > HEIGHT
    return np.asarray(
        cv2.resize(part, size, interpolation=cv2.INTER_AREA if smaller else cv2.INTER_CUBIC),
        np.uint8,
    )


def wall() -> Picture:
    """A sunset that nobody has to be asked for."""
    rows, columns = np.mgrid[0:1:720j, 0:1:1280j]
    sun = np.exp(-40 * ((columns - 0.75) ** 2 + (0.6 * (rows - 0.62)) ** 2))
    sky = np.stack(
        [150 - 110 * rows + 60 * sun, 90 + 60 * rows + 120 * sun, 120 + 120 * rows + 60 * sun], 2
    )
    sky[rows > 0.72] *= 0.45
    return np.asarray(np.clip(sky, 0, 255), np.uint8)


def write(names: Iterable[str]) -> None:
    """Writes docs/effects/NAME.jpg for each of these effects."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            path = PICTURES / f"{name}.jpg"
            cv2.imwrite(str(path), picture(name, Path(folder)), [cv2.IMWRITE_JPEG_QUALITY, 85])
