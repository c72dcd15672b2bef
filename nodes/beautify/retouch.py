"""Skin made even, with its texture."""

from __future__ import annotations

from typing import Final, NamedTuple

import cv2
import numpy as np

from pullfx.kernels import skin as kernels
from pullfx.nodes.beautify.find_skin import FaceSkin, Skin
from pullfx.nodes.beautify.place import cut
from pullfx.nodes.beautify.region import draw_under_eyes
from pullfx.nodes.beautify.skin_tone import slope_of
from pullfx.nodes.planes import halve
from pullfx.nodes.types import Reduced
from pullfx.pipeline.frame import Frame, Plane
from pullfx.pipeline.node import node
from pullfx.pipeline.pool import HEAP, Pool

# Half of the widest blotches that go, in lengths of a face; for colour twice that.
_BLOTCH: Final = 0.035
# Variance of luma, in codes squared, that is half evened out at strength 0, and more of it at 1.
_FLATNESS: Final = (40.0, 160.0)
# Colour is evened out over all but the edges of the skin.
_FLATNESS_OF_COLOUR: Final = 400.0
# Codes by which blotches differ from the skin around; moles differ by more.
_DIFFERENCE: Final = 8
# Codes up to which detail counts as texture.
_TEXTURE: Final = 10
# How much of a shadow under the eyes is taken away at most, and how dark one can be.
_UNDER_EYES: Final = 0.7
_DEEPEST: Final = 28


class Retouching(NamedTuple):
    """What to do to skin.

    Attributes:
        evenness: part of blotches and shades between them that goes, 0 to 1.
        flatness: variance of luma, in codes squared, of what goes by half of that.
        detail: part of the texture that goes, 0 to 1.
        under_eyes: part of the shadow under the eyes that goes, 0 to 1.
        colour: part of the differences in colour that goes, 0 to 1.
    """

    evenness: float
    flatness: float
    detail: float
    under_eyes: float
    colour: float


@node
def retouching(strength: float, texture: float, under_eyes: float, even_tone: float) -> Retouching:
    """What the parameters of an effect mean; all of them are 0 to 1."""
    evenness = 1 - (1 - strength) ** 2
    least, more = _FLATNESS
    return Retouching(
        evenness,
        least + more * strength,
        evenness * (1 - texture),
        _UNDER_EYES * under_eyes,
        even_tone,
    )


@node
def retouch(
    frame: Frame, reduced: Reduced, skin: Skin, amounts: Retouching, pool: Pool = HEAP
) -> Frame:
    """The frame with its skin made even.

    Luma has three bands. What is wider than blotches is the shape of the face and stays; what is
    finer than the small picture, in which a face is 64 pixels long or more, is texture and stays
    as far as it should; of what lies between, little contrast goes and edges stay.

    Args:
        frame: the picture to paint on.
        reduced: that picture in small.
        skin: where its skin is.
        amounts: what to do.
        pool: where the result comes from.

    Returns:
        A frame of the same size; `frame` itself where there is no skin or nothing to do.
    """
    if not skin or not (amounts.evenness or amounts.under_eyes or amounts.colour):
        return frame
    out = pool.frame(frame)
    for plane, target in zip(frame.planes, out.planes, strict=True):
        np.copyto(target, plane)
    for face in skin:
        _retouch_face(face, frame, reduced, amounts, out, pool)
    return out


def _retouch_face(
    face: FaceSkin, frame: Frame, reduced: Reduced, amounts: Retouching, out: Frame, pool: Pool
) -> None:
    place, weight = face.region.place, face.weight
    base = cut(reduced.half, place, place.shift, pool)
    radius = min(max(round(_BLOTCH * face.region.length), 1), kernels.LARGEST_RADIUS)
    luma = pool.array(weight.shape)
    kernels.soften(base, weight, luma, radius, amounts.flatness, _DIFFERENCE, amounts.evenness)
    if amounts.under_eyes:
        _lighten_under_eyes(face, base, radius, amounts.under_eyes, luma, pool)
    smaller = halve(weight, pool)
    changes = [luma]
    for plane in (frame.u, frame.v):
        change = pool.array(smaller.shape)
        if amounts.colour:
            codes = cut(plane, place, place.shift + 1, pool)
            kernels.soften(
                codes,
                smaller,
                change,
                radius,
                _FLATNESS_OF_COLOUR,
                _DIFFERENCE,
                amounts.colour,
            )
        else:
            change.fill(kernels.NO_CHANGE)
        changes.append(change)
    kernels.retouch(
        (changes[0], changes[1], changes[2]),
        base,
        weight,
        out.planes,
        place.top,
        place.left,
        place.shift,
        round(amounts.detail * kernels.FINEST),
        _TEXTURE,
    )


def _lighten_under_eyes(
    face: FaceSkin, base: Plane, radius: int, part: float, changes: Plane, pool: Pool
) -> None:
    """Adds to changes of luma what the skin under the eyes lacks to the skin around."""
    where = draw_under_eyes(face.region, pool)
    cv2.multiply(where, face.weight, dst=where, scale=1 / 255)
    side = 2 * radius + 1
    soft = cv2.blur(base, (side, side), borderType=cv2.BORDER_REPLICATE)
    lacking = slope_of(face.tone, face.region.points, base.shape) - soft
    np.clip(lacking, 0, _DEEPEST, out=lacking)
    lacking *= where
    more = pool.array(base.shape)
    np.copyto(more, lacking * np.float32(4 * part / 255), casting="unsafe")
    cv2.add(changes, more, dst=changes)
