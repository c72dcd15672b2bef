"""Where in a frame to look for faces of every size."""

from __future__ import annotations

import functools
import math
from typing import Final, NamedTuple

from pullfx.nodes.faces.anchors import SIDE
from pullfx.nodes.faces.squares import Square

SMALLEST_FACE: Final = 0.04
"""Height of the smallest face that is looked for, as a part of the frame's."""

# Pixels of the detector's picture that a face must have: of those cut from the pictures in
# shared/media it finds 46 % at 14, 87 % at 16 and all at 20 (scores of 0.3 and up).
_LEAST_PIXELS: Final = 17
# Sides of the squares of one level by those of the next: a face that has the least pixels there has
# half of them here, so that none falls between.
_FINER: Final = 2.0
# Squares of less than this are not looked at: much enlarged, nothing is a face.
_LEAST_SIDE: Final = SIDE // 2
# How far neighbours overlap, as a part of their side: by more than a face that the level before
# does not see, with what is around it.
_OVERLAP: Final = 0.3
# What may be left over at the frame's border, as a part of a square's side.
_LEFT_OVER: Final = 0.03


class Search(NamedTuple):
    """The squares to look at, each level finer than the one before.

    Attributes:
        whole: all of the frame, for large faces.
        near: the next level: people at a desk.
        far: all that is finer: people at the other end of a room.
    """

    whole: Square
    near: tuple[Square, ...]
    far: tuple[Square, ...]

    @property
    def all(self) -> tuple[Square, ...]:
        """Every square, the coarsest first."""
        return self.whole, *self.near, *self.far


@functools.lru_cache(maxsize=16)
def search_of(width: int, height: int) -> Search:
    """The squares for a frame of this size."""
    largest = max(width, height)
    smallest = max(SIDE / _LEAST_PIXELS * SMALLEST_FACE * height, _LEAST_SIDE)
    count = max(math.ceil(math.log(largest / smallest, _FINER)), 0)
    ratio = (largest / smallest) ** (1 / count) if count else 1.0
    levels = [_tiles(width, height, largest / ratio**level) for level in range(count + 1)]
    (whole,) = levels[0]
    near = levels[1] if count else ()
    return Search(whole, near, tuple(square for level in levels[2:] for square in level))


def _tiles(width: int, height: int, side: float) -> tuple[Square, ...]:
    even = 2 * math.ceil(side / 2)
    return tuple(
        Square(left, top, even) for top in _starts(height, even) for left in _starts(width, even)
    )


def _starts(length: int, side: int) -> list[int]:
    """Where squares begin that lie evenly over a side of the frame; one is in its middle."""
    beyond = length - side
    count = 1 + max(math.ceil((beyond / side - _LEFT_OVER) / (1 - _OVERLAP)), 0)
    if count == 1:
        return [2 * (beyond // 4)]
    return [2 * round(beyond * index / (count - 1) / 2) for index in range(count)]
