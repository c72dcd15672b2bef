"""Where the people of a picture are, softly: what light that is put on them spreads over."""

from __future__ import annotations

from typing import Final, NewType

import numpy as np
from numpy.typing import NDArray

from pullfx.nodes.types import Faces, Reduced
from pullfx.pipeline.node import UNCHANGED, node

NearFaces = NewType("NearFaces", NDArray[np.float32])
"""How near each place is to a person, 0.25 to 1: float32, small, spread over the whole frame."""

Floats = NDArray[np.float32]

# Cells of the grid along a side that make one place: all here is soft.
_COARSE: Final = 4
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
# Parts of the way gone in a frame: towards faces, and to the middle.
_TO_FACES: Final = 0.12
_TO_MIDDLE: Final = 0.02
_NOT_WORTH: Final = 0.01


@node
class FollowFaces:
    """Says how near each place is to a person; moves softly where these move, come or go."""

    def __init__(self) -> None:
        self._near: Floats | None = None

    def __call__(self, reduced: Reduced, faces: Faces) -> NearFaces:
        """How near each cell is, by the faces as they were found lately.

        When none has been found for some seconds, people are thought to be in the middle.

        Args:
            reduced: the picture in small.
            faces: its faces.

        Returns:
            float32, or `UNCHANGED`.
        """
        shape = tuple(-(-side // _COARSE) for side in reduced.grid[0].shape)
        wanted = _near(faces, shape, _COARSE * 2**reduced.shift)
        if self._near is None or self._near.shape != shape:
            self._near = wanted
            return NearFaces(wanted)
        change = (wanted - self._near) * np.float32(_TO_FACES if faces else _TO_MIDDLE)
        if np.abs(change).max() < _NOT_WORTH * _TO_MIDDLE:
            return UNCHANGED  # type: ignore[no-any-return]  # stands for the value before
        self._near = self._near + change
        return NearFaces(self._near)

    def reset(self) -> None:
        """Forgets the faces, so that the next ones count at once."""
        self._near = None


def _near(faces: Faces, shape: tuple[int, ...], cell: int) -> Floats:
    height, width = shape
    boxes = [(face.left, face.top, face.width, face.height) for face in faces] or [
        (
            width * cell / 2 - _WIDTH * height * cell / 2,
            (_TOP - _HEIGHT / 2) * height * cell,
            _WIDTH * height * cell,
            _HEIGHT * height * cell,
        )
    ]
    near = np.zeros(shape, np.float32)
    rows, columns = (np.arange(count, dtype=np.float32) * cell + cell / 2 for count in shape)
    for box_left, box_top, box_width, box_height in boxes:
        across = ((columns - box_left - box_width / 2) / (_ACROSS * box_width)) ** 2
        down = ((rows - box_top - (0.5 + _BELOW) * box_height) / (_DOWN * box_height)) ** 2
        distance = across + down[:, None]
        np.maximum(near, 1 / (1 + distance * distance), out=near)
    return _LEAST + (1 - _LEAST) * near
