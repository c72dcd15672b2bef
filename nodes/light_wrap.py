"""A little of the background's light on the edge of the person."""

from __future__ import annotations

import functools
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from pullfx.nodes.planes import resize, soften
from pullfx.nodes.types import Matte, Size
from pullfx.pipeline.node import node
from pullfx.pipeline.pool import HEAP, Pool

# How deep the light goes into the person, as a part of the shorter side: the deviation of the
# matte's Gaussian; at thrice that it ends. Judged by eye: a third less looks like a blurred edge,
# twice as much like haze before dark hair.
_DEPTH: Final = 0.012
# What of a pixel on the edge is light at most. No pixel has more, so that fingers and other things
# that are thinner than the light is deep do not dissolve.
_MOST: Final = 0.5


@node
def light_wrap(matte: Matte, amount: float, pool: Pool = HEAP) -> Matte:
    """The matte to composite with, so that the background shines around the person's edge.

    Light wrap mixes the blurred background into the person, the more the nearer it is to the edge.
    A backdrop is soft already, so it is enough to let it through: where the matte's soft copy has
    seen the outside, the matte gets a ceiling. What is lower than that, such as the outer half of
    a soft edge, stays as it was.

    No value becomes larger, so nothing of the raw background shows that did not before. The
    backdrop is to be made with the matte as it was, or else the person's colours run into it.

    Args:
        matte: how far each pixel is person.
        amount: 0 to 1, for no light to half of what is seen on the very edge.
        pool: where result and scratch come from.

    Returns:
        A matte of the same size, unchanged where it is 255 all around; `matte` itself where the
        amount is 0.
    """
    if amount == 0:
        return matte
    soft = soften(matte, _DEPTH, pool)
    cv2.LUT(soft, _ceiling(amount), dst=soft)
    out = resize(soft, Size(*reversed(matte.shape)), pool)
    return Matte(np.minimum(matte, out, out=out))


@functools.lru_cache(maxsize=64)
def _ceiling(amount: float) -> NDArray[np.uint8]:
    """How high the matte may be for each value of its soft copy, which is one half on an edge."""
    light = np.minimum(2 * (1 - np.arange(256.0) / 255), 1)
    return np.rint(255 * (1 - amount * _MOST * light)).astype(np.uint8)
