"""How the light of a picture is: a few numbers from its faces, its middle and the rest."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pullfx.nodes.lighting.cast import Chroma, measure_cast
from pullfx.nodes.lighting.codes import CODES, Codes
from pullfx.nodes.lighting.watch import Look
from pullfx.nodes.types import Face, Reduced
from pullfx.pipeline.frame import Plane
from pullfx.pipeline.node import node

# Of the grid, every second cell in both directions.
_STEP: Final = 2
# Radius of the ellipse in a face's box that is face, whatever its shape, without hair.
_FACE: Final = 0.8
# Faces lower than this part of the largest one's height belong to the scene.
_MINOR: Final = 0.5
_FACE_SAMPLES: Final = 2000
# Where no face is known, this part of the picture stands for one: how far it is from the sides, and
# where it begins and ends.
_MIDDLE_SIDE: Final = 0.35
_MIDDLE_ROWS: Final = (0.15, 0.5)
# Parts of it: it may have some of what is behind a face.
_MIDDLE_SHARES: Final = (0.4, 0.6, 0.8)
_FACE_SHARES: Final = (0.5, 0.9, 0.98)
# Below this, luma counts as this much in the mean of logarithms: black is not infinitely dark.
_DARKEST: Final = 0.02


class Subject(NamedTuple):
    """How light whoever the picture is about is, 0 is black and 1 white.

    Attributes:
        middle, high, top: the luma that 50, 90 and 98 % of it do not exceed; 40, 60 and 80 where
            it is no face.
        face: whether it is faces, or else the middle of the picture.
    """

    middle: float
    high: float
    top: float
    face: bool


class Scene(NamedTuple):
    """The light of a picture; all luma is 0 for black to 1 for white.

    Attributes:
        black, broad, upper, bright: the luma that 1, 75, 90 and 99 % of the picture do not exceed.
        key: the mean luma, of logarithms.
        subject: who the picture is about.
        cast: the colour that should be grey, see `measure_cast`.
        look: what was measured.
    """

    black: float
    broad: float
    upper: float
    bright: float
    key: float
    subject: Subject
    cast: Chroma
    look: Look


@node
def measure_scene(look: Look) -> Scene:
    """Measures the light of a picture.

    All numbers are percentiles over many pixels, or means of logarithms, so that a lamp, a hand or
    noise moves them little.

    Args:
        look: the picture in small, and its faces.
    """
    reduced, faces, codes = look.reduced, look.faces, CODES[look.range]
    counts = _counts(reduced.grid[0][::_STEP, ::_STEP])
    black, broad, upper, bright = _percentiles(counts, (0.01, 0.75, 0.9, 0.99), codes)
    main = tuple(face for face in faces if face.height >= _MINOR * faces[0].height)
    return Scene(
        black,
        broad,
        upper,
        bright,
        _key(counts, codes),
        _subject(reduced, main, codes),
        measure_cast(reduced, faces, codes),
        look,
    )


def _subject(reduced: Reduced, faces: tuple[Face, ...], codes: Codes) -> Subject:
    counts = sum((_counts(_inside(reduced.half, face)) for face in faces), np.zeros(256, np.int64))
    known = bool(counts.any())
    if not known:
        height, width = reduced.grid[0].shape
        side, (top, bottom) = int(width * _MIDDLE_SIDE), _MIDDLE_ROWS
        rows = slice(int(height * top), math.ceil(height * bottom))
        counts = _counts(reduced.grid[0][rows, side : width - side])
    shares = _FACE_SHARES if known else _MIDDLE_SHARES
    middle, high, top = _percentiles(counts, shares, codes)
    return Subject(middle, high, top, known)


def _inside(half: Plane, face: Face) -> Plane:
    """Some pixels of a face, of luma at half size; none where it lies outside of the picture."""
    height, width = half.shape
    across, down = _FACE * face.width / 4, _FACE * face.height / 4
    column, row = (face.left + face.width / 2) / 2, (face.top + face.height / 2) / 2
    step = max(1, int(math.sqrt(4 * across * down / _FACE_SAMPLES)))
    rows = np.arange(max(int(row - down), 0), min(math.ceil(row + down), height), step)
    columns = np.arange(max(int(column - across), 0), min(math.ceil(column + across), width), step)
    if not (rows.size and columns.size):
        return half[:0, :0]
    distance = ((rows - row) / down)[:, None] ** 2 + ((columns - column) / across) ** 2
    box = half[rows[0] : rows[-1] + 1 : step, columns[0] : columns[-1] + 1 : step]
    return box[distance <= 1]


def _counts(pixels: Plane) -> NDArray[np.int64]:
    """How often each code occurs."""
    return np.bincount(pixels.reshape(-1), minlength=256)


def _percentiles(counts: NDArray[np.int64], shares: tuple[float, ...], codes: Codes) -> list[float]:
    """The luma that these shares of the pixels do not exceed."""
    sums = np.cumsum(counts)
    places = np.searchsorted(sums, np.asarray(shares) * sums[-1])
    return ((places - codes.black) / codes.luma).clip(0, 1).tolist()  # type: ignore[no-any-return]


def _key(counts: NDArray[np.int64], codes: Codes) -> float:
    luma = ((np.arange(256) - codes.black) / codes.luma).clip(_DARKEST, 1)
    return float(np.exp((counts * np.log(luma)).sum() / counts.sum()))
