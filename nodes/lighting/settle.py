"""Light that follows the room and not the hand that passes."""

from __future__ import annotations

import math
from collections import deque
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pullfx.nodes.lighting.cast import Chroma
from pullfx.nodes.lighting.light import Light
from pullfx.nodes.lighting.scene import Scene
from pullfx.pipeline.frame import Range
from pullfx.pipeline.node import UNCHANGED, node

Floats = NDArray[np.float64]

# Time is in seconds. What has lasted less than half of these samples does not count.
_SAMPLE: Final = 0.1
_SAMPLES: Final = 16
# How fast the light follows what counts: after this time, by 63 %.
_SLOWNESS: Final = 0.7
# What a picture without a clock takes, and the longest gap that counts as time.
_FRAME: Final = 1 / 30
_LONGEST: Final = 0.25
# For so long after a cut the light is what is wanted, as faces may be found a little later.
_FRESH: Final = 0.2
# Codes by which luma in small changes in one frame, on average, when the scene is another one.
_CUT: Final = 30.0
# Changes of exposure, lift, veil, Cb, Cr, subject, upper and bright that are not worth to follow,
# and those at which following ends.
_IGNORED: Final = np.array([0.12, 0.12, 0.02, 0.012, 0.012, 0.05, 0.05, 0.05])
_REACHED: Final = _IGNORED / 8


@node
class SettleLight:
    """Follows the light that is wanted, slowly, and at once where the scene is another one."""

    def __init__(self) -> None:
        self._light: Floats | None = None
        self._target = np.zeros(0)
        self._recent: deque[Floats] = deque(maxlen=_SAMPLES)
        self._layout: NDArray[np.uint8] | None = None
        self._seconds: float | None = None
        self._range = Range.LIMITED
        self._since_cut = 0.0
        self._since_sample = 0.0
        self._following = False

    def __call__(self, scene: Scene, wanted: Light) -> Light:
        """The light to use now.

        The target is the median of what was wanted lately, so that what passes is not followed at
        all. While it is near, the light stands still; else it moves there.

        Args:
            scene: how the light is, when, and of which picture.
            wanted: the change that it calls for.

        Returns:
            The change, or `UNCHANGED`.
        """
        values = _values(wanted)
        elapsed = self._elapsed(scene)
        cut = self._cut(scene)
        self._layout, self._seconds, self._range = scene.layout, scene.seconds, scene.range
        self._since_cut = 0.0 if cut else self._since_cut + elapsed
        if self._light is None or self._since_cut < _FRESH:
            self._recent.clear()
            return self._to(values, following=False)
        self._since_sample += elapsed
        if not self._recent:  # as if the light had always been so
            self._recent.extend([self._light] * _SAMPLES)
            self._target = self._light
        if self._since_sample >= _SAMPLE:
            self._since_sample = 0.0
            self._recent.append(values)
            self._target = np.median(self._recent, axis=0)
        distance = np.abs(self._target - self._light)
        if (distance <= (_REACHED if self._following else _IGNORED)).all():
            self._following = False
            return UNCHANGED  # type: ignore[no-any-return]  # stands for the value before
        step = 1 - math.exp(-elapsed / _SLOWNESS)
        return self._to(self._light + step * (self._target - self._light), following=True)

    def _to(self, values: Floats, following: bool) -> Light:
        self._light, self._following = values, following
        exposure, lift, veil, u, v, subject, upper, bright = values.tolist()
        return Light(exposure, lift, veil, Chroma(u, v), subject, upper, bright, self._range)

    def _elapsed(self, scene: Scene) -> float:
        if scene.seconds is None or self._seconds is None:
            return _FRAME
        return min(max(scene.seconds - self._seconds, 0.0), _LONGEST)

    def _cut(self, scene: Scene) -> bool:
        if self._layout is None or self._range is not scene.range:
            return True
        return float(np.abs(self._layout.astype(np.int16) - scene.layout).mean()) > _CUT

    def reset(self) -> None:
        """Forgets the light, so that the next one wanted is taken at once."""
        self._light = self._layout = self._seconds = None


def _values(light: Light) -> Floats:
    return np.array(
        [
            light.exposure,
            light.lift,
            light.veil,
            light.cast.u,
            light.cast.v,
            light.subject,
            light.upper,
            light.bright,
        ]
    )
