"""The mesh of each face of a frame, as a network sees it."""

from __future__ import annotations

import math
from typing import Final, NamedTuple, NewType

import numpy as np
from numpy.typing import NDArray

from pullfx.nodes.expose import expose
from pullfx.nodes.faces.turned import TurnedSquare, cut_turned
from pullfx.nodes.network import load_tensors
from pullfx.nodes.types import Face, Faces, Reduced
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.node import node
from pullfx.pipeline.pool import HEAP, Pool

Floats = NDArray[np.float32]

EVERY: Final = 4
"""Meshes are made in every fourth frame."""

MESH: Final = "face_mesh"
"""MediaPipe's face mesh."""

POINTS: Final = 468
"""Points of a mesh."""

# Outer corners of the right and the left eye in the mesh.
_EYES: Final = (33, 263)
# mediapipe/modules/face_landmark: face_detection_front_detection_to_roi.pbtxt and
# face_landmark_landmarks_to_roi.pbtxt: how much larger than the face the square is.
_AROUND: Final = 1.5
# The probability of a face from which on the mesh is one; the same folder, face_landmark_cpu.pbtxt.
_PRESENT: Final = 0.5
# The same stays out until it is surer than that, so that a mesh does not come and go.
_BACK: Final = 0.6

# How far the middle of a face may be from that of its square, in sides of that, how much it may be
# larger or smaller, and turned, in radians, until the square moves.
_OFF_MIDDLE: Final = 0.01
_OFF_SIZE: Final = 1.06
_OFF_ANGLE: Final = 0.06
# How far the middle of a mesh may be from that of the face, in heights of the face, until the mesh
# is another's.
_ASTRAY: Final = 0.5
# Largest faces, of those that are there, for which there are meshes.
_MOST: Final = 4


class MeshSighting(NamedTuple):
    """A mesh as the network saw it.

    Attributes:
        identity: of its face.
        points: float32 [468, 2], in pixels of the frame.
        height: of the mesh, in pixels.
    """

    identity: int
    points: Floats
    height: float


MeshSightings = NewType("MeshSightings", tuple[MeshSighting, ...])
"""The meshes of a frame; faces of which the network is not sure have none."""


class _Followed(NamedTuple):
    """A face in the last run: what was looked at, and the mesh, if there was one."""

    square: TurnedSquare
    face: Face
    mesh: Floats | None


@node(every=EVERY, heavy=True)
class DetectMeshes:
    """Finds the mesh of each face with a network that sees it upright and in the middle.

    The square that it looks at follows the last mesh, which is more exact than the face's box; it
    stands while the face does, so that a still face is seen in the same way.

    Args:
        model: "face_mesh", or the path of an ONNX file that can take its place.

    Raises:
        ModelError: the model is missing, damaged, or of another kind.
    """

    def __init__(self, model: str = MESH) -> None:
        self._network = load_tensors(model)
        self.reset()

    def reset(self) -> None:
        """Forgets all meshes."""
        self._followed: dict[int, _Followed] = {}

    def __call__(
        self, frame: Frame, reduced: Reduced, faces: Faces, pool: Pool = HEAP
    ) -> MeshSightings:
        """The meshes of a frame.

        Args:
            frame: the picture.
            reduced: the same in small.
            faces: where faces are; the four largest get a mesh.
            pool: where scratch comes from.
        """
        before = self._followed
        self._followed = {}
        for face in faces[:_MOST]:
            last = before.get(face.identity)
            followed = self._look(frame, reduced, face, last, pool)
            if last is None and followed.mesh is not None:
                # The box says less exactly where the face is than its first mesh does.
                followed = self._look(frame, reduced, face, followed, pool)
            self._followed[face.identity] = followed
        return MeshSightings(
            tuple(
                MeshSighting(identity, followed.mesh, float(np.ptp(followed.mesh[:, 1])))
                for identity, followed in self._followed.items()
                if followed.mesh is not None
            )
        )

    def _look(
        self, frame: Frame, reduced: Reduced, face: Face, before: _Followed | None, pool: Pool
    ) -> _Followed:
        square = _square_for(face, before)
        side = self._network.size.width
        image = cut_turned(frame, reduced, square, side, pool)
        landmarks, presence = self._network(expose(image, pool), pool)
        least = _BACK if before is None or before.mesh is None else _PRESENT
        if float(presence.item()) < math.log(least / (1 - least)):
            return _Followed(square, face, None)
        way = square.to_frame(side)
        points = landmarks.reshape(POINTS, 3)[:, :2]
        return _Followed(square, face, points @ way[:, :2].T + way[:, 2])


def _square_for(face: Face, before: _Followed | None) -> TurnedSquare:
    """The square to look at: around the last mesh moved as the face did, or around the face."""
    if before is None or before.mesh is None:
        return _square(_box_of(face), face.points[0], face.points[1])
    moved = before.mesh + (face.points - before.face.points).mean(axis=0)
    low, high = moved.min(axis=0), moved.max(axis=0)
    if np.abs((low + high) / 2 - face.points[:4].mean(axis=0)).max() > _ASTRAY * face.height:
        return _square(_box_of(face), face.points[0], face.points[1])
    wanted = _square(np.concatenate((low, high)), *moved[list(_EYES)])
    square = before.square
    off = math.hypot(wanted.x - square.x, wanted.y - square.y) / square.side
    growth = max(wanted.side, square.side) / min(wanted.side, square.side)
    turned = abs(math.remainder(wanted.angle - square.angle, 2 * math.pi))
    still = off <= _OFF_MIDDLE and growth <= _OFF_SIZE and turned <= _OFF_ANGLE
    return square if still else wanted


def _box_of(face: Face) -> Floats:
    """Left, top, right and bottom of the face's box."""
    left, top, width, height = face[:4]
    return np.array((left, top, left + width, top + height), np.float32)


def _square(box: Floats, right_eye: Floats, left_eye: Floats) -> TurnedSquare:
    """The square around a box, larger by a half, and turned so that the eyes are level."""
    left, top, right, bottom = box.tolist()
    across, down = (left_eye - right_eye).tolist()
    side = _AROUND * max(right - left, bottom - top)
    return TurnedSquare((left + right) / 2, (top + bottom) / 2, side, math.atan2(down, across))
