"""ONNX files read with distrust: a graph of plain Python values, or a ModelError."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper

from pullfx.errors import ModelError

Array = NDArray[Any]

LARGEST_FILE = 64 * 2**20
MOST_NODES = 5000
MOST_NUMBERS = 2**24
"""Of all constants together."""
LONGEST_SIDE = 4096
FIRST_OPSET = 13

_KINDS = {np.dtype(kind) for kind in ("float32", "uint8", "int8", "int32", "int64")}


@dataclass(frozen=True)
class Node:
    """An operator of the file."""

    operator: str
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]

    def refuse(self, reason: str) -> ModelError:
        """The error for a node that cannot become part of a program."""
        return ModelError(
            f"node '{self.name}' ({self.operator}): {reason}; onnxruntime can run this network"
        )


@dataclass(frozen=True)
class Graph:
    """A network with one input."""

    nodes: tuple[Node, ...]
    constants: Mapping[str, Array]
    input: str
    input_shape: tuple[int, ...]
    outputs: tuple[str, ...]


def read(source: Path | bytes | onnx.ModelProto) -> Graph:
    """The graph of a model.

    Args:
        source: an ONNX file, its content, or what the `onnx` package made of it.

    Raises:
        ModelError: it cannot be read, is damaged, or is not of the kind that is compiled.
    """
    model = source if isinstance(source, onnx.ModelProto) else _parse(source)
    _check_opsets(model)
    graph = model.graph
    if len(graph.node) > MOST_NODES:
        raise ModelError(f"the network has {len(graph.node)} nodes; at most {MOST_NODES} compile")
    constants = _constants(graph)
    nodes = []
    for node in graph.node:
        made = _node(node)
        if made.operator == "Constant":
            constants[made.outputs[0]] = _constant_value(made)
        else:
            nodes.append(made)
    inputs = [value for value in graph.input if value.name not in constants]
    if len(inputs) != 1:
        raise ModelError(f"the network must have one input, the image, but has {len(inputs)}")
    if not graph.output:
        raise ModelError("the network has no output")
    outputs = tuple(value.name for value in graph.output)
    return Graph(tuple(nodes), constants, inputs[0].name, _shape(inputs[0]), outputs)


def _parse(source: Path | bytes) -> onnx.ModelProto:
    content = _content(source) if isinstance(source, Path) else source
    model = onnx.ModelProto()
    try:
        model.ParseFromString(content)
    except Exception as error:  # protobuf's kinds differ between its implementations
        what = f"'{source}' is" if isinstance(source, Path) else "this is"
        raise ModelError(f"{what} no ONNX model: it cannot be parsed") from error
    if not model.graph.node:
        raise ModelError("no ONNX model: it has no nodes")
    return model


def _content(path: Path) -> bytes:
    try:
        size = path.stat().st_size
        if size > LARGEST_FILE:
            raise ModelError(f"'{path}' has {size} bytes; at most {LARGEST_FILE} compile")
        return path.read_bytes()
    except OSError as error:
        raise ModelError(f"'{path}' cannot be read: {error.strerror}") from error


def _check_opsets(model: onnx.ModelProto) -> None:
    for opset in model.opset_import:
        if opset.domain in ("", "ai.onnx") and opset.version < FIRST_OPSET:
            raise ModelError(
                f"the network is written in ONNX opset {opset.version}; "
                f"{FIRST_OPSET} is the first that compiles"
            )


def _node(node: onnx.NodeProto) -> Node:
    name = node.name or (node.output[0] if node.output else "")
    if node.domain not in ("", "ai.onnx"):
        raise ModelError(
            f"node '{name}' ({node.domain}.{node.op_type}) is no standard operator; "
            "onnxruntime may run this network"
        )
    if not node.output:
        raise ModelError(f"node '{name}' ({node.op_type}) gives nothing")
    try:
        attributes = {
            attribute.name: onnx.helper.get_attribute_value(attribute)
            for attribute in node.attribute
            if attribute.type not in (onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS)
        }
    except ValueError as error:
        raise ModelError(f"node '{name}' ({node.op_type}) has a damaged attribute") from error
    return Node(node.op_type, name, tuple(node.input), tuple(node.output), attributes)


def _constants(graph: onnx.GraphProto) -> dict[str, Array]:
    constants: dict[str, Array] = {}
    left = MOST_NUMBERS
    for tensor in graph.initializer:
        array = _array(tensor, left)
        left -= array.size
        constants[tensor.name] = array
    return constants


def _constant_value(node: Node) -> Array:
    value = node.attributes.get("value")
    if not isinstance(value, onnx.TensorProto):
        raise node.refuse("only constants that are tensors compile")
    return _array(value, MOST_NUMBERS)


def _array(tensor: onnx.TensorProto, most: int) -> Array:
    if tensor.data_location == onnx.TensorProto.EXTERNAL:
        raise ModelError(f"constant '{tensor.name}' lies in another file, which is not opened")
    count = 1
    for side in tensor.dims:
        count *= max(side, 0) if side >= 0 else most + 1
        if count > most:
            raise ModelError(f"constant '{tensor.name}' is too large")
    try:
        array = numpy_helper.to_array(tensor)
    except Exception as error:  # wrong lengths and types, of many kinds
        raise ModelError(f"constant '{tensor.name}' is damaged") from error
    if array.dtype not in _KINDS:
        raise ModelError(f"constant '{tensor.name}' is {array.dtype}, which does not compile")
    if array.dtype == np.float32 and not np.isfinite(array).all():
        raise ModelError(f"constant '{tensor.name}' has values that are no numbers")
    return array


def _shape(value: onnx.ValueInfoProto) -> tuple[int, ...]:
    if not value.type.HasField("tensor_type") or not value.type.tensor_type.HasField("shape"):
        raise ModelError(f"the input '{value.name}' has no shape; only fixed sizes compile")
    if value.type.tensor_type.elem_type != onnx.TensorProto.FLOAT:
        raise ModelError(f"the input '{value.name}' is not float32")
    sides = value.type.tensor_type.shape.dim
    shape = tuple(side.dim_value if side.HasField("dim_value") else 0 for side in sides)
    if not all(0 < side <= LONGEST_SIDE for side in shape):
        raise ModelError(
            f"the input '{value.name}' has the shape {shape}; only fixed sizes up to "
            f"{LONGEST_SIDE} compile, onnxruntime can run this network"
        )
    return shape
