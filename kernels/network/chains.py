"""Chains of thin operations: real arithmetic in, the shortest float32 arithmetic out.

A scale is carried backwards through all that is proportional, to where a factor is applied anyway:
the last division by the output's scale thus costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pullfx.kernels.network.program import Codes, Finish, Floats, Thin

Doubles = NDArray[np.float64]

_UNLIMITED = float(np.finfo(np.float32).max) / 2
_LARGEST_CODE = 2.0**30
"""Values in units of codes stay below it, so that they convert to int32 in every way."""


@dataclass(frozen=True)
class Operation:
    """A thin operation on real numbers.

    | kind | result |
    | --- | --- |
    | clip | min(max(v, low), high) |
    | hard_swish | v * min(max(v / 6 + 0.5, 0), 1) |
    | add, multiply | v + or * scale * (code - zero), codes of `tensor` |
    | gate | v * table[code] |
    | prelu | v, or where that is negative v * slope |
    | round | the value of the nearest code, of `scale` and `zero` |
    """

    kind: str
    low: float = -np.inf
    high: float = np.inf
    scale: Doubles | None = None
    zero: Codes | None = None
    tensor: int = -1
    table: Floats | None = None
    slope: Doubles | None = None


class OutOfRangeError(ValueError):
    """Values so large that their codes do not fit into 32 bits."""


def finish(
    start: Doubles, largest: Doubles, operations: list[Operation], scale: Doubles, zero: Codes
) -> Finish:
    """The chain from a step's sums to codes.

    Args:
        start: [channels], what one unit of the sums stands for.
        largest: [channels], the largest magnitude that sums can have.
        operations: in order.
        scale: [channels], of the output's codes.
        zero: [channels], of the output's codes.

    Raises:
        OutOfRangeError: the output's scale is so small that codes could overflow.
    """
    operations = _gates_first(operations)
    low, high = np.full(len(zero), -np.inf), np.full(len(zero), np.inf)
    while operations and operations[-1].kind == "clip":
        last = operations.pop()
        low, high = np.maximum(low, last.low), np.minimum(high, last.high)
    limits = [
        np.clip(np.rint(limit / scale) + zero, 0, 255).astype(np.uint8) for limit in (low, high)
    ]
    thin = _scaled(start, operations, 1 / scale)
    _check_range(thin, largest)
    return Finish(tuple(thin), zero, limits[0], limits[1])


def mean_finish(operations: list[Operation], scale: Doubles, zero: Codes) -> Finish:
    """The chain of a step whose factors bring its sums to units of the output already.

    Args:
        operations: only clips.
        scale: [channels], of the output's codes.
        zero: [channels], of the output's codes.
    """
    made = finish(scale, np.full(len(zero), 512.0), operations, scale, zero)
    return replace(made, thin=())


def _gates_first(operations: list[Operation]) -> list[Operation]:
    """Moves gates before clips at zero: what is not negative commutes with that."""
    result = list(operations)
    for index in range(1, len(result)):
        clip, gate = result[index - 1 : index + 1]
        if clip.kind == "clip" and clip.low == 0 and clip.high == np.inf and gate.kind == "gate":
            assert gate.table is not None
            if gate.table.min() >= 0:
                result[index - 1 : index + 1] = [gate, clip]
    return result


def _scaled(start: Doubles, operations: list[Operation], factor: Doubles) -> list[Thin]:
    """The operations for sums in units of `start`, with the result times `factor`."""
    thin: list[Thin] = []
    one = np.ones_like(factor)
    for operation in reversed(operations):
        match operation.kind:
            case "clip":
                low, high = (
                    np.clip(bound * factor, -_UNLIMITED, _UNLIMITED)
                    for bound in (operation.low, operation.high)
                )
                made = Thin("clip", _floats(low), _floats(high))
            case "hard_swish":
                made = Thin("hard_swish", _floats(one / 6), _floats(factor))
                factor = one
            case "add" | "multiply":
                assert operation.scale is not None
                assert operation.zero is not None
                made = Thin(
                    operation.kind,
                    _floats(operation.scale * factor),
                    _floats(operation.zero),
                    tensor=operation.tensor,
                )
                if operation.kind == "multiply":
                    factor = one
            case "prelu":
                assert operation.slope is not None
                made = Thin("prelu", _floats(operation.slope))
            case "gate":
                made = Thin("gate", _floats(one), table=operation.table, tensor=operation.tensor)
            case _:
                assert operation.scale is not None
                assert operation.zero is not None
                zero = operation.zero.astype(np.float64)
                thin.insert(0, Thin("scale", _floats(operation.scale * factor)))
                made = Thin("round", _floats(-zero), _floats(255 - zero))
                factor = 1 / operation.scale
        thin.insert(0, made)
    return _started(start * factor, thin)


def _started(factor: Doubles, thin: list[Thin]) -> list[Thin]:
    """Puts the scale of the sums in front, into the first operation where that takes it."""
    first = thin[0] if thin else None
    if first and first.kind == "gate":
        return [replace(first, a=_floats(factor)), *thin[1:]]
    if first and first.kind == "hard_swish":
        assert first.b is not None
        return [
            replace(first, a=_floats(factor / 6), b=_floats(first.b.astype(np.float64) * factor)),
            *thin[1:],
        ]
    return [Thin("scale", _floats(factor)), *thin]


def _check_range(thin: list[Thin], largest: Doubles) -> None:
    """Follows the largest magnitude through the chain."""
    for operation in thin:
        a = np.abs(operation.a.astype(np.float64))
        b = np.zeros_like(a) if operation.b is None else operation.b.astype(np.float64)
        match operation.kind:
            case "scale":
                largest = largest * a
            case "gate":
                assert operation.table is not None
                largest = largest * a * float(np.abs(operation.table).max())
            case "hard_swish":
                largest = largest * np.abs(b)
            case "prelu":
                largest = largest * np.maximum(a, 1)
            case "add":
                largest = largest + 255 * a
            case "multiply":
                largest = largest * 255 * a
            case "clip" | "round":
                largest = np.minimum(largest, np.maximum(a, np.abs(b)))
    if not largest.max() < _LARGEST_CODE:
        raise OutOfRangeError


def _floats(values: NDArray[np.generic]) -> Floats:
    return np.asarray(values, np.float64).astype(np.float32)
