"""Faces from frame to frame: what is learned of one is kept, and none comes or goes at once."""

from __future__ import annotations

from typing import Final

import numpy as np

from pullfx.nodes.beautify import landmarks
from pullfx.nodes.beautify.place import Mesh, length_of, shift_for, turn_of
from pullfx.nodes.beautify.region import region_of
from pullfx.nodes.beautify.skin_tone import SkinTone
from pullfx.nodes.types import Meshes
from pullfx.pipeline.pool import Pool

# Pixels of a face's length at which smoothing begins, and from which on it is full: there is
# nothing to smooth on a smaller one.
_SMALL: Final = (40.0, 80.0)
# How near the tip of the nose may be to one side of the face, in widths of it: the skin of a face
# that turns away is not where the mesh says.
_TURNED: Final = (-0.25, -0.05)
# Runs, of which there is one for every second frame, in which a face's skin fades in or out.
_FADING: Final = 4
# At most so many faces, the largest.
_MOST: Final = 4
# How far a face moves in a frame at most, in its lengths, to be the same one.
_NEAR: Final = 0.5
# Runs after which the tone of a face is learned again, and how much of it is taken over.
_LEARN_EVERY: Final = 6
_LEARN: Final = 0.5


class FollowedFace:
    """One face.

    Attributes:
        region: where it is, or was last.
        opacity: how far its skin is shown smoothed, 0 to 1.
    """

    def __init__(self, mesh: Mesh, opacity: float | None, pool: Pool) -> None:
        self._tone: SkinTone | None = None
        self._age = 0
        self._place(mesh, None, pool)
        self.opacity = self._presence if opacity is None else opacity

    def move(self, mesh: Mesh | None, pool: Pool) -> None:
        """A frame later it is there, or nowhere to be seen."""
        self._age += 1
        if mesh is not None and mesh is not self._mesh:
            self._place(mesh, self.region.place.shift, pool)
        target = 0.0 if mesh is None else self._presence
        self.opacity += min(max(target - self.opacity, -1 / _FADING), 1 / _FADING)

    @property
    def learns(self) -> bool:
        """Whether its tone should be looked at in this frame."""
        return self._tone is None or self._age % _LEARN_EVERY == 0

    @property
    def tone(self) -> SkinTone:
        """The tone of its skin, steady in time; learned before it is asked for."""
        assert self._tone is not None
        return self._tone

    def learn(self, tone: SkinTone) -> None:
        """Takes the tone as this frame has it."""
        self._tone = tone if self._tone is None else self._tone.towards(tone, _LEARN)

    def is_near(self, mesh: Mesh) -> bool:
        """Whether a face there can be this one."""
        away = mesh[landmarks.NOSE_TIP] - self._mesh[landmarks.NOSE_TIP]
        return bool(np.hypot(*away) < _NEAR * self._length)

    def _place(self, mesh: Mesh, shift: int | None, pool: Pool) -> None:
        self._mesh = mesh
        self._length = length_of(mesh)
        self._presence = presence(mesh)
        self.region = region_of(mesh, shift_for(self._length, shift), pool)


class FollowedFaces:
    """All faces."""

    def __init__(self) -> None:
        self._faces: list[FollowedFace] | None = None

    def update(self, meshes: Meshes, pool: Pool) -> list[FollowedFace]:
        """The faces of this frame whose skin is shown smoothed.

        Those of the first frame are so at once; what comes later fades in, what goes fades out
        where it was.

        Args:
            meshes: of this frame, the largest face first; one without points is passed over.
            pool: where the planes of their regions come from.
        """
        # What fades in starts from nothing, and so does a still picture from all.
        opacity = None if self._faces is None else 0.0
        known = list(self._faces or ())
        faces = []
        for mesh in [mesh for mesh in meshes if len(mesh)][:_MOST]:
            match = next((face for face in known if face.is_near(mesh)), None)
            if match is None:
                match = FollowedFace(mesh, opacity, pool)
            else:
                known.remove(match)
            match.move(mesh, pool)
            faces.append(match)
        for face in known:
            face.move(None, pool)
        self._faces = faces + [face for face in known if face.opacity > 0]
        return [face for face in self._faces if face.opacity > 0]


def presence(mesh: Mesh) -> float:
    """How far a face is large enough and turned to the camera, 0 to 1."""
    place = turn_of(mesh)
    large = (length_of(mesh) - _SMALL[0]) / (_SMALL[1] - _SMALL[0])
    frontal = (min(place, 1 - place) - _TURNED[0]) / (_TURNED[1] - _TURNED[0])
    return min(max(min(large, frontal), 0.0), 1.0)
