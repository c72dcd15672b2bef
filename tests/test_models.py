"""The shipped models: unchanged, made as their cards say, and equal to MediaPipe's originals."""

import os
import shutil
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
import pytest
import tflite  # type: ignore[import-untyped]
from typer.testing import CliRunner

from pullfx import models
from tools.convert_tflite.__main__ import app
from tools.convert_tflite.build import build_onnx
from tools.convert_tflite.card import render_card
from tools.convert_tflite.compare import (
    Comparison,
    largest_difference,
    load_picture,
    make_noise,
    start_session,
)
from tools.convert_tflite.convert import convert, serialise
from tools.convert_tflite.errors import ConversionError
from tools.convert_tflite.fetch import FOLDER, FetchError, fetch_wheel
from tools.convert_tflite.litert import transposed_convolution_2x2
from tools.convert_tflite.padding import same_padding, transposed_padding
from tools.convert_tflite.reader import Network, Operator, Tensor, read_network
from tools.convert_tflite.recipes import RECIPES, Recipe, read_sources

ROOT = Path(__file__).resolve().parents[1]
MEDIA = Path(os.environ.get("PULLFX_MEDIA", ROOT.parent / "shared" / "media"))
PICTURES = (
    "calib/easyportrait_01.png",
    "calib/easyportrait_16.png",
    "calib/easyportrait_20.png",
    "calib/easyportrait_23.png",
    "calib/faces_vmhuman_group-3.jpg",
    "calib/intelasl_bird_f20.jpg",
    "calib/openh264_zhling_f5.jpg",
    "pairs/easyportrait_p1.png",
)
FLOAT_NAMES = tuple(sorted(recipe.name for recipe in RECIPES))
SIZES = {"selfie_square": (256, 256), "selfie_landscape": (144, 256)}
TOLERANCE = 1e-3

FloatArray = npt.NDArray[np.float32]


@pytest.fixture(scope="session")
def wheel() -> Path:
    try:
        return fetch_wheel(ROOT / FOLDER)
    except FetchError as error:
        pytest.skip(str(error))


@pytest.fixture(params=RECIPES, ids=lambda recipe: recipe.name)
def recipe(request: pytest.FixtureRequest) -> Recipe:
    chosen = request.param
    assert isinstance(chosen, Recipe)
    return chosen


@pytest.fixture
def original(recipe: Recipe, wheel: Path) -> bytes:
    """The .tflite file that the recipe converts."""
    return dict(read_sources(wheel))[recipe]


def size_of(name: str) -> tuple[int, int]:
    """Height and width of the input, of a float network or of what was made from it."""
    return SIZES[name.removesuffix(".int8")]


def load_pictures(size: tuple[int, int]) -> list[FloatArray]:
    missing = [name for name in PICTURES if not (MEDIA / name).exists()]
    if missing:
        pytest.skip(f"test media missing in {MEDIA}: {', '.join(missing)}; set PULLFX_MEDIA")
    return [load_picture(MEDIA / name, size) for name in PICTURES]


# The package pullfx.models.


def test_every_recipe_is_shipped() -> None:
    assert set(FLOAT_NAMES) <= set(models.names())


@pytest.mark.parametrize("name", models.names())
def test_shipped_file_is_the_one_on_its_card(name: str) -> None:
    models.verify(name)
    card = models.card(name)
    assert models.path(name).name == card.file
    assert card.licence == "Apache-2.0"


@pytest.mark.parametrize("name", FLOAT_NAMES)
def test_converted_network_is_the_original(name: str) -> None:
    assert models.card(name).max_difference <= TOLERANCE


@pytest.mark.parametrize("name", ["selfie", "../models/selfie_square", ""])
def test_unknown_name_lists_the_known_ones(name: str) -> None:
    for function in (models.path, models.card, models.verify):
        with pytest.raises(FileNotFoundError, match=r"selfie_landscape, .*selfie_square"):
            function(name)


