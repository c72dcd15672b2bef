"""What the operators of a graph read: values that are there already, constants and attributes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pullfx.kernels.network.reader import Graph, Node
from pullfx.kernels.network.values import Doubles, Quantised, Real, Shape

Array = NDArray[Any]

MOST_CHANNELS = 4096
MOST_PIXELS = 2**22
MOST_FUSED = 32
"""Operators between two tensors of codes."""


class Weights:
    """A dequantised constant: whole numbers and the scale along one axis."""

    def __init__(self, codes: Array, scale: Doubles, axis: int) -> None:
        self.codes = codes
        self.scale = scale
        self.axis = axis

    def real(self) -> Doubles:
        """The numbers that it stands for."""
        shape = [1] * self.codes.ndim
        if self.codes.ndim:
            shape[self.axis] = -1
        return np.asarray(self.codes * self.scale.reshape(shape), np.float64)


Value = Real | Quantised | Weights | Array


class Reader:
    """What a node reads, checked."""

    def __init__(self, graph: Graph, node: Node, values: dict[str, Value]) -> None:
        self.graph = graph
        self.node = node
        self._values = values

    def __len__(self) -> int:
        return sum(name != "" for name in self.node.inputs)

    def has(self, index: int) -> bool:
        """Whether an optional input is given."""
        return len(self.node.inputs) > index and self.node.inputs[index] != ""

    def value(self, index: int) -> Value:
        """Any input."""
        if not self.has(index):
            raise self.node.refuse(f"input {index} is missing")
        name = self.node.inputs[index]
        found = self._values.get(name)
        if found is None:
            found = self.graph.constants.get(name)
        if found is None:
            raise self.node.refuse(f"its input '{name}' is not there")
        return found

    def real(self, index: int = 0) -> Real:
        """A picture of real numbers."""
        value = self.value(index)
        if not isinstance(value, Real):
            raise self.node.refuse(f"input {index} must be computed, not constant or codes")
        return value

    def constant(self, index: int) -> Array:
        """A constant of the file."""
        value = self.value(index)
        if isinstance(value, Weights):
            return value.real()
        if not isinstance(value, np.ndarray):
            raise self.node.refuse(f"input {index} must be a constant")
        return value

    def number(self, index: int, default: float) -> float:
        """A constant of one number, or the default where it is not given."""
        if not self.has(index):
            return default
        array = self.constant(index)
        if array.size != 1:
            raise self.node.refuse(f"input {index} must be one number")
        return float(array.reshape(()))

    def integers(self, name: str, default: tuple[int, ...]) -> tuple[int, ...]:
        """An attribute of whole numbers, as many as the default has."""
        value = self.node.attributes.get(name, default)
        if not isinstance(value, list | tuple) or len(value) != len(default):
            raise self.node.refuse(f"attribute {name} must be {len(default)} numbers")
        if not all(isinstance(number, int) for number in value):
            raise self.node.refuse(f"attribute {name} must be whole numbers")
        return tuple(value)

    def integer(self, name: str, default: int) -> int:
        """An attribute of one whole number."""
        value = self.node.attributes.get(name, default)
        if not isinstance(value, int):
            raise self.node.refuse(f"attribute {name} must be a whole number")
        return value

    def factor(self, name: str, default: float) -> float:
        """An attribute of one number."""
        value = self.node.attributes.get(name, default)
        if not isinstance(value, int | float) or not np.isfinite(value):
            raise self.node.refuse(f"attribute {name} must be a number")
        return float(value)

    def text(self, name: str, default: str) -> str:
        """An attribute of text."""
        value = self.node.attributes.get(name, default)
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)

    def named(self, *values: Real) -> tuple[str, ...]:
        """The operators that a value made here is made of."""
        names = (*(name for value in values for name in value.operators), self.node.name)
        if len(names) > MOST_FUSED:
            raise self.node.refuse(f"more than {MOST_FUSED} operators stand between two codes")
        return names


def sized(reader: Reader, channels: int, height: int, width: int) -> Shape:
    """A shape that is neither empty nor larger than a program can hold."""
    fits = min(channels, height, width) > 0 and channels <= MOST_CHANNELS
    if not fits or height * width > MOST_PIXELS:
        raise reader.node.refuse(f"its result would be {channels}x{height}x{width}")
    return channels, height, width
