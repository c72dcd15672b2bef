"""A matte made visible."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from pullfx.nodes.planes import resize
from pullfx.nodes.types import Matte, Size
from pullfx.pipeline.frame import Frame, Range
from pullfx.pipeline.node import node
from pullfx.pipeline.pool import HEAP, Pool

_NEUTRAL: Final = 128
_LUMA: Final = {
    Range.LIMITED: np.rint(16 + np.arange(256) * (219 / 255)).astype(np.uint8),
    Range.FULL: np.arange(256, dtype=np.uint8),
}


@node
def show_mask(frame: Frame, matte: Matte, pool: Pool = HEAP) -> Frame:
    """The matte as a grey picture: black is background, white is person.

    Args:
        frame: gives size, time and range; none of its pixels is read.
        matte: of that size.
        pool: where result and scratch come from.
    """
    out = pool.frame(frame)
    height, width = matte.shape
    doubled = resize(matte, Size(2 * width, 2 * height), pool)
    cv2.LUT(doubled[: frame.height, : frame.width], _LUMA[frame.range], dst=out.y)
    out.u.fill(_NEUTRAL)
    out.v.fill(_NEUTRAL)
    return out
