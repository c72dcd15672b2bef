"""8-bit codes of a tensor: value = scale * (code - zero point)."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tools.quantise.network import FloatArray

LEVELS = 255
"""Distance between the lowest and the highest of 256 codes."""

SMALLEST_SCALE = 1e-6
"""Keeps a channel that is always zero from dividing by zero."""


@dataclass(frozen=True)
class Codes:
    """How the values of a tensor become uint8: one scale for all channels, or one for each."""

    scale: FloatArray
    """[1] or [channels]."""
    zero_point: npt.NDArray[np.uint8]
    """As many as there are scales."""

    @property
    def per_channel(self) -> bool:
        """Whether every channel has a scale of its own."""
        return len(self.scale) > 1

    @classmethod
    def from_range(
        cls, low: FloatArray, high: FloatArray, scale: FloatArray | None = None
    ) -> "Codes":
        """Codes that reach from `low` to `high`, at least; zero is a code exactly.

        Args:
            low: smallest values, one or one per channel.
            high: largest values, as many.
            scale: a scale to use instead of the finest that reaches, as many.
        """
        low, high = np.minimum(low, 0), np.maximum(high, 0)
        finest = (high - low) / LEVELS if scale is None else scale
        steps = np.maximum(finest, SMALLEST_SCALE).astype(np.float32)
        zero_point = np.clip(np.rint(-low / steps), 0, LEVELS)
        return cls(steps, zero_point.astype(np.uint8))


PICTURE = Codes(np.array([1 / LEVELS], np.float32), np.array([0], np.uint8))
"""Of the input, whose codes are the pixels of an 8-bit picture."""

LOGIT_LIMIT = 10.0
"""Where the last layer's sums are cut off: there the probability is 0.00005 from 0 or 1."""

LOGITS = Codes(
    np.array([2 * LOGIT_LIMIT / LEVELS], np.float32), np.array([(LEVELS + 1) // 2], np.uint8)
)
"""Of the last layer's sums."""
