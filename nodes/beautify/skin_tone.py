"""What a person's skin looks like in this light: learned from the face itself."""

from __future__ import annotations

import itertools
import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pullfx.nodes.beautify import landmarks
from pullfx.nodes.beautify.place import turn_of
from pullfx.nodes.median import median
from pullfx.pipeline.frame import Plane

Floats = NDArray[np.float32]

_ZONES: Final = (
    landmarks.FOREHEAD,
    landmarks.RIGHT_CHEEK,
    landmarks.LEFT_CHEEK,
    landmarks.NOSE,
)
_RIGHT_CHEEK: Final = 1
_LEFT_CHEEK: Final = 2
# How near to a side of the face the tip of the nose is when the cheek there is turned away.
_TURNED: Final = 0.2
_SAMPLES: Final = np.concatenate(_ZONES)
_ENDS: Final = tuple(itertools.accumulate(len(zone) for zone in _ZONES))
_SLICES: Final = tuple(map(slice, (0, *_ENDS), _ENDS))
# Chroma within which zones are of one kind, in codes.
_ALIKE: Final = 11.0
# Skin of every tone is redder than it is blue. Zones of which that is not true, beside one of which
# it is by so much more, are covered: by a face mask, or by hair.
_REDDER: Final = 6.0
# Deviations, of the samples' own, beyond which a sample is no skin.
_OUTLIER: Final = 2.5
_GENTLE: Final = np.diag(np.array((0, 0.3, 0.3), np.float32))
# Least and most standard deviation, in codes, of chroma and of luma beside its slope.
_CHROMA: Final = (1.5, 4.0)
_LUMA: Final = (8.0, 20.0)
# What is brighter than the slope says is shine more often than something else.
_SHINE: Final = 0.5
# Codes from the middle of the face to where the slope of luma ends.
_STEEPEST: Final = 36.0


class SkinTone(NamedTuple):
    """A normal distribution of skin's colour about a luma that slopes over the face.

    Attributes:
        luma: in the middle of the face, and how much more there is one length of the face to the
            right, and one down: float32 [3].
        spread: standard deviation of luma beside that.
        chroma: mean of U and V, float32 [2].
        covariance: of U and V, float32 [2, 2].
    """

    luma: Floats
    spread: float
    chroma: Floats
    covariance: Floats

    def towards(self, other: SkinTone, part: float) -> SkinTone:
        """Moved to another one by a part of the way."""
        rest = 1 - part
        return SkinTone(
            self.luma * rest + other.luma * part,
            self.spread * rest + other.spread * part,
            self.chroma * rest + other.chroma * part,
            self.covariance * rest + other.covariance * part,
        )


def learn_tone(planes: tuple[Plane, Plane, Plane], points: Floats) -> SkinTone:
    """The tone of the skin of a face.

    Args:
        planes: Y, U and V of the face in small.
        points: the mesh in pixels of those, x and y, float32 [468, 2].
    """
    height, width = planes[0].shape
    places = points[_SAMPLES]
    x, y = np.rint(places).astype(np.intp).T
    x, y = x.clip(0, width - 1), y.clip(0, height - 1)
    samples = np.stack([plane[y, x] for plane in planes], axis=1).astype(np.float32)
    bare = _bare(samples, turn_of(points))
    samples, places = samples[bare], places[bare]
    middle = median(samples)
    far = median(np.abs(samples - middle)) * np.float32(1.5) + 2
    inlying = (np.abs(samples - middle) <= _OUTLIER * far).all(axis=1)
    samples, places = samples[inlying], places[inlying]

    middle_of_face, length = face_frame(points)
    slopes = np.ones((len(samples), 3), np.float32)
    slopes[:, 1:] = (places - middle_of_face) / np.float32(length)
    # A little of a bound on the slopes, since the samples may lie along a line.
    normal = slopes.T @ slopes + _GENTLE
    luma: Floats = np.linalg.solve(normal, slopes.T @ samples[:, 0])
    rest = samples[:, 0] - slopes @ luma
    spread = math.sqrt(float(rest @ rest) / len(rest))
    chroma: Floats = samples[:, 1:].sum(axis=0) / np.float32(len(samples))
    away = samples[:, 1:] - chroma
    covariance = away.T @ away / np.float32(len(samples))
    return SkinTone(luma, min(max(spread, _LUMA[0]), _LUMA[1]), chroma, _bounded(covariance))


