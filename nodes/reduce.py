"""The picture made small once, for all that looks at it in small."""

from __future__ import annotations

from typing import Final

from pullfx.kernels import composite
from pullfx.nodes.types import Reduced
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.node import node
from pullfx.pipeline.pool import HEAP, Pool

# The longer side of the grid is this or more, and less than twice as much; larger pictures than 4K
# have a larger one.
_LONGER_SIDE: Final = 128


@node
def reduce(frame: Frame, pool: Pool = HEAP) -> Reduced:
    """Luma at the size of chroma, and all three planes on a grid of some 160x90.

    Args:
        frame: the picture.
        pool: where the result comes from.
    """
    shift = grid_shift(frame.width, frame.height)
    shape = composite.grid_shape(frame.y.shape, shift)
    half = pool.array(frame.u.shape)
    grid = (pool.array(shape), pool.array(shape), pool.array(shape))
    composite.reduce(frame.planes, half, grid, shift)
    return Reduced(half, grid, shift)


def grid_shift(width: int, height: int) -> int:
    """Over how many pixels a cell of the grid reaches, as a power of two."""
    halvings = (max(width, height) // _LONGER_SIDE).bit_length() - 1
    return min(max(halvings, 1), composite.LARGEST_CELL_SHIFT)
