"""Which pixels of a frame are skin of a face."""

from __future__ import annotations

from typing import Final, NamedTuple, NewType

import cv2
import numpy as np
from numpy.typing import NDArray

from pullfx.nodes.beautify.follow import FollowedFace, FollowedFaces
from pullfx.nodes.beautify.place import cut
from pullfx.nodes.beautify.region import Region
from pullfx.nodes.beautify.skin_tone import SkinTone, distance_from, learn_tone
from pullfx.nodes.planes import halve, resize, rounded
from pullfx.nodes.types import Meshes, Reduced, Size
from pullfx.pipeline.frame import Frame, Plane
from pullfx.pipeline.node import node
from pullfx.pipeline.pool import HEAP, Pool

# Squared distance from the skin's tone up to which a pixel inside the face can be skin, and over
# which it fades.
_WITHIN: Final = 36.0
_FADE: Final = 16.0
# Hair may have the colour of skin, but not its smoothness: mean codes of detail that lie as far
# from skin as one standard deviation of its colour.
_ROUGHNESS: Final = 1.6
# Steps, of three pixels, by which skin is followed from the face to neck and ears.
_STEPS: Final = 6
_NEIGHBOURS: Final = np.ones((7, 7), np.uint8)
# How likely a pixel is to be skin from which on it lies inside the face.
_INSIDE: Final = 200
_BORDER: Final = np.ones((3, 3), np.uint8)


class FaceSkin(NamedTuple):
    """The skin of a face.

    Attributes:
        region: where it may lie.
        weight: how far each pixel of the region's place is skin that is to be smoothed, in small;
            255 is all.
        tone: its colour.
    """

    region: Region
    weight: Plane
    tone: SkinTone


Skin = NewType("Skin", tuple[FaceSkin, ...])
"""The skin of all faces of a frame that are large enough."""


@node(every=2)
class FindSkin:
    """Finds the skin of faces: where the mesh has it, and the colour is that of the face's skin.

    It runs in every second frame: a soft mask that is a frame old cannot be told from a new one.

    Neck, ears and the brow up to the hair are skin too, where their colour is nearly the same and
    they hang together with the face. Eyes, brows, lips and nostrils are none, by the mesh; hair,
    beards and glasses by their colour. Colours are learned from each face, so that every tone of
    skin and every light is right, and kept in time.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forgets all faces."""
        self._faces = FollowedFaces()

    def __call__(self, frame: Frame, reduced: Reduced, meshes: Meshes, pool: Pool = HEAP) -> Skin:
        """The skin in a frame.

        Args:
            frame: the picture.
            reduced: that picture in small.
            meshes: its faces.
            pool: where the results come from.
        """
        faces = self._faces.update(meshes, pool)
        inside = [face for face in faces if face.region.place.is_within(frame.width, frame.height)]
        return Skin(tuple(_skin_of(face, frame, reduced, pool) for face in inside))


def _skin_of(face: FollowedFace, frame: Frame, reduced: Reduced, pool: Pool) -> FaceSkin:
    region = face.region
    place = region.place
    luma = cut(reduced.half, place, place.shift, pool)
    half = place.shift + 1
    planes = (halve(luma, pool), cut(frame.u, place, half, pool), cut(frame.v, place, half, pool))
    points = region.half_points
    if face.learns:
        face.learn(learn_tone(planes, points))
    distance = distance_from(face.tone, planes, points)
    distance += np.square(_roughness(luma, pool) * np.float32(1 / (16 * _ROUGHNESS)))
    small = _connected(_near(region, distance, pool), region, pool)
    if face.opacity < 1:
        cv2.convertScaleAbs(small, dst=small, alpha=face.opacity)
    weight = resize(small, Size(place.width, place.height), pool)
    cv2.multiply(weight, region.features, dst=weight, scale=1 / 255)
    return FaceSkin(region, weight, face.tone)


def _roughness(luma: Plane, pool: Pool) -> Plane:
    """Mean size of fine detail around each pixel, in 1/16 of a code, at half the size."""
    detail = pool.array(luma.shape)
    cv2.blur(luma, (3, 3), dst=detail, borderType=cv2.BORDER_REPLICATE)
    cv2.absdiff(luma, detail, dst=detail)
    cv2.convertScaleAbs(detail, dst=detail, alpha=16)
    out = halve(detail, pool)
    cv2.blur(out, (5, 5), dst=out, borderType=cv2.BORDER_REPLICATE)
    return out


def _near(region: Region, distance: NDArray[np.float32], pool: Pool) -> Plane:
    """How far each pixel may be skin, by its place and its distance from the tone."""
    score = region.likely * np.float32(_WITHIN / 255)
    score -= distance
    score *= np.float32(255 / _FADE)
    return rounded(score, pool)


def _connected(skin: Plane, region: Region, pool: Pool) -> Plane:
    """What hangs together with skin inside the face, less a margin, with a soft edge.

    A greyscale reconstruction, so that nothing appears or vanishes at once.
    """
    reached = pool.array(skin.shape)
    cv2.min(skin, cv2.inRange(region.likely, _INSIDE, 255), dst=reached)
    for _ in range(_STEPS):
        cv2.dilate(reached, _NEIGHBOURS, dst=reached)
        cv2.min(reached, skin, dst=reached)
    cv2.erode(reached, _BORDER, dst=skin)
    cv2.blur(skin, (3, 3), dst=skin, borderType=cv2.BORDER_REPLICATE)
    return skin
