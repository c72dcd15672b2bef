"""The background out of focus."""

from __future__ import annotations

from pullfx.effects.person import PersonEffect
from pullfx.nodes import blur_background, blur_whole, composite, light_wrap, reduce
from pullfx.pipeline.effect import parameter
from pullfx.pipeline.frame import Frame


class BackgroundBlur(PersonEffect):
    """Blurs everything but people.

    Until the first mask is there, and when the mask cannot be made, the whole frame is blurred,
    and never less than `pullfx.nodes.HIDING_STRENGTH` says.
    """

    strength: float = parameter(
        default=0.6,
        minimum=0.0,
        maximum=1.0,
        description="how far out of focus; the same look at every size of picture",
    )
    light_wrap: float = parameter(
        default=0.0,
        minimum=0.0,
        maximum=1.0,
        description="how much of the background's light lies on the person's edge",
    )

    def build(self, frame: Frame, original: Frame) -> Frame:
        """Wires the matte, the blurred background and the two laid together."""
        matte = self.person(original)
        background = blur_background(reduce(frame), matte, self.strength)
        return composite(frame, background, light_wrap(matte, self.light_wrap))

    def fallback(self, frame: Frame) -> Frame:
        """Wires the whole frame blurred."""
        return blur_whole(frame, self.strength)
