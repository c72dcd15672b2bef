"""The networks that pullfx ships, as ONNX files, each with a model card beside it.

A card (`NAME.md`) starts with a block of `key: value` lines for code: origin, licence, hash, input
and output. The rest of it is for people. Both files are written by `tools/convert_tflite`, those of
the 8-bit networks, such as `selfie_square.int8`, by `tools/quantise`.

```python
import onnxruntime

from pullfx import models

models.verify("selfie_square")
session = onnxruntime.InferenceSession(models.path("selfie_square"))
```
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ModelCard", "card", "names", "path", "verify"]

_FOLDER = Path(__file__).parent
_FENCE = "---"


@dataclass(frozen=True)
class ModelCard:
    """What a model's card says in its machine-readable part."""

    name: str
    """The name that `path` and `card` take, such as `selfie_square`."""
    file: str
    """File name of the ONNX file, without a folder."""
    sha256: str
    """Hash of the ONNX file: 64 lower-case hexadecimal digits."""
    licence: str
    """SPDX identifier of the network's licence."""
    origin: str
    """The file that the network was made from: one in a package, or a model here."""
    input: str
    """Name, dtype, shape, layout and value range of the input, in words."""
    output: str
    """Name, dtype, shape, layout and value range of the output, in words."""
    parameters: int
    """Number of weights and biases."""
    multiply_adds: int
    """Multiply-adds of all convolutions, for one picture."""
    max_difference: float
    """Largest absolute difference of any output value from the network in `origin`."""
    compared_on: str
    """What `max_difference` was measured on, in words."""


def names() -> tuple[str, ...]:
    """The names of all shipped models, sorted."""
    return tuple(sorted(file.stem for file in _FOLDER.glob("*.onnx")))


def path(name: str) -> Path:
    """The ONNX file of a model.

    Args:
        name: one of `names()`.

    Raises:
        FileNotFoundError: there is no model of that name; the message lists those there are.
    """
    if name not in names():
        known = ", ".join(names()) or "none: the package is incomplete"
        raise FileNotFoundError(f"no model named {name!r}; known models: {known}")
    return _FOLDER / f"{name}.onnx"


def card(name: str) -> ModelCard:
    """The machine-readable part of a model's card.

    Args:
        name: one of `names()`.

    Raises:
        FileNotFoundError: there is no model of that name, or its card is missing.
        ValueError: the card is damaged; the message says where.
    """
    file = path(name).with_suffix(".md")
    fields = _read_front_matter(file)
    try:
        return ModelCard(
            name=name,
            file=fields["file"],
            sha256=fields["sha256"],
            licence=fields["licence"],
            origin=fields["origin"],
            input=fields["input"],
            output=fields["output"],
            parameters=int(fields["parameters"]),
            multiply_adds=int(fields["multiply_adds"]),
            max_difference=float(fields["max_difference"]),
            compared_on=fields["compared_on"],
        )
    except KeyError as error:
        raise ValueError(f"model card {file.name} has no line {error.args[0]!r}") from error


def verify(name: str) -> None:
    """Check that a model's ONNX file is the one that its card describes.

    Args:
        name: one of `names()`.

    Raises:
        FileNotFoundError: there is no model of that name, or its card is missing.
        ValueError: the file's SHA-256 is not the card's, or the card is damaged.
    """
    file = path(name)
    expected = card(name).sha256
    actual = hashlib.sha256(file.read_bytes()).hexdigest()
    if actual != expected:
        raise ValueError(
            f"model file {file.name} is damaged: its sha256 is {actual}, its card says {expected}"
        )


def _read_front_matter(file: Path) -> dict[str, str]:
    """The `key: value` lines between the first two fences of a card."""
    first, *lines = file.read_text(encoding="utf-8").splitlines() or [""]
    if first != _FENCE or _FENCE not in lines:
        raise ValueError(f"model card {file.name} does not start with a block between {_FENCE}")
    fields = {}
    for line in lines[: lines.index(_FENCE)]:
        key, separator, value = line.partition(": ")
        if not separator:
            raise ValueError(f"model card {file.name}: {line!r} is not a line `key: value`")
        fields[key] = value
    return fields
