"""A compiled network: tensors of 8-bit codes, and the steps that make one from the other."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Codes = NDArray[np.uint8]

BLOCK = 16
"""Channels are stored in multiples of it."""

PICTURE = -1
"""The tensor that a step names to read the picture."""


def stored(channels: int) -> int:
    """Channels with those that are there to fill the last block."""
    return -(-channels // BLOCK) * BLOCK


@dataclass
class Tensor:
    """[height, width, channels], uint8 or float32; `offset` is its place in the arena, set last."""

    name: str
    height: int
    width: int
    channels: int
    floats: bool = False
    offset: int = 0

    @property
    def size(self) -> int:
        """Bytes."""
        return self.height * self.width * stored(self.channels) * (4 if self.floats else 1)


@dataclass(frozen=True)
class Output:
    """A float32 output; in memory one follows the other."""

    name: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return int(np.prod(self.shape))


@dataclass(frozen=True)
class Thin:
    """An operation on float32 within a step, in IEEE arithmetic, one rounding per operation.

    | kind | result |
    | --- | --- |
    | scale | v * a |
    | gate | v * (a * table[code of the channel in `tensor`]), the bracket rounded once per run |
    | hard_swish | (v * b) * min(max(v * a + 0.5, 0), 1) |
    | clip | min(max(v, a), b) |
    | prelu | max(v, 0) + min(v, 0) * a |
    | add | v + (code - b) * a, codes of `tensor`; it may lack channels for which a is 0 |
    | multiply | v * ((code - b) * a), codes of `tensor` |
    | round | the nearest whole number, ties to even, of min(max(v, a), b) |
    """

    kind: str
    a: Floats
    """[channels]"""
    b: Floats | None = None
    """[channels]"""
    table: Floats | None = None
    """[256], or [channels, 256]"""
    tensor: int = PICTURE


@dataclass(frozen=True)
class Finish:
    """What turns a step's sums into codes: min(max(round(v) + zero, lowest), highest).

    Where the step makes float32 it ends with v, and all three are empty.
    """

    thin: tuple[Thin, ...]
    zero: Codes
    lowest: Codes
    highest: Codes
    """[channels], each"""


@dataclass(frozen=True)
class Window:
    """Which input pixels a step looks at for one output pixel."""

    rows: int = 1
    columns: int = 1
    row_stride: int = 1
    column_stride: int = 1
    row_dilation: int = 1
    column_dilation: int = 1
    top: int = 0
    left: int = 0


@dataclass(frozen=True)
class Step:
    """One pass over memory.

    | kind | sums |
    | --- | --- |
    | dense | bias + weights * codes, over window and channels |
    | depthwise | the same within each channel |
    | upconv | those of a 1x1 convolution, enlarged by two, times 16 |
    | enlarge | the same of a depthwise one |
    | mean | for each input, the sum of code - zero; v is the sum of each times its factor |
    | average, maximum | over the window, of code - border |
    | thin | code - zero |
    | copy | none: codes are placed at `top`, `left`, `channel` of the output |
    | mask | none: `table` of the code, or of two, is the mask |
    | result | none: float32 go to the outputs, from `place` on, channel by channel |
    | expand | a transposed convolution, 2x2, to one channel; `table` of its codes is the mask |
    """

    kind: str
    name: str
    inputs: tuple[int, ...]
    output: int
    """The tensor that it writes; -1 stands for the mask or the outputs."""
    finish: Finish | None = None
    window: Window = field(default_factory=Window)
    weights: NDArray[np.int8] | None = None
    """[out, rows, columns, in], depthwise and enlarge [channels, rows, columns],
    expand [4 outputs, in]"""
    bias: NDArray[np.int32] | None = None
    """[out], with what the zero points of the input add to it"""
    border: Codes | None = None
    """[in], the codes that lie outside of the input"""
    spread: int = 1
    phase: tuple[int, int] = (0, 0)
    """Where the outputs go: to pixels (spread * y + phase[0], spread * x + phase[1])."""
    repeat: int = 1
    channel: int = 0
    place: int = 0
    factors: tuple[Floats, ...] = ()
    zeros: tuple[Codes, ...] = ()
    table: Codes | None = None
    fused: tuple[str, ...] = ()
    """Names of the operators that are part of it."""

    def second_tensors(self) -> tuple[int, ...]:
        """The tensors that its thin operations read."""
        thin = self.finish.thin if self.finish else ()
        kinds = ("add", "gate", "multiply")
        return tuple(operation.tensor for operation in thin if operation.kind in kinds)

    def reads(self) -> tuple[int, ...]:
        """The tensors that it reads, without the picture."""
        indices = (*self.inputs, *self.second_tensors())
        return tuple(index for index in indices if index != PICTURE)


@dataclass
class Program:
    """A network for pictures of one size, with a mask or with outputs.

    Attributes:
        height: of picture and mask.
        width: of picture and mask.
        tensors: all that lie in the arena.
        steps: in the order in which they run.
        outputs: float32, in the order of the file; none where there is a mask.
        arena: bytes that hold all tensors; set by `pullfx.kernels.network.arena`.
    """

    height: int
    width: int
    tensors: list[Tensor] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    arena: int = 0

    @property
    def numbers(self) -> int:
        """How many all outputs have together."""
        return sum(output.size for output in self.outputs)

    def add_tensor(
        self, name: str, channels: int, height: int, width: int, floats: bool = False
    ) -> int:
        """A new tensor's index."""
        self.tensors.append(Tensor(name, height, width, channels, floats))
        return len(self.tensors) - 1

    def multiply_adds(self, step: Step) -> int:
        """Of the convolution in a step, borders counted."""
        if step.weights is None:
            return 0
        if step.kind == "expand":
            return step.weights.size * self.height * self.width // 4
        out = self.tensors[step.output]
        pixels = out.height * out.width // step.spread**2
        return step.weights.size * (pixels // 4 if step.kind in ("enlarge", "upconv") else pixels)

    def describe(self) -> list[dict[str, object]]:
        """A row per step: name, fused operators, shape, bytes read and written, kernel."""
        rows: list[dict[str, object]] = []
        for step in self.steps:
            out = None if step.output < 0 else self.tensors[step.output]
            if step.kind == "result":
                out = self.tensors[step.inputs[0]]
            shape = (self.height, self.width, 1)
            if out is not None:
                shape = (out.height, out.width, out.channels)
            weights = 0 if step.weights is None else step.weights.size
            moved = sum(self.tensors[index].size for index in step.reads()) + weights
            moved += out.size if out is not None else self.height * self.width
            rows.append(
                {
                    "step": step.name,
                    "fused": " + ".join(step.fused),
                    "shape": "x".join(map(str, shape)),
                    "bytes": moved,
                    "multiply_adds": self.multiply_adds(step),
                    "kernel": kernel_name(step),
                }
            )
        return rows


def kernel_name(step: Step) -> str:
    """What a step's kernel is called: kind, window and stride, then what is in its registers."""
    window = step.window
    name = step.kind
    if step.weights is not None or step.kind in ("average", "maximum"):
        name += f"_{window.rows}x{window.columns}"
        if window.row_stride > 1:
            name += f"_s{window.row_stride}"
        if max(window.row_dilation, window.column_dilation) > 1:
            name += f"_d{max(window.row_dilation, window.column_dilation)}"
    if step.finish:
        name += "".join(f"_{operation.kind}" for operation in step.finish.thin)
    return name
