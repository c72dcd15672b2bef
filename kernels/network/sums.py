"""The whole numbers of convolutions, with the zero points of their inputs folded into the bias."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pullfx.kernels.network.program import Codes
from pullfx.kernels.network.values import Convolution, Decoded, Doubles


@dataclass(frozen=True)
class Sums:
    """bias + weights * codes, and what it stands for."""

    weights: NDArray[np.int8]
    """[out, rows, columns, in], depthwise [channels, rows, columns]"""
    bias: NDArray[np.int32]
    scale: Doubles
    """[out], of one unit of the sums"""
    largest: Doubles
    """[out], the largest magnitude, whatever the codes"""


def sums_of(base: Convolution, scale: float, zero: Codes) -> Sums | None:
    """Those of a dense convolution; None where the bias does not fit into 32 bits.

    Args:
        base: the convolution.
        scale: of its input.
        zero: of its input, [in].
    """
    weights = np.ascontiguousarray(base.weights.transpose(0, 2, 3, 1))
    of_zeros = (weights.astype(np.int64) * zero).sum(axis=(1, 2, 3))
    return _folded(base, weights, scale * base.weight_scale, of_zeros)


def depthwise_sums(base: Convolution, scale: Doubles, zero: Codes) -> Sums | None:
    """Those of a convolution within each channel.

    Args:
        base: the convolution.
        scale: of its input, [channels].
        zero: of its input, [channels].
    """
    weights = np.ascontiguousarray(base.weights[:, 0])
    of_zeros = weights.astype(np.int64).sum(axis=(1, 2)) * zero
    return _folded(base, weights, scale * base.weight_scale, of_zeros)


def enlarged(source: Decoded) -> Sums:
    """The picture itself as a convolution within each channel."""
    channels = len(source.scale)
    weights = np.ones((channels, 1, 1), np.int8)
    bias = -source.source.zero.astype(np.int32)
    return Sums(weights, bias, source.scale, np.full(channels, 255.0))


def pointwise(base: Convolution, weights: NDArray[np.int8], repeat: int = 1) -> Convolution:
    """A part of a transposed convolution as a 1x1 one.

    Args:
        base: the whole.
        weights: [out * repeat, in].
        repeat: how many parts stand one after the other.
    """
    return Convolution(
        base.shape,
        base.operators,
        base.value,
        np.ascontiguousarray(weights)[:, :, None, None],
        np.repeat(base.weight_scale, repeat),
        np.repeat(base.bias, repeat),
        (0, 0),
        (1, 1),
        (1, 1),
        depthwise=False,
    )


def _folded(
    base: Convolution, weights: NDArray[np.int8], scale: Doubles, of_zeros: NDArray[np.int64]
) -> Sums | None:
    bias = np.rint(base.bias / scale)
    if np.abs(bias).max() >= 2**31:
        return None
    folded = bias.astype(np.int64) - of_zeros
    axes = tuple(range(1, weights.ndim))
    largest = np.abs(folded) + 255.0 * np.abs(weights.astype(np.int64)).sum(axis=axes)
    if largest.max() >= 2**31:
        return None
    return Sums(weights, folded.astype(np.int32), scale, largest)
