"""Writes a rounded network as standard ONNX with QuantizeLinear and DequantizeLinear.

The contract that the file keeps is in this folder's README.md.
"""

import hashlib
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnx import helper, numpy_helper

from tools.quantise.codes import Codes
from tools.quantise.network import FloatArray, Step
from tools.quantise.simulation import (
    WEIGHT_LIMIT,
    Simulation,
    coded_input,
    output_axis,
    shared_scale,
)

CHANNEL_AXIS = 1
PRODUCER = "tools/quantise"


def export(simulation: Simulation) -> bytes:
    """The ONNX file: the same simulation gives the same bytes."""
    model = _Export(simulation).model()
    onnx.checker.check_model(model, full_check=True)
    return model.SerializeToString(deterministic=True)


def _mean(pooling: onnx.NodeProto) -> onnx.NodeProto:
    """Global average pooling under a name that onnxruntime leaves alone.

    It fuses DequantizeLinear, GlobalAveragePool, QuantizeLinear without asking whether there is a
    scale per channel, and then fails.
    """
    return helper.make_node(
        "ReduceMean", pooling.input, pooling.output, pooling.name, axes=[2, 3], keepdims=1
    )


class _Export:
    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._network = simulation.network
        # What passes a window of maxima has the codes that it had.
        self._codes = dict(simulation.codes)
        for step in self._network.steps:
            if step.kind == "MaxPool":
                source = coded_input(self._network, step, self._codes)
                self._codes[step.output] = self._codes[source]
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def model(self) -> onnx.ModelProto:
        source = self._network.model
        originals = {node.name: node for node in source.graph.node}
        constants = {constant.name: constant for constant in source.graph.initializer}
        for step in self._network.steps:
            node = onnx.NodeProto()
            node.CopyFrom(originals[step.name])
            if step.is_convolution:
                self._convolution(step, node)
            elif step.kind == "Resize":
                self._constants.append(constants[node.input[2]])
                node.input[0] = self._read(step.inputs[0], dense=True)
            elif step.kind in ("Pad", "PRelu", "Reshape"):
                node.input[0] = self._read(step.inputs[0])
                self._constants.append(constants[node.input[1]])
                if step.padding:
                    value = np.float32(self._simulation.padding(step))
                    self._constant(node.input[2], value)
            else:
                if step.kind == "GlobalAveragePool":
                    node = _mean(node)
                node.input[:] = [self._read(name) for name in step.inputs]
            self._nodes.append(node)
            if step.output in self._codes:
                self._quantise(step.output, self._codes[step.output])
        graph = helper.make_graph(
            self._nodes,
            source.graph.name,
            source.graph.input,
            source.graph.output,
            self._constants,
        )
        model = helper.make_model(graph, producer_name=PRODUCER, opset_imports=source.opset_import)
        model.ir_version = source.ir_version
        metadata = {entry.key: entry.value for entry in source.metadata_props}
        metadata["quantised_from_sha256"] = hashlib.sha256(
            self._network.path.read_bytes()
        ).hexdigest()
        helper.set_model_props(model, metadata)
        return model

    def _read(self, name: str, dense: bool = False) -> str:
        """The name under which a step reads a tensor."""
        if name not in self._codes:
            return name
        shared = dense and self._codes[name].per_channel
        return f"{name}.shared_values" if shared else f"{name}.values"

    def _quantise(self, name: str, codes: Codes) -> None:
        scale = codes.scale if codes.per_channel else codes.scale[0]
        zero_point = codes.zero_point if codes.per_channel else codes.zero_point[0]
        self._constant(f"{name}.scale", scale)
        self._constant(f"{name}.zero_point", zero_point)
        self._linear("QuantizeLinear", name, f"{name}.codes", name)
        users = self._network.users[name]
        dense = self._network.dense_users(name)
        upsampled = [user for user in users if user.kind == "Resize"]
        others = [user for user in users if user not in dense and user not in upsampled]
        if others or not codes.per_channel:
            self._linear("DequantizeLinear", f"{name}.codes", f"{name}.values", name)
        if dense and codes.per_channel:
            shared = np.full_like(codes.scale, shared_scale(codes))
            self._constant(f"{name}.shared_scale", shared)
            self._linear(
                "DequantizeLinear",
                f"{name}.codes",
                f"{name}.shared_values",
                name,
                scale=f"{name}.shared_scale",
            )

    def _convolution(self, step: Step, node: onnx.NodeProto) -> None:
        weight, scale = self._weight(step)
        bias = self._simulation.parameter_of(step, "bias").detach().numpy()
        codes = self._codes[coded_input(self._network, step, self._codes)]
        if step.is_depthwise:
            input_scale: FloatArray = codes.scale
        else:
            input_scale = np.array([shared_scale(codes)], np.float32)
        bias_scale = (input_scale * scale).astype(np.float32)
        limits = np.iinfo(np.int32)
        bias_codes = np.clip(np.rint(bias.astype(np.float64) / bias_scale), limits.min, limits.max)
        axis = output_axis(step)
        self._constant(f"{step.name}.weight", weight)
        self._constant(f"{step.name}.weight_scale", scale)
        self._constant(f"{step.name}.weight_zero_point", np.zeros(len(scale), np.int8))
        self._constant(f"{step.name}.bias", bias_codes.astype(np.int32))
        self._constant(f"{step.name}.bias_scale", bias_scale)
        self._constant(f"{step.name}.bias_zero_point", np.zeros(len(scale), np.int32))
        for part, part_axis in (("weight", axis), ("bias", 0)):
            name = f"{step.name}.{part}"
            inputs = [name, f"{name}_scale", f"{name}_zero_point"]
            self._nodes.append(
                helper.make_node(
                    "DequantizeLinear", inputs, [f"{name}_values"], f"{name}_values", axis=part_axis
                )
            )
        node.input[:] = [
            self._read(step.inputs[0], dense=not step.is_depthwise),
            f"{step.name}.weight_values",
            f"{step.name}.bias_values",
        ]

    def _weight(self, step: Step) -> tuple[npt.NDArray[np.int8], FloatArray]:
        """int8 weights, with what they absorb of the input's scales, and their scales."""
        with torch.no_grad():
            codes = self._simulation.integer_weight(step).round().clamp(-WEIGHT_LIMIT, WEIGHT_LIMIT)
        return codes.to(torch.int8).numpy(), self._simulation.weight_scale(step).numpy()

    def _linear(
        self, kind: str, source: str, result: str, codes: str, scale: str | None = None
    ) -> None:
        inputs = [source, scale or f"{codes}.scale", f"{codes}.zero_point"]
        node = helper.make_node(kind, inputs, [result], result)
        if self._codes[codes].per_channel:
            node.attribute.append(helper.make_attribute("axis", CHANNEL_AXIS))
        self._nodes.append(node)

    def _constant(self, name: str, value: Mapping[str, object] | npt.ArrayLike) -> None:
        self._constants.append(numpy_helper.from_array(np.asarray(value), name))
