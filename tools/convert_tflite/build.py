"""One shipped model from its original: the ONNX file and the card."""

from pathlib import Path

from tools.convert_tflite.card import COPYRIGHT, LICENCE, render_card
from tools.convert_tflite.compare import Comparison, compare
from tools.convert_tflite.convert import convert, serialise
from tools.convert_tflite.reader import read_network
from tools.convert_tflite.recipes import INPUT, Recipe


def build_onnx(recipe: Recipe, tflite_content: bytes) -> bytes:
    """The bytes of the ONNX file. Raises ConversionError."""
    model = convert(
        read_network(tflite_content),
        name=recipe.name,
        input_names=[INPUT.name],
        output_names=[output.name for output in recipe.outputs],
        metadata={
            "copyright": COPYRIGHT,
            "licence": LICENCE,
            "origin": recipe.member,
            "origin_sha256": recipe.member_sha256,
        },
        normalisation=recipe.normalisation,
    )
    return serialise(model)


def build_model(
    recipe: Recipe, tflite_content: bytes, output: Path, pictures: Path | None
) -> Comparison:
    """Convert, compare with the original, and only then write NAME.onnx and NAME.md to `output`.

    Raises ConversionError where either step fails; nothing is written then.
    """
    onnx_content = build_onnx(recipe, tflite_content)
    comparison = compare(recipe, onnx_content, tflite_content, pictures)
    card = render_card(recipe, onnx_content, comparison)
    output.mkdir(parents=True, exist_ok=True)
    (output / f"{recipe.name}.onnx").write_bytes(onnx_content)
    (output / f"{recipe.name}.md").write_text(card, encoding="utf-8")
    return comparison
