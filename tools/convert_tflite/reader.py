"""Reads a .tflite flatbuffer into plain dataclasses, so that nothing else knows the schema."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import tflite  # type: ignore[import-untyped]

from tools.convert_tflite.errors import ConversionError

Array = npt.NDArray[Any]

OPTION_FIELDS: Mapping[str, tuple[str, ...]] = {
    "Conv2DOptions": (
        "Padding",
        "StrideH",
        "StrideW",
        "DilationHFactor",
        "DilationWFactor",
        "FusedActivationFunction",
    ),
    "DepthwiseConv2DOptions": (
        "Padding",
        "StrideH",
        "StrideW",
        "DilationHFactor",
        "DilationWFactor",
        "FusedActivationFunction",
    ),
    "TransposeConvOptions": ("Padding", "StrideH", "StrideW", "FusedActivationFunction"),
    "Pool2DOptions": (
        "Padding",
        "StrideH",
        "StrideW",
        "FilterHeight",
        "FilterWidth",
        "FusedActivationFunction",
    ),
    "AddOptions": ("FusedActivationFunction",),
    "MulOptions": ("FusedActivationFunction",),
    "ReducerOptions": ("KeepDims",),
    "ResizeBilinearOptions": ("AlignCorners", "HalfPixelCenters"),
    "ConcatenationOptions": ("Axis", "FusedActivationFunction"),
}
"""The options that the converter reads, per table of the schema, by the names of the schema."""

_DTYPES: Mapping[int, np.dtype[Any]] = {
    tflite.TensorType.FLOAT32: np.dtype("<f4"),
    tflite.TensorType.FLOAT16: np.dtype("<f2"),
    tflite.TensorType.INT32: np.dtype("<i4"),
    tflite.TensorType.INT64: np.dtype("<i8"),
}
_OPTION_TABLES: Mapping[int, str] = {
    number: name for name, number in vars(tflite.BuiltinOptions).items() if isinstance(number, int)
}


@dataclass(frozen=True)
class Tensor:
    """A value of the network; `data` is set where the file holds it. Rank 4 means NHWC."""

    name: str
    shape: tuple[int, ...]
    data: Array | None = None


@dataclass(frozen=True)
class Operator:
    """One operator. `kind` is the schema's name (`CONV_2D`) or, for a custom one, its own name.

    `inputs` and `outputs` are tensor numbers; an input that is left out is -1.
    """

    kind: str
    version: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    options: Mapping[str, int] = field(default_factory=dict)
    custom_options: bytes = b""


@dataclass(frozen=True)
class Network:
    """The main subgraph of a .tflite file, operators in the order in which they run."""

    tensors: tuple[Tensor, ...]
    operators: tuple[Operator, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


def read_network(content: bytes) -> Network:
    """Parse the bytes of a .tflite file.

    Raises ConversionError if it is no such file, has several subgraphs, or holds weights in a form
    that is not read here (sparse, quantised).
    """
    if content[4:8] != b"TFL3":
        raise ConversionError("not a .tflite file: the identifier TFL3 is missing")
    model = tflite.Model.GetRootAsModel(content, 0)
    if model.SubgraphsLength() != 1:
        raise ConversionError(f"one subgraph expected, the file has {model.SubgraphsLength()}")
    subgraph = model.Subgraphs(0)
    return Network(
        tensors=tuple(
            _read_tensor(model, subgraph.Tensors(number))
            for number in range(subgraph.TensorsLength())
        ),
        operators=tuple(
            _read_operator(model, subgraph.Operators(number))
            for number in range(subgraph.OperatorsLength())
        ),
        inputs=tuple(int(number) for number in subgraph.InputsAsNumpy()),
        outputs=tuple(int(number) for number in subgraph.OutputsAsNumpy()),
    )


def _read_tensor(model: Any, tensor: Any) -> Tensor:
    name = tensor.Name().decode()
    shape = tuple(int(tensor.Shape(axis)) for axis in range(tensor.ShapeLength()))
    buffer = model.Buffers(tensor.Buffer())
    if buffer.DataLength() == 0:
        return Tensor(name, shape)
    if tensor.Sparsity() is not None:
        raise ConversionError(f"tensor {name}: sparse weights are not supported")
    if tensor.Type() not in _DTYPES:
        raise ConversionError(f"tensor {name}: constants of type {tensor.Type()} not supported")
    data = buffer.DataAsNumpy().view(_DTYPES[tensor.Type()]).reshape(shape)
    return Tensor(name, shape, data)


def _read_operator(model: Any, operator: Any) -> Operator:
    code = model.OperatorCodes(operator.OpcodeIndex())
    # Files older than the 128th operator have the number in the deprecated 8-bit field only.
    number = max(code.BuiltinCode(), code.DeprecatedBuiltinCode())
    kind = tflite.opcode2name(number)
    return Operator(
        kind=code.CustomCode().decode() if kind == "CUSTOM" else kind,
        version=int(code.Version()),
        inputs=tuple(int(number) for number in operator.InputsAsNumpy()),
        outputs=tuple(int(number) for number in operator.OutputsAsNumpy()),
        options=_read_options(operator),
        custom_options=bytes(
            operator.CustomOptions(position) for position in range(operator.CustomOptionsLength())
        ),
    )


def _read_options(operator: Any) -> dict[str, int]:
    union = operator.BuiltinOptions()
    table_name = _OPTION_TABLES.get(operator.BuiltinOptionsType(), "NONE")
    if union is None or table_name not in OPTION_FIELDS:
        return {}
    table = getattr(tflite, table_name)()
    table.Init(union.Bytes, union.Pos)
    return {name: int(getattr(table, name)()) for name in OPTION_FIELDS[table_name]}
