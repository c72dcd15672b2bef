"""What a network costs: numbers for its card."""

from dataclasses import dataclass

import onnx
from onnx import numpy_helper


@dataclass(frozen=True)
class Cost:
    """Parameters of a network, and the multiply-adds of its convolutions per picture."""

    parameters: int
    multiply_adds: int


def measure_cost(model: onnx.ModelProto) -> Cost:
    """Count the parameters (weights, biases, slopes) and the multiply-adds of all convolutions.

    The model has to carry the shapes of its inner values, as those of `convert` do. Activations,
    pooling, resizing and additions are not counted: they have no weights.
    """
    weights = {item.name: numpy_helper.to_array(item) for item in model.graph.initializer}
    shapes = {
        item.name: [axis.dim_value for axis in item.type.tensor_type.shape.dim]
        for item in model.graph.value_info
    }
    parameters = multiply_adds = 0
    for node in model.graph.node:
        if node.op_type not in ("Conv", "ConvTranspose", "PRelu"):
            continue
        parameters += sum(weights[name].size for name in node.input[1:])
        if node.op_type == "PRelu":
            continue
        # Every weight meets every pixel of the output once; in a transposed convolution, of the
        # input.
        pixels = shapes[node.output[0] if node.op_type == "Conv" else node.input[0]][2:]
        multiply_adds += weights[node.input[1]].size * pixels[0] * pixels[1]
    return Cost(parameters, multiply_adds)