def distance_from(tone: SkinTone, planes: tuple[Plane, Plane, Plane], points: Floats) -> Floats:
    """How far each pixel is from the tone, as a squared Mahalanobis distance.

    Args:
        tone: of that face.
        planes: Y, U and V of the face in small, all of one size.
        points: the mesh in pixels of those.

    Returns:
        float32 of the planes' shape.
    """
    luma = slope_of(tone, points, planes[0].shape)
    np.subtract(planes[0], luma, out=luma)
    np.minimum(luma, luma * np.float32(_SHINE), out=luma)
    luma *= np.float32(1 / tone.spread)
    luma *= luma
    (a, b), (_, c) = np.linalg.inv(tone.covariance)
    u = planes[1] - tone.chroma[0]
    v = planes[2] - tone.chroma[1]
    # a u u + 2 b u v + c v v as two squares.
    u += v * (b / a)
    u *= u
    u *= a
    v *= v
    v *= c - b * b / a
    luma += u
    luma += v
    return luma


def slope_of(tone: SkinTone, points: Floats, shape: tuple[int, ...]) -> Floats:
    """The luma that skin of this tone has at each pixel, float32 of that shape."""
    (x, y), length = face_frame(points)
    _, right, down = tone.luma / np.float32(length)
    across = (np.arange(shape[1], dtype=np.float32) - x) * right
    along = (np.arange(shape[0], dtype=np.float32) - y) * down
    slope: Floats = along[:, None] + across
    np.minimum(slope, np.float32(_STEEPEST), out=slope)
    np.maximum(slope, np.float32(-_STEEPEST), out=slope)
    slope += tone.luma[0]
    return slope


def face_frame(points: Floats) -> tuple[Floats, float]:
    """The middle of a face and its length, of which tones measure their slopes."""
    top, chin = points[landmarks.TOP], points[landmarks.CHIN]
    middle: Floats = (top + chin) / 2
    return middle, max(math.dist(top, chin), 1.0)


def _bare(samples: Floats, turn: float) -> NDArray[np.bool_]:
    """Which samples lie in zones that show skin.

    Those are the most zones that are of one kind, unless others are clearly rather skin. A cheek
    that is turned away is left out: points of the mesh lie beside it.
    """
    middles = [median(samples[zone, 1:]).tolist() for zone in _SLICES]
    redness = [v - u for u, v in middles]
    zones = [zone for zone in range(len(middles)) if zone != _away(turn)]
    likely = zones
    shown = [redness[zone] for zone in zones]
    if min(shown) <= 0 and max(shown) >= min(shown) + _REDDER:
        likely = [zone for zone in zones if redness[zone] > max(shown) - _REDDER]

    def alike(zone: int) -> list[int]:
        u, v = middles[zone]
        return [
            other
            for other in zones
            if max(abs(middles[other][0] - u), abs(middles[other][1] - v)) <= _ALIKE
        ]

    bare = np.zeros(len(samples), np.bool_)
    for zone in max((alike(zone) for zone in likely), key=len):
        bare[_SLICES[zone]] = True
    return bare


def _away(turn: float) -> int | None:
    """The zone of the cheek that is turned away, given `turn_of` the face."""
    if turn < _TURNED:
        return _RIGHT_CHEEK
    return _LEFT_CHEEK if turn > 1 - _TURNED else None


def _bounded(covariance: Floats) -> Floats:
    """With standard deviations, along its own axes, that are neither tiny nor wide."""
    values, axes = np.linalg.eigh(covariance)
    least, most = _CHROMA
    bounded: Floats = (axes * np.clip(values, least**2, most**2)) @ axes.T
    return bounded.astype(np.float32)
