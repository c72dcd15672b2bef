"""Faces between the frames in which they are looked for, without trembling."""

from __future__ import annotations

import numpy as np

from pullfx.nodes.clock import FrameClock
from pullfx.nodes.faces.moving_points import MovingPoints
from pullfx.nodes.faces.sightings import Sighting, Sightings
from pullfx.nodes.types import Face, Faces
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.node import UNCHANGED, node


@node
class SmoothFaces:
    """Smooths faces in time, and moves them on between the frames in which they are looked for."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forgets all faces."""
        self._clock = FrameClock()
        self._tracks: dict[int, _Track] = {}
        self._sightings: Sightings | None = None

    def __call__(self, frame: Frame, sightings: Sightings) -> Faces:
        """The faces of a frame.

        Args:
            frame: gives time and size; none of its pixels is read.
            sightings: from `DetectFaces`, of this frame or the same as before.
        """
        seconds = self._clock.tick(frame)
        for track in self._tracks.values():
            track.points.tick(seconds)
        if sightings is not self._sightings:
            self._update(sightings)
        elif not any(track.points.moves for track in self._tracks.values()):
            return UNCHANGED  # type: ignore[no-any-return]  # stands for the value before
        faces = (track.face(frame) for track in self._tracks.values())
        shown = [face for face in faces if face.width > 0 and face.height > 0]
        return Faces(tuple(sorted(shown, key=lambda face: -face.height)))

    def _update(self, sightings: Sightings) -> None:
        self._tracks = {
            sighting.identity: self._tracks.get(sighting.identity) or _Track()
            for sighting in sightings
        }
        for sighting in sightings:
            self._tracks[sighting.identity].update(sighting)
        self._sightings = sightings


class _Track:
    """One face in time.

    Attributes:
        points: two corners of its box and its six points.
    """

    def __init__(self) -> None:
        self.points = MovingPoints()

    def update(self, sighting: Sighting) -> None:
        """Takes what was seen now."""
        self._sighting = sighting
        if not sighting.seen:
            self.points.miss()
            return
        box = sighting.box
        corners = np.array(((box.left, box.top), (box.right, box.bottom)), np.float32)
        self.points.see(np.concatenate((corners, sighting.points)), box.height)

    def face(self, frame: Frame) -> Face:
        """The face now, its box within the frame."""
        points = self.points.now()
        left, top = np.maximum(points[0], 0).tolist()
        right, bottom = np.minimum(points[1], (frame.width, frame.height)).tolist()
        score, identity = self._sighting.score, self._sighting.identity
        return Face(left, top, right - left, bottom - top, points[2:], score, identity)
