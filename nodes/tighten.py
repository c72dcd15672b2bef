"""The outermost part of a matte's edge taken off."""

from __future__ import annotations

from typing import Final

import numpy as np

from pullfx import kernels
from pullfx.nodes.types import Matte
from pullfx.pipeline.node import node
from pullfx.pipeline.pool import HEAP, Pool

# What is person to less than this part, of 255, is background. Judged by eye: haze of the old room
# around hair is gone, and the hair itself is not.
_HAZE: Final = 50
_TABLE: Final = np.rint(np.clip((np.arange(256) - _HAZE) / (255 - _HAZE), 0, 1) * 255).astype(
    np.uint8
)


@node
def tighten(matte: Matte, pool: Pool = HEAP) -> Matte:
    """The matte without the haze around the person, to lay them over a picture from elsewhere.

    Where the matte is low, what is seen is mostly the room: behind a person in the same room that
    helps, in front of another picture it is a halo.

    Args:
        matte: how far each pixel is person.
        pool: where the result comes from.

    Returns:
        A matte of the same size, nowhere larger; 255 stays 255.
    """
    out = pool.array(matte.shape)
    kernels.apply_table(matte, _TABLE, out)
    return Matte(out)
