"""Light that follows the room and not the hand that passes."""

from __future__ import annotations

import math
from collections import deque
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pullfx.nodes.clock import FrameClock
from pullfx.nodes.lighting.cast import Chroma
from pullfx.nodes.lighting.light import Light
from pullfx.nodes.lighting.scene import Scene
from pullfx.pipeline.frame import Frame, Range
from pullfx.pipeline.node import UNCHANGED, node

Floats = NDArray[np.float64]

# So many looks at the scene are remembered, 1.6 seconds of them; what has lasted less than half as
# long does not count.
_LOOKS: Final = 16
# How fast the light follows what counts, in seconds: after this time, by 63 %.
_SLOWNESS: Final = 0.7
# Changes of exposure, lift, veil, Cb, Cr, subject, upper and bright that are not worth to follow,
# and those at which following ends.
_IGNORED: Final = np.array([0.12, 0.12, 0.02, 0.012, 0.012, 0.05, 0.05, 0.05])
_REACHED: Final = _IGNORED / 8


@node
class SettleLight:
    """Follows the light that is wanted, slowly, and at once where the scene is another one."""

    def __init__(self) -> None:
        self._clock = FrameClock()
        self._scene: Scene | None = None
        self._recent: deque[Floats] = deque(maxlen=_LOOKS)
        self._light = self._target = np.zeros(len(_IGNORED))
        self._following = False

    def __call__(self, frame: Frame, scene: Scene, wanted: Light) -> Light:
        """The light to use now.

        The target is the median of what was wanted lately, so that what passes is not followed at
        all. While it is near, the light stands still; else it moves there.

        Args:
            frame: gives the time; none of its pixels is read.
            scene: how the light is, of this frame or the same as before.
            wanted: the change that it calls for.

        Returns:
            The change, or `UNCHANGED`.
        """
        elapsed = self._clock.tick(frame)
        if scene is not self._scene:
            self._see(scene, _values(wanted))
        if scene.look.fresh:
            if self._light is self._target:
                return UNCHANGED  # type: ignore[no-any-return]  # stands for the value before
            return self._to(self._target, wanted.range)
        distance = np.abs(self._target - self._light)
        if (distance <= (_REACHED if self._following else _IGNORED)).all():
            self._following = False
            return UNCHANGED  # type: ignore[no-any-return]  # as above
        self._following = True
        step = 1 - math.exp(-elapsed / _SLOWNESS)
        return self._to(self._light + step * (self._target - self._light), wanted.range)

    def _see(self, scene: Scene, values: Floats) -> None:
        self._scene = scene
        if scene.look.fresh:  # as if the light had always been so
            self._recent.extend([values] * _LOOKS)
            self._target = values
        else:
            self._recent.append(values)
            self._target = np.median(self._recent, axis=0)

    def _to(self, values: Floats, range: Range) -> Light:
        self._light = values
        exposure, lift, veil, u, v, subject, upper, bright = values.tolist()
        return Light(exposure, lift, veil, Chroma(u, v), subject, upper, bright, range)

    def reset(self) -> None:
        """Forgets the light, so that the next one wanted is taken at once."""
        self._clock = FrameClock()
        self._scene = None


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
