"""Where MediaPipe's short-range face detector looks for faces."""

from __future__ import annotations

import functools
from typing import Final

import numpy as np
from numpy.typing import NDArray

SIDE: Final = 128
"""Width and height of the picture that the detector takes."""

# Strides of the maps that it gives, and how many anchors a cell of each has: one per layer of the
# options and one more for the scale between it and the next. All are of one size, as
# fixed_anchor_size says, so that only their middles are left.
# mediapipe/modules/face_detection/face_detection_short_range.pbtxt: strides 8, 16, 16, 16.
_MAPS: Final = ((8, 2), (16, 6))


@functools.cache
def anchors() -> NDArray[np.float32]:
    """The middles of the detector's 896 anchors in pixels of its picture: float32 [896, 2].

    In the order of its outputs: maps, rows, columns, anchors of a cell.
    """
    middles = []
    for stride, count in _MAPS:
        places = np.arange(stride / 2, SIDE, stride, dtype=np.float32)
        down, across = np.meshgrid(places, places, indexing="ij")
        cells = np.stack((across, down), axis=-1).reshape(-1, 2)
        middles.append(cells.repeat(count, axis=0))
    result = np.concatenate(middles)
    result.setflags(write=False)
    return result
