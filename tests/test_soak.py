"""Many frames of changing size and bad times, while other threads switch and set everything.

`PULLFX_SOAK=100000 pytest tests/test_soak.py` is what is promised; every run of the tests does a
part of it.
"""

from __future__ import annotations

import dataclasses
import gc
import os
import random
import threading
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from test_privacy import HEIGHT, SECRET, VISIBLE, contrast

from pullfx.effects import (
    BackgroundBlur,
    BackgroundReplacement,
    Beautify,
    Denoise,
    Lighting,
    PortraitMode,
    Sharpen,
)
from pullfx.nodes.network import Network
from pullfx.nodes.network.compiled import CompiledNetwork
from pullfx.nodes.network.session import SessionNetwork
from pullfx.nodes.types import Image, Mask
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.pipeline import Pipeline
from pullfx.pipeline.quality import Quality

FRAMES = int(os.environ.get("PULLFX_SOAK", "1200"))
SIZES = ((320, 180), (160, 120), (321, 179), (90, 160), (48, 480))
HIDING = ("background_blur", "portrait_mode", "background_replacement")
OTHERS = ("lighting", "beautify", "denoise", "sharpen")
COLOURS = ("#203040", "green", "navy")
GROWTH = 16 * 2**20  # bytes that the process may grow by after its first fifth


def side_of(height: int, width: int) -> int:
    """Of the squares on a wall: as large for the frame as those of the tests of privacy."""
    return max(round(SECRET * min(width, height) / HEIGHT), 2)


def wall(width: int, height: int, seed: int) -> Frame:
    """Squares of dark and light that no blur leaves, with a time that may be any."""
    rows, columns = np.indices((height, width)) // side_of(height, width)
    luma = (((rows + columns + seed) % 2) * 219 + 16).astype(np.uint8)
    grey = np.full(((height + 1) // 2, (width + 1) // 2), 128, np.uint8)
    return Frame(luma, grey, grey.copy(), pts=0, time_base=Fraction(1, 30))


def resident() -> int:
    """Bytes of memory that the process has now."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def switch(pipe: Pipeline, choose: random.Random) -> None:
    """Toggles anything, but one that hides stays on: the next goes on before one goes off."""
    on = choose.choice(HIDING)
    pipe.enable(on)
    pipe.disable(*(name for name in HIDING if name != on))
    pipe.toggle(*choose.sample(OTHERS, choose.randint(0, 2)))


def adjust(pipe: Pipeline, choose: random.Random) -> None:
    """Sets what can be set."""
    name = choose.choice(HIDING)
    pipe.set(name, feather=choose.uniform(-1, 1), light_wrap=choose.random())
    if name == "background_replacement":
        pipe.set(name, background=choose.choice(COLOURS), blur=choose.random())
    pipe.set("lighting", strength=choose.random(), warmth=choose.uniform(-1, 1))
    pipe.quality = choose.choice(list(Quality))


def repeated(
    work: Callable[[Pipeline, random.Random], None],
    pipe: Pipeline,
    seed: int,
    end: threading.Event,
    errors: list[BaseException],
) -> threading.Thread:
    """A thread that does this now and then until the end."""

    def go_on() -> None:
        choose = random.Random(seed)
        try:
            while not end.wait(choose.uniform(0.0, 0.01)):
                work(pipe, choose)
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=go_on)
    thread.start()
    return thread


def nobody(_: Network, image: Image, pool: object = None) -> Mask:
    """A network that sees nobody, so that the whole frame is background."""
    return Mask(np.zeros(image.shape[:2], np.uint8))


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
def test_nothing_is_seen_nothing_grows_nothing_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    for network in (CompiledNetwork, SessionNetwork):
        monkeypatch.setattr(network, "__call__", nobody)
    choose = random.Random(7)
    walls = [wall(width, height, seed) for width, height in SIZES for seed in (0, 1)]
    errors: list[BaseException] = []
    end = threading.Event()
    effects = [
        Denoise(),
        Lighting(),
        Beautify(),
        BackgroundBlur(),
        PortraitMode(),
        BackgroundReplacement(),
        Sharpen(),
    ]
    with Pipeline(effects, on_error=errors.append) as pipe:
        pipe.disable("portrait_mode", "background_replacement")
        threads = [
            repeated(work, pipe, seed, end, errors) for seed, work in enumerate((switch, adjust))
        ]
        memory = 0
        try:
            frame = walls[0]
            for number in range(FRAMES):
                if choose.random() < 0.05:
                    frame = choose.choice(walls)
                # Times repeat, run backward, and are missing.
                pts = choose.choice((number, number, number, 0, None))
                shown = pipe.process(dataclasses.replace(frame, pts=pts))
                assert shown.y.shape == frame.y.shape
                assert contrast(shown, side_of(*shown.y.shape)) < VISIBLE, number
                if number == FRAMES // 5:
                    gc.collect()
                    memory = resident()
        finally:
            end.set()
            for thread in threads:
                thread.join()
        gc.collect()
        assert resident() - memory < GROWTH
    assert not errors
