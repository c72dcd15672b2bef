"""What is fuzzed. Each target may raise the errors that it names; all else is a fault."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from pullfx import effects, models
from pullfx.cli.effect_text import parse_effect
from pullfx.errors import (
    FrameError,
    KernelError,
    ModelError,
    ParameterError,
    PullfxError,
    SourceError,
)
from pullfx.kernels.network import Network, compile_network
from pullfx.nodes.lookup_table import read_cube
from pullfx.pipeline.formats import PixelFormat, frame_from_array, frame_to_array
from pullfx.pipeline.pipeline import Pipeline
from pullfx.pipeline.sources import open_source
from tools.fuzz.choices import Choices

Target = Callable[[Choices], None]

_LARGEST = 64
_CUTS = 8
_DTYPES = ["u1", "i1", "u2", "f4", "f8", "?", "c8", "O"]
_HEAD = b"YUV4MPEG2 W16 H8 F30:1 Ip A1:1 C420jpeg\nFRAME\n"
_CUBE = b'TITLE "a"\nLUT_3D_SIZE 2\n' + b"0 0 0\n" * 8
_OFTEN_WRONG: list[Any] = [None, "", "0.5", b"x", [], {}, object(), 1 + 2j, 10**400]


def _damaged(content: bytes, choices: Choices) -> bytes:
    """A file with some bytes exchanged, cut out, or cut off."""
    damaged = bytearray(content)
    for _ in range(choices.ConsumeIntInRange(1, _CUTS)):
        place = choices.ConsumeIntInRange(0, max(len(damaged) - 1, 0))
        new = choices.ConsumeBytes(16)
        match choices.ConsumeIntInRange(0, 3):
            case 0:
                damaged[place : place + len(new)] = new
            case 1:
                damaged[place:place] = new
            case 2:
                del damaged[place : place + choices.ConsumeIntInRange(1, 64)]
            case _ if choices.ConsumeIntInRange(0, 7) == 0:
                del damaged[place:]
            case _ if damaged:
                damaged[place] ^= 1 << choices.ConsumeIntInRange(0, 7)
    return bytes(damaged)


class NetworkFiles:
    """The reader of networks in 8 bits: `ModelError`, or a program that runs."""

    def __init__(self) -> None:
        self._content = models.path("face_mesh.int8").read_bytes()

    def __call__(self, choices: Choices) -> None:
        """Reads a damaged file."""
        try:
            program = compile_network(_damaged(self._content, choices), outputs=True)
            picture = np.zeros((program.height, program.width, 3), np.uint8)
            Network(program).run_outputs(picture)
        except (ModelError, KernelError):
            pass


def frame_edge(choices: Choices) -> None:
    """Arrays of any kind as pictures: `FrameError`, or a frame that comes out as it went in."""
    shape = [choices.ConsumeIntInRange(0, _LARGEST) for _ in range(choices.ConsumeIntInRange(0, 4))]
    if len(shape) == 3 and choices.ConsumeIntInRange(0, 1):
        shape[2] = choices.PickValueInList([1, 2, 3, 4])
    array: Any = np.zeros(shape, choices.PickValueInList(["u1", "u1", "u1", *_DTYPES]))
    step = choices.PickValueInList([1, 1, 2, -1])
    if array.ndim:
        array = array[::step]
    pixel_format = choices.PickValueInList(list(PixelFormat))
    try:
        frame = frame_from_array(array, pixel_format)
        back = frame_to_array(frame, pixel_format)
    except FrameError:
        return
    if back.shape != array.shape:
        raise AssertionError(f"{array.shape} became {back.shape} as {pixel_format}")


def parameters(choices: Choices) -> None:
    """Values of any kind for parameters, and texts for the command line: `ParameterError`."""
    some = [name for name in effects.names() if effects.by_name(name).parameters()]
    name = choices.PickValueInList(some)
    kind = effects.by_name(name)
    parameter = choices.PickValueInList(sorted(kind.parameters()))
    value: Any = choices.PickValueInList(
        [
            choices.ConsumeFloat(),
            choices.ConsumeIntInRange(-(2**40), 2**40),
            choices.ConsumeUnicodeNoSurrogates(12),
            choices.PickValueInList(_OFTEN_WRONG),
        ]
    )
    try:
        effect = kind(**{parameter: value})
    except PullfxError:
        effect = None
    text = f"{name}:{parameter}={value if isinstance(value, str | float) else ''}"
    for attempt in (text, text + choices.ConsumeUnicodeNoSurrogates(12)):
        try:
            parse_effect(attempt)
        except PullfxError:
            continue
    if effect is not None and parameter not in ("model", "background", "file", "picture"):
        Pipeline([effect]).close()


def text_files(choices: Choices) -> None:
    """Lookup tables and raw video: an error of ours, or what they say."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / choices.PickValueInList(["a.cube", "a.y4m"])
        whole = _CUBE if file.suffix == ".cube" else _HEAD + bytes(192)
        file.write_bytes(_damaged(whole, choices))
        try:
            if file.suffix == ".cube":
                read_cube(file)
            else:
                with open_source(file) as source:
                    for _ in source.frames():
                        pass
        except (ParameterError, SourceError, FrameError):
            pass


TARGETS: dict[str, Callable[[], Target]] = {
    "network": NetworkFiles,
    "frame": lambda: frame_edge,
    "parameters": lambda: parameters,
    "files": lambda: text_files,
}
"""By name: what makes a target."""
