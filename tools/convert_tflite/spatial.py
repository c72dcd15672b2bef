"""Operators over neighbouring pixels that have no weights: pooling, resizing, padding."""

from typing import Any

import numpy as np
import tflite  # type: ignore[import-untyped]

from tools.convert_tflite.activation import add_result
from tools.convert_tflite.errors import ConversionError
from tools.convert_tflite.graph import GraphBuilder, inner_shape
from tools.convert_tflite.padding import window_padding
from tools.convert_tflite.reader import Operator
from tools.convert_tflite.registry import converts


@converts("AVERAGE_POOL_2D")
def convert_average_pool(graph: GraphBuilder, operator: Operator) -> None:
    """Mean over a window, counting only the pixels that exist."""
    kernel = (operator.options["FilterHeight"], operator.options["FilterWidth"])
    covers_all = kernel == graph.size(operator.inputs[0])
    if covers_all and operator.options["Padding"] == tflite.Padding.VALID:
        add_result(graph, operator, "GlobalAveragePool", [graph.value(operator.inputs[0])])
    else:
        _add_pool(graph, operator, "AveragePool", count_include_pad=0)


@converts("MAX_POOL_2D")
def convert_max_pool(graph: GraphBuilder, operator: Operator) -> None:
    """Maximum over a window."""
    _add_pool(graph, operator, "MaxPool")


def _add_pool(graph: GraphBuilder, operator: Operator, op_type: str, **attributes: Any) -> None:
    options = operator.options
    kernel = (options["FilterHeight"], options["FilterWidth"])
    add_result(
        graph,
        operator,
        op_type,
        [graph.value(operator.inputs[0])],
        kernel_shape=list(kernel),
        strides=[options["StrideH"], options["StrideW"]],
        pads=window_padding(options, graph.size(operator.inputs[0]), kernel),
        **attributes,
    )


@converts("MEAN")
def convert_mean(graph: GraphBuilder, operator: Operator) -> None:
    """Mean over rows and columns, which is the only use that these networks make of it."""
    source, axes = operator.inputs
    rank = len(graph.shape(source))
    reduced = sorted(int(axis) % rank for axis in graph.constant(axes).flat)
    if rank != 4 or reduced != [1, 2] or not operator.options["KeepDims"]:
        raise ConversionError(f"mean over axes {reduced} of rank {rank} is not supported")
    add_result(graph, operator, "GlobalAveragePool", [graph.value(source)])


@converts("RESIZE_BILINEAR", versions=(1, 2, 3))
def convert_resize(graph: GraphBuilder, operator: Operator) -> None:
    """Bilinear resize; where pixel centres lie is written out, since the two defaults differ."""
    source = operator.inputs[0]
    target = graph.constant(operator.inputs[1])
    options = operator.options
    if options["AlignCorners"]:
        centres = "align_corners"
    else:
        centres = "half_pixel" if options["HalfPixelCenters"] else "asymmetric"
    name = graph.name(operator.outputs[0])
    inputs = [graph.value(source), ""]
    if all(new % old == 0 for new, old in zip(target, graph.size(source), strict=True)):
        # A whole factor is exact as a float, and a reader need not work it out from the shapes.
        scales = [1, 1, *(target // graph.size(source))]
        inputs += [graph.add_initializer(f"{name}.scales", np.asarray(scales, np.float32))]
    else:
        sizes = np.asarray(inner_shape(graph.shape(operator.outputs[0])), np.int64)
        inputs += ["", graph.add_initializer(f"{name}.sizes", sizes)]
    add_result(
        graph,
        operator,
        "Resize",
        inputs,
        mode="linear",
        coordinate_transformation_mode=centres,
    )


@converts("PAD")
def convert_pad(graph: GraphBuilder, operator: Operator) -> None:
    """Zeros around any axis; the file has one (before, after) pair per axis."""
    pairs = graph.constant(operator.inputs[1]).astype(np.int64)
    before, after = inner_shape(pairs[:, 0].tolist()), inner_shape(pairs[:, 1].tolist())
    name = graph.name(operator.outputs[0])
    pads = graph.add_initializer(f"{name}.pads", np.asarray([*before, *after], np.int64))
    add_result(graph, operator, "Pad", [graph.value(operator.inputs[0]), pads], mode="constant")
