"""Faces between the frames in which they are looked for, without trembling."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pullfx.nodes.faces.one_euro import OneEuroFilter
from pullfx.nodes.faces.sightings import Sighting, Sightings
from pullfx.nodes.types import Face, Faces
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.node import UNCHANGED, node

Floats = NDArray[np.float32]

# Lengths are in heights of the face, so that near and far faces are smoothed alike.
_CUTOFF: Final = 0.8
_SLOPE: Final = 12.0
# Speeds, in heights per second, from which on a face moves on between runs, and fully so.
_SLOW: Final = 0.1
_MOVING: Final = 0.3
# Seconds for which it may.
_AHEAD: Final = 0.25
# Of a frame, where the source has no clock.
_FRAME_SECONDS: Final = 1 / 30
# What is longer than this is no time between two frames.
_LONGEST: Final = 1.0


@node
class SmoothFaces:
    """Smooths faces in time, and moves them on between the frames in which they are looked for."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forgets all faces."""
        self._tracks: dict[int, _Track] = {}
        self._sightings: Sightings | None = None
        self._seconds: float | None = None
        self._age = 0.0

    def __call__(self, frame: Frame, sightings: Sightings) -> Faces:
        """The faces of a frame.

        Args:
            frame: gives time and size; none of its pixels is read.
            sightings: from `DetectFaces`, of this frame or the same as before.
        """
        self._age += self._seconds_since(frame)
        if sightings is not self._sightings:
            self._update(sightings)
        elif not any(track.moves for track in self._tracks.values()):
            return UNCHANGED  # type: ignore[no-any-return]  # stands for the value before
        faces = (track.at(self._age, frame) for track in self._tracks.values())
        shown = [face for face in faces if face.width > 0 and face.height > 0]
        return Faces(tuple(sorted(shown, key=lambda face: -face.height)))

    def _seconds_since(self, frame: Frame) -> float:
        """From the frame before, as far as their clock can be believed."""
        before, now = self._seconds, frame.seconds
        self._seconds = now
        if before is None or now is None or not 0 < now - before < _LONGEST:
            return _FRAME_SECONDS
        return now - before

    def _update(self, sightings: Sightings) -> None:
        self._tracks = {
            sighting.identity: self._tracks.get(sighting.identity) or _Track()
            for sighting in sightings
        }
        for sighting in sightings:
            self._tracks[sighting.identity].update(sighting, self._age)
        self._sightings = sightings
        self._age = 0.0


class _Track:
    """One face in time: two corners of its box and its six points.

    Attributes:
        moves: whether it moves on between runs.
    """

    moves = False

    def __init__(self) -> None:
        self._filter = OneEuroFilter(_CUTOFF, _SLOPE)
        self._since = 0.0

    def update(self, sighting: Sighting, seconds: float) -> None:
        """Takes what was seen now, `seconds` after the last update."""
        self._since += seconds
        self._score = sighting.score
        self.moves = False
        if not sighting.seen:
            return
        box = sighting.box
        height = box.height
        corners = np.array(((box.left, box.top), (box.right, box.bottom)), np.float32)
        points = np.concatenate((corners, sighting.points))
        self._points = self._filter(points, self._since, height)
        self._since = 0.0
        # All points move on alike, so that the face keeps its shape.
        velocity = self._filter.velocity.mean(axis=0)
        speed = float(np.hypot(*velocity)) / height
        self.moves = speed > _SLOW
        self._ahead = velocity * min((speed - _SLOW) / (_MOVING - _SLOW), 1)

    def at(self, seconds: float, frame: Frame) -> Face:
        """The face that long after the last update, within the frame."""
        points = self._points
        if self.moves:
            points = points + self._ahead * np.float32(min(seconds, _AHEAD))
        left, top = np.maximum(points[0], 0)
        right, bottom = np.minimum(points[1], (frame.width, frame.height))
        return Face(
            float(left),
            float(top),
            float(right - left),
            float(bottom - top),
            points[2:],
            self._score,
        )
