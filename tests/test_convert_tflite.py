"""The converter of .tflite files: operators one by one, and what it refuses."""

import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import tflite  # type: ignore[import-untyped]
from typer.testing import CliRunner

from tools.convert_tflite.__main__ import app
from tools.convert_tflite.compare import start_session
from tools.convert_tflite.convert import convert, serialise
from tools.convert_tflite.errors import ConversionError
from tools.convert_tflite.graph import Normalisation
from tools.convert_tflite.litert import transposed_convolution_2x2
from tools.convert_tflite.padding import same_padding, transposed_padding
from tools.convert_tflite.reader import Network, Operator, Tensor, read_network
from tools.convert_tflite.recipes import RECIPES, read_sources

FloatArray = npt.NDArray[np.float32]


def test_command_names_what_it_cannot_convert(tmp_path: Path) -> None:
    unknown = tmp_path / "unknown.tflite"
    unknown.write_bytes(b"nothing")
    result = CliRunner().invoke(app, [str(unknown), "--output", str(tmp_path / "models")])
    assert result.exit_code == 1
    assert "unknown.tflite is or holds no known network" in result.output
    assert not (tmp_path / "models").exists()


def test_wheel_with_another_version_is_refused(tmp_path: Path) -> None:
    wheel = tmp_path / "mediapipe.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(RECIPES[0].member, b"another version")
    with pytest.raises(ConversionError, match=RECIPES[0].member_sha256):
        read_sources(wheel)


def test_no_flatbuffer_is_refused() -> None:
    with pytest.raises(ConversionError, match=r"not a \.tflite file"):
        read_network(b"no flatbuffer at all")


def one_operator_network(
    operator: Operator, shapes: Sequence[tuple[int, ...]], constants: Sequence[FloatArray] = ()
) -> Network:
    """Tensor 0 is the input and tensor 1 the output; then the constants."""
    source, result = shapes
    tensors = (
        Tensor("source", source),
        Tensor("result", result),
        *(Tensor(f"constant_{n}", data.shape, data) for n, data in enumerate(constants)),
    )
    return Network(tensors, (operator,), inputs=(0,), outputs=(1,))


def convert_one(network: Network, normalisation: Normalisation | None = None) -> bytes:
    model = convert(
        network,
        name="one",
        input_names=["image"],
        output_names=["answer"],
        metadata={},
        normalisation=normalisation,
    )
    return serialise(model)


def run_one(
    network: Network, image: FloatArray, normalisation: Normalisation | None = None
) -> FloatArray:
    content = convert_one(network, normalisation)
    (answer,) = start_session(content).run(None, {"image": image})
    return np.asarray(answer, np.float32)


@pytest.mark.parametrize("kind", ["CUMSUM", "FancyCustomOperator"])
def test_unknown_operator_is_named(kind: str) -> None:
    network = one_operator_network(Operator(kind, 1, (0,), (1,)), [(1, 4, 4, 2)] * 2)
    with pytest.raises(ConversionError, match=rf"operator {kind} is not supported .*result"):
        convert_one(network)


def test_unknown_version_is_named() -> None:
    network = one_operator_network(Operator("RELU", 7, (0,), (1,)), [(1, 4, 4, 2)] * 2)
    with pytest.raises(ConversionError, match="operator RELU version 7 is not supported, only 1"):
        convert_one(network)


def test_unknown_fused_activation_is_named() -> None:
    options = {"FusedActivationFunction": tflite.ActivationFunctionType.SIGN_BIT}
    operator = Operator("ADD", 1, (0, 0), (1,), options)
    with pytest.raises(ConversionError, match="ADD: fused activation function"):
        convert_one(one_operator_network(operator, [(1, 4, 4, 2)] * 2))


def test_fused_activation_becomes_a_node() -> None:
    options = {"FusedActivationFunction": tflite.ActivationFunctionType.RELU6}
    network = one_operator_network(
        Operator("ADD", 1, (0, 2), (1,), options),
        [(1, 2, 3, 2)] * 2,
        [np.array([-1.0, 5.0], np.float32)],
    )
    image = np.arange(12, dtype=np.float32).reshape(1, 2, 3, 2)
    expected = np.clip(image + np.array([-1.0, 5.0]), 0, 6)
    np.testing.assert_array_equal(run_one(network, image), expected)


