"""Meshes between the frames in which they are made, without trembling."""

from __future__ import annotations

from typing import Final

import numpy as np

from pullfx.nodes.clock import FrameClock
from pullfx.nodes.faces.detect_meshes import MeshSightings
from pullfx.nodes.faces.moving_points import Floats, MovingPoints
from pullfx.nodes.types import Faces, Meshes
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.node import UNCHANGED, node

_NONE: Final = np.empty((0, 2), np.float32)


@node
class SmoothMeshes:
    """Smooths meshes in time, moves them on between runs, and puts them in order of the faces."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forgets all meshes."""
        self._clock = FrameClock()
        self._tracks: dict[int, MovingPoints] = {}
        self._sightings: MeshSightings | None = None
        self._faces: tuple[int, ...] = ()

    def __call__(self, frame: Frame, sightings: MeshSightings, faces: Faces) -> Meshes:
        """The meshes of a frame.

        Args:
            frame: gives time; none of its pixels is read.
            sightings: from `DetectMeshes`, of this frame or the same as before.
            faces: of this frame.
        """
        seconds = self._clock.tick(frame)
        for track in self._tracks.values():
            track.tick(seconds)
        before, self._faces = self._faces, tuple(face.identity for face in faces)
        if sightings is not self._sightings:
            self._update(sightings)
        elif before == self._faces and not any(track.moves for track in self._tracks.values()):
            return UNCHANGED  # type: ignore[no-any-return]  # stands for the value before
        return Meshes(tuple(self._mesh(identity) for identity in self._faces))

    def _update(self, sightings: MeshSightings) -> None:
        self._tracks = {
            mesh.identity: self._tracks.get(mesh.identity) or MovingPoints() for mesh in sightings
        }
        for mesh in sightings:
            self._tracks[mesh.identity].see(mesh.points, mesh.height)
        self._sightings = sightings

    def _mesh(self, identity: int) -> Floats:
        track = self._tracks.get(identity)
        return _NONE if track is None else track.now()
