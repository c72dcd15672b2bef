"""Skin evened out, as make-up and good light do."""

from __future__ import annotations

from pullfx.nodes import find_meshes, reduce
from pullfx.nodes.beautify import FindSkin, retouch, retouching
from pullfx.pipeline.effect import Effect, parameter
from pullfx.pipeline.frame import Frame


class Beautify(Effect):
    """Smooths the skin of faces, and nothing else.

    Eyes, brows, lips, hair, beards, glasses and all around stay as they are, to the pixel. What is
    skin is learned from each face, so every tone of skin is treated alike. Where there is no face
    the frame passes untouched.
    """

    strength: float = parameter(
        default=0.6,
        minimum=0.0,
        maximum=1.0,
        description="how far blotches, spots and shades between them are evened out",
    )
    texture: float = parameter(
        default=0.65,
        minimum=0.0,
        maximum=1.0,
        description="how much of the skin's fine texture stays; 1 keeps every pore",
    )
    even_tone: float = parameter(
        default=0.3,
        minimum=0.0,
        maximum=1.0,
        description="how far redness and other differences in the skin's colour are evened out",
    )
    under_eyes: float = parameter(
        default=0.0,
        minimum=0.0,
        maximum=1.0,
        description="how far shadows under the eyes are lightened",
    )

    def build(self, frame: Frame, original: Frame) -> Frame:
        """Wires the skin of the picture as it came, and what is done to it in `frame`."""
        skin = FindSkin()(original, reduce(original), find_meshes(original))
        amounts = retouching(self.strength, self.texture, self.under_eyes, self.even_tone)
        return retouch(frame, reduce(frame), skin, amounts)
