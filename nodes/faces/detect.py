"""Which faces are in a frame, and which of them were there before."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from pullfx.nodes.faces.anchors import SIDE
from pullfx.nodes.faces.look import MAYBE, Look, square_for
from pullfx.nodes.faces.search import Search, search_of
from pullfx.nodes.faces.sightings import Sighting, Sightings, apart, is_same_place, nearest
from pullfx.nodes.faces.squares import Square
from pullfx.nodes.network import load_tensors
from pullfx.nodes.types import Reduced
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.node import node
from pullfx.pipeline.pace import Pace
from pullfx.pipeline.pool import HEAP, Pool

EVERY: Final = 3
"""Faces are looked for in every third frame."""

DETECTOR: Final = "face_short_range"
"""MediaPipe's short-range face detector."""

# The score from which on a face that is known still is one: less than a new one needs, so that
# faces do not come and go.
_STILL: Final = 0.35
# How far a known face may be from the middle of its square, in sides of that, and how much larger
# or smaller than it was, until the square moves. While it stands a still face is seen the same way.
_OFF_MIDDLE: Final = 0.08
_OFF_SIZE: Final = 1.25
# Pixels of the detector's picture at which a face is seen as well as in its own square.
_CLEAR: Final = (24, 80)
# How far a face goes between two runs, in its heights, and how far it may have gone when it is
# found again after it was missed.
_STEP: Final = 0.8
_JUMP: Final = 3.0

# Runs for which a face that is no longer seen is kept: half a second at 30 frames a second.
_KEPT: Final = 5
# Squares per run: of known faces, and far ones while there is no face. While there is one, every
# second run looks at one square for others.
_KNOWN_LOOKS: Final = 3
_FAR_LOOKS: Final = 2
_SEARCH_EVERY: Final = 2
_MOST_FACES: Final = 16

# Mean change of a small picture from one run to the next, in codes of 0..255, that only another
# scene makes.
_CUT: Final = 25.0
_THUMBNAIL: Final = (16, 9)


@dataclass(slots=True, eq=False)
class _Known:
    sighting: Sighting
    square: Square
    missed: int = 0
    unseen: int = 0


