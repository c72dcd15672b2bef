"""A mask made calm in time, without a trail behind what moves."""

from __future__ import annotations

from typing import Final, NewType

import numpy as np
from numpy.typing import NDArray

from pullfx import kernels
from pullfx.nodes.types import Mask
from pullfx.pipeline.node import node
from pullfx.pipeline.pool import HEAP, Pool

SmoothingTable = NewType("SmoothingTable", NDArray[np.uint8])
"""The smoothed value at `256 * current + previous`, uint8 [65536]."""

# Most of the past that is ever kept: at 1 an unsure pixel would never follow at all.
_KEPT: Final = 0.95
# Changes in one frame, of 255, up to which a pixel flickers and from which on it moves.
_FLICKER: Final = 40
_MOTION: Final = 100


@node
def smoothing_table(strength: float) -> SmoothingTable:
    """The table for `SmoothMask`.

    The less sure the current value is, the more of the previous one is kept: the weight is the
    entropy of the probability in bits, 1 at a half and 0 where the network is sure. So does
    MediaPipe's SegmentationSmoothingCalculator
    (mediapipe/calculators/image/segmentation_smoothing_calculator.cc), with a polynomial near to
    it. Here a large change in one frame is taken for motion and is not delayed either: on the
    labelled moving clip that turns a mask 20 % worse than the network's into one 2 % better, at
    nearly the same calm.

    Args:
        strength: 0 to 1; at 0 the smoothed value is the current one, whatever the previous.
    """
    values = np.arange(256)
    probability = values / 255
    entropy = _surprise(probability) + _surprise(1 - probability)
    current, previous = values[:, None], values[None, :]
    still = np.clip((_MOTION - np.abs(current - previous)) / (_MOTION - _FLICKER), 0, 1)
    weight = strength * _KEPT * entropy[:, None] * still
    table = np.rint(current + (previous - current) * weight).astype(np.uint8)
    return SmoothingTable(table.reshape(-1))


def _surprise(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probability times its negative logarithm to base 2; 0 at 0, which is its limit."""
    return -probability * np.log2(np.where(probability > 0, probability, 1))


@node
class SmoothMask:
    """Smooths a mask in time; starts afresh where the mask's size changes."""

    def __init__(self) -> None:
        self._previous: Mask | None = None

    def __call__(self, mask: Mask, table: SmoothingTable, pool: Pool = HEAP) -> Mask:
        """The mask with what flickers held back.

        Args:
            mask: the current mask, uint8 [height, width].
            table: from `smoothing_table`.
            pool: where result and scratch come from.

        Returns:
            uint8 [height, width].
        """
        previous, self._previous = self._previous, mask
        if previous is None or previous.shape != mask.shape:
            return mask
        out = pool.array(mask.shape)
        kernels.apply_pair_table(mask, previous, table, out)
        self._previous = Mask(out)
        return self._previous

    def reset(self) -> None:
        """Forgets the previous mask."""
        self._previous = None
