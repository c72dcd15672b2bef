"""Where the people of a picture are, softly: what light that is put on them spreads over."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pullfx.nodes.clock import FrameClock
from pullfx.nodes.types import Faces
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.node import UNCHANGED, node

Floats = NDArray[np.float32]

# Pixels along the longer side of what says how near places are: all there is soft.
_PLACES: Final = 40
# The middle of a person is this far below that of the face, in heights of the face, and a person
# reaches this far around it, in widths and heights.
_BELOW: Final = 0.8
_ACROSS: Final = 2.0
_DOWN: Final = 2.6
# Far from people there is still this much.
_LEAST: Final = 0.25
# Without faces, one is thought to be in the middle: where its own middle is, and how large it is,
# in heights of the picture.
_TOP: Final = 0.38
_HEIGHT: Final = 0.35
_WIDTH: Final = 0.28
# Seconds in which a light comes and goes, and in which it follows a face by 63 %.
_FADING: Final = 0.8
_SLOWNESS: Final = 0.25
# What a face has moved, in its height, is no change below this.
_STILL: Final = 0.002


class Lamp(NamedTuple):
    """A light on a person.

    Attributes:
        column, row: the middle of the face, in pixels of the frame.
        width, height: of the face.
        strength: 0 to 1.
    """

    column: float
    row: float
    width: float
    height: float
    strength: float


@node
class FollowFaces:
    """A lamp on each face, which follows it softly, and fades in and out as faces come and go."""

    def __init__(self) -> None:
        self._clock = FrameClock()
        self._lamps: dict[int, Lamp] = {}
        self._size = (0, 0)

    def __call__(self, frame: Frame, faces: Faces) -> tuple[Lamp, ...]:
        """The lamps now; without faces, one on the middle of the picture.

        Args:
            frame: gives time and size; none of its pixels is read.
            faces: its faces.

        Returns:
            The lamps, or `UNCHANGED`.
        """
        elapsed = self._clock.tick(frame)
        before = self._lamps
        size = frame.width, frame.height
        if size != self._size:
            before, elapsed = {}, float("inf")
        wanted = {
            face.identity: Lamp(
                face.left + face.width / 2, face.top + face.height / 2, face.width, face.height, 1
            )
            for face in faces
        } or {-1: _middle(*size)}
        lamps = {}
        for identity in {**before, **wanted}:
            lamp = _moved(before.get(identity), wanted.get(identity), elapsed)
            if lamp.strength > 0:
                lamps[identity] = lamp
        self._lamps, self._size = lamps, size
        if lamps == before:
            return UNCHANGED  # type: ignore[no-any-return]  # stands for the value before
        return tuple(lamps.values())

    def reset(self) -> None:
        """Forgets the faces, so that the next ones count at once."""
        self._clock = FrameClock()
        self._lamps = {}
        self._size = (0, 0)


def _moved(lamp: Lamp | None, wanted: Lamp | None, elapsed: float) -> Lamp:
    """A lamp after some time."""
    fading = elapsed / _FADING
    if lamp is None:
        assert wanted is not None
        return wanted._replace(strength=min(fading, 1.0))
    if wanted is None:
        return lamp._replace(strength=max(lamp.strength - fading, 0.0))
    far = max(abs(a - b) for a, b in zip(lamp[:4], wanted[:4], strict=True))
    part = min(elapsed / _SLOWNESS, 1.0) if far > _STILL * wanted.height else 0.0
    moved = (a + part * (b - a) for a, b in zip(lamp[:4], wanted[:4], strict=True))
    column, row, width, height = moved
    return Lamp(column, row, width, height, min(lamp.strength + fading, 1.0))


def _middle(width: int, height: int) -> Lamp:
    return Lamp(width / 2, _TOP * height, _WIDTH * height, _HEIGHT * height, 1.0)


def near(lamps: tuple[Lamp, ...], frame: Frame) -> Floats:
    """How much of their light there is, 0.25 to 1: float32, small, and spread over the frame.

    Args:
        lamps: from `FollowFaces`.
        frame: the picture that they are in.
    """
    cell = max(max(frame.width, frame.height) / _PLACES, 1.0)
    shape = round(frame.height / cell) or 1, round(frame.width / cell) or 1
    rows, columns = (np.arange(count, dtype=np.float32) * cell + cell / 2 for count in shape)
    light = np.zeros(shape, np.float32)
    for lamp in lamps:
        across = ((columns - lamp.column) / (_ACROSS * lamp.width)) ** 2
        down = ((rows - lamp.row - _BELOW * lamp.height) / (_DOWN * lamp.height)) ** 2
        distance = across + down[:, None]
        np.maximum(light, lamp.strength / (1 + distance * distance), out=light)
    return np.float32(_LEAST) + np.float32(1 - _LEAST) * light
