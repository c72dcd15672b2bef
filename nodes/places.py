"""From values in small to those that a picture is painted with."""

from __future__ import annotations

from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from pullfx.nodes.reduce import grid_shift
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.pool import Pool

Number = TypeVar("Number", np.uint8, np.float32)


def enlarged(values: NDArray[Number], frame: Frame, pool: Pool) -> NDArray[Number]:
    """Values of the grid's cells at half size, bilinear.

    Args:
        values: of the grid's shape, or smaller and spread as widely.
        frame: the picture that they are for.
        pool: where the result comes from.
    """
    rows, columns = frame.u.shape
    cell = 2 ** (grid_shift(frame.width, frame.height) - 1)
    whole = pool.array((-(-rows // cell) * cell, -(-columns // cell) * cell), values.dtype)
    cv2.resize(values, whole.shape[::-1], dst=whole, interpolation=cv2.INTER_LINEAR)
    return whole[:rows, :columns]  # a last cell may reach beyond the frame
