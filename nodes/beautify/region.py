"""Where on a face skin may be, by the mesh alone, drawn as small planes."""

from __future__ import annotations

from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from pullfx.nodes.beautify import landmarks
from pullfx.nodes.beautify.place import Mesh, Place, length_of, place_of
from pullfx.pipeline.frame import Plane
from pullfx.pipeline.pool import Pool

# Coordinates of polygons are in 1/16 of a pixel.
_FRACTION: Final = 4
# Outlines, and how far each is moved out from its middle: ears and hairline around the face;
# lashes, shadows of lids, the hairs at the ends of a brow.
_AROUND: Final = (landmarks.OVAL, 1.18)
_FACE: Final = (landmarks.OVAL, 1.0)
_FEATURES: Final = (
    (landmarks.RIGHT_EYE, 1.35),
    (landmarks.LEFT_EYE, 1.35),
    (landmarks.RIGHT_BROW, 1.15),
    (landmarks.LEFT_BROW, 1.15),
    (landmarks.LIPS, 1.2),
    (landmarks.NOSTRILS, 1.0),
)
# Outlines are moved out by one pixel more, a hundredth of the face.
_BORDER: Final = np.ones((3, 3), np.uint8)
# The neck below the jaw, in lengths of the face.
_NECK: Final = 0.42
# How likely it is to be skin around the face, of 255.
_OUTSIDE: Final = 140


class Region(NamedTuple):
    """A face in the small pictures that it is worked on in.

    Attributes:
        place: which part of the frame those are of.
        length: of the face, in pixels of the one at `place.shift`.
        points: the mesh in those pixels, of which 0 is the middle of the first.
        likely: how likely each pixel is to be skin, at half of that size, where colours are looked
            at: 255 on the face, less on ears and neck, 0 beyond; soft at all edges.
        features: eyes, brows, lips and nostrils as 0, all else as 255, at the place's size.
    """

    place: Place
    length: float
    points: Mesh
    likely: Plane
    features: Plane

    @property
    def half_points(self) -> Mesh:
        """The mesh in pixels of half the size."""
        return _halved(self.points)


def region_of(mesh: Mesh, shift: int, pool: Pool) -> Region:
    """Draws the region of a face.

    Args:
        mesh: in pixels of the frame.
        shift: see `Place`.
        pool: where the planes come from.
    """
    place = place_of(mesh, shift)
    length = length_of(mesh) / 2**shift
    corner = np.array((place.left, place.top), np.float32)
    points: Mesh = (mesh - corner) * np.float32(0.5**shift) - np.float32(0.5)
    around, face, *features = np.split(_MOVED_OUT @ points[_POINTS], _ENDS)

    kept = pool.array((place.height, place.width))
    kept.fill(255)
    for outline in features:
        _fill(kept, outline, 0)
    cv2.erode(kept, _BORDER, dst=kept)
    cv2.blur(kept, (3, 3), dst=kept, borderType=cv2.BORDER_REPLICATE)

    likely = pool.array((place.height // 2, place.width // 2))
    likely.fill(0)
    _fill(likely, _halved(around), _OUTSIDE)
    _fill(likely, _halved(_neck(points, length)), _OUTSIDE)
    _fill(likely, _halved(face), 255)
    _soften(likely, 0.02 * length)
    return Region(place, length, points, likely, kept)


def draw_under_eyes(region: Region, pool: Pool) -> Plane:
    """The skin under the eyes as 255, all else as 0, at the size of the region's place."""
    out = pool.array((region.place.height, region.place.width))
    out.fill(0)
    for outline in (landmarks.UNDER_RIGHT_EYE, landmarks.UNDER_LEFT_EYE):
        _fill(out, region.points[outline], 255)
    _soften(out, 0.04 * region.length)
    return out


def _neck(points: Mesh, length: float) -> NDArray[np.float32]:
    down = points[landmarks.CHIN] - points[landmarks.TOP]
    down = down * np.float32(_NECK * length / max(float(np.hypot(*down)), 1e-3))
    jaw = points[[landmarks.RIGHT_JAW, landmarks.LEFT_JAW]]
    return np.concatenate((jaw, jaw[::-1] + down))


def _halved(points: Mesh) -> Mesh:
    halved: Mesh = points * np.float32(0.5) - np.float32(0.25)
    return halved


def _fill(plane: Plane, outline: NDArray[np.float32], value: int) -> None:
    corners = np.rint(outline * np.float32(2**_FRACTION)).astype(np.int32)
    cv2.fillPoly(plane, [corners], value, shift=_FRACTION)


def _soften(plane: Plane, radius: float) -> None:
    side = 2 * max(1, round(radius)) + 1
    cv2.blur(plane, (side, side), dst=plane, borderType=cv2.BORDER_REPLICATE)
    cv2.blur(plane, (side, side), dst=plane, borderType=cv2.BORDER_REPLICATE)


def _moving_out(*outlines: tuple[landmarks.Points, float]) -> NDArray[np.float32]:
    """What, times the points of all outlines, moves each of them out from its middle."""
    total = sum(len(points) for points, _ in outlines)
    matrix = np.zeros((total, total), np.float32)
    start = 0
    for points, size in outlines:
        end = start + len(points)
        matrix[start:end, start:end] = size * np.eye(len(points)) + (1 - size) / len(points)
        start = end
    return matrix


_OUTLINES: Final = (_AROUND, _FACE, *_FEATURES)
_POINTS: Final = np.concatenate([points for points, _ in _OUTLINES])
_ENDS: Final = np.cumsum([len(points) for points, _ in _OUTLINES])[:-1]
_MOVED_OUT: Final = _moving_out(*_OUTLINES)
