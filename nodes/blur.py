"""Backgrounds out of focus."""

from __future__ import annotations

import math
from typing import Final, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from pullfx.nodes.planes import halve
from pullfx.nodes.types import Mask
from pullfx.pipeline.frame import Frame, Plane
from pullfx.pipeline.node import node
from pullfx.pipeline.pool import HEAP, Pool

# Standard deviation of the blur at strength 0 and 1, as a part of the frame's shorter side. Even
# strength 0 blurs: an effect that is on hides.
_LEAST: Final = 0.012
_MOST: Final = 0.05
# The picture is halved as long as the blur spans this many pixels of the smaller one: enough for
# the enlarged result to show no grid.
_NARROWEST: Final = 2.0
# The person's own weight: nothing beside that of any background near by, but where there is only
# person it leaves the person's blurred colours rather than nothing.
_PERSON_WEIGHT: Final = 1 / 256

_BACKGROUND_WEIGHT: Final = np.maximum(1 - np.arange(256) / 255, _PERSON_WEIGHT).astype(np.float32)

# How much farther out of focus the whole picture is than a background at the same strength.
_WHOLE: Final = 2.0

HIDING_STRENGTH: Final = 0.5
"""Least strength of `blur_whole`: a standard deviation of 6 % of the frame's shorter side.

Judged by eye, no face is known then, and no text read whose letters are lower than a twentieth of
the picture.
"""

T = TypeVar("T", np.uint8, np.float32)


@node
def blur_background(frame: Frame, mask: Mask, strength: float, pool: Pool = HEAP) -> Frame:
    """The background out of focus, as if the person were not there.

    A normalised convolution (Knutsson and Westin, CVPR 1993): each pixel is the mean of the
    background around it, weighted by a Gaussian and by how far it is background, so that the
    person's colours do not run into the background. The strength gives the same look at every size
    of frame.

    Args:
        frame: the picture.
        mask: uint8 [height, width], at the frame's size; 255 is person.
        strength: 0 to 1, for a standard deviation of 1.2 % to 5 % of the frame's shorter side.
        pool: where result and scratch come from.

    Returns:
        A frame of the same size; what lies under the person is without meaning.
    """
    halvings, sigma = _scale(frame, _deviation(strength))
    y, u, v = _reduced(frame, halvings, pool)
    background = mask
    for _ in range(halvings):
        background = Mask(halve(background, pool))
    # Pixels at the edge hold some of the person, whatever their mask says: they do not count.
    person = pool.array(background.shape)
    cv2.dilate(background, np.ones((3, 3), np.uint8), dst=person)
    weight = pool.array(y.shape, np.float32)
    cv2.LUT(person, _BACKGROUND_WEIGHT, dst=weight)
    total = pool.array(y.shape, np.float32)
    _gaussian(weight, sigma, total)
    out = pool.frame(frame)
    weighted = pool.array(y.shape, np.float32)
    weighted_sum = pool.array(y.shape, np.float32)
    blurred = pool.array(y.shape)
    for plane, target in zip((y, u, v), out.planes, strict=True):
        np.multiply(plane, weight, out=weighted)
        _gaussian(weighted, sigma, weighted_sum)
        cv2.divide(weighted_sum, total, dst=blurred, dtype=cv2.CV_8U)
        cv2.resize(blurred, target.shape[::-1], dst=target, interpolation=cv2.INTER_LINEAR)
    return out


@node
def blur_whole(frame: Frame, strength: float, pool: Pool = HEAP) -> Frame:
    """The whole picture out of focus, people and all: what is shown while there is no mask.

    Args:
        frame: the picture.
        strength: as for `blur_background`, at twice the deviation, since nothing else hides here,
            and never less than `HIDING_STRENGTH`.
        pool: where result and scratch come from.

    Returns:
        A frame of the same size.
    """
    halvings, sigma = _scale(frame, _WHOLE * _deviation(max(strength, HIDING_STRENGTH)))
    out = pool.frame(frame)
    for plane, target in zip(_reduced(frame, halvings, pool), out.planes, strict=True):
        blurred = pool.array(plane.shape)
        _gaussian(plane, sigma, blurred)
        cv2.resize(blurred, target.shape[::-1], dst=target, interpolation=cv2.INTER_LINEAR)
    return out


def _deviation(strength: float) -> float:
    return _LEAST + strength * (_MOST - _LEAST)


def _scale(frame: Frame, deviation: float) -> tuple[int, float]:
    """How often to halve the picture, and the deviation of the blur in pixels of the result."""
    sigma = deviation * min(frame.width, frame.height)
    halvings = max(1, int(math.log2(max(1.0, sigma / _NARROWEST))))
    # Halving and enlarging blur too: averaging n pixels has a variance of n^2 / 12, and the
    # triangle of bilinear interpolation over n pixels one of n^2 / 6.
    return halvings, math.sqrt(max((sigma / 2**halvings) ** 2 - 1 / 4, 0.01))


def _reduced(frame: Frame, halvings: int, pool: Pool) -> tuple[Plane, Plane, Plane]:
    """All three planes at the size of the luma halved so often."""
    y, u, v = halve(frame.y, pool), frame.u, frame.v
    for _ in range(halvings - 1):
        y, u, v = halve(y, pool), halve(u, pool), halve(v, pool)
    return y, u, v


def _gaussian(plane: NDArray[T], sigma: float, out: NDArray[T]) -> None:
    side = 2 * math.ceil(3 * sigma) + 1
    cv2.GaussianBlur(plane, (side, side), sigma, dst=out, borderType=cv2.BORDER_REFLECT)
