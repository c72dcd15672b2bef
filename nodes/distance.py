"""How far behind people things are, guessed from where they lie in the picture."""

from __future__ import annotations

from typing import Final, NewType

import cv2
import numpy as np
from numpy.typing import NDArray

from pullfx.nodes.planes import rounded, shrink
from pullfx.nodes.types import Matte, Size
from pullfx.pipeline.node import node
from pullfx.pipeline.pool import HEAP, Pool

Distance = NewType("Distance", NDArray[np.uint8])
"""How far behind the person each pixel is: 0 is beside it, 255 as far as anything.

uint8, small, and spread over the whole frame.
"""

# Longer side of the result.
_LONGER_SIDE: Final = 160
# Parts of the frame's shorter side from the outline of a person to what counts as farthest.
_FARTHEST: Final = 0.6
# By how much less distance counts in the lowest row: desk, chair and floor are there, and they come
# nearer the lower they lie.
_NEARER: Final = 0.75
# How much of a frame's distances counts at once, and how much is left to those that follow.
_FOLLOWED: Final = 0.2


@node
def guess_distance(matte: Matte, pool: Pool = HEAP) -> Distance:
    """A stand-in for depth, which one camera does not see.

    What lies farther from the outline of people is taken to be farther behind them; below the
    middle of people less so, the lower it is. Where there is nobody, all is far.

    Args:
        matte: who is person.
        pool: where result and scratch come from.
    """
    height, width = matte.shape
    scale = min(1.0, _LONGER_SIDE / max(height, width))
    size = Size(max(1, round(width * scale)), max(1, round(height * scale)))
    people = shrink(matte, size, pool)
    beside = pool.array(people.shape)
    cv2.threshold(people, 127, 255, cv2.THRESH_BINARY_INV, dst=beside)
    distance = pool.array(people.shape, np.float32)
    cv2.distanceTransform(beside, cv2.DIST_L2, cv2.DIST_MASK_3, dst=distance)
    farthest = np.float32(max(_FARTHEST * min(size), 1))
    np.minimum(distance, farthest, out=distance)
    distance *= np.float32(255) / farthest
    distance *= _nearness(people)[:, None]
    return Distance(rounded(distance, pool))


def _nearness(people: NDArray[np.uint8]) -> NDArray[np.float32]:
    """By what distance is multiplied in each row."""
    present = people.sum(axis=1, dtype=np.float32)
    rows = np.arange(len(people), dtype=np.float32)
    if not present.any():
        return np.ones_like(rows)
    middle = float(present @ rows / present.sum())
    below = (rows - middle) / max(len(people) - 1 - middle, 1)
    factors: NDArray[np.float32] = 1 - np.float32(_NEARER) * below.clip(0, 1)
    return factors


@node
class SteadyDistance:
    """Distances that follow slowly, so that no blur jumps where a mask flickers."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forgets all frames."""
        self._mean: NDArray[np.float32] | None = None

    def __call__(self, distance: Distance, pool: Pool = HEAP) -> Distance:
        """The distances of this frame and those before; starts afresh where the size changes.

        Args:
            distance: of this frame.
            pool: where the result comes from.
        """
        if self._mean is None or self._mean.shape != distance.shape:
            self._mean = distance.astype(np.float32)
        cv2.accumulateWeighted(distance, self._mean, _FOLLOWED)
        out = pool.array(distance.shape)
        cv2.convertScaleAbs(self._mean, dst=out)
        return Distance(out)
