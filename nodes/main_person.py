"""One person of several."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from pullfx.nodes.types import Mask
from pullfx.pipeline.node import node
from pullfx.pipeline.pool import HEAP, Pool

# What lies together and above this is one person, or several who touch.
_PERSON: Final = 32
# How far below that the soft edge of a person may reach, in pixels of the mask.
_EDGE: Final = 4
# What a person at the very side counts, of one in the middle.
_AT_THE_SIDE: Final = 0.5


@node
def main_person(mask: Mask, pool: Pool = HEAP) -> Mask:
    """The mask of the person who fills most of the picture, those in its middle preferred.

    Args:
        mask: the network's mask.
        pool: where the result comes from.

    Returns:
        The mask with 0 where other people are; `mask` itself where there is but one.
    """
    _, solid = cv2.threshold(mask, _PERSON - 1, 255, cv2.THRESH_BINARY)
    count, labels, stats, centres = cv2.connectedComponentsWithStats(solid, connectivity=8)
    if count <= 2:
        return mask
    middle = (mask.shape[1] - 1) / 2
    aside = np.abs(centres[1:, 0] - middle) / max(middle, 1)
    weight = stats[1:, cv2.CC_STAT_AREA] * (1 - (1 - _AT_THE_SIDE) * aside)
    others = np.where((labels != 0) & (labels != 1 + weight.argmax()), np.uint8(255), np.uint8(0))
    side = 2 * _EDGE + 1
    others = np.asarray(cv2.dilate(others, np.ones((side, side), np.uint8)), np.uint8)
    # The edges of two who stand close belong to the one who stays.
    others[labels == 1 + weight.argmax()] = 0
    out = pool.array(mask.shape)
    np.copyto(out, mask)
    out[others != 0] = 0
    return Mask(out)