@node(every=EVERY, heavy=True)
class DetectFaces:
    """Finds faces with a network that sees 128x128 pixels, and so only faces that are large there.

    So it looks at squares of the frame: in the first frame of a scene at all of `search_of`, then
    around the faces that it knows, and at the others in turn, so that faces of every size are found
    within some seconds at a small cost. What is new counts once two looks straight at it say so
    too.

    Args:
        model: "face_short_range", or the path of an ONNX file that can take its place.

    Raises:
        ModelError: the model is missing, damaged, or of another kind.
    """

    def __init__(self, model: str = DETECTOR) -> None:
        self._network = load_tensors(model)
        self._identities = itertools.count()
        self.reset()

    def reset(self) -> None:
        """Forgets all faces; the next frame is searched whole."""
        self._known: list[_Known] = []
        self._thumbnail: NDArray[np.float32] | None = None
        self._run = 0
        self._next_far = 0
        self._unsearched = 0

    def __call__(
        self, frame: Frame, reduced: Reduced, pace: Pace = Pace.EXACT, pool: Pool = HEAP
    ) -> Sightings:
        """The faces of a frame.

        Args:
            frame: the picture.
            reduced: the same in small.
            pace: EXACT searches all of the first frame of a scene, at every size of face; LIVE
                leaves the far for the frames after it, so that none is late.
            pool: where scratch comes from.
        """
        look = Look(self._network, frame, reduced, pool)
        search = search_of(frame.width, frame.height)
        if self._is_another_scene(reduced):
            self._known.clear()
            exact = pace is Pace.EXACT
            self._unsearched = 0 if exact else len(search.far)
            self._find(look, search.all if exact else (search.whole, *search.near))
        else:
            self._follow(look)
            self._find(look, self._turn(search))
        self._run += 1
        return Sightings(tuple(known.sighting for known in self._known))

    def _is_another_scene(self, reduced: Reduced) -> bool:
        thumbnail = cv2.resize(reduced.grid[0], _THUMBNAIL, interpolation=cv2.INTER_AREA)
        now = np.asarray(thumbnail, np.float32)
        before, self._thumbnail = self._thumbnail, now
        return before is None or float(np.abs(now - before).mean()) > _CUT

    def _turn(self, search: Search) -> tuple[Square, ...]:
        """Whose turn it is to be searched."""
        near = search.near or (search.whole,)
        run = self._run
        if not self._known:
            return search.whole, near[run % len(near)], *self._far(search, _FAR_LOOKS)
        if self._unsearched:
            return self._far(search, _FAR_LOOKS)
        # Others than those who are there may wait a little.
        turn, rest = divmod(run, _SEARCH_EVERY)
        if rest:
            return ()
        match turn % 4:
            case 0:
                return (search.whole,)
            case 2:
                return self._far(search, 1)
            case _:
                return (near[turn // 2 % len(near)],)

    def _far(self, search: Search, count: int) -> tuple[Square, ...]:
        """The next of the squares of the far, and after the last the first."""
        if not search.far:
            return ()
        first = self._next_far
        self._next_far += count
        self._unsearched = max(self._unsearched - count, 0)
        return tuple(search.far[index % len(search.far)] for index in range(first, first + count))

    def _follow(self, look: Look) -> None:
        """Looks at known faces; those that have not been seen for long are let go."""
        looked: list[_Known] = []
        found: list[Sighting] = []
        for known in sorted(self._known, key=lambda known: -known.unseen):
            known.unseen += 1
            if look.count < _KNOWN_LOOKS and known not in looked:
                known.square = _settled(known)
                found += look.at(known.square, _STILL)
                looked += (k for k in self._known if k is known or _is_clear(k, known.square))
        found = apart(found)
        for known in looked:
            known.unseen = 0
            again = nearest(known.sighting, found, _STEP)
            if again is None:
                known.missed += 1
                known.sighting = known.sighting._replace(seen=False)
            else:
                known.missed = 0
                known.sighting = again._replace(identity=known.sighting.identity)
                found = [other for other in found if other is not again]
        self._known = [known for known in self._known if known.missed <= _KEPT]

    def _find(self, look: Look, squares: Iterable[Square]) -> None:
        """Adds the faces in these squares that are new."""
        found = [sighting for square in squares for sighting in look.at(square, MAYBE)]
        for maybe in apart(found):
            if self._is_taken(maybe):
                continue
            sure = look.straight_at(maybe)
            if sure is None or self._is_taken(sure):
                continue
            missed = {k.sighting.identity: k for k in self._known if k.missed}
            before = nearest(sure, (known.sighting for known in missed.values()), _JUMP)
            if before is not None:
                self._known.remove(missed[before.identity])
                identity = before.identity
            elif len(self._known) < _MOST_FACES:
                identity = next(self._identities)
            else:
                return
            sure = sure._replace(identity=identity)
            self._known.append(_Known(sure, square_for(sure)))

    def _is_taken(self, sighting: Sighting) -> bool:
        """Whether a known face is there."""
        return any(
            is_same_place(sighting.box, known.sighting.box)
            for known in self._known
            if not known.missed
        )


def _settled(known: _Known) -> Square:
    """The square around a known face: the one there was, unless the face has left its middle."""
    wanted, square = square_for(known.sighting), known.square
    growth = (wanted.side - square.side) / 2
    off = max(abs(wanted.left - square.left + growth), abs(wanted.top - square.top + growth))
    ratio = max(wanted.side, square.side) / min(wanted.side, square.side)
    return square if off <= _OFF_MIDDLE * square.side and ratio <= _OFF_SIZE else wanted


def _is_clear(known: _Known, square: Square) -> bool:
    """Whether a look at the square is as good for a face as one at its own."""
    box = known.sighting.box
    return (
        _CLEAR[0] <= box.height * SIDE / square.side <= _CLEAR[1]
        and square.left + box.width / 2 <= box.left
        and square.top + box.height / 2 <= box.top
        and box.right <= square.left + square.side - box.width / 2
        and box.bottom <= square.top + square.side - box.height / 2
    )