@pytest.fixture
def copied_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of one model for a test to damage."""
    for suffix in (".onnx", ".md"):
        shutil.copy(models.path("selfie_square").with_suffix(suffix), tmp_path)
    monkeypatch.setattr(models, "_FOLDER", tmp_path)
    return tmp_path


def test_damaged_file_is_found(copied_models: Path) -> None:
    models.verify("selfie_square")
    file = copied_models / "selfie_square.onnx"
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(ValueError, match=r"selfie_square\.onnx is damaged"):
        models.verify("selfie_square")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda text: text.replace("sha256: ", "hash: "), "no line 'sha256'"),
        (lambda text: text.replace("licence: ", "licence "), "not a line `key: value`"),
        (lambda text: text.replace("parameters: ", "parameters: many "), "many"),
        (lambda text: text.removeprefix("---"), "does not start with a block"),
        (lambda text: "", "does not start with a block"),
    ],
)
def test_damaged_card_is_found(
    copied_models: Path, damage: Callable[[str], str], message: str
) -> None:
    file = copied_models / "selfie_square.md"
    file.write_text(damage(file.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        models.card("selfie_square")


# The shipped networks.


@pytest.mark.parametrize("name", models.names())
def test_interface(name: str) -> None:
    session = start_session(models.path(name).read_bytes())
    (source,), (result,) = session.get_inputs(), session.get_outputs()
    height, width = size_of(name)
    assert (source.name, source.type) == ("image", "tensor(float)")
    assert source.shape == [1, height, width, 3]
    assert (result.name, result.type) == ("mask", "tensor(float)")
    assert result.shape == [1, height, width, 1]


@pytest.mark.parametrize("name", models.names())
def test_layout_changes_only_at_the_ends(name: str) -> None:
    graph = onnx.load(models.path(name)).graph
    transposes = [node.name for node in graph.node if node.op_type == "Transpose"]
    assert transposes == ["image_nchw", "mask"]
    assert graph.node[0].name == "image_nchw"
    assert graph.node[-1].name == "mask"


@pytest.mark.parametrize("name", models.names())
def test_mask_is_a_probability_and_finds_the_person(name: str) -> None:
    session = start_session(models.path(name).read_bytes())
    (mask,) = session.run(None, {"image": load_pictures(size_of(name))[0]})
    assert 0.0 <= mask.min() < 0.05
    assert 0.95 < mask.max() <= 1.0
    middle, corner = mask[0, mask.shape[1] * 3 // 4, mask.shape[2] // 2, 0], mask[0, 0, 0, 0]
    assert middle > 0.9
    assert corner < 0.1


def test_converting_again_gives_the_same_bytes(recipe: Recipe, original: bytes) -> None:
    first, second = build_onnx(recipe, original), build_onnx(recipe, original)
    assert first == second == models.path(recipe.name).read_bytes()


def test_card_is_what_the_template_gives(recipe: Recipe) -> None:
    card = models.card(recipe.name)
    comparison = Comparison(card.max_difference, card.compared_on)
    file = models.path(recipe.name)
    text = file.with_suffix(".md").read_text(encoding="utf-8")
    assert text == render_card(recipe, file.read_bytes(), comparison)


def test_same_masks_as_the_original_on_noise(recipe: Recipe, original: bytes) -> None:
    content = models.path(recipe.name).read_bytes()
    assert largest_difference(content, original, make_noise(SIZES[recipe.name])) <= TOLERANCE


def test_same_masks_as_the_original_on_pictures(recipe: Recipe, original: bytes) -> None:
    content = models.path(recipe.name).read_bytes()
    assert largest_difference(content, original, load_pictures(SIZES[recipe.name])) <= TOLERANCE


# The converter.


def test_command_writes_model_and_card(wheel: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, [str(wheel), "--output", str(tmp_path)])
    assert result.exit_code == 0, result.output
    for name in FLOAT_NAMES:
        shipped = models.path(name).read_bytes()
        assert (tmp_path / f"{name}.onnx").read_bytes() == shipped
        assert (tmp_path / f"{name}.md").exists()


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


def test_face_detector_converts(wheel: Path) -> None:
    """No shipped model yet, but it covers pooling, padding, reshaping and concatenation."""
    with zipfile.ZipFile(wheel) as archive:
        content = archive.read("mediapipe/modules/face_detection/face_detection_short_range.tflite")
    model = convert(
        read_network(content),
        name="face_detector",
        input_names=["image"],
        output_names=["boxes", "scores"],
        metadata={},
    )
    size = (128, 128)
    signed = [image * 2 - 1 for image in [*make_noise(size), *load_pictures(size)]]
    assert largest_difference(serialise(model), content, signed) <= TOLERANCE


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


def convert_one(network: Network) -> bytes:
    model = convert(
        network, name="one", input_names=["image"], output_names=["answer"], metadata={}
    )
    return serialise(model)


def run_one(network: Network, image: FloatArray) -> FloatArray:
    (answer,) = start_session(convert_one(network)).run(None, {"image": image})
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
