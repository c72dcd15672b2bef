"""A calm picture from a noisy camera."""

from __future__ import annotations

from pullfx.nodes import Denoise as DenoiseInTime, denoising, noise_level, reduce
from pullfx.pipeline.effect import Effect, parameter
from pullfx.pipeline.frame import Frame


class Denoise(Effect):
    """Holds back noise in time where the picture stands still; what moves is not delayed."""

    strength: float = parameter(
        default=0.5,
        minimum=0.0,
        maximum=1.0,
        description="up to how large a flicker is taken for noise, against how large noise is",
    )

    def build(self, frame: Frame, original: Frame) -> Frame:
        """Wires the filter in time."""
        reduced = reduce(frame)
        how = denoising(self.strength, noise_level(reduced))
        return DenoiseInTime()(frame, reduced, how)
