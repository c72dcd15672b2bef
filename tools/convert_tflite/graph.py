"""Collects the ONNX graph while the operators are walked, and keeps the books on layout.

Inside the ONNX graph every value of rank 4 is NCHW; in the .tflite file it is NHWC. Values of other
ranks have the same layout in both.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from tools.convert_tflite.errors import ConversionError
from tools.convert_tflite.reader import Array, Network

NHWC_TO_NCHW = (0, 3, 1, 2)
NCHW_TO_NHWC = (0, 2, 3, 1)


@dataclass(frozen=True)
class Normalisation:
    """What the .tflite file wants done to a picture in 0..1 first: value * scale + offset."""

    scale: float
    offset: float


def inner_shape(shape: Sequence[int]) -> tuple[int, ...]:
    """The shape inside the ONNX graph of a tensor that has `shape` in the .tflite file."""
    if len(shape) != 4:
        return tuple(shape)
    return tuple(shape[axis] for axis in NHWC_TO_NCHW)


def inner_axis(axis: int, rank: int) -> int:
    """The place inside the ONNX graph of an axis (negative counts from the end) of the file."""
    axis %= rank
    return NHWC_TO_NCHW.index(axis) if rank == 4 else axis


def clean_name(name: str) -> str:
    """The tensor's name without the mark that MediaPipe's own exporter leaves on some."""
    return re.sub(r"__xeno_compat__\d+$", "", name)


class GraphBuilder:
    """The ONNX graph of one network under construction."""

    def __init__(
        self, network: Network, normalised: Mapping[int, Normalisation] | None = None
    ) -> None:
        self._normalised = dict(normalised or {})
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: list[onnx.TensorProto] = []
        self.shapes: dict[str, tuple[int, ...]] = {}
        self._tensors = network.tensors
        self._values: dict[int, str] = {}
        self._constants: dict[int, Array] = {
            number: tensor.data
            for number, tensor in enumerate(network.tensors)
            if tensor.data is not None
        }

    def name(self, tensor: int) -> str:
        """The name of a tensor, as nodes and their outputs carry it."""
        return clean_name(self._tensors[tensor].name)

    def shape(self, tensor: int) -> tuple[int, ...]:
        """The shape of a tensor as in the file: NHWC where the rank is 4."""
        return self._tensors[tensor].shape

    def size(self, tensor: int) -> tuple[int, int]:
        """Height and width of a tensor of rank 4."""
        _, height, width, _ = self.shape(tensor)
        return height, width

    def is_constant(self, tensor: int) -> bool:
        """Whether the tensor's data is known while converting."""
        return tensor in self._constants

    def constant(self, tensor: int) -> Array:
        """The data of a constant tensor, in the layout of the file.

        Raises ConversionError where the tensor is computed while the network runs.
        """
        if tensor not in self._constants:
            raise ConversionError(f"tensor {self.name(tensor)} is not a constant")
        return self._constants[tensor]

    def set_constant(self, tensor: int, data: Array) -> None:
        """State that a tensor is known while converting, so that no node has to compute it."""
        self._constants[tensor] = data

    def value(self, tensor: int) -> str:
        """The name of the ONNX value that holds a computed tensor.

        Raises ConversionError where there is none, or none before its normalisation.
        """
        if tensor in self._normalised:
            raise ConversionError(f"input {self.name(tensor)} is normalised by convolutions alone")
        return self._value(tensor)

    def picture(self, tensor: int) -> tuple[str, Normalisation | None]:
        """As `value`, but before a normalisation, which is then left to the caller."""
        return self._value(tensor), self._normalised.get(tensor)

    def _value(self, tensor: int) -> str:
        if tensor not in self._values:
            raise ConversionError(f"tensor {self.name(tensor)} is used before it is computed")
        return self._values[tensor]

    def set_value(self, tensor: int, value: str) -> None:
        """State which ONNX value holds a tensor from now on."""
        self._values[tensor] = value

    def add_initializer(self, name: str, data: Array) -> str:
        """Add a constant to the graph, in the layout that the node wants, and return its name."""
        self.initializers.append(numpy_helper.from_array(np.asarray(data, order="C"), name))
        return name

    def add_node(
        self,
        op_type: str,
        inputs: Sequence[str],
        output: str,
        shape: Sequence[int],
        **attributes: Any,
    ) -> str:
        """Add a node named like its only output; `shape` is as inside the graph. Returns the name.

        Raises ConversionError where two nodes would carry one name.
        """
        if output in self.shapes:
            raise ConversionError(f"two values are named {output}")
        self.shapes[output] = tuple(shape)
        self.nodes.append(helper.make_node(op_type, inputs, [output], name=output, **attributes))
        return output

    def rename(self, value: str, name: str) -> None:
        """Give a computed value another name, everywhere.

        Raises ConversionError where two values would carry one name.
        """
        if name in self.shapes:
            raise ConversionError(f"two values are named {name}")
        self.shapes[name] = self.shapes.pop(value)
        for node in self.nodes:
            if value in node.output:
                node.name = name
            for names in (node.input, node.output):
                names[:] = [name if other == value else other for other in names]

    def add_transpose(self, value: str, output: str, order: Sequence[int]) -> str:
        """Add a node that reorders the axes of a value of rank 4. Returns the new value's name."""
        shape = [self.shapes[value][axis] for axis in order]
        return self.add_node("Transpose", [value], output, shape, perm=list(order))
