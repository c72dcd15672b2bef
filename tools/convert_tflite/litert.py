"""The judge: what the original .tflite file computes, run by LiteRT.

LiteRT does not know MediaPipe's custom operator, with which the selfie networks end. Such a file is
cut before it: LiteRT runs everything up to there, and the last operators are done here in numpy,
straight from the definition and without a line of the converter's.
"""

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import tflite  # type: ignore[import-untyped]
from ai_edge_litert.interpreter import Interpreter  # type: ignore[import-untyped]

from tools.convert_tflite.errors import ConversionError
from tools.convert_tflite.reader import Network, Operator, read_network

FloatArray = npt.NDArray[np.float32]

CUSTOM_KIND = "Convolution2DTransposeBias"
_OPERATORS_FIELD = 10  # The place of `operators` in the schema's table SubGraph.


class LiteRtNetwork:
    """A .tflite file as LiteRT runs it."""

    def __init__(self, content: bytes, threads: int = 1) -> None:
        self._network = read_network(content)
        kinds = [operator.kind for operator in self._network.operators]
        cut = kinds.index(CUSTOM_KIND) if CUSTOM_KIND in kinds else len(kinds)
        self._rest: Sequence[Operator] = self._network.operators[cut:]
        if self._rest:
            content = cut_subgraph(content, cut, self._rest[0].inputs[0])
        self._interpreter: Any = Interpreter(model_content=content, num_threads=threads)
        self._interpreter.allocate_tensors()

    def run(self, image: FloatArray) -> list[FloatArray]:
        """All outputs for one input (NHWC float32, as the file wants it)."""
        self.load(image)
        self.invoke()
        return self.outputs()

    def load(self, image: FloatArray) -> None:
        """Gives it an input, as for `run`."""
        self._interpreter.set_tensor(self._interpreter.get_input_details()[0]["index"], image)

    def invoke(self) -> None:
        """Does all that LiteRT itself does."""
        self._interpreter.invoke()

    def outputs(self) -> list[FloatArray]:
        """The outputs for the input that was invoked last, with the operators done in numpy."""
        interpreter = self._interpreter
        outputs: list[FloatArray] = [
            interpreter.get_tensor(detail["index"]) for detail in interpreter.get_output_details()
        ]
        for operator in self._rest:
            outputs = [_run_in_numpy(self._network, operator, outputs[0])]
        return outputs


def cut_subgraph(content: bytes, operator_count: int, output: int) -> bytes:
    """The file with only its first operators, and one tensor of theirs as its only output.

    Two numbers change in place: a flatbuffer's vector starts with its length, and may be shortened
    without moving anything.
    """
    buffer = bytearray(content)
    subgraph = tflite.Model.GetRootAsModel(buffer, 0).Subgraphs(0)
    if subgraph.OutputsLength() != 1:
        raise ConversionError("only a network with one output can be cut")
    subgraph.OutputsAsNumpy()[0] = output
    table = subgraph._tab
    start = table.Vector(table.Offset(_OPERATORS_FIELD))
    struct.pack_into("<I", buffer, start - 4, operator_count)
    return bytes(buffer)


def _run_in_numpy(network: Network, operator: Operator, value: FloatArray) -> FloatArray:
    if operator.kind == "LOGISTIC":
        # 1 / (1 + exp(-x)), in a form that does not overflow.
        return np.asarray(np.exp(-np.logaddexp(0.0, -value)), np.float32)
    if operator.kind == CUSTOM_KIND:
        weights = _constant(network, operator.inputs[1])
        bias = _constant(network, operator.inputs[2])
        return transposed_convolution_2x2(value, weights, bias)
    raise ConversionError(f"operator {operator.kind} behind {CUSTOM_KIND} cannot be judged")


def _constant(network: Network, tensor: int) -> FloatArray:
    """A weight, which is in the file either as it is or as float16 behind a DEQUANTIZE."""
    sources = {
        operator.outputs[0]: operator.inputs[0]
        for operator in network.operators
        if operator.kind == "DEQUANTIZE"
    }
    data = network.tensors[sources.get(tensor, tensor)].data
    if data is None:
        raise ConversionError(f"tensor {network.tensors[tensor].name} is not a constant")
    return np.asarray(data, np.float32)


def transposed_convolution_2x2(
    value: FloatArray, weights: FloatArray, bias: FloatArray
) -> FloatArray:
    """A 2x2 kernel at stride 2: every input pixel becomes its own block of 2x2 output pixels.

    Value NHWC; weights output channel, row, column, input channel; bias one per output channel.
    """
    if weights.shape[1:3] != (2, 2):
        raise ConversionError(f"a 2x2 kernel expected, not {weights.shape[1:3]}")
    batch, height, width, _ = value.shape
    blocks: FloatArray = np.einsum("nhwi,oyxi->nhywxo", value, weights) + bias
    return blocks.reshape(batch, 2 * height, 2 * width, weights.shape[0])
