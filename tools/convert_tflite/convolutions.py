"""Convolutions: plain, depthwise, transposed."""

import struct
from collections.abc import Sequence

import numpy as np
import tflite  # type: ignore[import-untyped]

from tools.convert_tflite.activation import add_result
from tools.convert_tflite.errors import ConversionError
from tools.convert_tflite.graph import GraphBuilder, Normalisation
from tools.convert_tflite.padding import transposed_padding, window_padding
from tools.convert_tflite.reader import Array, Operator
from tools.convert_tflite.registry import converts

# The custom operator stores the runtime's enum for its padding, which is not the schema's.
_CUSTOM_PADDING = {1: tflite.Padding.SAME, 2: tflite.Padding.VALID}


@converts("CONV_2D")
def convert_convolution(graph: GraphBuilder, operator: Operator) -> None:
    """Weights in the file: output channel, row, column, input channel."""
    weights = graph.constant(operator.inputs[1]).transpose(0, 3, 1, 2)
    _, _, _, channels = graph.shape(operator.inputs[0])
    if weights.shape[1] != channels:
        raise ConversionError("grouped convolution is not supported")
    _add_convolution(graph, operator, weights, groups=1)


@converts("DEPTHWISE_CONV_2D")
def convert_depthwise_convolution(graph: GraphBuilder, operator: Operator) -> None:
    """Weights in the file: 1, row, column, channel; several outputs of one input lie together."""
    weights = graph.constant(operator.inputs[1]).transpose(3, 0, 1, 2)
    _, _, _, channels = graph.shape(operator.inputs[0])
    _add_convolution(graph, operator, weights, groups=channels)


def _add_convolution(graph: GraphBuilder, operator: Operator, weights: Array, groups: int) -> None:
    options = operator.options
    kernel = (weights.shape[2], weights.shape[3])
    dilation = (options["DilationHFactor"], options["DilationWFactor"])
    pads = window_padding(options, graph.size(operator.inputs[0]), kernel, dilation)
    value, normalisation = graph.picture(operator.inputs[0])
    bias = _bias(graph, operator, 2)
    if normalisation is not None:
        value = _add_border(graph, operator, value, normalisation, pads)
        pads = [0, 0, 0, 0]
        # In float64, so that a weight is rounded once.
        exact = weights.astype(np.float64)
        moved = exact.sum((1, 2, 3)) * normalisation.offset + (0 if bias is None else bias)
        weights = np.asarray(exact * normalisation.scale, np.float32)
        bias = np.asarray(moved, np.float32)
    add_result(
        graph,
        operator,
        "Conv",
        [value, *_add_weights(graph, operator, weights, bias)],
        kernel_shape=list(kernel),
        strides=[options["StrideH"], options["StrideW"]],
        dilations=list(dilation),
        pads=pads,
        group=groups,
    )


def _add_border(
    graph: GraphBuilder,
    operator: Operator,
    value: str,
    normalisation: Normalisation,
    pads: Sequence[int],
) -> str:
    """The picture with a border of what is zero for the file, since Conv pads with its own zero."""
    top, left, bottom, right = pads
    name = graph.name(operator.outputs[0])
    zero = np.asarray(-normalisation.offset / normalisation.scale, np.float32)
    inputs = [
        value,
        graph.add_initializer(f"{name}.pads", np.array([0, 0, top, left, 0, 0, bottom, right])),
        graph.add_initializer(f"{name}.pad_value", zero),
    ]
    batch, channels, height, width = graph.shapes[value]
    shape = (batch, channels, top + height + bottom, left + width + right)
    return graph.add_node("Pad", inputs, f"{name}.padded", shape, mode="constant")


def _bias(graph: GraphBuilder, operator: Operator, bias_input: int) -> Array | None:
    if len(operator.inputs) <= bias_input or operator.inputs[bias_input] < 0:
        return None
    return graph.constant(operator.inputs[bias_input])


def _add_weights(
    graph: GraphBuilder, operator: Operator, weights: Array, bias: Array | None
) -> list[str]:
    name = graph.name(operator.outputs[0])
    names = [graph.add_initializer(f"{name}.weight", weights)]
    if bias is not None:
        names.append(graph.add_initializer(f"{name}.bias", bias))
    return names


@converts("Convolution2DTransposeBias")
def convert_biased_transposed_convolution(graph: GraphBuilder, operator: Operator) -> None:
    """MediaPipe's custom operator: input, weights, bias; options: padding, stride x, stride y."""
    padding, stride_x, stride_y = struct.unpack("<3i", operator.custom_options)
    if padding not in _CUSTOM_PADDING:
        raise ConversionError(f"padding {padding} is not supported")
    _add_transposed_convolution(
        graph,
        operator,
        source=operator.inputs[0],
        bias_input=2,
        padding=_CUSTOM_PADDING[padding],
        strides=(stride_y, stride_x),
    )


@converts("TRANSPOSE_CONV")
def convert_transposed_convolution(graph: GraphBuilder, operator: Operator) -> None:
    """Inputs: size of the output (which its shape repeats), weights, input."""
    options = operator.options
    _add_transposed_convolution(
        graph,
        operator,
        source=operator.inputs[2],
        bias_input=3,
        padding=options["Padding"],
        strides=(options["StrideH"], options["StrideW"]),
    )


def _add_transposed_convolution(
    graph: GraphBuilder,
    operator: Operator,
    source: int,
    bias_input: int,
    padding: int,
    strides: tuple[int, int],
) -> None:
    """Weights in the file: output channel, row, column, input channel. ONNX has input first."""
    weights = np.asarray(graph.constant(operator.inputs[1])).transpose(3, 0, 1, 2)
    kernel = (weights.shape[2], weights.shape[3])
    bias = _bias(graph, operator, bias_input)
    cut = [(0, 0), (0, 0)]
    if padding == tflite.Padding.SAME:
        sizes = zip(
            graph.size(source), graph.size(operator.outputs[0]), kernel, strides, strict=True
        )
        cut = [transposed_padding(*axis) for axis in sizes]
    (top, bottom), (left, right) = cut
    add_result(
        graph,
        operator,
        "ConvTranspose",
        [graph.value(source), *_add_weights(graph, operator, weights, bias)],
        kernel_shape=list(kernel),
        strides=list(strides),
        pads=[top, left, bottom, right],
    )
