"""Light on what is dark, and not on what is behind it."""

from __future__ import annotations

from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from pullfx.kernels import composite
from pullfx.nodes.lighting.codes import CODES
from pullfx.nodes.lighting.curves import Curve, exposure_curve, lift_curve, tables_of
from pullfx.nodes.lighting.light import Light
from pullfx.nodes.lighting.near import Lamp, near
from pullfx.nodes.reduce import reduce
from pullfx.nodes.tone import Tables, tone
from pullfx.nodes.types import Matte
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.node import node
from pullfx.pipeline.pool import HEAP, Pool

Floats = NDArray[np.float32]

# Side of the windows over which luma is smoothed, in cells of the grid.
_WINDOW: Final = 9
# From the grid to half size the weights are raised along the picture's edges, by windows of so many
# pairs of cells. They are no mask: they are not made steeper, and never doubted.
_GUIDED: Final = 3
_GUIDING: Final = composite.Guiding(
    flatness=10.0, edge=1.0, steepness=0.0, doubt_from=2.0, doubt_to=3.0
)
# Deviation of luma, in codes, below which it is smoothed, and above which it is an edge.
_EDGE: Final = 20.0
# From so many times the subject's luma on less is lifted, so that what is lighter stays lighter: it
# keeps at least this part of its contrast.
_ALL: Final = 1.25
_CONTRAST: Final = 0.25
# Of the luma of what is light, from where on nothing is lifted.
_LIGHT: Final = 0.75
_CODES: Final = np.arange(256) / 255


class Lift(NamedTuple):
    """How dark parts are lifted.

    Attributes:
        tables: what becomes of codes where all is lifted.
        weights: how far each luma of 0..255 is lifted, uint8 [256]: all where it is dark, nothing
            at last.
    """

    tables: Tables
    weights: NDArray[np.uint8]


@node
def lifting(light: Light) -> Lift | None:
    """How dark parts are lifted after `exposure_curve`; None where nothing is.

    Args:
        light: the change of light.
    """
    curve = lift_curve(light)
    if curve.gain == 1:
        return None
    exposed = exposure_curve(light)
    subject = exposed.at(light.subject)
    weights = _weights(curve, subject, exposed.at(light.upper))
    return Lift(tables_of(curve, subject, light.range), weights)


@node
def relight(frame: Frame, lift: Lift | None, lamps: tuple[Lamp, ...], pool: Pool = HEAP) -> Frame:
    """The picture with its dark parts lifted.

    How far each place is lifted says a map: luma, smoothed within things but not across their
    edges. So what is dark keeps its contrasts, and no halo shows where it ends.

    Args:
        frame: the picture, with its exposure changed.
        lift: from `lifting`.
        lamps: the lights on people.
        pool: where result and scratch come from.

    Returns:
        A frame of the same size; `frame` itself where nothing is lifted.
    """
    if lift is None:
        return frame
    lifted = tone(frame, lift.tables, (), pool)
    places = _places(frame, lift.weights, lamps, pool)
    out = pool.frame(frame)
    composite.lay(lifted.planes, frame.planes, places, 0, out.planes)
    return out


def _weights(curve: Curve, subject: float, upper: float) -> NDArray[np.uint8]:
    """See `Lift`. Between all and nothing, what comes out rises in a straight line."""
    start = min(_ALL * subject, _LIGHT)
    lifted = curve.at(start)
    end = max(_LIGHT * upper, (lifted - _CONTRAST * start) / (1 - _CONTRAST))
    line = lifted + (_CODES - start) * (end - lifted) / (end - start)
    part = (line - _CODES) / np.maximum(curve(_CODES) - _CODES, 1e-6)
    part = np.where(start >= _CODES, 1, np.where(end <= _CODES, 0, part.clip(0, 1)))
    return np.rint(255 * part).astype(np.uint8)


def _places(frame: Frame, weights: NDArray[np.uint8], lamps: tuple[Lamp, ...], pool: Pool) -> Matte:
    """How far each place is lifted."""
    codes = CODES[frame.range]
    reduced = reduce(frame, pool)
    luma = _smoothed(reduced.grid[0].astype(np.float32))
    luma = ((luma - codes.black) * (255 / codes.luma)).clip(0, 255)
    light = cv2.resize(near(lamps, frame), luma.shape[::-1], interpolation=cv2.INTER_LINEAR)
    lifted = cv2.multiply(cv2.LUT(luma.astype(np.uint8), weights), light, dtype=cv2.CV_8U)
    cells = np.asarray(lifted, np.uint8)
    places = pool.array(frame.u.shape)
    guide = reduced.half, frame.u, frame.v
    composite.guide(cells, reduced.grid, guide, reduced.shift, _GUIDED, 1, _GUIDING, places)
    return Matte(places)


def _smoothed(luma: Floats) -> Floats:
    """Luma smoothed but across edges: a guided filter of the picture by itself."""
    mean = _mean(luma)
    variance = _mean(luma * luma) - mean * mean
    slope = np.asarray(variance / (variance + _EDGE**2), np.float32)
    return _mean(slope) * luma + _mean(mean - slope * mean)


def _mean(values: Floats) -> Floats:
    mean = cv2.blur(values, (_WINDOW, _WINDOW), borderType=cv2.BORDER_REFLECT)
    return np.asarray(mean, np.float32)
