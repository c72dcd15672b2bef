"""Files that do not compile: each ends in one clear line, whatever is in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings, strategies as st
from onnx import TensorProto, helper, numpy_helper
from quantised_networks import NETWORKS, Writer

from pullfx import kernels
from pullfx.errors import ModelError
from pullfx.kernels.network import Network, compile_network
from pullfx.kernels.network.native import specification

Change = Callable[[onnx.ModelProto], None]


def node_of(model: onnx.ModelProto, kind: str) -> Any:
    return next(node for node in model.graph.node if node.op_type == kind)


def constant_of(model: onnx.ModelProto, part: str) -> Any:
    return next(value for value in model.graph.initializer if part in value.name)


def put(model: onnx.ModelProto, part: str, value: Any) -> None:
    old = constant_of(model, part)
    old.CopyFrom(numpy_helper.from_array(np.asarray(value), old.name))


def renamed(kind: str, other: str) -> Change:
    return lambda model: setattr(node_of(model, kind), "op_type", other)


def attribute(kind: str, name: str, value: Any) -> Change:
    def change(model: onnx.ModelProto) -> None:
        node = node_of(model, kind)
        kept = [item for item in node.attribute if item.name != name]
        del node.attribute[:]
        node.attribute.extend([*kept, helper.make_attribute(name, value)])

    return change


def constant(part: str, value: Any) -> Change:
    return lambda model: put(model, part, value)


def dynamic(model: onnx.ModelProto) -> None:
    model.graph.input[0].type.tensor_type.shape.dim[1].dim_param = "height"


def wide(model: onnx.ModelProto) -> None:
    model.graph.input[0].type.tensor_type.shape.dim[1].dim_value = 2**40


def two_inputs(model: onnx.ModelProto) -> None:
    model.graph.input.append(helper.make_tensor_value_info("other", TensorProto.FLOAT, [1]))


def foreign(model: onnx.ModelProto) -> None:
    node_of(model, "Relu").domain = "com.microsoft"


def elsewhere(model: onnx.ModelProto) -> None:
    weight = constant_of(model, ".weight")
    weight.data_location = TensorProto.EXTERNAL
    weight.external_data.add(key="location", value="/etc/passwd")


def enormous(model: onnx.ModelProto) -> None:
    constant_of(model, ".weight").dims[0] = 2**50


def cut(model: onnx.ModelProto) -> None:
    weight = constant_of(model, ".weight")
    weight.raw_data = weight.raw_data[:-1]


def without_output(model: onnx.ModelProto) -> None:
    model.graph.output[0].name = "nothing"


def circular(model: onnx.ModelProto) -> None:
    first = node_of(model, "QuantizeLinear")
    first.input[0] = model.graph.node[-1].output[0]


def old(model: onnx.ModelProto) -> None:
    model.opset_import[0].version = 9


def without_scale(model: onnx.ModelProto) -> None:
    """The first activation feeds the next convolution as it is."""
    swish = node_of(model, "HardSwish").output[0]
    for node in model.graph.node:
        for index, name in enumerate(node.input):
            if name == f"{swish}.values":
                node.input[index] = swish


REFUSED = {
    "operator": (renamed("Relu", "Tanh"), r"node '.+' \(Tanh\): this operator does not compile"),
    "domain": (foreign, "no standard operator"),
    "groups": (attribute("Conv", "group", 3), r"\(Conv\): 3 groups"),
    "dilation": (attribute("Conv", "dilations", [999, 1]), "out of range"),
    "stride": (attribute("Conv", "strides", [0, 1]), "out of range"),
    "pads": (attribute("Conv", "pads", [10**9, 0, 0, 0]), "pads .* out of range"),
    "negative pads": (attribute("Conv", "pads", [-1, 0, 0, 0]), "pads .* out of range"),
    "kind of pads": (attribute("Conv", "pads", "none"), "must be 4 numbers"),
    "mode": (attribute("Resize", "mode", "cubic"), "only enlargement by 2"),
    "scales": (constant("scales", np.array([1, 1, 3, 3], np.float32)), "only enlargement by 2"),
    "slope": (renamed("Sigmoid", "Softmax"), r"\(Softmax\)"),
    "zero scale": (constant(".scale", np.float32(0)), "a scale is not positive"),
    "negative scale": (constant(".scale", np.float32(-1)), "a scale is not positive"),
    "no number": (constant(".scale", np.float32(np.nan)), "no numbers"),
    "many scales": (constant(".scale", np.ones(7, np.float32)), "one per channel"),
    "tiny scale": (constant("hardswish5.scale", np.float32(1e-25)), "scale is too small"),
    "signed codes": (constant(".zero", np.int8(0)), "uint8|zero points"),
    "picture's scale": (constant("nchw.scale", np.float32(0.1)), "with scale 1/255"),
    "weights": (constant(".weight", np.zeros((16, 4, 3, 3), np.int8)), r"\(Conv\)"),
    "flat weights": (constant(".weight", np.zeros(16, np.int8)), "weights have no scale"),
    "float weights": (constant(".weight", np.zeros((16, 3, 3, 3), np.float64)), "float64"),
    "bias": (constant(".bias", np.zeros(3, np.float32)), "bias has a wrong length"),
    "huge bias": (constant(".bias", np.full(16, 3e38, np.float32)), "do not fit into 32 bits"),
    "size": (dynamic, "only fixed sizes"),
    "large": (wide, "only fixed sizes"),
    "inputs": (two_inputs, "must have one input"),
    "output": (without_output, "nothing computes the output"),
    "order": (circular, "is not there"),
    "opset": (old, "opset 9"),
    "external": (elsewhere, "lies in another file"),
    "enormous": (enormous, "is too large"),
    "cut": (cut, "is damaged"),
    "scale": (without_scale, "has no scale"),
}


@pytest.mark.parametrize(("change", "message"), REFUSED.values(), ids=REFUSED)
def test_refused(change: Change, message: str) -> None:
    model = NETWORKS["portrait"]()
    change(model)
    with pytest.raises(ModelError, match=message) as caught:
        compile_network(model)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"not an ONNX file", bytes(range(256)) * 40])
def test_no_onnx(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "user.onnx"
    path.write_bytes(content)
    for source in (content, path, str(path)):
        with pytest.raises(ModelError, match="no ONNX model"):
            compile_network(source)


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read: No such file"):
        compile_network(tmp_path / "nothing.onnx")


def test_long_chains_end() -> None:
    """Neither a deep nor a doubling chain of operators is followed without end."""
    w = Writer(16, 16)
    name = w.conv(w.picture, 1)
    for _ in range(100):
        name = w.thin("Relu", name)
    with pytest.raises(ModelError, match="operators stand between two codes"):
        compile_network(w.model(w.coded(name)))
    w = Writer(16, 16)
    name = w.coded(w.conv(w.picture, 1))
    for _ in range(100):
        name = w.thin("Add", name, name)
    with pytest.raises(ModelError, match="operators stand between two codes"):
        compile_network(w.model(w.coded(name)))


@pytest.mark.parametrize("name", NETWORKS)
@given(data=st.data())
@settings(max_examples=120, deadline=None, derandomize=True)
def test_random_damage(name: str, data: st.DataObject) -> None:
    """Bytes changed anywhere: it compiles and runs, or is refused."""
    content = bytearray(CONTENTS[name])
    for _ in range(data.draw(st.integers(1, 6))):
        position = data.draw(st.integers(0, len(content) - 1))
        content[position] = data.draw(st.integers(0, 255))
    if data.draw(st.booleans()):
        del content[data.draw(st.integers(0, len(content) - 1)) :]
    try:
        program = compile_network(bytes(content))
    except ModelError:
        return
    picture = np.full((program.height, program.width, 3), 200, np.uint8)
    Network(program).run(picture)


CONTENTS = {name: make().SerializeToString() for name, make in NETWORKS.items()}


def mask_with_gate(spec: Any) -> None:
    """The tensor that a mask writes is looked at by nobody."""
    gate = spec.thin[0]
    gate.kind = "gate"
    spec.kind, spec.output, spec.thin = "mask", 10**6, [gate]


SPOILED: dict[str, Callable[[Any], object]] = {
    "tensor outside": lambda spec: setattr(spec, "output", 10**6),
    "input outside": lambda spec: setattr(spec, "inputs", [-7]),
    "no input": lambda spec: setattr(spec, "inputs", []),
    "window": lambda spec: setattr(spec, "rows", 10**6),
    "stride": lambda spec: setattr(spec, "row_stride", 0),
    "dilation": lambda spec: setattr(spec, "row_dilation", -1),
    "border": lambda spec: setattr(spec, "top", -1),
    "spread": lambda spec: setattr(spec, "spread", 3),
    "phase": lambda spec: setattr(spec, "phase_row", 9),
    "kind": lambda spec: setattr(spec, "kind", "magic"),
    "other kind": lambda spec: setattr(spec, "kind", "mask"),
    "gate of a mask": mask_with_gate,
    "weights": lambda spec: spec.set_weights(b"123"),
    "bias": lambda spec: setattr(spec, "bias", [1]),
    "codes": lambda spec: spec.set_codes(b"", b"", b""),
    "border codes": lambda spec: spec.set_border(b"1"),
    "in place": lambda spec: setattr(spec, "inputs", [spec.output]),
    "reads the picture": lambda spec: setattr(spec, "inputs", [-1, -1]),
}


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
def test_the_compiled_module_trusts_no_program(spoil: Callable[[Any], object]) -> None:
    """What the compiler would never make is refused before anything is read or written."""
    from pullfx.kernels import _native

    variant = next(v for v in _native.variants() if v.name in kernels.available_isas())
    program = compile_network(NETWORKS["portrait"]())
    numbers = specification(program)
    steps = numbers[-1]
    dense = next(index for index, step in enumerate(program.steps) if step.kind == "depthwise")
    spoil(steps[dense])
    with pytest.raises(ValueError, match=r"\w"):
        _native.Network(variant, *numbers)


@pytest.mark.parametrize(
    ("rows", "columns", "channels", "offset"),
    [(32, 48, 16, -1), (32, 48, 16, 2**40), (-1, 4, 4, 0), (2**30, 2**30, 1, 0), (4, 4, 2**20, 0)],
)
def test_the_compiled_module_trusts_no_tensor(
    rows: int, columns: int, channels: int, offset: int
) -> None:
    from pullfx.kernels import _native

    variant = next(v for v in _native.variants() if v.name in kernels.available_isas())
    numbers = specification(compile_network(NETWORKS["portrait"]()))
    numbers[-2][3] = _native.TensorSpec(rows, columns, channels, False, offset)
    with pytest.raises(ValueError, match=r"tensor|size|channels"):
        _native.Network(variant, *numbers)
