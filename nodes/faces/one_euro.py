"""A filter that neither trembles nor lags."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

# Of the speed, in Hz; as in the paper.
_SPEED_CUTOFF: Final = 1.0


class OneEuroFilter:
    """The 1 Euro filter, for points.

    A low-pass filter whose cutoff grows with speed: what stands still does not tremble, what moves
    does not lag. G. Casiez, N. Roussel and D. Vogel, "1 Euro Filter: A Simple Speed-based Low-pass
    Filter for Noisy Input in Interactive Systems", CHI 2012. The coordinates of a point have one
    cutoff, from the point's speed, so that it moves in a straight line where it is moved in one.

    Args:
        cutoff: of what stands still, in Hz.
        slope: how much the cutoff grows, in Hz for each unit of length per second.
    """

    def __init__(self, cutoff: float, slope: float) -> None:
        self._cutoff = cutoff
        self._slope = slope
        self._raw: Floats | None = None
        self._smooth: Floats | None = None
        self._velocity: Floats = np.zeros(1, np.float32)

    def __call__(self, points: Floats, seconds: float, unit: float) -> Floats:
        """The smoothed points.

        Args:
            points: float32 [..., dimensions].
            seconds: since the last call; not looked at in the first one.
            unit: the length that speeds are measured in, such as the height of a face.

        Returns:
            float32 of the same shape.
        """
        if self._raw is None or self._smooth is None:
            self._velocity = np.zeros_like(points)
            self._smooth = points
        elif seconds > 0:
            raw_velocity = (points - self._raw) / np.float32(seconds)
            part = _part(np.float32(_SPEED_CUTOFF), seconds)
            self._velocity = self._velocity + part * (raw_velocity - self._velocity)
            speed = np.linalg.norm(self._velocity, axis=-1, keepdims=True) / np.float32(unit)
            part = _part(self._cutoff + self._slope * speed, seconds)
            self._smooth = self._smooth + part * (points - self._smooth)
        self._raw = points
        return self._smooth


def _part(cutoff: Floats | np.float32, seconds: float) -> Floats:
    """How much of the new value is taken, for a cutoff in Hz."""
    turns = np.float32(2 * math.pi * seconds) * cutoff
    return np.asarray(turns / (turns + 1), np.float32)
