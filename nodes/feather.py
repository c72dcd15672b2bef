"""The edge of a matte made soft, to the side that one wants."""

from __future__ import annotations

from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from pullfx.nodes.planes import resize, soften
from pullfx.nodes.types import Matte, Size
from pullfx.pipeline.node import node
from pullfx.pipeline.pool import HEAP, Pool

# The widest feather, as a part of the shorter side.
_WIDEST: Final = 0.05


class Feathering(NamedTuple):
    """How to feather.

    Attributes:
        amount: -1 to 1: above 0 outward, below 0 inward, 0 not at all.
        table: what a softened value becomes, uint8 [256].
    """

    amount: float
    table: NDArray[np.uint8]


@node
def feathering(amount: float) -> Feathering:
    """What `feather` needs to know, made once for an amount.

    Outward, what is half person or more becomes all person, so that the soft part lies outside of
    the edge as it was; inward, what is half or less becomes none.

    Args:
        amount: -1 to 1: above 0 outward, below 0 inward, 0 not at all.
    """
    values = np.arange(256.0)
    gain = 1 + min(1.0, 4 * abs(amount))  # grows from 1, so that a little feather does a little
    moved = values * gain if amount > 0 else 255 - (255 - values) * gain
    return Feathering(amount, np.rint(np.clip(moved, 0, 255)).astype(np.uint8))


@node
def feather(matte: Matte, feathering: Feathering, pool: Pool = HEAP) -> Matte:
    """The matte with a soft edge.

    Outward, no value becomes smaller: all of the person stays. Inward, none becomes larger: nothing
    of the background shows.

    Args:
        matte: how far each pixel is person.
        feathering: from the node of that name.
        pool: where result and scratch come from.

    Returns:
        A matte of the same size; `matte` itself where the amount is 0.
    """
    if feathering.amount == 0:
        return matte
    height, width = matte.shape
    soft = soften(matte, abs(feathering.amount) * _WIDEST / 2, pool)
    cv2.LUT(soft, feathering.table, dst=soft)
    out = resize(soft, Size(width, height), pool)
    return Matte((np.maximum if feathering.amount > 0 else np.minimum)(matte, out, out=out))
