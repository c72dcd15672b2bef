"""The steps of a compiled network in numpy: whole numbers, then float32 operation by operation.

Every compiled variant gives the same codes, bit for bit. All that is float32 here is IEEE
arithmetic, one rounding per operation, in the order written.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter_ns
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pullfx.kernels.network.program import PICTURE, Finish, Program, Step, Thin

Codes = NDArray[np.uint8]
Floats = NDArray[np.float32]
Sums = NDArray[np.int32]
Tensors = dict[int, NDArray[Any]]
Out = Codes | Floats

_HALF, _ZERO, _ONE = np.float32(0.5), np.float32(0), np.float32(1)


class ReferenceNetwork:
    """Runs a program; its tensors are kept apart, whatever their places in the arena."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._tensors: Tensors = {}

    def run(self, picture: Codes, out: Out) -> None:
        """See `pullfx.kernels.network.Network.run`."""
        self.run_timed(picture, out)

    def run_timed(self, picture: Codes, out: Out) -> list[int]:
        """See `pullfx.kernels.network.Network.run_timed`."""
        times = []
        tensors = {PICTURE: picture}
        for step in self.program.steps:
            begun = perf_counter_ns()
            run_step(self.program, step, tensors, out)
            times.append(perf_counter_ns() - begun)
        self._tensors = tensors
        return times

    def codes(self, tensor: int) -> bytes:
        """See `pullfx.kernels.network.Network.codes`."""
        return self._tensors[tensor].tobytes()


def run_step(program: Program, step: Step, tensors: Tensors, out: Out) -> None:
    """Runs one step: writes its output into `tensors`, or into the mask or the numbers `out`."""
    if step.output < 0:
        return _LAST[step.kind](step, tensors, out)
    made = program.tensors[step.output]
    shape = (made.height, made.width, made.channels)
    if step.output not in tensors or tensors[step.output].shape != shape:
        tensors[step.output] = np.zeros(shape, np.float32 if made.floats else np.uint8)
    result = tensors[step.output]
    if step.kind == "copy":
        return _copy(step, tensors, result)
    row, column = step.phase
    part = result[row :: step.spread, column :: step.spread]
    value = _VALUES[step.kind](step, tensors, part.shape[:2])
    assert step.finish is not None
    part[:] = (thinned if made.floats else finished)(value, step.finish, tensors)
    return None


def thinned(v: Floats, finish: Finish, tensors: Tensors) -> Floats:
    """The thin operations on sums, which are given as float32 [height, width, channels]."""
    for operation in finish.thin:
        v = _apply(operation, v, tensors)
    return v


def finished(v: Floats, finish: Finish, tensors: Tensors) -> Codes:
    """Codes from sums, which are given as float32 [height, width, channels]."""
    v = thinned(v, finish, tensors)
    codes = np.rint(v).astype(np.int64) + finish.zero
    return np.asarray(np.clip(codes, finish.lowest, finish.highest), np.uint8)


def _apply(operation: Thin, v: Floats, tensors: Tensors) -> Floats:
    a = operation.a
    b = a if operation.b is None else operation.b
    match operation.kind:
        case "scale":
            return v * a
        case "gate":
            assert operation.table is not None
            codes = tensors[operation.tensor].reshape(-1)
            table = np.broadcast_to(operation.table, (len(a), 256))
            return v * (a * table[np.arange(len(a)), codes])
        case "hard_swish":
            gate = np.minimum(np.maximum(v * a + _HALF, _ZERO), _ONE)
            return np.asarray((v * b) * gate, np.float32)
        case "clip":
            return np.minimum(np.maximum(v, a), b)
        case "prelu":
            return np.asarray(np.maximum(v, _ZERO) + np.minimum(v, _ZERO) * a, np.float32)
        case "add":
            codes = tensors[operation.tensor].astype(np.float32)
            missing = len(a) - codes.shape[-1]
            return v + (np.pad(codes, ((0, 0), (0, 0), (0, missing))) - b) * a
        case "multiply":
            return v * ((tensors[operation.tensor].astype(np.float32) - b) * a)
        case _:
            return np.asarray(np.rint(np.minimum(np.maximum(v, a), b)), np.float32)


def _windows(step: Step, codes: Codes, size: tuple[int, ...]) -> NDArray[np.int32]:
    """What each output pixel sees: [rows, columns, height, width, channels]."""
    window = step.window
    height, width = size
    row_reach = (height - 1) * window.row_stride + (window.rows - 1) * window.row_dilation + 1
    column_reach = (
        (width - 1) * window.column_stride + (window.columns - 1) * window.column_dilation + 1
    )
    padded = np.empty(
        (
            max(row_reach, window.top + codes.shape[0]),
            max(column_reach, window.left + codes.shape[1]),
            codes.shape[2],
        ),
        np.int32,
    )
    assert step.border is not None
    padded[:] = step.border
    padded[window.top : window.top + codes.shape[0], window.left : window.left + codes.shape[1]] = (
        codes
    )
    return np.stack(
        [
            np.stack(
                [
                    padded[
                        row * window.row_dilation :: window.row_stride,
                        column * window.column_dilation :: window.column_stride,
                    ][:height, :width]
                    for column in range(window.columns)
                ]
            )
            for row in range(window.rows)
        ]
    )


