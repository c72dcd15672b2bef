"""When to look at the light of a picture, and when it is that of another scene."""

from __future__ import annotations

from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from pullfx.nodes.clock import FrameClock
from pullfx.nodes.types import Faces, Reduced
from pullfx.pipeline.frame import Frame, Range
from pullfx.pipeline.node import UNCHANGED, node

# Seconds from look to look; and for how long after a cut every frame is looked at, since faces are
# found a little later.
_PAUSE: Final = 0.1
_FRESH: Final = 0.2
# Size of the thumbnail that tells one scene from another.
_LAYOUT: Final = (16, 9)
# Codes by which it changes in one frame, on average, when the scene is another one.
_CUT: Final = 30.0


class Look(NamedTuple):
    """What there is to measure light on.

    Attributes:
        reduced: the picture in small.
        faces: its faces.
        range: which codes it uses.
        scene: the number of the scene.
        fresh: whether the scene has only begun.
    """

    reduced: Reduced
    faces: Faces
    range: Range
    scene: int
    fresh: bool


@node
class WatchScene:
    """Passes a picture on to be looked at ten times a second, and at once after a cut.

    Light changes slowly, and to measure it takes longer than to put it on. So what depends on this
    alone runs in few frames.
    """

    def __init__(self) -> None:
        self._clock = FrameClock()
        self._layout: NDArray[np.uint8] = np.zeros(_LAYOUT[::-1], np.uint8)
        self._spare = self._layout.copy()
        self._range: Range | None = None
        self._scene = 0
        self._since_cut = 0.0
        self._since_look = 0.0

    def __call__(self, frame: Frame, reduced: Reduced, faces: Faces) -> Look:
        """The picture, or that there is no need to look.

        Args:
            frame: gives time and range; none of its pixels is read.
            reduced: the picture in small.
            faces: its faces.

        Returns:
            What to measure, or `UNCHANGED`.
        """
        elapsed = self._clock.tick(frame)
        self._since_cut += elapsed
        self._since_look += elapsed
        if self._cut(reduced, frame.range):
            self._scene += 1
            self._since_cut = 0.0
        fresh = self._since_cut < _FRESH
        if not fresh and self._since_look < _PAUSE:
            return UNCHANGED  # type: ignore[no-any-return]  # stands for the value before
        self._since_look = 0.0
        return Look(reduced, faces, frame.range, self._scene, fresh)

    def _cut(self, reduced: Reduced, range: Range) -> bool:
        layout, same = self._spare, range is self._range
        cv2.resize(reduced.grid[0], _LAYOUT, dst=layout, interpolation=cv2.INTER_AREA)
        change = cv2.norm(layout, self._layout, cv2.NORM_L1) / layout.size
        self._spare, self._layout, self._range = self._layout, layout, range
        return not same or change > _CUT

    def reset(self) -> None:
        """Forgets the scene, so that the next picture begins one."""
        self._clock = FrameClock()
        self._range = None
