"""Networks with outputs instead of a mask: bit for bit, as onnxruntime, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import onnxruntime  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings, strategies as st
from network_programs import STEPS, Case, Maker, program_of, with_outputs
from numpy.typing import NDArray
from onnx import numpy_helper
from quantised_networks import NETWORKS, Writer, detector

from pullfx import kernels, models
from pullfx.errors import KernelError, ModelError
from pullfx.kernels import reference
from pullfx.kernels.network import Network, Program, compile_network
from pullfx.kernels.network.native import specification

Array = NDArray[Any]

VARIANTS = [name for name in kernels.available_isas() if name != reference.name]
each_variant = pytest.mark.parametrize("variant", VARIANTS)
each_dense_case = pytest.mark.parametrize(
    "case", [case for case in STEPS if case.kind == "dense"], ids=lambda case: case.name
)


def picture_for(program: Program, seed: int = 0) -> NDArray[np.uint8]:
    random = np.random.default_rng(seed)
    return random.integers(0, 256, (program.height, program.width, 3), np.uint8)


def check(program: Program, variant: str, seed: int = 0, threads: int = 1) -> None:
    """Tensor by tensor and output by output, all bits."""
    picture = picture_for(program, seed)
    defined, compiled = Network(program, reference.name), Network(program, variant, threads)
    for made, expected in zip(
        compiled.run_outputs(picture), defined.run_outputs(picture), strict=True
    ):
        assert made.dtype == np.float32
        np.testing.assert_array_equal(made.view(np.uint32), expected.view(np.uint32))
    for index, tensor in enumerate(program.tensors):
        np.testing.assert_array_equal(
            compiled.codes(index), defined.codes(index), err_msg=tensor.name
        )


@each_variant
@each_dense_case
def test_sums_of_every_size(case: Case, variant: str) -> None:
    for width in range(1, 15):
        for outputs in (1, 15, 16, 17, 40):
            program = program_of(case, "scale", 1 + width % 4, width, 20, outputs, Maker(width))
            check(with_outputs(program, case.name), variant, width)


@each_variant
@each_dense_case
def test_sums_at_both_ends(case: Case, variant: str) -> None:
    program = program_of(case, "scale", 4, 9, 40, 20, Maker(1, extreme=True))
    check(with_outputs(program, case.name), variant)


@each_variant
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_a_whole_network(variant: str, threads: int) -> None:
    for seed in range(3):
        check(compile_network(detector(), outputs=True, share_memory=False), variant, seed, threads)


@each_variant
@pytest.mark.parametrize("name", ["face_short_range.int8", "face_mesh.int8"])
def test_the_shipped_networks(name: str, variant: str) -> None:
    path = models.path(name)
    check(compile_network(path, outputs=True, share_memory=False), variant)


@each_variant
def test_shared_memory_changes_nothing(variant: str) -> None:
    program = compile_network(detector(), outputs=True)
    apart = compile_network(detector(), outputs=True, share_memory=False)
    assert program.arena < apart.arena
    picture = picture_for(program)
    for one, other in zip(
        Network(program, variant).run_outputs(picture),
        Network(apart, variant).run_outputs(picture),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)


def test_as_onnxruntime() -> None:
    model = detector()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    # Its fusions round elsewhere; here it is to do what the file says.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    program = compile_network(model, outputs=True)
    assert [output.name for output in program.outputs] == ["scores", "numbers"]
    picture = picture_for(program)
    expected = session.run(None, {"image": picture[None].astype(np.float32) / np.float32(255)})
    for ours, theirs in zip(Network(program).run_outputs(picture), expected, strict=True):
        assert ours.shape == theirs.shape
        assert theirs.std() > 0.3
        # A rounding falls otherwise here and there.
        assert np.abs(ours - theirs).mean() <= 0.02


def test_largest_codes_and_wider_sums_are_not_finished_on_their_own() -> None:
    program = compile_network(detector(), outputs=True)
    kinds = [step.kind for step in program.steps]
    assert "thin" not in kinds
    assert kinds.count("copy") == 1  # 15 to 20 channels take another block
    assert kinds[-3:] == 3 * ["result"]


# What is refused.


def test_the_two_ways_to_run_are_not_mixed() -> None:
    portrait = Network(compile_network(NETWORKS["portrait"]()))
    with pytest.raises(KernelError, match="a mask instead of outputs; call run"):
        portrait.run_outputs(np.zeros((32, 48, 3), np.uint8))
    outputs = Network(compile_network(detector(), outputs=True))
    with pytest.raises(KernelError, match="outputs instead of a mask; call run_outputs"):
        outputs.run(np.zeros((16, 24, 3), np.uint8))


NUMBERS = 12 + 72 * 4


@pytest.mark.parametrize(
    ("picture", "out", "message"),
    [
        (np.zeros((16, 23, 3), np.uint8), None, r"must have shape \(16, 24, 3\)"),
        (np.zeros((16, 24, 3), np.uint8), np.zeros(NUMBERS + 1, np.float32), r"shape \(300,\)"),
        (np.zeros((16, 24, 3), np.uint8), np.zeros(NUMBERS, np.float64), "float32 array"),
        (np.zeros((16, 24, 3), np.uint8), np.zeros(2 * NUMBERS, np.float32)[::2], "C-contiguous"),
        (np.zeros((16, 24, 3), np.uint8), [0.0] * NUMBERS, "float32 array"),
    ],
)
def test_wrong_arguments(picture: Array, out: Any, message: str) -> None:
    with pytest.raises(KernelError, match=message):
        Network(compile_network(detector(), outputs=True)).run_outputs(picture, out)


def changed(kind: str, number: int, **attributes: Any) -> Callable[[onnx.ModelProto], None]:
    def change(model: onnx.ModelProto) -> None:
        node = [node for node in model.graph.node if node.op_type == kind][number]
        del node.attribute[:]
        made = (onnx.helper.make_attribute(*item) for item in attributes.items())
        node.attribute.extend(made)

    return change


def put(part: str, value: Any) -> Callable[[onnx.ModelProto], None]:
    def change(model: onnx.ModelProto) -> None:
        old = next(item for item in model.graph.initializer if part in item.name)
        old.CopyFrom(numpy_helper.from_array(np.asarray(value), old.name))

    return change


def swapped(model: onnx.ModelProto) -> None:
    """An output that is made of codes."""
    last = next(node for node in model.graph.node if node.output[0] == "scores")
    last.input[0] = next(
        node.output[0] for node in model.graph.node if node.op_type == "DequantizeLinear"
    )


def unmade(model: onnx.ModelProto) -> None:
    model.graph.output[0].name = "nothing"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (changed("Transpose", -1, perm=[0, 3, 2, 1]), "only the channels can move"),
        (changed("Concat", 0, axis=2), "joined along their first axis"),
        (put(".shape", np.array([1, 47, 4])), "cannot become"),
        (put(".number", np.float32(0.1)), "border of 0.1 has no code"),
        (put(".number", np.float32(1.5)), "has no code"),
        (put(".number", np.float32(np.inf)), "no numbers"),
        (put("slope", np.zeros((24, 1), np.float32)), "slopes are not along the channels"),
        (swapped, "an output must come from a dense convolution"),
        (unmade, "output 'nothing' is not computed"),
    ],
)
def test_refused_files(change: Callable[[onnx.ModelProto], None], message: str) -> None:
    model = detector()
    change(model)
    with pytest.raises(ModelError, match=message):
        compile_network(model, outputs=True)


def test_a_portrait_network_has_no_outputs_to_take() -> None:
    with pytest.raises(ModelError, match="must come from a dense convolution"):
        compile_network(NETWORKS["portrait"](), outputs=True)


def test_more_channels_are_zero() -> None:
    w = Writer(16, 16)
    pads = [0, 0, 0, 0, 0, 2, 0, 0]
    wide = w.padded(w.coded(w.conv(w.picture, 4)), pads, 1.0)
    last = w.conv(w.coded(w.thin("Add", wide, w.conv(w.picture, 6))), 1)
    w.add("Transpose", [last], "out", perm=[0, 2, 3, 1])
    with pytest.raises(ModelError, match="only as zeros"):
        compile_network(w.finished({"out": [1, 16, 16, 1]}), outputs=True)


@given(data=st.data())
@settings(max_examples=120, deadline=None, derandomize=True)
def test_random_damage(data: st.DataObject) -> None:
    """Bytes changed anywhere: it compiles and runs, or is refused."""
    content = bytearray(CONTENT)
    for _ in range(data.draw(st.integers(1, 6))):
        position = data.draw(st.integers(0, len(content) - 1))
        content[position] = data.draw(st.integers(0, 255))
    try:
        program = compile_network(bytes(content), outputs=True)
    except ModelError:
        return
    Network(program).run_outputs(np.full((program.height, program.width, 3), 200, np.uint8))


CONTENT = detector().SerializeToString()


def of_kind(program: Program, kind: str) -> int:
    return next(index for index, step in enumerate(program.steps) if step.kind == kind)


PROGRAM = compile_network(CONTENT, outputs=True)
FLOATS = next(index for index, tensor in enumerate(PROGRAM.tensors) if tensor.floats)

SPOILED: dict[str, tuple[str, Callable[[Any], object]]] = {
    "place": ("result", lambda spec: setattr(spec, "place", 1)),
    "place before": ("result", lambda spec: setattr(spec, "place", -1)),
    "place beyond": ("result", lambda spec: setattr(spec, "place", 2**62)),
    "result of codes": ("result", lambda spec: setattr(spec, "inputs", [0])),
    "result of the picture": ("result", lambda spec: setattr(spec, "inputs", [-1])),
    "no result": ("result", lambda spec: setattr(spec, "kind", "copy")),
    "two inputs": ("result", lambda spec: setattr(spec, "inputs", 2 * list(spec.inputs))),
    "codes of float32": ("depthwise", lambda spec: setattr(spec, "inputs", [FLOATS])),
    "depthwise to float32": ("depthwise", lambda spec: setattr(spec, "output", FLOATS)),
    "largest to float32": ("maximum", lambda spec: setattr(spec, "output", FLOATS)),
    "copy to float32": ("copy", lambda spec: setattr(spec, "output", FLOATS)),
    "mask beside outputs": ("copy", lambda spec: setattr(spec, "kind", "mask")),
}


@pytest.mark.parametrize(("kind", "spoil"), SPOILED.values(), ids=SPOILED)
def test_the_compiled_module_trusts_no_program(kind: str, spoil: Callable[[Any], object]) -> None:
    from pullfx.kernels import _native

    variant = next(v for v in _native.variants() if v.name in kernels.available_isas())
    numbers = specification(PROGRAM)
    spoil(numbers[-1][of_kind(PROGRAM, kind)])
    with pytest.raises(ValueError, match=r"\w"):
        _native.Network(variant, *numbers)


def test_the_compiled_module_trusts_no_narrower_tensor() -> None:
    """What is stored beyond its channels may be anything, so it may not count."""
    from pullfx.kernels import _native

    variant = next(v for v in _native.variants() if v.name in kernels.available_isas())
    numbers = specification(PROGRAM)
    step = next(
        step
        for step in numbers[-1]
        for thin in step.thin
        if thin.kind == "add" and PROGRAM.tensors[thin.tensor].channels < len(thin.a)
    )
    factors = step.thin[1].a
    step.thin = [step.thin[0], step.thin[1]]
    changed_thin = step.thin[1]
    changed_thin.a = [1.0] * len(factors)
    step.thin = [step.thin[0], changed_thin]
    with pytest.raises(ValueError, match="tensors that meet differ"):
        _native.Network(variant, *numbers)
