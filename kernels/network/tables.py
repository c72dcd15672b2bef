"""Functions of one code, as tables: gates of squeeze-and-excite, and the mask."""

from __future__ import annotations

import numpy as np

from pullfx.kernels.network.program import Codes
from pullfx.kernels.network.values import Decoded, Doubles, Elementwise, Quantised, Real


def source_of(value: Real) -> Quantised | None:
    """The codes that a value is a function of, number by number; None where it is not."""
    while True:
        if isinstance(value, Elementwise):
            value = value.value
        elif isinstance(value, Decoded):
            inner = source_of_codes(value.source)
            return inner or value.source
        else:
            return None


def source_of_codes(codes: Quantised) -> Quantised | None:
    """The codes that other codes, which no step has to make, are a function of."""
    return source_of(codes.value) if codes.lazy and codes.tensor is None else None


def tabulate(value: Real) -> Doubles:
    """The value for every code of `source_of(value)`, [channels, 256]."""
    if isinstance(value, Elementwise):
        return _apply(value, tabulate(value.value))
    assert isinstance(value, Decoded)
    codes = np.arange(256, dtype=np.float64)[None, :]
    if source_of_codes(value.source) is not None:
        source = value.source
        numbers = tabulate(source.value)
        codes = np.clip(np.rint(numbers / source.scale[:, None]) + source.zero[:, None], 0, 255)
    return np.asarray(value.scale[:, None] * (codes - value.source.zero[:, None]), np.float64)


def mask_of_one(numbers: Doubles) -> Codes:
    """The mask for every code of a tensor of one channel, [256].

    Args:
        numbers: [1, 256], probabilities.
    """
    return _mask(numbers[0])


def mask_of_two(numbers: Doubles, softmax: bool) -> Codes:
    """The mask for every two codes of a tensor of two channels, [65536]: 256 * first + second.

    Args:
        numbers: [2, 256], what the codes of the channels stand for.
        softmax: whether these are logits; else the second is the probability.
    """
    first, second = numbers[0][:, None], numbers[1][None, :]
    if softmax:
        with np.errstate(over="ignore"):
            probability = 1 / (1 + np.exp(first - second))
    else:
        probability = np.broadcast_to(second, (256, 256))
    return _mask(probability.reshape(-1))


def _mask(probability: Doubles) -> Codes:
    return np.rint(np.clip(probability, 0, 1) * 255).astype(np.uint8)


def _apply(value: Elementwise, numbers: Doubles) -> Doubles:
    match value.kind:
        case "clip":
            return np.clip(numbers, value.first, value.second)
        case "hard_swish":
            return numbers * np.clip(numbers / 6 + 0.5, 0, 1)
        case "hard_sigmoid":
            return np.clip(numbers * value.first + value.second, 0, 1)
        case _:
            with np.errstate(over="ignore"):
                return np.asarray(1 / (1 + np.exp(-numbers)), np.float64)
