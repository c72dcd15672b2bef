"""Programs with one idea of the compiler taken out; what they compute stays nearly the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace

import numpy as np

from pullfx.kernels.network import Program
from pullfx.kernels.network.arena import place_tensors
from pullfx.kernels.network.program import Codes, Finish, Floats, Step, Thin, Window

MIDDLE = 128
HALF = np.float32(0.5)
"""Codes between two operations stand for it: half the resolution, twice the range."""


def without_fusion(program: Program) -> Program:
    """Each thin operation as a step of its own: activation, ReLU, addition, gate.

    Scales and biases, which cost nothing where a factor is applied anyway, stay where they are; so
    does the function after the last convolution. The mean of a sum becomes a sum and its mean.
    """
    return _rebuilt(program, _taken_apart)


def without_upconv(program: Program) -> Program:
    """Pictures are made larger first and then convolved, on four times the pixels."""
    return _rebuilt(program, _enlarged_first)


def without_table(program: Program) -> Program:
    """The codes themselves in place of the mask, for a function that is not a table."""
    codes = np.arange(256, dtype=np.uint8)

    def plain(_: Program, step: Step) -> Iterator[Step]:
        yield step if step.table is None else replace(step, table=codes)

    return _rebuilt(program, plain)


def _rebuilt(program: Program, parts: Callable[[Program, Step], Iterator[Step]]) -> Program:
    made = Program(program.height, program.width, deepcopy(program.tensors))
    for step in program.steps:
        made.steps.extend(parts(made, step))
    place_tensors(made)
    return made


def _like(program: Program, tensor: int, name: str) -> int:
    """A new tensor of the same shape."""
    made = program.tensors[tensor]
    return program.add_tensor(name, made.channels, made.height, made.width)


def _all(count: int, value: float) -> Floats:
    return np.full(count, value, np.float32)


def _unlimited(thin: tuple[Thin, ...], zero: Codes) -> Finish:
    return Finish(thin, zero, np.zeros_like(zero), np.full_like(zero, 255))


def _taken_apart(program: Program, step: Step) -> Iterator[Step]:
    if step.kind == "mean" and len(step.inputs) == 2:
        yield from _mean_of_sum(program, step)
    elif step.finish is None or step.kind == "expand" or step.spread > 1:
        yield step
    else:
        yield from _chain(program, step, step.finish)


def _chain(program: Program, step: Step, finish: Finish) -> Iterator[Step]:
    count = len(finish.zero)
    limited = bool(finish.lowest.any() or (finish.highest < 255).any())
    first, *rest = finish.thin or (Thin("scale", _all(count, 1)),)
    if first.kind != "scale":
        rest.insert(0, first)
    if limited:
        rest.append(Thin("relu", _all(count, 1)))
    if not rest or step.kind == "mean":
        yield step
        return
    factor = first.b if first.kind == "hard_swish" and first.b is not None else first.a
    middle = np.full(count, MIDDLE, np.uint8)
    source = _like(program, step.output, step.name)
    start = _unlimited((Thin("scale", factor * HALF),), middle)
    yield replace(step, output=source, finish=start)
    for index, operation in enumerate(rest):
        last = index == len(rest) - 1
        output = step.output if last else _like(program, step.output, step.name)
        made = _alone(operation, finish if last else _unlimited((), middle), last)
        yield Step("thin", step.name, (source,), output, made, zeros=(middle,))
        source = output


def _alone(operation: Thin, finish: Finish, last: bool) -> Finish:
    """The operation on codes in halves; the result is in halves too, but for the last."""
    a, b = operation.a, operation.b
    factor = np.full_like(a, 1 / HALF if last else 1)
    scale = Thin("scale", factor)
    if operation.kind == "hard_swish":
        assert b is not None
        return replace(finish, thin=(Thin("hard_swish", a / (b * HALF), factor),))
    if operation.kind == "gate":
        return replace(finish, thin=(replace(operation, a=factor),))
    if operation.kind == "add":
        return replace(finish, thin=(scale, replace(operation, a=a * factor * HALF)))
    if operation.kind == "relu":
        return replace(finish, thin=(scale,))
    if operation.kind == "clip":  # as limits, which is how a ReLU alone would be done
        low, high = (
            np.clip(np.rint(bound * HALF) + MIDDLE, 0, 255).astype(np.uint8)
            for bound in (a, a if b is None else b)
        )
        return replace(finish, thin=(scale,), lowest=low, highest=high)
    raise ValueError(f"a chain with '{operation.kind}' cannot be taken apart")


def _mean_of_sum(program: Program, step: Step) -> Iterator[Step]:
    (one, other), (one_zero, other_zero) = step.inputs, step.zeros
    unit: Floats = np.maximum(*step.factors).astype(np.float32) / HALF
    middle = np.full_like(one_zero, MIDDLE)
    scale = Thin("scale", step.factors[0] / unit)
    add = Thin("add", step.factors[1] / unit, other_zero.astype(np.float32), tensor=other)
    both = _like(program, one, f"{step.name}.sum")
    finish = _unlimited((scale, add), middle)
    yield Step("thin", step.name, (one,), both, finish, zeros=(one_zero,))
    yield replace(step, inputs=(both,), factors=(unit,), zeros=(middle,))


def _enlarged_first(program: Program, step: Step) -> Iterator[Step]:
    if step.kind != "upconv":
        yield step
        return
    assert step.border is not None
    assert step.finish is not None
    channels, out = len(step.border), program.tensors[step.output]
    larger = program.add_tensor(f"{step.name}.larger", channels, out.height, out.width)
    yield replace(
        step,
        output=larger,
        kind="enlarge",
        finish=_unlimited((Thin("scale", _all(channels, 1 / 16)),), step.border),
        weights=np.ones((channels, 1, 1), np.int8),
        bias=-step.border.astype(np.int32),
    )
    first, *rest = step.finish.thin  # for sums that are not sixteen times as large
    first = replace(first, a=first.a * np.float32(16), b=None if first.b is None else first.b * 16)
    yield replace(
        step,
        kind="dense",
        inputs=(larger,),
        finish=replace(step.finish, thin=(first, *rest)),
        window=Window(),
    )
