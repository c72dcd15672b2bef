"""How noisy the dark parts of a picture are."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from pullfx.nodes.lighting.watch import Look
from pullfx.nodes.types import Reduced
from pullfx.pipeline.node import node

# Every eighth row of luma at half size, every second pixel in it.
_ROWS: Final = 8
_COLUMNS: Final = 2
# The darker part of the picture, and in it the calmer part: the rest has edges.
_DARK: Final = 0.4
_CALM: Final = 0.5
# Half of all normally distributed values are nearer to 0 than this many deviations.
_HALF_WITHIN: Final = 0.6745
# The difference of a pixel from the mean of its two neighbours has so many times its variance.
_VARIANCES: Final = 1.5
# Luma at half size is the mean of four pixels.
_OF_FOUR: Final = 2.0


@node(every=15)
def measure_noise(look: Look) -> float:
    """The standard deviation of the noise in the dark parts, in codes of the frame's luma.

    Args:
        look: the picture in small.
    """
    return deviation_of_noise(look.reduced)


def deviation_of_noise(reduced: Reduced) -> float:
    """See `measure_noise`.

    From differences between neighbours in a row, after Immerkaer, "Fast Noise Variance Estimation"
    (CVIU 1996), by their median, which fine detail moves little.

    Args:
        reduced: the picture in small.
    """
    rows = reduced.half[_ROWS // 2 :: _ROWS].astype(np.int16)
    if not rows.size or rows.shape[1] < 3:
        return 0.0
    middle = rows[:, 1:-1:_COLUMNS]
    twice = np.abs(2 * middle - rows[:, :-2:_COLUMNS] - rows[:, 2::_COLUMNS])
    dark = twice[middle <= np.quantile(middle, _DARK)]
    # Between whole numbers the median jumps, so it is taken within the code that holds it.
    below = np.cumsum(np.bincount(dark))
    half = _CALM * below[-1]
    code = int(np.searchsorted(below, half))
    before = int(below[code - 1]) if code else 0
    median = code - 0.5 + (half - before) / (int(below[code]) - before)
    return float(max(median, 0.0) / 2 / math.sqrt(_VARIANCES) / _HALF_WITHIN * _OF_FOUR)
