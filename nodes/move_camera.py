"""A camera operator for a camera that does not move: a view that follows faces."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pullfx.nodes.clock import FrameClock
from pullfx.nodes.framing import Crop, Framing, whole
from pullfx.nodes.types import Face, Faces
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.node import UNCHANGED, node

Vector = NDArray[np.float64]

# Where the middle of the faces is to be, as a part of the picture's height: eyes at a third of it.
_MIDDLE: Final = 0.42
# What is kept free beside several faces, in heights of the largest.
_BESIDE: Final = 0.8
# How much larger than wished faces may be, if that brings them to the middle.
_LARGER: Final = 1.5

# A view is x and y of its middle and its height, in heights of the frame. So that movement looks
# alike at every zoom, distances are in heights of the view.
# How far it may be from where it should be until the operator moves, across and down; and by what
# part too large or too small.
_DEAD_ZONE: Final = 0.1
_DEAD_ZOOM: Final = 0.2
# How far a change of height counts, of one of place.
_ZOOM_WEIGHT: Final = 0.5
# Per second, at a speed of 1, and how fast that is reached and given up.
_SPEED: Final = 0.5
_ACCELERATION: Final = 0.6
# Part of the acceleration that is planned with for braking, so that what changes on the way can be
# made good.
_BRAKING: Final = 0.85
# What is near enough to come to stand, and what is there.
_THERE: Final = 0.004
_LANDED: Final = 1e-9

# Seconds after which the goal is where the faces are, but for a third of the way: it should not
# tremble with them.
_CALM: Final = 0.2
# What is as good as where they are.
_SAME: Final = 0.0002
# Seconds that a face must have been there to count, and for which one counts that is not.
_NEW: Final = 0.4
_GONE: Final = 1.5


@node
class MoveCamera:
    """Moves the view as an operator does.

    It stands while the faces are about where they should be. When they are not it starts off, runs
    and slows down in time to arrive without going too far: speed and acceleration have bounds, and
    the speed is the one from which it can still stop there. Then it stands again. Nobody for a
    moment is nothing to react to; nobody for longer is a reason to show all of the frame.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Shows all of the frame, and forgets all faces."""
        self._clock = FrameClock()
        self._present: dict[int, _Present] = {}
        self._view = np.zeros(3)
        self._goal = np.zeros(3)
        self._size: tuple[int, int] | None = None
        self._landing: Vector | None = None
        self._moving = False
        self._stand()

    def __call__(self, frame: Frame, faces: Faces, wishes: Framing) -> Crop:
        """What of a frame is to be shown.

        Args:
            frame: gives time and size; none of its pixels is read.
            faces: of that frame.
            wishes: how to show them.
        """
        seconds = self._clock.tick(frame)
        size = (frame.width, frame.height)
        first = self._size != size
        if first:
            self._size = size
            self._view[:] = self._goal[:] = _view_of(whole(frame), frame)
        self._meet(faces, seconds)
        wanted = _view_of(self._wanted(frame, wishes), frame)
        off = wanted - self._goal
        self._goal += off * (min(seconds / _CALM, 1) if np.abs(off).max() > _SAME else 1)
        if not self._move(seconds, wishes.speed) and not first:
            return UNCHANGED  # type: ignore[no-any-return]  # stands for the value before
        return _crop_of(self._view, frame)

    def _meet(self, faces: Faces, seconds: float) -> None:
        """Notes who is there, and forgets who has not been for long."""
        for present in self._present.values():
            present.unseen += seconds
            present.seen += seconds
        for face in faces:
            self._present.setdefault(face.identity, _Present()).see(face)
        self._present = {
            identity: present
            for identity, present in self._present.items()
            if present.unseen <= (_GONE if present.seen >= _NEW else 0)
        }

    def _wanted(self, frame: Frame, wishes: Framing) -> Crop:
        """The crop to show now, if the camera were there already."""
        faces = [present.face for present in self._present.values() if present.seen >= _NEW]
        if not faces:
            return whole(frame)
        largest = max(faces, key=lambda face: face.height)
        shown = faces if wishes.everyone else [largest]
        left = min(face.left for face in shown)
        right = max(face.left + face.width for face in shown)
        top = min(face.top for face in shown)
        bottom = max(face.top + face.height for face in shown)
        shape = frame.height / frame.width
        # In the middle, even if that takes showing the faces a little larger.
        centred = shape * min(left + right, 2 * frame.width - left - right)
        height = max(
            min(largest.height / wishes.size, centred),
            largest.height / (wishes.size * _LARGER),
            bottom - top + largest.height * (1 / (wishes.size * _LARGER) - 1),
            shape * (right - left + 2 * _BESIDE * largest.height) if len(shown) > 1 else 0,
            frame.height / wishes.zoom,
        )
        height = min(height, frame.height)
        width = height / shape
        return Crop(
            min(max((left + right - width) / 2, 0), frame.width - width),
            min(max((top + bottom) / 2 - _MIDDLE * height, 0), frame.height - height),
            width,
            height,
        )

    def _move(self, seconds: float, speed: float) -> bool:
        """Goes on towards the goal; False where it stands."""
        unit = self._view[2] * np.array((1, 1, 1 / _ZOOM_WEIGHT))
        if not self._moving:
            across, down, zoomed = np.abs((self._goal - self._view) / unit).tolist()
            if max(across, down) <= _DEAD_ZONE and zoomed <= _ZOOM_WEIGHT * _DEAD_ZOOM:
                return False
            self._moving = True
        goal = self._goal if self._landing is None else self._landing
        way = (goal - self._view) / unit
        distance = float(np.linalg.norm(way))
        if distance <= _THERE and self._landing is None:
            # The end is no longer what trembles with the faces.
            self._landing = goal.copy()
        change = speed * _ACCELERATION * seconds
        # The speed from which, losing a little less in each frame, it comes to stand at the end.
        lost = _BRAKING * change
        stoppable = math.sqrt(lost * (lost / 4 + 2 * distance / seconds)) - lost / 2
        fastest = min(stoppable, speed * _SPEED, distance / seconds)
        turn = way * (fastest / max(distance, _LANDED)) - self._velocity
        self._velocity += turn * min(change / max(float(np.linalg.norm(turn)), _LANDED), 1)
        self._view += self._velocity * seconds * unit
        if self._landing is not None and np.abs(self._landing - self._view).max() <= _LANDED:
            self._view[:] = self._landing
            self._stand()
        return True

    def _stand(self) -> None:
        self._velocity = np.zeros(3)
        self._landing = None
        self._moving = False


class _Present:
    """A face that is there, or was a moment ago.

    Attributes:
        face: as it was last.
        seen: seconds since it came.
        unseen: seconds since it was last there.
    """

    face: Face

    def __init__(self) -> None:
        self.seen = 0.0
        self.unseen = 0.0

    def see(self, face: Face) -> None:
        self.face = face
        self.unseen = 0.0


def _view_of(crop: Crop, frame: Frame) -> Vector:
    return np.array(
        (
            (crop.left + crop.width / 2) / frame.height,
            (crop.top + crop.height / 2) / frame.height,
            crop.height / frame.height,
        )
    )


def _crop_of(view: Vector, frame: Frame) -> Crop:
    """The crop of a view, moved into the frame where it should reach beyond it."""
    part = min(float(view[2]), 1.0)
    width, height = part * frame.width, part * frame.height
    left = min(max(float(view[0]) * frame.height - width / 2, 0.0), frame.width - width)
    top = min(max(float(view[1]) * frame.height - height / 2, 0.0), frame.height - height)
    return Crop(left, top, width, height)
