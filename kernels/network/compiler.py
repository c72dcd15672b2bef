"""From an ONNX file to a program."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import onnx

from pullfx.errors import ModelError
from pullfx.kernels.network.arena import place_tensors
from pullfx.kernels.network.ends import add_mask, add_results
from pullfx.kernels.network.inputs import Reader, Value
from pullfx.kernels.network.layout import Rows, channels_last, joined, reshaped
from pullfx.kernels.network.lowering import Lowering
from pullfx.kernels.network.operators import OPERATORS
from pullfx.kernels.network.program import Program
from pullfx.kernels.network.reader import Graph, Node, read
from pullfx.kernels.network.values import Picture, Quantised, Real

LARGEST_ARENA = 2**28

_THIN: Final = ("Add", "Clip", "HardSigmoid", "HardSwish", "Mul", "PRelu", "Relu", "Sigmoid")
_CHANGES_OF_LAYOUT: Final = ("Flatten", "Reshape", "Squeeze", "Transpose")


def compile_network(
    source: str | Path | bytes | onnx.ModelProto,
    *,
    outputs: bool = False,
    share_memory: bool = True,
) -> Program:
    """Compiles a network in 8 bits.

    The file is ONNX in the QDQ form: float32 operators between QuantizeLinear and DequantizeLinear,
    codes uint8, weights int8. Input is an RGB picture in 0..1, [1, height, width, 3] or
    [1, 3, height, width], of fixed size. onnxruntime runs the same file.

    Of a portrait network the first output is the probability of a person, with one channel, or with
    two of which the last counts. Of others the outputs are float32, what convolutions give as it
    is, with the channels last.

    Args:
        source: the file, its content, or what the `onnx` package made of it.
        outputs: whether to compile all outputs as they are, instead of the first as a mask.
        share_memory: False keeps every tensor in memory of its own, for looking at them.

    Returns:
        The program; `Network` runs it.

    Raises:
        ModelError: the file is missing, damaged, or has something that does not compile; the
            message names the node.
    """
    graph = read(Path(source) if isinstance(source, str) else source)
    program = Program(*_picture_size(graph))
    _lower(graph, program, outputs)
    place_tensors(program, share_memory)
    if program.arena > LARGEST_ARENA:
        raise ModelError(f"the network needs {program.arena} bytes, more than {LARGEST_ARENA}")
    return program


def _picture_size(graph: Graph) -> tuple[int, int]:
    shape = graph.input_shape
    if len(shape) == 4 and shape[0] == 1 and shape[3] == 3:
        return shape[1], shape[2]
    if len(shape) == 4 and shape[0] == 1 and shape[1] == 3:
        return shape[2], shape[3]
    raise ModelError(
        f"the network must take an RGB image [1, height, width, 3] or [1, 3, height, width], "
        f"but takes {list(shape)}"
    )


def _lower(graph: Graph, program: Program, outputs: bool) -> None:
    lowering = Lowering(program)
    picture = Picture((3, program.height, program.width), ())
    values: dict[str, Value] = {graph.input: picture}
    readers = _readers(graph)
    channels_last = {graph.input} if graph.input_shape[3] == 3 else set()
    final: dict[str, Real] = {}
    rows: dict[str, Rows] = {}
    for node in graph.nodes:
        if outputs and (made_rows := _rows(Reader(graph, node, values), rows)):
            rows[node.outputs[0]] = made_rows
            continue
        if node.operator in _CHANGES_OF_LAYOUT:
            value = values.get(node.inputs[0]) if node.inputs else None
            if isinstance(value, Picture) and node.inputs[0] in channels_last:
                if Reader(graph, node, values).integers("perm", (0, 0, 0, 0)) != (0, 3, 1, 2):
                    raise node.refuse("the picture's channels must come first")
                values[node.outputs[0]] = value
            elif isinstance(value, Real):
                final[node.outputs[0]] = value
            elif node.inputs and node.inputs[0] in final:
                final[node.outputs[0]] = final[node.inputs[0]]
            else:
                raise node.refuse("a layout can change only behind the input or at the output")
            continue
        if unfit := [name for name in node.inputs if name in final or name in channels_last]:
            raise node.refuse(f"its input '{unfit[0]}' does not have the channels first")
        if node.operator not in OPERATORS:
            raise node.refuse("this operator does not compile")
        made = OPERATORS[node.operator](Reader(graph, node, values))
        values[node.outputs[0]] = made
        if isinstance(made, Quantised):
            made.lazy = _is_lazy(node, readers)
            if not made.lazy:
                lowering.codes(made)
    if outputs:
        if missing := [name for name in graph.outputs if name not in rows]:
            raise ModelError(
                f"the output '{missing[0]}' is not computed, or not with the channels last"
            )
        add_results(lowering, {name: rows[name] for name in graph.outputs})
        return
    name = graph.outputs[0]
    output = final.get(name, values.get(name))
    if not isinstance(output, Real):
        raise ModelError(f"nothing computes the output '{name}'")
    add_mask(lowering, output)


def _rows(reader: Reader, rows: Mapping[str, Rows]) -> Rows | None:
    """What a node makes of rows, or of a picture that becomes some; None where it does neither."""
    node = reader.node
    found = [rows[name] for name in node.inputs if name in rows]
    if not found:
        is_last = node.operator == "Transpose" and not isinstance(reader.value(0), Picture)
        return channels_last(reader) if is_last else None
    if node.operator == "Reshape":
        return reshaped(reader, found[0])
    if node.operator == "Concat" and len(found) == len(node.inputs):
        return joined(reader, found)
    raise node.refuse("its input does not have the channels first")


def _readers(graph: Graph) -> dict[str, list[Node]]:
    readers: dict[str, list[Node]] = {}
    for node in graph.nodes:
        for name in node.inputs:
            readers.setdefault(name, []).append(node)
    return readers


def _is_lazy(node: Node, readers: dict[str, list[Node]]) -> bool:
    """Whether codes are read once, by a thin operator, which then rounds in its own step."""
    decoders = readers.get(node.outputs[0], [])
    if len(decoders) != 1 or decoders[0].operator != "DequantizeLinear":
        return False
    users = readers.get(decoders[0].outputs[0], [])
    return len(users) == 1 and users[0].operator in _THIN
