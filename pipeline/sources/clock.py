"""Timestamps that strictly grow, whatever a file says."""

from __future__ import annotations

import logging
from fractions import Fraction

logger = logging.getLogger(__name__)

_DEFAULT_RATE = Fraction(25)  # what FFmpeg takes for a stream that names no rate


class FrameClock:
    """Makes a presentation time for each frame from what the file has.

    Times are kept as they are, start offset and varying rate included. A frame without one follows
    the frame before it by one frame's time; one that does not come after the frame before it, which
    no encoder would take, is moved by the smallest step that makes it so.

    Args:
        time_base: seconds per tick.
        frame_rate: frames a second for frames without a time; None takes 25.
        description: name of the source, for the warning.
    """

    def __init__(self, time_base: Fraction, frame_rate: Fraction | None, description: str) -> None:
        self._step = max(1, round(1 / ((frame_rate or _DEFAULT_RATE) * time_base)))
        self._description = description
        self._last: int | None = None
        self._moved = False

    def stamp(self, pts: int | None) -> int:
        """The time for the next frame in ticks, where the file says `pts` or nothing."""
        if self._last is None:
            stamped = 0 if pts is None else pts
        elif pts is None:
            stamped = self._last + self._step
        elif pts > self._last:
            stamped = pts
        else:
            stamped = self._last + 1
            if not self._moved:
                self._moved = True
                logger.warning(
                    "%s: the time of a frame (%d) does not come after that of the frame before it "
                    "(%d); it and others like it are moved by the smallest step that makes it so",
                    self._description,
                    pts,
                    self._last,
                )
        self._last = stamped
        return stamped