def test_each_channel_has_its_slope() -> None:
    network = one_operator_network(
        Operator("PRELU", 1, (0, 2), (1,)),
        [(1, 1, 2, 2)] * 2,
        [np.array([[[0.5, 2.0]]], np.float32)],
    )
    image = np.array([-1, -1, 3, 3], np.float32).reshape(1, 1, 2, 2)
    np.testing.assert_array_equal(run_one(network, image).ravel(), [-0.5, -2, 3, 3])


def test_normalisation_moves_into_the_convolution() -> None:
    """A picture whose border would show if it were padded with another zero than the file's."""
    generator = np.random.default_rng(2)
    weights = generator.standard_normal((4, 5, 5, 3), dtype=np.float32)
    bias = generator.standard_normal(4, dtype=np.float32)
    options = {
        "Padding": tflite.Padding.SAME,
        "StrideH": 2,
        "StrideW": 2,
        "DilationHFactor": 1,
        "DilationWFactor": 1,
    }
    network = one_operator_network(
        Operator("CONV_2D", 1, (0, 2, 3), (1,), options),
        [(1, 8, 8, 3), (1, 4, 4, 4)],
        [weights, bias],
    )
    image = generator.random((1, 8, 8, 3), dtype=np.float32)
    expected = run_one(network, image * 2 - 1)
    moved = run_one(network, image, Normalisation(2.0, -1.0))
    np.testing.assert_allclose(moved, expected, atol=1e-4)


def test_normalisation_without_a_convolution_is_refused() -> None:
    network = one_operator_network(Operator("RELU", 1, (0,), (1,)), [(1, 4, 4, 2)] * 2)
    with pytest.raises(ConversionError, match="normalised by convolutions alone"):
        convert_one(network, Normalisation(2.0, -1.0))


@pytest.mark.parametrize(
    ("size", "kernel", "stride", "dilation", "expected"),
    [
        (256, 3, 2, 1, (0, 1)),  # Even size, odd kernel, stride 2: the odd pixel goes to the end.
        (9, 3, 2, 1, (1, 1)),
        (18, 5, 2, 1, (1, 2)),
        (9, 5, 1, 1, (2, 2)),
        (16, 3, 1, 2, (2, 2)),
        (16, 2, 1, 1, (0, 1)),
        (16, 1, 2, 1, (0, 0)),  # Never negative.
        (1, 5, 1, 1, (2, 2)),
    ],
)
def test_same_padding(
    size: int, kernel: int, stride: int, dilation: int, expected: tuple[int, int]
) -> None:
    before, after = same_padding(size, kernel, stride, dilation)
    assert (before, after) == expected
    output_size = (size + before + after - (kernel - 1) * dilation - 1) // stride + 1
    assert output_size == -(-size // stride)


def test_transposed_padding() -> None:
    assert transposed_padding(128, 256, kernel=2, stride=2) == (0, 0)
    assert transposed_padding(128, 256, kernel=3, stride=2) == (0, 1)
    with pytest.raises(ConversionError, match="does not reach 300 pixels"):
        transposed_padding(128, 300, kernel=2, stride=2)


def test_transposed_convolution_scatters_every_pixel() -> None:
    generator = np.random.default_rng(1)
    value = generator.random((1, 3, 2, 4), dtype=np.float32)
    weights = generator.random((5, 2, 2, 4), dtype=np.float32)
    bias = generator.random(5, dtype=np.float32)
    expected = np.zeros((1, 6, 4, 5), np.float32) + bias
    for row, column, y, x in np.ndindex(3, 2, 2, 2):
        expected[0, 2 * row + y, 2 * column + x] += weights[:, y, x] @ value[0, row, column]
    judged = transposed_convolution_2x2(value, weights, bias)
    np.testing.assert_allclose(judged, expected, rtol=1e-5)

    operator = Operator(
        "Convolution2DTransposeBias",
        1,
        (0, 2, 3),
        (1,),
        custom_options=np.array([1, 2, 2], "<i4").tobytes(),
    )
    network = one_operator_network(operator, [value.shape, expected.shape], [weights, bias])
    np.testing.assert_allclose(run_one(network, value), expected, rtol=1e-5)
