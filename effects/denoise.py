"""A calm picture from a noisy camera."""

from __future__ import annotations

from pullfx.nodes import Denoise as DenoiseInTime
from pullfx.nodes import denoising_table
from pullfx.pipeline.effect import Effect, parameter
from pullfx.pipeline.frame import Frame


class Denoise(Effect):
    """Holds back noise in time where the picture stands still; what moves is not delayed."""

    strength: float = parameter(
        default=0.5,
        minimum=0.0,
        maximum=1.0,
        description="up to how large a flicker is taken for noise: at 1, of 10 codes of 255",
    )

    def build(self, frame: Frame, original: Frame) -> Frame:
        """Wires the filter in time."""
        return DenoiseInTime()(frame, denoising_table(self.strength))
