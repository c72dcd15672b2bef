"""Luma made sharper, without halos and without the noise."""

from __future__ import annotations

from typing import Final, NewType

import numpy as np
from numpy.typing import NDArray

from pullfx import kernels
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.node import node
from pullfx.pipeline.pool import HEAP, Pool

SharpeningTable = NewType("SharpeningTable", NDArray[np.uint8])
"""The sharpened code at `256 * code + mean around it`, uint8 [65536]."""

# How much of a pixel's difference from the mean around it is added to it at strength 1.
_MOST: Final = 2.5
# Differences in codes up to which they are noise, and from which on they count in full.
_NOISE: Final = 2.5
_DETAIL: Final = 6.0
# Most codes that are added, at strength 1: no halo is brighter than that.
_HALO: Final = 20.0


@node
def sharpening_table(strength: float) -> SharpeningTable:
    """The table for `sharpen`.

    Unsharp masking with coring: small differences are noise and stay as they are; large ones are
    edges, which are sharp, and get no more than a bound.

    Args:
        strength: 0 to 1; at 0 all stays as it is.
    """
    codes = np.arange(256)
    difference = codes[:, None] - codes[None, :]
    size = np.abs(difference)
    part = np.clip((size - _NOISE) / (_DETAIL - _NOISE), 0, 1)
    wanted = strength * _MOST * difference * part * part * (3 - 2 * part)
    bound = max(strength * _HALO, 1e-6)
    added = bound * np.tanh(wanted / bound)  # towards the bound without a corner
    table = np.rint(codes[:, None] + added).clip(0, 255)
    return SharpeningTable(table.astype(np.uint8).reshape(-1))


@node
def sharpen(frame: Frame, table: SharpeningTable, pool: Pool = HEAP) -> Frame:
    """The picture with its luma sharpened; colours stay, where nobody sees detail.

    Args:
        frame: the picture.
        table: from `sharpening_table`.
        pool: where result and scratch come from.

    Returns:
        A frame of the same size.
    """
    out = pool.frame(frame)
    np.copyto(out.u, frame.u)
    np.copyto(out.v, frame.v)
    means = pool.array(frame.y.shape)
    kernels.mean_3x3(frame.y, means)
    kernels.apply_pair_table(frame.y, means, table, out.y)
    return out
