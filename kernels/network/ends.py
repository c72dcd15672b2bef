"""The ends of a program: a mask, or the sums of the last convolutions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pullfx.kernels.network.layout import Rows
from pullfx.kernels.network.lowering import Lowering
from pullfx.kernels.network.program import Finish, Output, Step, Thin
from pullfx.kernels.network.sums import pointwise
from pullfx.kernels.network.tables import mask_of_one, mask_of_two, source_of, tabulate
from pullfx.kernels.network.values import (
    Convolution,
    Doubles,
    Quantised,
    Real,
    Softmax,
    refuse,
)
from pullfx.kernels.network.windows import border_of, window_of


def add_mask(lowering: Lowering, value: Real) -> None:
    """Adds the last step: the mask from the codes that the output is a function of."""
    softmax = isinstance(value, Softmax)
    inner = value.value if isinstance(value, Softmax) else value
    source = source_of(inner)
    if source is None:
        raise refuse(value, "the output is not computed from codes, so it has no scale")
    channels, height, width = inner.shape
    if (height, width) != (lowering.program.height, lowering.program.width):
        raise refuse(value, f"the output is {width}x{height}, unlike the picture")
    if channels == 1 and not softmax and source.tensor is None:
        made = _expand(lowering, source, value.operators, tabulate(inner))
        if made is not None:
            lowering.append(made)
            return
    tensor = lowering.codes(source)
    numbers = tabulate(inner)
    if channels == 1 and not softmax:
        table = mask_of_one(numbers)
    elif channels == 2:
        table = mask_of_two(numbers, softmax)
    else:
        raise refuse(value, f"a mask of {channels} channels does not compile")
    lowering.append(Step("mask", "mask", (tensor,), -1, table=table, fused=value.operators))


def add_results(lowering: Lowering, outputs: Mapping[str, Rows]) -> None:
    """Adds the last steps: the convolutions whose sums are the outputs, in float32."""
    parts = []
    for name, rows in outputs.items():
        lowering.program.outputs.append(Output(name, rows.shape))
        parts += [(value, _floats(lowering, value)) for value in rows.parts]
    place = 0
    for value, tensor in parts:
        step = Step("result", "result", (tensor,), -1, place=place, fused=value.operators[-1:])
        lowering.append(step)
        place += int(np.prod(value.shape))


def _floats(lowering: Lowering, value: Real) -> int:
    """A tensor with the sums of a convolution, each in what it stands for."""
    if not isinstance(value, Convolution) or value.transposed or value.depthwise:
        raise refuse(value, "an output must come from a dense convolution")
    source = lowering.source(value.value)
    sums = lowering.sums(value, source)
    output = lowering.program.add_tensor(value.operators[-1], *value.shape, floats=True)
    scale = Thin("scale", sums.scale.astype(np.float32))
    nothing = np.empty(0, np.uint8)
    lowering.append(
        Step(
            "dense",
            value.operators[0],
            (lowering.codes(source.source),),
            output,
            Finish((scale,), nothing, nothing, nothing),
            window_of(value),
            sums.weights,
            sums.bias,
            border_of(value, source),
            fused=value.operators,
        )
    )
    return output


def _expand(
    lowering: Lowering, quantised: Quantised, fused: tuple[str, ...], numbers: Doubles
) -> Step | None:
    """Mask and transposed convolution in one step, where it is alone with its scale."""
    base, operations = lowering.decompose(quantised.value)
    if not isinstance(base, Convolution) or not base.transposed:
        return None
    source = lowering.source(base.value)
    phases = base.weights[:, 0].transpose(1, 2, 0).reshape(4, -1)  # [outputs, in]
    sums = lowering.sums(pointwise(base, phases, repeat=4), source)
    made = lowering.finish(quantised, sums.scale[:1], sums.largest.max(keepdims=True), operations)
    if [operation.kind for operation in made.thin] != ["scale"]:
        return None
    return Step(
        "expand",
        "mask",
        (lowering.codes(source.source),),
        -1,
        made,
        weights=phases,
        bias=sums.bias,
        table=mask_of_one(numbers),
        fused=fused,
    )
