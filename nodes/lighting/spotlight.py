"""A room that is darker than the people in it."""

from __future__ import annotations

import functools
from typing import Final

import numpy as np

from pullfx.kernels import composite
from pullfx.nodes.lighting.codes import CODES
from pullfx.nodes.lighting.near import Lamp, near
from pullfx.nodes.places import enlarged
from pullfx.nodes.tone import Tables, tone
from pullfx.pipeline.frame import Frame, Range
from pullfx.pipeline.node import node
from pullfx.pipeline.pool import HEAP, Pool

# How much light is taken from the corners at most.
_MOST: Final = 0.65
# Between these distances from people it fades; where they are it is all there.
_NEAR: Final = 0.85
_FAR: Final = 0.3


@node
def spotlight(frame: Frame, lamps: tuple[Lamp, ...], amount: float, pool: Pool = HEAP) -> Frame:
    """The picture with light on people alone, as from a lamp with a wide soft edge.

    Args:
        frame: the picture.
        lamps: the lights on people.
        amount: how much darker the rest becomes, 0 to 1.
        pool: where result and scratch come from.

    Returns:
        A frame of the same size; `frame` itself where the amount is 0.
    """
    if amount == 0:
        return frame
    dark = tone(frame, _tables(amount, frame.range), (), pool)
    place = ((near(lamps, frame) - _FAR) / (_NEAR - _FAR)).clip(0, 1)
    lit = np.rint(255 * place * place * (3 - 2 * place)).astype(np.uint8)
    out = pool.frame(frame)
    places = enlarged(lit, frame, pool)
    composite.lay(frame.planes, dark.planes, places, 0, out.planes)
    return out


@functools.lru_cache(maxsize=64)
def _tables(amount: float, range: Range) -> Tables:
    """What becomes of codes far from people."""
    kept = 1 - amount * _MOST
    values = np.arange(256)
    black = CODES[range].black
    y = np.where(values > black, black + (values - black) * kept, values)
    chroma = np.rint(128 + (values - 128) * kept).astype(np.uint8)
    return Tables(np.rint(y).astype(np.uint8), chroma, chroma)
