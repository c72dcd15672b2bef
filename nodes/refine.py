"""A network's small mask raised to the matte of the frame, along the edges in the picture."""

from __future__ import annotations

from typing import Final

from pullfx import kernels
from pullfx.kernels import composite
from pullfx.nodes.types import Mask, Matte, Reduced
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.node import node
from pullfx.pipeline.pool import HEAP, Pool

# These were chosen by measurement on labelled pictures and clips, see benchmarks/quality.py.
# Side of the filter's windows as a part of the longer side: how far off the network's edge may be.
_WINDOW: Final = 0.055
# Longer side of a grid from which on its cells are so small that two may bound a value, not one.
_FAR_FROM: Final = 192
# Variance of the picture, in codes squared, below which a window counts as flat.
_FLATNESS: Final = 10.0
# How much steeper the refined edge is at `edge` = 1: the windows have made it softer than it is.
_STEEPNESS: Final = 1.0
# The network's doubt, averaged over squares of a tenth of the picture's width, at which refinement
# begins and ends to withdraw. An edge across a square makes about 0.15.
_DOUBT_FROM: Final = 0.2
_DOUBT_TO: Final = 0.3


@node
def enlarge_mask(mask: Mask, frame: Frame, pool: Pool = HEAP) -> Matte:
    """The matte without a look at the picture: the mask at the size of its chroma planes.

    Args:
        mask: the network's mask.
        frame: gives the size.
        pool: where the result comes from.
    """
    out = pool.array(frame.u.shape)
    kernels.resize_bilinear(mask, out)
    return Matte(out)


@node
def refine(mask: Mask, frame: Frame, reduced: Reduced, edge: float, pool: Pool = HEAP) -> Matte:
    """The matte: the mask at the size of the frame's chroma planes.

    A guided filter on Y, U and V: with luma alone the error of the alpha on the labelled clips is
    half as large again. `pullfx.kernels.composite.guide` says how it works, and what keeps it from
    following edges that are not the person's.

    Args:
        mask: the network's mask.
        frame: the picture that the mask was made from.
        reduced: that picture in small.
        edge: 0 enlarges the mask smoothly, 1 follows the picture's edges.
        pool: where the result comes from.
    """
    out = pool.array(frame.u.shape)
    longer = max(reduced.grid[0].shape)
    composite.guide(
        mask,
        reduced.grid,
        (reduced.half, frame.u, frame.v),
        reduced.shift,
        _window(longer),
        2 if longer >= _FAR_FROM else 1,
        composite.Guiding(_FLATNESS, edge, _STEEPNESS, _DOUBT_FROM, _DOUBT_TO),
        out,
    )
    return Matte(out)


def _window(longer: int) -> int:
    """In pairs of cells: the odd number that is nearest."""
    return min(max(2 * round((_WINDOW * longer / 2 - 1) / 2) + 1, 3), 7)
