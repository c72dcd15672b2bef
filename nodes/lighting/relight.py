"""Light on what is dark, and not on what is behind it."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from pullfx.kernels import composite
from pullfx.nodes.lighting.codes import CODES
from pullfx.nodes.lighting.curves import Curve, exposure_curve, lift_curve, tables_of
from pullfx.nodes.lighting.light import Light
from pullfx.nodes.lighting.near import Lamp, near
from pullfx.nodes.lighting.places import enlarged
from pullfx.nodes.reduce import reduce
from pullfx.nodes.tone import tone
from pullfx.nodes.types import Matte
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.node import node
from pullfx.pipeline.pool import HEAP, Pool

Floats = NDArray[np.float32]

# Side of the windows over which luma is smoothed, in cells of the grid.
_WINDOW: Final = 9
# Deviation of luma, in codes, below which it is smoothed, and above which it is an edge.
_EDGE: Final = 20.0
# From so many times the subject's luma on less is lifted, so that what is lighter stays lighter: it
# keeps at least this part of its contrast.
_ALL: Final = 1.25
_CONTRAST: Final = 0.25
# Of the luma of what is light, from where on nothing is lifted.
_LIGHT: Final = 0.75
_CODES: Final = np.arange(256) / 255


@node
def relight(frame: Frame, light: Light, lamps: tuple[Lamp, ...], pool: Pool = HEAP) -> Frame:
    """The picture with its dark parts lifted.

    How far each place is lifted says a map: luma, smoothed within things but not across their
    edges. So what is dark keeps its contrasts, and no halo shows where it ends.

    Args:
        frame: the picture, with the exposure of `light`.
        light: the change of light.
        lamps: the lights on people.
        pool: where result and scratch come from.

    Returns:
        A frame of the same size; `frame` itself where nothing is lifted.
    """
    curve = lift_curve(light)
    if curve.gain == 1:
        return frame
    exposed = exposure_curve(light)
    subject = exposed.at(light.subject)
    lifted = tone(frame, tables_of(curve, subject, light.range), (), pool)
    places = _places(frame, _weights(curve, subject, exposed.at(light.upper)), lamps, pool)
    out = pool.frame(frame)
    composite.lay(lifted.planes, frame.planes, places, 0, out.planes)
    return out


def _weights(curve: Curve, subject: float, upper: float) -> NDArray[np.uint8]:
    """How far each luma of 0..255 is lifted, 0 to 255: all where it is dark, nothing at last.

    Between the two, what comes out rises in a straight line.
    """
    start = min(_ALL * subject, _LIGHT)
    lifted = curve.at(start)
    end = max(_LIGHT * upper, (lifted - _CONTRAST * start) / (1 - _CONTRAST))
    line = lifted + (_CODES - start) * (end - lifted) / (end - start)
    whole = curve(_CODES)
    part = (line - _CODES) / np.maximum(whole - _CODES, 1e-6)
    part = np.where(start >= _CODES, 1, np.where(end <= _CODES, 0, part.clip(0, 1)))
    return np.rint(255 * part).astype(np.uint8)


def _places(frame: Frame, weights: NDArray[np.uint8], lamps: tuple[Lamp, ...], pool: Pool) -> Matte:
    """How far each place is lifted."""
    codes = CODES[frame.range]
    reduced = reduce(frame, pool)
    slope, offset = _smoothing(reduced.grid[0].astype(np.float32))
    # From codes to what `weights` are for, with the rest.
    scale = 255 / codes.luma
    slope, offset = slope * scale, (offset - codes.black) * scale
    smooth = enlarged(slope, frame, pool)
    cv2.multiply(smooth, reduced.half, dst=smooth, dtype=cv2.CV_32F)
    cv2.add(smooth, enlarged(offset, frame, pool), dst=smooth)
    lifted = pool.array(reduced.half.shape)
    np.copyto(lifted, smooth.clip(0, 255, out=smooth), casting="unsafe")
    cv2.LUT(lifted, weights, dst=lifted)
    cv2.multiply(lifted, enlarged(near(lamps, frame), frame, pool), dst=lifted, dtype=cv2.CV_8U)
    return Matte(lifted)


def _smoothing(luma: Floats) -> tuple[Floats, Floats]:
    """Slope and offset of the line that smooths luma but across edges.

    A guided filter of the picture by itself, after He and Sun, "Fast Guided Filter"
    (arXiv:1505.00996): the line is found in small and used on a larger picture.
    """
    mean = _mean(luma)
    variance = _mean(luma * luma) - mean * mean
    slope = np.asarray(variance / (variance + _EDGE**2), np.float32)
    return _mean(slope), _mean(mean - slope * mean)


def _mean(values: Floats) -> Floats:
    mean = cv2.blur(values, (_WINDOW, _WINDOW), borderType=cv2.BORDER_REFLECT)
    return np.asarray(mean, np.float32)
