"""Operators that work value by value, and the unpacking of half-precision weights."""

import numpy as np

from tools.convert_tflite.activation import add_clamp, add_result
from tools.convert_tflite.errors import ConversionError
from tools.convert_tflite.graph import NHWC_TO_NCHW, GraphBuilder
from tools.convert_tflite.reader import Operator
from tools.convert_tflite.registry import converts


@converts("DEQUANTIZE", versions=(1, 2))
def fold_half_precision(graph: GraphBuilder, operator: Operator) -> None:
    """Weights kept as float16 become float32 here, exactly, and cost nothing at run time."""
    data = graph.constant(operator.inputs[0])
    if data.dtype != np.float16:
        raise ConversionError(f"only float16 can be unpacked, not {data.dtype}")
    graph.set_constant(operator.outputs[0], data.astype(np.float32))


@converts("RELU")
def convert_relu(graph: GraphBuilder, operator: Operator) -> None:
    """max(x, 0)."""
    add_clamp(graph, graph.value(operator.inputs[0]), operator.outputs[0], 0.0, None)


@converts("RELU6")
def convert_relu6(graph: GraphBuilder, operator: Operator) -> None:
    """min(max(x, 0), 6)."""
    add_clamp(graph, graph.value(operator.inputs[0]), operator.outputs[0], 0.0, 6.0)


@converts("PRELU")
def convert_prelu(graph: GraphBuilder, operator: Operator) -> None:
    """x, or where that is negative x times a slope, of which each channel has its own."""
    source, slopes = operator.inputs
    slope = graph.constant(slopes)
    if slope.ndim != 3 or slope.shape[:2] != (1, 1) or len(graph.shape(source)) != 4:
        raise ConversionError(f"slopes of shape {slope.shape} are not supported")
    name = graph.add_initializer(
        f"{graph.name(operator.outputs[0])}.slope", slope.transpose(2, 0, 1)
    )
    add_result(graph, operator, "PRelu", [graph.value(source), name])


@converts("HARD_SWISH")
def convert_hard_swish(graph: GraphBuilder, operator: Operator) -> None:
    """Hard-swish: x * min(max(x + 3, 0), 6) / 6."""
    add_result(graph, operator, "HardSwish", [graph.value(operator.inputs[0])])


@converts("LOGISTIC")
def convert_logistic(graph: GraphBuilder, operator: Operator) -> None:
    """1 / (1 + exp(-x))."""
    add_result(graph, operator, "Sigmoid", [graph.value(operator.inputs[0])])


@converts("ADD")
def convert_add(graph: GraphBuilder, operator: Operator) -> None:
    """Sum, with numpy's broadcasting."""
    add_result(graph, operator, "Add", _operands(graph, operator))


@converts("MUL")
def convert_multiply(graph: GraphBuilder, operator: Operator) -> None:
    """Product, with numpy's broadcasting."""
    add_result(graph, operator, "Mul", _operands(graph, operator))


def _operands(graph: GraphBuilder, operator: Operator) -> list[str]:
    rank = len(graph.shape(operator.outputs[0]))
    names = []
    for position, tensor in enumerate(operator.inputs):
        shape = graph.shape(tensor)
        if graph.is_constant(tensor):
            # Broadcasting lines shapes up at the end, where the file has the channels, but the
            # graph does not; so the missing axes are written out before the axes move.
            data = graph.constant(tensor).reshape((1,) * (rank - len(shape)) + shape)
            data = data.transpose(NHWC_TO_NCHW) if rank == 4 else data
            name = f"{graph.name(operator.outputs[0])}.operand_{position}"
            names.append(graph.add_initializer(name, data))
        elif rank == 4 and len(shape) != 4:
            raise ConversionError(f"operand of shape {shape} cannot be broadcast to rank 4")
        else:
            names.append(graph.value(tensor))
    return names
