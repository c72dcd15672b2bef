"""Activations: a node of their own, whether the file has them fused or not."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import tflite  # type: ignore[import-untyped]

from tools.convert_tflite.errors import ConversionError
from tools.convert_tflite.graph import GraphBuilder, inner_shape
from tools.convert_tflite.reader import Operator

_FUSED = {
    tflite.ActivationFunctionType.RELU: (0.0, None),
    tflite.ActivationFunctionType.RELU6: (0.0, 6.0),
    tflite.ActivationFunctionType.RELU_N1_TO_1: (-1.0, 1.0),
}


def add_clamp(graph: GraphBuilder, value: str, tensor: int, low: float, high: float | None) -> None:
    """Add the node that clamps `value` to low..high and holds `tensor`; no `high` means Relu."""
    name = graph.name(tensor)
    inputs = [value]
    if high is not None:
        inputs.append(graph.add_initializer(f"{name}.low", np.asarray(low, np.float32)))
        inputs.append(graph.add_initializer(f"{name}.high", np.asarray(high, np.float32)))
    op_type = "Relu" if high is None else "Clip"
    shape = inner_shape(graph.shape(tensor))
    graph.set_value(tensor, graph.add_node(op_type, inputs, name, shape))


def add_result(
    graph: GraphBuilder,
    operator: Operator,
    op_type: str,
    inputs: Sequence[str],
    **attributes: Any,
) -> None:
    """Add the node that computes an operator's only output, then its fused activation, if any."""
    tensor = operator.outputs[0]
    name, shape = graph.name(tensor), inner_shape(graph.shape(tensor))
    fused = operator.options.get("FusedActivationFunction", tflite.ActivationFunctionType.NONE)
    if fused == tflite.ActivationFunctionType.NONE:
        graph.set_value(tensor, graph.add_node(op_type, inputs, name, shape, **attributes))
        return
    if fused not in _FUSED:
        raise ConversionError(f"fused activation function {fused} is not supported")
    before = graph.add_node(op_type, inputs, f"{name}.before_activation", shape, **attributes)
    add_clamp(graph, before, tensor, *_FUSED[fused])
