"""White balance: what the light has coloured is made grey again."""

from __future__ import annotations

import functools
import math
from typing import Final

import numpy as np

from pullfx import kernels
from pullfx.kernels.colour import FRACTION_BITS, coefficients, plane_coefficients
from pullfx.nodes.lighting.cast import Chroma
from pullfx.nodes.lighting.codes import CODES
from pullfx.nodes.lighting.light import Light
from pullfx.nodes.reduce import reduce
from pullfx.pipeline.frame import Frame, Matrix, Range
from pullfx.pipeline.node import node
from pullfx.pipeline.pool import HEAP, Pool

Factors = tuple[float, float, float, float, float, float]

# Nearer to grey than this is grey.
_LEAST: Final = 0.002


@node
def balance(frame: Frame, light: Light, pool: Pool = HEAP) -> Frame:
    """The picture with the colour of its light taken out.

    Each of R'G'B' gets a gain, so that what is to be grey becomes grey, and black stays black. Luma
    is kept: whoever looks at a white balance sees colours, and luma is for exposure.

    Args:
        frame: the picture.
        light: what is to become grey.
        pool: where result and scratch come from.

    Returns:
        A frame of the same size; `frame` itself where grey is grey.
    """
    if math.hypot(*light.cast) < _LEAST:
        return frame
    factors = _factors(light.cast, frame.matrix, frame.range)
    half = reduce(frame, pool).half
    out = pool.frame(frame)
    np.copyto(out.y, frame.y)
    black = CODES[frame.range].black
    kernels.mix_chroma(half, frame.u, frame.v, out.u, out.v, black, factors)
    return out


@functools.lru_cache(maxsize=64)
def _factors(cast: Chroma, matrix: Matrix, range: Range) -> Factors:
    """Of luma, Cb and Cr in the new Cb and Cr."""
    to_rgb, from_rgb = _matrices(matrix, range)
    codes = CODES[range]
    grey = np.array([codes.luma, cast.u * codes.chroma, cast.v * codes.chroma])
    coloured = to_rgb @ grey
    gains = (to_rgb @ np.array([codes.luma, 0, 0])) / coloured
    u, v = (from_rgb @ np.diag(gains) @ to_rgb)[1:].tolist()
    return (*u, *v)


@functools.cache
def _matrices(matrix: Matrix, range: Range) -> tuple[np.ndarray, np.ndarray]:
    """From Y', Cb and Cr without their zero to R'G'B', and back."""
    full = range is Range.FULL
    c = coefficients(matrix.value, full)
    to_rgb = np.array([[c.luma, 0, c.red_v], [c.luma, c.green_u, c.green_v], [c.luma, c.blue_u, 0]])
    p = plane_coefficients(matrix.value, full)
    from_rgb = np.array(
        [
            [p.red_y / 2, p.green_y / 2, p.blue_y / 2],
            [p.red_u, p.green_u, p.blue_u],
            [p.red_v, p.green_v, p.blue_v],
        ]
    )
    return to_rgb / 2**FRACTION_BITS, from_rgb / 2**15
