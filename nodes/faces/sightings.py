"""Faces as a network saw them in one frame."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final, NamedTuple, NewType

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

# Part of the smaller of two boxes from which on they are one face.
_COVERED: Final = 0.5
# How much larger or smaller a face may be when it is found again.
_GROWTH: Final = 1.6


class Box(NamedTuple):
    """A box in pixels of the frame; may reach beyond it."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Where it ends."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """Where it ends."""
        return self.top + self.height

    @property
    def middle(self) -> tuple[float, float]:
        """X and y of its middle."""
        return self.left + self.width / 2, self.top + self.height / 2


class Sighting(NamedTuple):
    """A face as the network saw it, in pixels of the frame.

    Attributes:
        box: from the brows to the chin; the network makes it a square.
        points: float32 [6, 2], see `Face`.
        score: 0 to 1.
        identity: the same from run to run for what is taken to be the same face.
        seen: False where the face was not seen now, and the rest is from when it was.
    """

    box: Box
    points: Floats
    score: float
    identity: int = -1
    seen: bool = True


Sightings = NewType("Sightings", tuple[Sighting, ...])
"""All faces of a frame, those that were there a moment ago among them."""


def apart(sightings: Iterable[Sighting]) -> list[Sighting]:
    """The best first, without those that lie over a better one."""
    kept: list[Sighting] = []
    for sighting in sorted(sightings, key=lambda sighting: -sighting.score):
        if not any(is_same_place(sighting.box, other.box) for other in kept):
            kept.append(sighting)
    return kept


def is_same_place(one: Box, other: Box) -> bool:
    """Whether the boxes lie over each other so far that they can be of one face only."""
    width = min(one.right, other.right) - max(one.left, other.left)
    height = min(one.bottom, other.bottom) - max(one.top, other.top)
    smaller = min(one.width * one.height, other.width * other.height)
    return width > 0 and height > 0 and width * height > _COVERED * smaller


def nearest(sighting: Sighting, others: Iterable[Sighting], reach: float) -> Sighting | None:
    """The nearest of the others that can be the same face.

    Args:
        sighting: the face.
        others: in any order.
        reach: how far away it may be, in heights of the face.
    """
    found, least = None, reach * sighting.box.height
    for other in others:
        growth = other.box.height / sighting.box.height
        distance = math.dist(other.box.middle, sighting.box.middle)
        if distance <= least and 1 / _GROWTH <= growth <= _GROWTH:
            found, least = other, distance
    return found
