"""The background out of focus as a lens has it: the farther, the more."""

from __future__ import annotations

from pullfx.effects.person import PersonEffect
from pullfx.nodes import (
    SteadyDistance,
    blur_by_distance,
    blur_whole,
    composite,
    guess_distance,
    light_wrap,
    reduce,
)
from pullfx.pipeline.effect import parameter
from pullfx.pipeline.frame import Frame


class PortraitMode(PersonEffect):
    """Blurs what is around people, the more the farther it is from them.

    What is beside a person, and the desk before it, stays easier to recognise than with
    `BackgroundBlur`; what lies far off is hardly to be seen. Like that, it fails closed: without a
    mask the whole frame is blurred.
    """

    strength: float = parameter(
        default=0.6,
        minimum=0.0,
        maximum=1.0,
        description="how far out of focus what is farthest is; the same look at every size",
    )
    light_wrap: float = parameter(
        default=0.0,
        minimum=0.0,
        maximum=1.0,
        description="how much of the background's light lies on the person's edge",
    )

    def build(self, frame: Frame, original: Frame) -> Frame:
        """Wires the matte, the distances guessed from it, and the background blurred by them."""
        matte = self.person(original)
        distance = SteadyDistance()(guess_distance(matte))
        background = blur_by_distance(reduce(frame), matte, distance, self.strength)
        return composite(frame, background, light_wrap(matte, self.light_wrap))

    def fallback(self, frame: Frame) -> Frame:
        """Wires the whole frame blurred."""
        return blur_whole(frame, self.strength)
