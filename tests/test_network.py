"""Whole networks: every instruction set bit for bit, and onnxruntime on the same file."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import onnx
import onnxruntime  # type: ignore[import-untyped]
import pytest
from numpy.typing import NDArray
from quantised_networks import NETWORKS

from pullfx import kernels, models
from pullfx.errors import KernelError
from pullfx.kernels import reference
from pullfx.kernels.network import Network, Program, compile_network
from pullfx.nodes import Segment
from pullfx.nodes.types import Image

Codes = NDArray[np.uint8]

VARIANTS = [name for name in kernels.available_isas() if name != reference.name]
each_network = pytest.mark.parametrize("name", NETWORKS)
each_variant = pytest.mark.parametrize("variant", VARIANTS)


def picture_for(program: Program, seed: int = 0) -> Codes:
    """Slow waves and noise."""
    random = np.random.default_rng(seed)
    y, x = np.mgrid[: program.height, : program.width] / 9
    waves = np.stack([np.sin(x + c) * np.cos(y - c) for c in range(3)], axis=-1)
    return np.clip(128 + 90 * waves + random.normal(0, 20, waves.shape), 0, 255).astype(np.uint8)


def by_onnxruntime(model: onnx.ModelProto, picture: Codes) -> NDArray[np.float32]:
    """The probability of a person."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    # Its fusions round elsewhere; here it is to do what the file says.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    tensor = picture[None].astype(np.float32) / np.float32(255)
    (output,) = session.run(None, {"image": tensor})
    return np.asarray(output[0, ..., -1], np.float32)


@each_network
@each_variant
def test_step_by_step(name: str, variant: str) -> None:
    program = compile_network(NETWORKS[name](), share_memory=False)
    defined, compiled = Network(program, reference.name), Network(program, variant)
    for seed in range(3):
        picture = picture_for(program, seed)
        np.testing.assert_array_equal(compiled.run(picture), defined.run(picture))
        for index, tensor in enumerate(program.tensors):
            np.testing.assert_array_equal(
                compiled.codes(index), defined.codes(index), err_msg=tensor.name
            )


@each_network
@pytest.mark.parametrize("variant", [*VARIANTS, reference.name])
def test_shared_memory_changes_nothing(name: str, variant: str) -> None:
    model = NETWORKS[name]()
    program = compile_network(model)
    apart = compile_network(model, share_memory=False)
    assert program.arena < apart.arena
    network, other = Network(program, variant), Network(apart, variant)
    for seed in range(3):
        picture = picture_for(program, seed)
        np.testing.assert_array_equal(network.run(picture), other.run(picture))


@each_network
def test_as_onnxruntime(name: str) -> None:
    model = NETWORKS[name]()
    program = compile_network(model)
    picture = picture_for(program)
    expected = by_onnxruntime(model, picture)
    assert expected.std() > 0.03  # a mask that says something
    ours = Network(program).run(picture) / 255
    assert np.abs(ours - expected).mean() <= 0.003


def test_nothing_thin_is_left_alone() -> None:
    program = compile_network(NETWORKS["portrait"]())
    kinds = [step.kind for step in program.steps]
    assert kinds.count("thin") == 2  # gates of tensors that also go elsewhere
    assert kinds.count("upconv") == 1
    assert kinds[-1] == "expand"
    assert "copy" not in kinds


def test_every_operator_is_described() -> None:
    model = NETWORKS["portrait"]()
    rows = compile_network(model).describe()
    fused = " + ".join(str(row["fused"]) for row in rows)
    for node in model.graph.node:
        if node.op_type not in ("QuantizeLinear", "DequantizeLinear", "Transpose"):
            assert node.name in fused
    assert all(isinstance(row["bytes"], int) and row["bytes"] > 0 for row in rows)


@pytest.mark.parametrize("name", ["selfie_landscape.int8", "selfie_square.int8"])
def test_the_shipped_networks(name: str) -> None:
    program = compile_network(models.path(name), share_memory=False)
    picture = picture_for(program)
    defined = Network(program, reference.name)
    expected = defined.run(picture)
    for variant in VARIANTS:
        network = Network(program, variant)
        np.testing.assert_array_equal(network.run(picture), expected, err_msg=variant)
        for index, tensor in enumerate(program.tensors):
            np.testing.assert_array_equal(
                network.codes(index), defined.codes(index), err_msg=f"{variant} {tensor.name}"
            )
    judged = by_onnxruntime(onnx.load(models.path(name)), picture)
    assert np.abs(expected / 255 - judged).mean() <= 0.003


@pytest.mark.parametrize(
    ("picture", "out", "message"),
    [
        (np.zeros((32, 48, 4), np.uint8), None, "must be"),
        (np.zeros((32, 47, 3), np.uint8), None, r"must have shape \(32, 48, 3\)"),
        (np.zeros((32, 48, 3), np.float32), None, "must be uint8"),
        (np.zeros((64, 48, 3), np.uint8)[::2], None, "C-contiguous"),
        (np.zeros((32, 48, 3), np.uint8), np.zeros((32, 47), np.uint8), "must have shape"),
        (np.zeros((32, 48, 3), np.uint8), np.zeros((48, 32), np.uint8).T, "side by side"),
    ],
)
def test_wrong_arguments(picture: Codes, out: Codes | None, message: str) -> None:
    network = Network(compile_network(NETWORKS["portrait"]()))
    with pytest.raises(KernelError, match=message):
        network.run(picture, out)


def test_an_unknown_instruction_set() -> None:
    with pytest.raises(KernelError, match="no instruction set 'avx9'"):
        Network(compile_network(NETWORKS["portrait"]()), "avx9")


def test_segment_runs_it_on_the_kernels(tmp_path: Path) -> None:
    model = NETWORKS["portrait"]()
    path = tmp_path / "user.onnx"
    onnx.save(model, path)
    segment = Segment(str(path))
    program = compile_network(model)
    picture = picture_for(program)
    np.testing.assert_array_equal(segment(Image(picture)), Network(program).run(picture))


def test_segment_falls_back_to_onnxruntime(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    model = NETWORKS["portrait"]()
    for node in model.graph.node:
        if node.op_type == "Sigmoid" and node.output[0] == model.graph.node[-1].input[0]:
            node.op_type = "Tanh"
    path = tmp_path / "user.onnx"
    onnx.save(model, path)
    with caplog.at_level(logging.WARNING), pytest.raises(Exception, match="probabilities"):
        Segment(str(path))
    assert "runs through onnxruntime, which is slower: node" in caplog.text
    assert "(Tanh): this operator does not compile" in caplog.text
