"""The mask itself, to see what the effects see."""

from __future__ import annotations

from pullfx.effects.person import PersonEffect
from pullfx.nodes import show_mask
from pullfx.pipeline.frame import Frame


class ShowMask(PersonEffect):
    """Paints the mask in grey in place of the picture: white is person."""

    def build(self, frame: Frame, original: Frame) -> Frame:
        """Wires the matte and its picture."""
        return show_mask(frame, self.person(original))
