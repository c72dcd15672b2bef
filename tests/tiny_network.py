"""Networks of a few operators, small enough to be made within a test."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper

WIDTH, HEIGHT = 32, 18
Shape = list[int | str]
NHWC: Shape = [1, HEIGHT, WIDTH, 3]
NCHW: Shape = [1, 3, HEIGHT, WIDTH]


@dataclass
class Model:
    """A tiny network: the mean of R, G and B is how far a pixel is person; then come `steps`."""

    input: Shape
    steps: tuple[tuple[Any, ...], ...] = ()
    two_classes: bool = False
    input_type: int = TensorProto.FLOAT
    output_type: int = TensorProto.FLOAT
    more_inputs: tuple[str, ...] = ()

    def save(self, path: Path) -> str:
        """Writes it and returns the path."""
        channel = 3 if self.input[3:] == [3] else 1
        nodes = []
        constants = []
        name = "image"
        if self.input_type != TensorProto.FLOAT:
            nodes.append(helper.make_node("Cast", [name], ["cast"], to=TensorProto.FLOAT))
            name = "cast"
        nodes.append(helper.make_node("ReduceMean", [name], ["mean"], axes=[channel], keepdims=1))
        name = "mean"
        if self.two_classes:
            constants.append(helper.make_tensor("one", TensorProto.FLOAT, [1], [1.0]))
            nodes.append(helper.make_node("Sub", ["one", name], ["rest"]))
            nodes.append(helper.make_node("Concat", ["rest", name], ["both"], axis=channel))
            name = "both"
        for index, (operator, constant, attributes) in enumerate(self.steps):
            inputs = [name]
            if constant is not None:
                array = np.asarray(constant)
                kind = helper.np_dtype_to_tensor_dtype(array.dtype)
                constants.append(
                    helper.make_tensor(f"c{index}", kind, array.shape, array.reshape(-1))
                )
                inputs.append(f"c{index}")
            name = f"step{index}"
            nodes.append(helper.make_node(operator, inputs, [name], **attributes))
        graph = helper.make_graph(
            nodes,
            "tiny",
            [
                helper.make_tensor_value_info(extra, self.input_type, self.input)
                for extra in ("image", *self.more_inputs)
            ],
            [helper.make_tensor_value_info(name, self.output_type, None)],
            constants,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.save(model, str(path))
        return str(path)
