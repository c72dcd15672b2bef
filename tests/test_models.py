"""The shipped models: unchanged, made as their cards say, and equal to MediaPipe's originals."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
import pytest
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
from tools.convert_tflite.fetch import FOLDER, FetchError, fetch_wheel
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
SIZES = {
    "selfie_square": (256, 256),
    "selfie_landscape": (144, 256),
    "face_short_range": (128, 128),
    "face_mesh": (192, 192),
}
OUTPUTS = {
    "selfie_square": {"mask": [1, 256, 256, 1]},
    "selfie_landscape": {"mask": [1, 144, 256, 1]},
    "face_short_range": {"regressors": [1, 896, 16], "scores": [1, 896, 1]},
    "face_mesh": {"landmarks": [1, 1, 1, 1404], "presence": [1, 1, 1, 1]},
}
# What the layout is turned back for: the outputs, or what becomes rows of them.
ENDS = {
    "selfie_square": ["mask"],
    "selfie_landscape": ["mask"],
    "face_short_range": [f"reshape{part}.source_nhwc" for part in ("", "_1", "_2", "_3")],
    "face_mesh": ["landmarks", "presence"],
}
MASKS = [name for name in models.names() if name.startswith("selfie")]
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
    (source,), results = session.get_inputs(), session.get_outputs()
    height, width = size_of(name)
    assert (source.name, source.type) == ("image", "tensor(float)")
    assert source.shape == [1, height, width, 3]
    assert {result.type for result in results} == {"tensor(float)"}
    expected = OUTPUTS[name.removesuffix(".int8")]
    assert {result.name: result.shape for result in results} == expected


@pytest.mark.parametrize("name", models.names())
def test_layout_changes_only_at_the_ends(name: str) -> None:
    graph = onnx.load(models.path(name)).graph
    transposes = [node.name for node in graph.node if node.op_type == "Transpose"]
    assert sorted(transposes) == sorted(["image_nchw", *ENDS[name.removesuffix(".int8")]])
    assert graph.node[0].name == "image_nchw"


@pytest.mark.parametrize("name", MASKS)
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


@pytest.mark.parametrize("load", [make_noise, load_pictures])
def test_same_outputs_as_the_original(
    recipe: Recipe, original: bytes, load: Callable[[tuple[int, int]], list[FloatArray]]
) -> None:
    content, inputs = models.path(recipe.name).read_bytes(), load(SIZES[recipe.name])
    assert largest_difference(content, original, inputs, recipe.normalisation) <= TOLERANCE


def test_command_writes_model_and_card(wheel: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, [str(wheel), "--output", str(tmp_path)])
    assert result.exit_code == 0, result.output
    for name in FLOAT_NAMES:
        shipped = models.path(name).read_bytes()
        assert (tmp_path / f"{name}.onnx").read_bytes() == shipped
        assert (tmp_path / f"{name}.md").exists()
