"""Squares around faces, as the face mesh sees them, where the float detector finds faces."""

from collections.abc import Iterator

import cv2
import numpy as np

from pullfx.nodes.faces.candidates import decode, suppress
from tools.quantise.judge import Judge
from tools.quantise.material import Material
from tools.quantise.pictures import Picture, fit

FRAMES = 7
"""Of each clip, for calibration."""
VARIANTS = 4
"""Of each face: as it is, and changed."""
SEED = 1

_LEAST, _OVERLAP = 0.6, 0.3
_AROUND = 1.5
"""Sides of a square by those of the face's box."""


def squares_of(material: Material, detector: Judge, size: int) -> list[Picture]:
    """Squares around the faces of some frames of every clip; the same each time.

    Most are changed: turned, moved, larger or smaller, mirrored, in another light.

    Args:
        material: what they are cut out of.
        detector: the float face detector.
        size: their sides.
    """
    random = np.random.default_rng(SEED)
    return [
        _changed(square, random) if variant else square
        for clip in material.clips
        for cut in clip[:: max(1, len(clip) // FRAMES)][:FRAMES]
        for variant in range(VARIANTS)
        for square in faces_of(cut.picture, detector, size, random if variant else None)
    ]


def faces_of(
    picture: Picture, detector: Judge, size: int, random: np.random.Generator | None = None
) -> Iterator[Picture]:
    """A square around each face of a picture, its eyes level; with a generator not quite."""
    height, width = picture.shape[:2]
    seen = detector.size[0]
    regressors, logits = detector.outputs(fit(picture, detector.size))
    found = suppress(decode(regressors[0], logits[0, :, 0], _LEAST), _OVERLAP)
    scale = seen / max(height, width)
    origin = np.array([seen - round(width * scale), seen - round(height * scale)]) // 2
    for values in found.values:
        points = (values.reshape(8, 2) - origin) / scale
        sides = values[2:4] / scale
        middle = points[0] + sides / 2
        across = points[3] - points[2]
        turn = float(np.degrees(np.arctan2(across[1], across[0])))
        side = _AROUND * float(sides.max())
        if random is not None:
            turn += random.normal(0, 8)
            middle = middle + random.normal(0, 0.05 * side, 2)
            side *= float(np.exp(random.normal(0, 0.12)))
        matrix = cv2.getRotationMatrix2D(middle.tolist(), turn, size / side)
        matrix[:, 2] += size / 2 - middle
        yield np.asarray(cv2.warpAffine(picture, matrix, (size, size)), np.uint8)


def _changed(square: Picture, random: np.random.Generator) -> Picture:
    """Mirrored half of the time, in another light."""
    gamma, gain = np.exp(random.normal(0, 0.35)), random.uniform(0.7, 1.1)
    curve = np.clip(255 * gain * (np.arange(256) / 255) ** gamma, 0, 255).astype(np.uint8)
    mirrored = square[:, ::-1] if random.random() < 0.5 else square
    return np.ascontiguousarray(curve[mirrored])
