"""Noise held back in time, without a trail behind what moves."""

from __future__ import annotations

from typing import Final, NewType

import cv2
import numpy as np
from numpy.typing import NDArray

from pullfx import kernels
from pullfx.kernels import composite
from pullfx.nodes.places import enlarged
from pullfx.nodes.reduce import reduce
from pullfx.pipeline.frame import Frame, Plane
from pullfx.pipeline.node import node
from pullfx.pipeline.pool import HEAP, Pool

Floats = NDArray[np.float32]

DenoisingTable = NewType("DenoisingTable", NDArray[np.uint8])
"""The denoised code at `256 * current + previous`, uint8 [65536]."""

# Most of the past that is ever kept: noise of a still picture then falls to a third.
_KEPT: Final = 0.8
# Differences in codes, at strength 1, up to which a pixel is noise, and from which on it moves.
_NOISE: Final = 10.0
_MOTION: Final = 24.0
_ROUNDING: Final = 0.3
# Differences of 3x3 cells of the grid together, which have hardly any noise, from where on
# something moves there, and from where on nothing of the past is kept.
_AROUND: Final = (3, 3)
_MOVES: Final = 1.0
_MOVES_MUCH: Final = 2.0


@node
def denoising_table(strength: float) -> DenoisingTable:
    """The table for `Denoise`.

    A difference that is as small as noise is taken for noise, and most of the past is kept; one
    that is larger is taken for motion, and nothing of the past is left. In between the weight falls
    steadily, so that no edge shows where motion begins.

    Args:
        strength: 0 to 1; at 0 the denoised code is the current one.
    """
    codes = np.arange(256)
    difference = np.abs(codes[:, None] - codes[None, :])
    start, end = strength * _NOISE, strength * _MOTION
    still = np.clip((end - difference) / max(end - start, 1e-6), 0, 1)
    kept = _KEPT * still * still * (3 - 2 * still) if strength else np.zeros_like(still)
    # Rounded so that a pixel comes to within one code of what stands still, and noise of one code
    # goes too.
    back = np.floor(difference * kept + _ROUNDING)
    table = codes[:, None] + np.sign(codes[None, :] - codes[:, None]) * back
    return DenoisingTable(table.astype(np.uint8).reshape(-1))


@node
class Denoise:
    """Denoises in time; starts afresh where the frame's size changes."""

    def __init__(self) -> None:
        self._previous: Frame | None = None
        self._cells: list[Floats] = []

    def __call__(self, frame: Frame, table: DenoisingTable, pool: Pool = HEAP) -> Frame:
        """The picture with the noise of what stands still held back.

        Each pixel is compared with what became of it in the frame before: a recursive filter in
        time whose weight depends on the difference. Where whole cells of the grid have changed by
        more than noise could, the picture stays as it came, so that a hand leaves no trail on what
        has nearly its colour.

        Args:
            frame: the picture.
            table: from `denoising_table`.
            pool: where result and scratch come from.

        Returns:
            A frame of the same size; the first one as it is.
        """
        previous, grid = self._previous, reduce(frame, pool).grid
        if previous is None or previous.y.shape != frame.y.shape:
            self._previous, self._cells = frame, [cells.astype(np.float32) for cells in grid]
            return frame
        calm, out = pool.frame(frame), pool.frame(frame)
        planes = zip(frame.planes, previous.planes, calm.planes, strict=True)
        for current, before, target in planes:
            kernels.apply_pair_table(current, before, table, target)
        moves = enlarged(self._moves(grid), frame, pool)
        composite.lay(frame.planes, calm.planes, moves, 0, out.planes)
        self._previous = out
        return out

    def _moves(self, grid: tuple[Plane, Plane, Plane]) -> NDArray[np.uint8]:
        """How far each cell moves, 0 to 255."""
        most = np.zeros(grid[0].shape, np.float32)
        for cells, before in zip(grid, self._cells, strict=True):
            change = cells - before
            np.add(before, np.float32(1 - _KEPT) * change, out=before)  # what is slow adds up
            np.maximum(most, np.abs(cv2.blur(change, _AROUND)), out=most)
        weights = (most - _MOVES) * (255 / (_MOVES_MUCH - _MOVES))
        moves = cv2.dilate(weights.clip(0, 255).astype(np.uint8), np.ones(_AROUND, np.uint8))
        return np.asarray(moves, np.uint8)

    def reset(self) -> None:
        """Forgets the frame before."""
        self._previous = None
