"""Operators that only rearrange values."""

import numpy as np

from tools.convert_tflite.activation import add_result
from tools.convert_tflite.errors import ConversionError
from tools.convert_tflite.graph import NCHW_TO_NHWC, GraphBuilder, inner_axis
from tools.convert_tflite.reader import Operator
from tools.convert_tflite.registry import converts


@converts("RESHAPE")
def convert_reshape(graph: GraphBuilder, operator: Operator) -> None:
    """The order of the values counts here, so rank 4 goes back to NHWC first."""
    source, result = operator.inputs[0], operator.outputs[0]
    if len(graph.shape(result)) == 4:
        raise ConversionError("reshaping to rank 4 is not supported")
    value, name = graph.value(source), graph.name(result)
    if len(graph.shape(source)) == 4:
        value = graph.add_transpose(value, f"{name}.source_nhwc", NCHW_TO_NHWC)
    shape = graph.add_initializer(f"{name}.shape", np.asarray(graph.shape(result), np.int64))
    add_result(graph, operator, "Reshape", [value, shape])


@converts("CONCATENATION")
def convert_concatenation(graph: GraphBuilder, operator: Operator) -> None:
    """Several tensors, one after the other along one axis."""
    axis = inner_axis(operator.options["Axis"], len(graph.shape(operator.outputs[0])))
    inputs = [graph.value(tensor) for tensor in operator.inputs]
    add_result(graph, operator, "Concat", inputs, axis=axis)
