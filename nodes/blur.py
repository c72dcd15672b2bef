"""Backgrounds out of focus."""

from __future__ import annotations

import functools
import math
from typing import Final

import cv2
import numpy as np

from pullfx.kernels import composite
from pullfx.nodes.composite import nobody_before
from pullfx.nodes.distance import Distance
from pullfx.nodes.planes import resize
from pullfx.nodes.reduce import reduce
from pullfx.nodes.types import Backdrop, Matte, Reduced, Size
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.node import node
from pullfx.pipeline.pool import HEAP, Pool

# Standard deviation of the blur at strength 0 and 1, as a part of the frame's shorter side. Even
# strength 0 blurs: an effect that is on hides.
_LEAST: Final = 0.012
_MOST: Final = 0.05
# The picture is halved as long as the blur spans this many pixels of the smaller one: enough for
# the enlarged result to show no grid.
_NARROWEST: Final = 1.2

# How much farther out of focus what is farthest is than a background at the same strength.
_FARTHEST: Final = 1.5
# How much of the next wider blur shows at each distance: from none to all in the nearer half, and
# again in the farther one.
_TO_BETWEEN: Final = np.minimum(2 * np.arange(256), 255).astype(np.uint8)
_TO_FARTHEST: Final = np.maximum(2 * np.arange(256) - 255, 0).astype(np.uint8)

# How much farther out of focus the whole picture is than a background at the same strength.
_WHOLE: Final = 2.0

HIDING_STRENGTH: Final = 0.5
"""Least strength of `blur_whole`: a standard deviation of 6 % of the frame's shorter side.

Judged by eye, no face is known then, and no text read whose letters are lower than a twentieth of
the picture.
"""


@node
def blur_background(reduced: Reduced, matte: Matte, strength: float, pool: Pool = HEAP) -> Backdrop:
    """The background out of focus, as if the person were not there.

    The strength gives the same look at every size of frame. See `pullfx.kernels.composite.blur` for
    how the person's colours are kept out of it.

    Args:
        reduced: the picture in small.
        matte: of that picture.
        strength: 0 to 1, for a standard deviation of 1.2 % to 5 % of the frame's shorter side.
        pool: where the result comes from.

    Returns:
        A small picture; what lies under the person is without meaning.
    """
    return _blurred(reduced, matte, _deviation(strength), pool)


@node
def blur_by_distance(
    reduced: Reduced, matte: Matte, distance: Distance, strength: float, pool: Pool = HEAP
) -> Backdrop:
    """The background the more out of focus the farther it is, as a lens has it.

    Made of three blurs, each twice to two and a half times as wide as the one before, and mixed
    between: nearer to each other no second outline shows.

    Args:
        reduced: the picture in small.
        matte: of that picture.
        distance: of what is in it.
        strength: 0 to 1, for a standard deviation of 1.2 % of the frame's shorter side where the
            distance is 0, and of 1.8 % to 7.5 % where it is farthest.
        pool: where result and scratch come from.

    Returns:
        As `blur_background`.
    """
    farthest = _FARTHEST * _deviation(strength)
    between = math.sqrt(_LEAST * farthest)
    out = _blurred(reduced, matte, _LEAST, pool)
    shape = out.planes[0].shape
    part = resize(distance, Size(shape[1], shape[0]), pool)
    weight = pool.array(shape)
    for deviation, steps in ((between, _TO_BETWEEN), (farthest, _TO_FARTHEST)):
        wider = _blurred(reduced, matte, deviation, pool)
        cv2.LUT(part, steps, dst=weight)
        bits = wider.shift - out.shift
        height, width = wider.planes[0].shape
        for plane, small in zip(out.planes, wider.planes, strict=True):
            large = resize(small, Size(width << bits, height << bits), pool)
            composite.blend(large[: shape[0], : shape[1]], plane, weight, plane)
    return out


@node
def out_of_focus(picture: Frame, strength: float, pool: Pool = HEAP) -> Backdrop:
    """A picture as what is shown behind people, out of focus as far as one likes.

    Args:
        picture: of the frame's size and colour description.
        strength: 0 leaves it as it is; above, as for `blur_background`.
        pool: where the result comes from.

    Returns:
        The picture's own planes where it is transparent or the strength is 0; else a small one.
    """
    is_transparent = picture.alpha is not None
    if strength == 0 or is_transparent:
        return Backdrop(picture.planes, 0, is_transparent)
    return _blurred(reduce(picture, pool), None, _deviation(strength), pool)


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
    deviation = _WHOLE * _deviation(max(strength, HIDING_STRENGTH))
    return nobody_before(frame, _blurred(reduce(frame, pool), None, deviation, pool), pool)


def blur_outward(reduced: Reduced, matte: Matte, pool: Pool) -> Backdrop:
    """The person's colours run over their edge, as if they were larger; not a node itself.

    Args:
        reduced: the picture in small.
        matte: of that picture.
        pool: where result and scratch come from.
    """
    outside = pool.array(matte.shape)
    cv2.bitwise_not(matte, dst=outside)
    return _blurred(reduced, Matte(outside), _LEAST, pool)


def _deviation(strength: float) -> float:
    return _LEAST + strength * (_MOST - _LEAST)


def _blurred(reduced: Reduced, matte: Matte | None, deviation: float, pool: Pool) -> Backdrop:
    """The picture filtered with this deviation, a part of its shorter side."""
    height, width = (2 * side for side in reduced.half.shape)
    sigma = deviation * min(height, width)
    wanted = max(0, int(math.log2(max(1.0, sigma / _NARROWEST))))
    level = min(max(wanted, reduced.shift), composite.LARGEST_SHIFT)
    shift = max(level - 1, 1)
    # Halving and enlarging blur too. Averaging n pixels has a variance of n^2 / 12; enlarging by
    # two one of 3 / 16 n^2, and the triangle of bilinear interpolation from n / 2 to 1 one of
    # n^2 / 24, or of n^2 / 6 where it is all.
    variance = 5 / 16 if level > 1 else 1 / 4
    small = math.sqrt(max((sigma / 2**level) ** 2 - variance, 0.01))
    shape = composite.grid_shape((height, width), shift)
    planes = (pool.array(shape), pool.array(shape), pool.array(shape))
    composite.blur(reduced.grid, matte, reduced.shift, level - reduced.shift, _taps(small), planes)
    return Backdrop(planes, shift)


@functools.lru_cache(maxsize=64)
def _taps(sigma: float) -> list[float]:
    """A Gaussian from its middle on, cut where less than 0.3 % is left."""
    places = np.arange(math.ceil(3 * sigma) + 1)
    taps = np.exp(-0.5 * (places / sigma) ** 2)
    return (taps / (2 * taps.sum() - taps[0])).astype(np.float32).tolist()  # type: ignore[no-any-return]