def _dense_sums(step: Step, codes: Codes, size: tuple[int, ...]) -> Sums:
    assert step.weights is not None
    assert step.bias is not None
    windows = _windows(step, codes, size)
    # Whole numbers below 2**53 all the way: exact in float64, in whatever order BLAS adds.
    flat = windows.transpose(2, 3, 0, 1, 4).reshape(size[0] * size[1], -1).astype(np.float64)
    weights = step.weights.reshape(len(step.weights), -1).astype(np.float64)
    sums = (flat @ weights.T).astype(np.int64) + step.bias
    return sums.astype(np.int32).reshape(*size, -1)


def _dense(step: Step, tensors: Tensors, size: tuple[int, ...]) -> Floats:
    return _dense_sums(step, tensors[step.inputs[0]], size).astype(np.float32)


def _depthwise_sums(step: Step, codes: Codes, size: tuple[int, ...]) -> Sums:
    assert step.weights is not None
    assert step.bias is not None
    windows = _windows(step, codes, size)
    weights = step.weights.astype(np.int32).transpose(1, 2, 0)[:, :, None, None, :]
    return np.asarray((windows * weights).sum(axis=(0, 1), dtype=np.int32) + step.bias)


def _depthwise(step: Step, tensors: Tensors, size: tuple[int, ...]) -> Floats:
    return _depthwise_sums(step, tensors[step.inputs[0]], size).astype(np.float32)


def _upconv(step: Step, tensors: Tensors, size: tuple[int, ...]) -> Floats:
    return _enlarged(_dense_sums(step, tensors[step.inputs[0]], _half(size)))


def _enlarge(step: Step, tensors: Tensors, size: tuple[int, ...]) -> Floats:
    return _enlarged(_depthwise_sums(step, tensors[step.inputs[0]], _half(size)))


def _half(size: tuple[int, ...]) -> tuple[int, ...]:
    return size[0] // 2, size[1] // 2


def _enlarged(sums: Sums) -> Floats:
    for axis in (0, 1):
        last = sums.shape[axis] - 1
        near = np.arange(2 * (last + 1)) // 2
        far = np.clip(near + np.tile([-1, 1], last + 1), 0, last)
        sums = 3 * np.take(sums, near, axis) + np.take(sums, far, axis)
    return np.asarray(sums, np.float32)


def _mean(step: Step, tensors: Tensors, size: tuple[int, ...]) -> Floats:
    parts = []
    for index, factor, zero in zip(step.inputs, step.factors, step.zeros, strict=True):
        codes = tensors[index].astype(np.int32) - zero.astype(np.int32)
        parts.append(codes.sum(axis=(0, 1), dtype=np.int32).astype(np.float32) * factor)
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return np.asarray(total.reshape(*size, -1), np.float32)


def _pool(step: Step, tensors: Tensors, size: tuple[int, ...]) -> Floats:
    assert step.border is not None
    codes = tensors[step.inputs[0]]
    values = _windows(step, codes, size) - step.border
    if step.kind == "average":
        return np.asarray(values.sum(axis=(0, 1), dtype=np.int32), np.float32)
    inside = _windows(_with_border(step), np.ones_like(codes), size) == 1
    lowest = np.where(inside, values, np.int32(-256)).max(axis=(0, 1))
    return np.asarray(np.where(inside.any(axis=(0, 1)), lowest, 0), np.float32)


def _with_border(step: Step) -> Step:
    from dataclasses import replace

    assert step.border is not None
    return replace(step, border=np.zeros_like(step.border))


def _thin(step: Step, tensors: Tensors, size: tuple[int, ...]) -> Floats:
    codes = tensors[step.inputs[0]].astype(np.float32)
    return codes - step.zeros[0].astype(np.float32)


def _mask(step: Step, tensors: Tensors, mask: Out) -> None:
    assert step.table is not None
    codes = tensors[step.inputs[0]].astype(np.int64)
    both = codes[..., 0] * 256 + codes[..., 1] if len(step.table) > 256 else codes[..., 0]
    mask[:] = step.table[both]


def _result(step: Step, tensors: Tensors, numbers: Out) -> None:
    floats = tensors[step.inputs[0]]
    numbers[step.place : step.place + floats.size] = floats.reshape(-1)


def _expand(step: Step, tensors: Tensors, mask: Out) -> None:
    assert step.weights is not None
    assert step.bias is not None
    assert step.finish is not None
    assert step.table is not None
    codes = tensors[step.inputs[0]].astype(np.int32)
    for output in range(4):
        sums = codes @ step.weights[output].astype(np.int32) + step.bias[output]
        made = finished(sums.astype(np.float32)[..., None], step.finish, tensors)[..., 0]
        mask[output // 2 :: 2, output % 2 :: 2] = step.table[made]


def _copy(step: Step, tensors: Tensors, out: Codes) -> None:
    codes = tensors[step.inputs[0]].repeat(step.repeat, 0).repeat(step.repeat, 1)
    if step.border is not None:
        out[:] = step.border
    top, left = step.window.top, step.window.left
    height, width, channels = codes.shape
    place = (
        slice(top, top + height),
        slice(left, left + width),
        slice(step.channel, step.channel + channels),
    )
    out[place] = codes


_LAST: dict[str, Callable[[Step, Tensors, Out], None]] = {
    "expand": _expand,
    "mask": _mask,
    "result": _result,
}
_VALUES: dict[str, Callable[[Step, Tensors, tuple[int, ...]], Floats]] = {
    "average": _pool,
    "dense": _dense,
    "depthwise": _depthwise,
    "enlarge": _enlarge,
    "maximum": _pool,
    "mean": _mean,
    "thin": _thin,
    "upconv": _upconv,
}
