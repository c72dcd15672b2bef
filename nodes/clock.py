"""How much time passes from frame to frame."""

from __future__ import annotations

from typing import Final

from pullfx.pipeline.frame import Frame

# Between two frames of a source that has no clock.
_USUAL: Final = 1 / 30
# What is longer is no time between two frames: a source was paused, or its clock was set.
_LONGEST: Final = 1.0


class FrameClock:
    """The time between the frames of a stream."""

    def __init__(self) -> None:
        self._seconds: float | None = None

    def tick(self, frame: Frame) -> float:
        """Seconds since the frame before, as far as their clock can be believed; above 0."""
        before, now = self._seconds, frame.seconds
        self._seconds = now
        if before is None or now is None or not 0 < now - before <= _LONGEST:
            return _USUAL
        return now - before
