"""More detail for a soft camera."""

from __future__ import annotations

from pullfx.nodes.sharpen import sharpen, sharpening_table
from pullfx.pipeline.effect import Effect, parameter
from pullfx.pipeline.frame import Frame


class Sharpen(Effect):
    """Sharpens detail; noise is not raised, and edges get no halo that could be seen."""

    strength: float = parameter(
        default=0.4,
        minimum=0.0,
        maximum=1.0,
        description="how much sharper",
    )

    def build(self, frame: Frame, original: Frame) -> Frame:
        """Wires the sharpened luma."""
        return sharpen(frame, sharpening_table(self.strength))
