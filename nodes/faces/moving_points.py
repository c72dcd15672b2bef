"""Points that are seen now and then, at any time in between."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pullfx.nodes.faces.one_euro import OneEuroFilter

Floats = NDArray[np.float32]

# Lengths are in heights of the face, so that near and far faces are smoothed alike.
_CUTOFF: Final = 0.8
_SLOPE: Final = 12.0
# Speeds, in heights per second, from which on a face moves on between runs, and fully so.
_SLOW: Final = 0.14
_MOVING: Final = 0.33
# Seconds for which it may.
_AHEAD: Final = 0.25


class MovingPoints:
    """The points of one face: smoothed when they are seen, and moved on until they are again.

    Attributes:
        moves: whether they move on, or stand until they are seen again.
    """

    def __init__(self) -> None:
        self._filter = OneEuroFilter(_CUTOFF, _SLOPE)
        self._middle: Floats | None = None
        self._since = 0.0
        self._age = 0.0
        self.moves = False

    def tick(self, seconds: float) -> None:
        """Lets time pass."""
        self._age += seconds
        self._since += seconds

    def see(self, points: Floats, height: float) -> None:
        """Takes the points as they are seen now.

        Args:
            points: float32 [count, 2], in pixels of the frame.
            height: of the face, in pixels.
        """
        self._points = self._filter(points, self._since, height)
        before, self._middle = self._middle, points.mean(axis=0)
        if before is not None and self._since > 0:
            # All points move on alike, so that the face keeps its shape. The speed is the last one:
            # on the labelled moving clip a smoothed one is off by a third more.
            velocity = (self._middle - before) / np.float32(self._since)
            speed = float(np.hypot(*velocity)) / height
            self.moves = speed > _SLOW
            # The filter is behind what moves steadily by its time constant.
            self._lag = 1 / (2 * math.pi * (_CUTOFF + _SLOPE * speed))
            self._ahead = velocity * min((speed - _SLOW) / (_MOVING - _SLOW), 1) ** 2
        self._since = self._age = 0.0

    def miss(self) -> None:
        """Takes it that they are not seen now: they stand where they are."""
        self._points = self.now()
        self._age = 0.0
        self.moves = False

    def now(self) -> Floats:
        """The points now, float32 [count, 2]; not to be written to."""
        if not self.moves:
            return self._points
        return self._points + self._ahead * np.float32(min(self._lag + self._age, _AHEAD))
