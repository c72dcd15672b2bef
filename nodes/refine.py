"""A network's small mask raised to the size of the frame, along the edges in the picture."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from pullfx.nodes.planes import Floats, halve, resize, rounded, shrink
from pullfx.nodes.types import Mask, Size
from pullfx.pipeline.frame import Frame, Plane
from pullfx.pipeline.node import node
from pullfx.pipeline.pool import HEAP, Pool

# These were chosen by measurement on labelled pictures and clips, see benchmarks/quality.py.
# Sides of the filter's windows at half the mask's size: how far off the network's edge may be.
_WINDOW: Final = 7
_SMOOTHING: Final = 3
# Side of the window, at the mask's size, whose least and greatest value bound the refined one.
_REACH: Final = 5
# Variance of the picture, of 0..1, below which a window counts as flat.
_FLATNESS: Final = 3e-4
# How much steeper the refined edge is at `edge` = 1: the windows have made it softer than it is.
_STEEPNESS: Final = 1.0
# Side of the cells, in pixels of the mask, over which the network's doubt is averaged, and the
# doubt at which refinement begins and ends to withdraw. An edge across a cell makes about 0.1.
_CELL: Final = 24
_DOUBT_FROM: Final = 0.15
_DOUBT_TO: Final = 0.25
# Frames up to this many pixels are refined at full size, larger ones at that of their chroma.
_FULL_SIZE_PIXELS: Final = 640 * 480

_PROBABILITY: Final = (np.arange(256) / 255).astype(np.float32)
_DOUBT: Final = np.rint(4 * 255 * _PROBABILITY * (1 - _PROBABILITY)).astype(np.uint8)


@node
def refine(mask: Mask, frame: Frame, edge: float, pool: Pool = HEAP) -> Mask:
    """The mask at the frame's size.

    A guided filter: around each pixel, the mask is explained as a linear function of the colour,
    and that function is then applied to the frame's own pixels. After He, Sun and Tang, "Guided
    Image Filtering" (PAMI 2013), at a reduced size as in He and Sun, "Fast Guided Filter"
    (arXiv:1505.00996). Y, U and V guide together: with luma alone the error of the alpha on the
    labelled clips is half as large again.

    Three things are added. The result is made steeper, since the windows leave it softer than the
    edge is. Where the network doubts whole regions, rather than where just an edge runs, the
    picture's edges do not tell who is person, and the network's own mask stands. And no value
    leaves the range that the mask has within two of its pixels, so that what is 0 or 255 all around
    stays exactly so.

    Args:
        mask: the network's mask, uint8 of any size, spread over the whole frame.
        frame: the picture that the mask was made from.
        edge: 0 enlarges the mask smoothly, 1 follows the picture's edges.
        pool: where result and scratch come from.

    Returns:
        uint8 [frame.height, frame.width].
    """
    size = Size(frame.width, frame.height)
    if edge <= 0:
        return Mask(resize(_without_steps(mask, pool), size, pool))
    if frame.width * frame.height <= _FULL_SIZE_PIXELS:
        guide = (frame.y, resize(frame.u, size, pool), resize(frame.v, size, pool))
    else:
        guide = (halve(frame.y, pool), frame.u, frame.v)
    refined = _apply(_fit(mask, guide, edge, pool), guide, pool)
    refined = _within_reach(refined, mask, pool)
    return Mask(refined if refined.shape == frame.y.shape else resize(refined, size, pool))


def _fit(
    mask: Mask, guide: tuple[Plane, Plane, Plane], edge: float, pool: Pool
) -> tuple[Floats, Floats, Floats, Floats]:
    """The mask, in 0..255, as a linear function of Y, U and V in 0..255, at the mask's size.

    Returns:
        Slopes for Y, U and V, and the offset.
    """
    height, width = mask.shape
    half = Size((width + 1) // 2, (height + 1) // 2)
    terms = [
        _enlarge(_mean(term, _SMOOTHING, pool), Size(width, height), pool)
        for term in _regress(
            _lookup(shrink(mask, half, pool), _PROBABILITY, pool),
            [_lookup(shrink(plane, half, pool), _PROBABILITY, pool) for plane in guide],
            pool,
        )
    ]
    offset = terms[3]
    trust = _trust(mask, pool)
    plain = _lookup(_without_steps(mask, pool), _PROBABILITY, pool)
    gain = pool.array(mask.shape, np.float32)
    np.multiply(trust, trust, out=gain)
    gain *= trust  # cubed: what is made steep and wrong costs more than what follows a wrong edge
    gain *= _STEEPNESS * edge
    gain += 1
    # Mixed with the mask itself: weight * (slopes * colour + offset) + (1 - weight) * mask,
    # then made steeper about one half: (value - 1/2) * gain + 1/2.
    trust *= edge
    offset -= plain
    for term in terms:
        np.multiply(term, trust, out=term)
    offset += plain
    offset -= 0.5
    for term in terms:
        np.multiply(term, gain, out=term)
    offset += 0.5
    offset *= 255
    return terms[0], terms[1], terms[2], offset


def _regress(target: Floats, guide: list[Floats], pool: Pool) -> list[Floats]:
    """Least squares of `target` on three planes, in a window around each pixel.

    Solves (covariance of the guide + flatness * identity) slopes = covariance with the target, by
    cofactors.

    Returns:
        The three slopes and the offset, float32 [height, width] each.
    """
    y, u, v = guide
    mean_y, mean_u, mean_v = (_mean(plane, _WINDOW, pool) for plane in guide)
    mean = _mean(target, _WINDOW, pool)

    def covariance(a: Floats, mean_a: Floats, b: Floats, mean_b: Floats) -> Floats:
        product = pool.array(a.shape, np.float32)
        np.multiply(a, b, out=product)
        result = _mean(product, _WINDOW, pool)
        result -= np.multiply(mean_a, mean_b, out=product)
        return result

    yy = covariance(y, mean_y, y, mean_y)
    uu = covariance(u, mean_u, u, mean_u)
    vv = covariance(v, mean_v, v, mean_v)
    for variance in (yy, uu, vv):
        np.add(variance, _FLATNESS, out=variance)
    yu = covariance(y, mean_y, u, mean_u)
    yv = covariance(y, mean_y, v, mean_v)
    uv = covariance(u, mean_u, v, mean_v)
    with_y = covariance(y, mean_y, target, mean)
    with_u = covariance(u, mean_u, target, mean)
    with_v = covariance(v, mean_v, target, mean)

    inverse_yy = _sum_of_products(pool, (uu, vv), minus=(uv, uv))
    inverse_yu = _sum_of_products(pool, (uv, yv), minus=(yu, vv))
    inverse_yv = _sum_of_products(pool, (yu, uv), minus=(uu, yv))
    inverse_uu = _sum_of_products(pool, (yy, vv), minus=(yv, yv))
    inverse_uv = _sum_of_products(pool, (yu, yv), minus=(yy, uv))
    inverse_vv = _sum_of_products(pool, (yy, uu), minus=(yu, yu))
    determinant = _sum_of_products(pool, (yy, inverse_yy), (yu, inverse_yu), (yv, inverse_yv))
    slopes = [
        _sum_of_products(pool, (row_y, with_y), (row_u, with_u), (row_v, with_v))
        for row_y, row_u, row_v in (
            (inverse_yy, inverse_yu, inverse_yv),
            (inverse_yu, inverse_uu, inverse_uv),
            (inverse_yv, inverse_uv, inverse_vv),
        )
    ]
    for slope in slopes:
        np.divide(slope, determinant, out=slope)
    offset = _sum_of_products(pool, (slopes[0], mean_y), (slopes[1], mean_u), (slopes[2], mean_v))
    return [*slopes, np.subtract(mean, offset, out=offset)]


def _trust(mask: Mask, pool: Pool) -> Floats:
    """Where the picture's edges may move the mask's: 1 where the network is sure on either side.

    Returns:
        float32 0..1 of the mask's size.
    """
    height, width = mask.shape
    cells = Size(max(1, round(width / _CELL)), max(1, round(height / _CELL)))
    unsure = pool.array(mask.shape)
    cv2.LUT(mask, _DOUBT, dst=unsure)
    doubt = _lookup(shrink(unsure, cells, pool), _PROBABILITY, pool)
    cv2.dilate(doubt, np.ones((5, 5), np.uint8), dst=doubt)
    np.subtract(_DOUBT_TO, doubt, out=doubt)
    doubt /= _DOUBT_TO - _DOUBT_FROM
    np.clip(doubt, 0, 1, out=doubt)
    return _enlarge(doubt, Size(width, height), pool)


def _apply(
    terms: tuple[Floats, Floats, Floats, Floats], guide: tuple[Plane, Plane, Plane], pool: Pool
) -> Plane:
    """The linear function, applied to planes of one size."""
    height, width = guide[0].shape
    size = Size(width, height)
    *slopes, offset = terms
    total = _enlarge(offset, size, pool)
    colour = pool.array((height, width), np.float32)
    for slope, plane in zip(slopes, guide, strict=True):
        np.copyto(colour, plane)
        colour *= _enlarge(slope, size, pool)
        total += colour
    return rounded(total, pool)


def _without_steps(mask: Mask, pool: Pool) -> Mask:
    """The mask a little softer; enlarged as it is, its pixels show as steps along an edge."""
    out = pool.array(mask.shape)
    cv2.GaussianBlur(mask, (3, 3), 0, dst=out, borderType=cv2.BORDER_REPLICATE)
    return Mask(out)


def _within_reach(refined: Plane, mask: Mask, pool: Pool) -> Plane:
    """No less than the least, and no more than the most, that the mask has near by.

    So a pattern on a sleeve makes no notch in the person.
    """
    height, width = refined.shape
    size = Size(width, height)
    near = np.ones((_REACH, _REACH), np.uint8)
    bound = pool.array(mask.shape)
    cv2.erode(mask, near, dst=bound)
    np.maximum(refined, resize(bound, size, pool), out=refined)
    cv2.dilate(mask, near, dst=bound)
    np.minimum(refined, resize(bound, size, pool), out=refined)
    return refined


def _sum_of_products(
    pool: Pool, *pairs: tuple[Floats, Floats], minus: tuple[Floats, Floats] | None = None
) -> Floats:
    """The sum of a * b over the pairs, less the product of `minus`."""
    total = pool.array(pairs[0][0].shape, np.float32)
    product = pool.array(total.shape, np.float32)
    np.multiply(*pairs[0], out=total)
    for pair in pairs[1:]:
        total += np.multiply(*pair, out=product)
    if minus is not None:
        total -= np.multiply(*minus, out=product)
    return total


def _mean(plane: Floats, side: int, pool: Pool) -> Floats:
    """The mean over a window around each pixel; beyond the border the plane is mirrored."""
    out = pool.array(plane.shape, np.float32)
    cv2.blur(plane, (side, side), dst=out, borderType=cv2.BORDER_REFLECT)
    return out


def _enlarge(plane: Floats, size: Size, pool: Pool) -> Floats:
    out = pool.array((size.height, size.width), np.float32)
    cv2.resize(plane, size, dst=out, interpolation=cv2.INTER_LINEAR)
    return out


def _lookup(plane: Plane, table: Floats, pool: Pool) -> Floats:
    out = pool.array(plane.shape, np.float32)
    cv2.LUT(plane, table, dst=out)
    return out
