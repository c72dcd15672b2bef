"""What flows through a graph while it is compiled: pictures of real numbers, not yet computed.

Shapes are (channels, height, width); the batch of 1 and the layout of the file are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pullfx.errors import ModelError
from pullfx.kernels.network.program import Codes

Shape: TypeAlias = tuple[int, int, int]
Doubles: TypeAlias = NDArray[np.float64]


@dataclass(eq=False)
class Real:
    """Base of all values; each says from which operators it comes."""

    shape: Shape
    operators: tuple[str, ...]


@dataclass(eq=False)
class Picture(Real):
    """The input in 0..1, before its codes."""


@dataclass(eq=False)
class Quantised:
    """What QuantizeLinear gives: codes of a value. `tensor` is None until a step makes them."""

    name: str
    value: Real
    scale: Doubles
    zero: Codes
    """[channels], each"""
    tensor: int | None = None
    lazy: bool = False
    """Whether the only reader can do the rounding in its own step."""


@dataclass(eq=False)
class Decoded(Real):
    """What DequantizeLinear gives: scale * (code - zero)."""

    source: Quantised
    scale: Doubles


@dataclass(eq=False)
class Padded(Real):
    """A picture with one number all around it."""

    value: Real
    pads: tuple[int, int, int, int]
    """Top, left, bottom, right."""
    number: float = 0.0


@dataclass(eq=False)
class Widened(Real):
    """A picture with more channels, which are zero, behind its own."""

    value: Real


@dataclass(eq=False)
class Enlarged(Real):
    """A picture twice as large: bilinear with half-pixel centres, or nearest."""

    value: Real
    bilinear: bool


@dataclass(eq=False)
class Convolution(Real):
    """Dense where `groups` is 1, else within each channel."""

    value: Real
    weights: NDArray[np.int8]
    """[out, in or 1, rows, columns]; transposed [in, out, 2, 2]"""
    weight_scale: Doubles
    bias: Doubles
    """[out], each"""
    pads: tuple[int, int]
    strides: tuple[int, int]
    dilations: tuple[int, int]
    depthwise: bool
    transposed: bool = False
    number: float = 0.0
    """What lies around its input."""


@dataclass(eq=False)
class Mean(Real):
    """Of each channel, over the whole picture."""

    value: Real


@dataclass(eq=False)
class Pooled(Real):
    """Largest or mean over a window."""

    value: Real
    largest: bool
    window: tuple[int, int]
    pads: tuple[int, int]
    strides: tuple[int, int]


@dataclass(eq=False)
class Joined(Real):
    """Channels of several pictures, one after the other."""

    values: tuple[Real, ...]


@dataclass(eq=False)
class Elementwise(Real):
    """A function of one number: clip, hard_swish, hard_sigmoid, sigmoid."""

    kind: str
    value: Real
    first: float = 0.0
    second: float = 0.0
    """Bounds of a clip; slope and offset of a hard sigmoid."""


@dataclass(eq=False)
class Prelu(Real):
    """A number, or where that is negative its product with the slope of its channel."""

    value: Real
    slope: Doubles


@dataclass(eq=False)
class Both(Real):
    """Sum or product of two."""

    kind: str
    one: Real
    other: Real


@dataclass(eq=False)
class Softmax(Real):
    """Over the channels."""

    value: Real


def refuse(value: Real, reason: str) -> ModelError:
    """The error for a value that no step can make."""
    name = value.operators[-1] if value.operators else "the input"
    return ModelError(f"node '{name}': {reason}; onnxruntime can run this network")
