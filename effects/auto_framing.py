"""Faces kept at a size and a place, as by somebody behind the camera."""

from __future__ import annotations

from typing import ClassVar

from pullfx.nodes import MoveCamera, find_faces, framing, reframe
from pullfx.pipeline.effect import Effect, parameter
from pullfx.pipeline.frame import Frame


class AutoFraming(Effect):
    """Shows the part of the picture that faces are in, at the picture's size.

    The view stands while faces are about where they should be, and moves without haste when they
    are not. All of the picture is shown while nobody is there.

    It belongs behind effects that look for people and faces: those after it do so anew, in what it
    shows.
    """

    moves_pixels: ClassVar[bool] = True

    size: float = parameter(
        default=0.3,
        minimum=0.1,
        maximum=0.7,
        description="height of a face as a part of the picture's",
    )
    zoom: float = parameter(
        default=2.0,
        minimum=1.0,
        maximum=4.0,
        description="how much larger than in the picture faces may be shown",
    )
    speed: float = parameter(
        default=1.0,
        minimum=0.25,
        maximum=4.0,
        description="how fast the view moves; 1 is unhurried",
    )
    everyone: bool = parameter(
        default=True,
        description="keep all faces in view, not only the largest",
    )

    def build(self, frame: Frame, original: Frame) -> Frame:
        """Wires the faces, the movement and the crop."""
        wishes = framing(self.size, self.zoom, self.speed, self.everyone)
        return reframe(frame, MoveCamera()(original, find_faces(original), wishes))
