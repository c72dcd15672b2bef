"""Noise held back in time, without a trail behind what moves."""

from __future__ import annotations

import functools
import math
from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from pullfx import kernels
from pullfx.kernels import composite
from pullfx.nodes.lighting.noise import deviation_of_noise
from pullfx.nodes.places import enlarged
from pullfx.nodes.types import Reduced
from pullfx.pipeline.frame import Frame, Plane
from pullfx.pipeline.node import node
from pullfx.pipeline.pool import HEAP, Pool

Floats = NDArray[np.float32]

# Most of the past that is ever kept: noise of a still picture then falls to a third.
_KEPT: Final = 0.8
# Differences, in deviations of the noise, up to which a pixel is noise at strength 1, and how much
# larger ones, at any strength, are motion for certain.
_NOISE: Final = 3.0
_MOTION: Final = 3.0
_ROUNDING: Final = 0.3
# Deviations between which noise lies that is held back, in codes, and how many steps there are from
# one to twice as much.
_LEAST: Final = 1.0
_MOST: Final = 16.0
_STEPS: Final = 3
# Differences of 3x3 cells of the grid together, which have hardly any noise, from where on
# something moves there, and from where on nothing of the past is kept; in codes, and at least so
# many deviations.
_AROUND: Final = (3, 3)
_MOVES: Final = 1.0
_MOVES_DEVIATIONS: Final = 0.3
_MOVES_MUCH: Final = 2.0


class Denoising(NamedTuple):
    """How noise is told from motion.

    Attributes:
        table: the denoised code at `256 * current + previous`, uint8 [65536].
        moves: differences of cells, in codes, from where on something moves there.
    """

    table: NDArray[np.uint8]
    moves: float


@node(every=15)
def noise_level(reduced: Reduced) -> float:
    """The deviation of the noise in codes, rounded to steps, so that what hangs on it stands.

    Args:
        reduced: the picture in small.
    """
    noise = min(max(deviation_of_noise(reduced), _LEAST), _MOST)
    return float(2 ** (round(math.log2(noise) * _STEPS) / _STEPS))


@node
def denoising(strength: float, noise: float) -> Denoising:
    """How `Denoise` tells noise from motion.

    A difference that is as small as noise is taken for noise, and most of the past is kept; one
    that is larger is taken for motion, and nothing of the past is left. In between the weight falls
    steadily, so that no edge shows where motion begins.

    Args:
        strength: 0 to 1; at 0 the denoised code is the current one.
        noise: deviation of the noise, in codes.
    """
    return _denoising(strength, noise)


@functools.lru_cache(maxsize=16)
def _denoising(strength: float, noise: float) -> Denoising:
    codes = np.arange(256)
    difference = np.abs(codes[:, None] - codes[None, :])
    start = strength * _NOISE * noise
    still = np.clip(1 - (difference - start) / (_MOTION * noise), 0, 1)
    kept = _KEPT * min(2 * strength, 1.0) * still * still * (3 - 2 * still)
    # Rounded so that a pixel comes to within one code of what stands still, and noise of one code
    # goes too.
    back = np.floor(difference * kept + (_ROUNDING if strength else 0))
    table = codes[:, None] + np.sign(codes[None, :] - codes[:, None]) * back
    return Denoising(table.astype(np.uint8).reshape(-1), max(_MOVES, _MOVES_DEVIATIONS * noise))


@node
class Denoise:
    """Denoises in time; starts afresh where the frame's size changes."""

    def __init__(self) -> None:
        self._previous: Frame | None = None
        self._cells: list[Floats] = []

    def __call__(self, frame: Frame, reduced: Reduced, how: Denoising, pool: Pool = HEAP) -> Frame:
        """The picture with the noise of what stands still held back.

        Each pixel is compared with what became of it in the frame before: a recursive filter in
        time whose weight depends on the difference. Where whole cells of the grid have changed by
        more than noise could, the picture stays as it came, so that a hand leaves no trail on what
        has nearly its colour.

        Args:
            frame: the picture.
            reduced: the same in small.
            how: from `denoising`.
            pool: where result and scratch come from.

        Returns:
            A frame of the same size; the first one as it is.
        """
        previous, grid = self._previous, reduced.grid
        if previous is None or previous.y.shape != frame.y.shape:
            self._previous, self._cells = frame, [cells.astype(np.float32) for cells in grid]
            return frame
        calm, out = pool.frame(frame), pool.frame(frame)
        planes = zip(frame.planes, previous.planes, calm.planes, strict=True)
        for current, before, target in planes:
            kernels.apply_pair_table(current, before, how.table, target)
        moves = enlarged(self._moves(grid, how.moves), frame, pool)
        composite.lay(frame.planes, calm.planes, moves, 0, out.planes)
        self._previous = out
        return out

    def _moves(self, grid: tuple[Plane, Plane, Plane], least: float) -> NDArray[np.uint8]:
        """How far each cell moves, 0 to 255."""
        most = np.zeros(grid[0].shape, np.float32)
        for cells, before in zip(grid, self._cells, strict=True):
            change = cells - before
            np.add(before, np.float32(1 - _KEPT) * change, out=before)  # what is slow adds up
            np.maximum(most, np.abs(cv2.blur(change, _AROUND)), out=most)
        weights = (most - least) * (255 / ((_MOVES_MUCH - _MOVES) * least))
        moves = cv2.dilate(weights.clip(0, 255).astype(np.uint8), np.ones(_AROUND, np.uint8))
        return np.asarray(moves, np.uint8)

    def reset(self) -> None:
        """Forgets the frame before."""
        self._previous = None
