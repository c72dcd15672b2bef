"""From a network to the bytes of an ONNX file."""

from collections.abc import Mapping, Sequence

import onnx
from onnx import TensorProto, helper

# Imported for their effect: each fills its part of the table of operators.
from tools.convert_tflite import convolutions, pointwise, shapes, spatial  # noqa: F401
from tools.convert_tflite.graph import NCHW_TO_NHWC, NHWC_TO_NCHW, GraphBuilder, Normalisation
from tools.convert_tflite.reader import Network
from tools.convert_tflite.registry import convert_operator

# Fixed, not "newest": onnxruntime 1.18 and later reads these, and the bytes stay the same when the
# onnx package is updated.
OPSET_VERSION = 17
IR_VERSION = 8
PRODUCER = "pullfx tools.convert_tflite"


def convert(
    network: Network,
    *,
    name: str,
    input_names: Sequence[str],
    output_names: Sequence[str],
    metadata: Mapping[str, str],
    normalisation: Normalisation | None = None,
) -> onnx.ModelProto:
    """Convert a network whose values are all float32.

    The ONNX graph takes and gives what the .tflite file does (NHWC where the rank is 4) under the
    names given here, in the file's order; between one Transpose at each end it is NCHW. With a
    normalisation its inputs are pictures in 0..1, whatever the file wants.

    Raises ConversionError on what the converter does not know.
    """
    normalised = dict.fromkeys(network.inputs, normalisation) if normalisation else None
    graph = GraphBuilder(network, normalised)
    inputs = [
        _add_input(graph, tensor, input_name)
        for tensor, input_name in zip(network.inputs, input_names, strict=True)
    ]
    for operator in network.operators:
        convert_operator(graph, operator)
    outputs = [
        _add_output(graph, tensor, output_name)
        for tensor, output_name in zip(network.outputs, output_names, strict=True)
    ]
    ends = {*input_names, *output_names}
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            name,
            inputs,
            outputs,
            graph.initializers,
            value_info=[
                _describe(value, shape)
                for value, shape in graph.shapes.items()
                if value not in ends
            ],
        ),
        ir_version=IR_VERSION,
        opset_imports=[helper.make_opsetid("", OPSET_VERSION)],
        producer_name=PRODUCER,
    )
    helper.set_model_props(model, dict(metadata))
    onnx.checker.check_model(model, full_check=True)
    return model


def serialise(model: onnx.ModelProto) -> bytes:
    """The bytes of the .onnx file: the same model gives the same bytes."""
    content: bytes = model.SerializeToString(deterministic=True)
    return content


def _describe(value: str, shape: Sequence[int]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(value, TensorProto.FLOAT, shape)


def _add_input(graph: GraphBuilder, tensor: int, name: str) -> onnx.ValueInfoProto:
    shape = graph.shape(tensor)
    graph.shapes[name] = shape
    value = graph.add_transpose(name, f"{name}_nchw", NHWC_TO_NCHW) if len(shape) == 4 else name
    graph.set_value(tensor, value)
    return _describe(name, shape)


def _add_output(graph: GraphBuilder, tensor: int, name: str) -> onnx.ValueInfoProto:
    value = graph.value(tensor)
    if len(graph.shape(tensor)) == 4:
        graph.add_transpose(value, name, NCHW_TO_NHWC)
    elif value != name:
        graph.rename(value, name)
    return _describe(name, graph.shape(tensor))
