"""Programs in the form that the compiled module takes; it checks them again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pullfx.kernels.network.program import Program, Step, Thin

if TYPE_CHECKING:
    from pullfx.kernels import _native


def specification(
    program: Program,
) -> tuple[int, int, int, int, list[_native.TensorSpec], list[_native.StepSpec]]:
    """The arguments of `_native.Network` after the variant."""
    from pullfx.kernels import _native

    tensors = [
        _native.TensorSpec(
            tensor.height, tensor.width, tensor.channels, tensor.floats, tensor.offset
        )
        for tensor in program.tensors
    ]
    steps = [_step(step) for step in program.steps]
    return program.height, program.width, program.numbers, program.arena, tensors, steps


def _step(step: Step) -> _native.StepSpec:
    from pullfx.kernels import _native

    spec = _native.StepSpec()
    spec.kind = step.kind
    spec.inputs = list(step.inputs)
    spec.output = step.output
    window = step.window
    spec.rows, spec.columns = window.rows, window.columns
    spec.row_stride, spec.column_stride = window.row_stride, window.column_stride
    spec.row_dilation, spec.column_dilation = window.row_dilation, window.column_dilation
    spec.top, spec.left = window.top, window.left
    spec.spread = step.spread
    spec.phase_row, spec.phase_column = step.phase
    spec.repeat = step.repeat
    spec.channel = step.channel
    spec.place = step.place
    if step.weights is not None:
        spec.set_weights(step.weights.tobytes())
    if step.bias is not None:
        spec.bias = step.bias.tolist()
    if step.border is not None:
        spec.set_border(step.border.tobytes())
    if step.table is not None:
        spec.set_table(step.table.tobytes())
    spec.factors = [factor.tolist() for factor in step.factors]
    spec.zeros = [zero.tolist() for zero in step.zeros]
    if step.finish is not None:
        finish = step.finish
        spec.thin = [_thin(operation) for operation in finish.thin]
        codes = (finish.zero, finish.lowest, finish.highest)
        spec.set_codes(*(values.tobytes() for values in codes))
    return spec


def _thin(operation: Thin) -> _native.ThinSpec:
    from pullfx.kernels import _native

    spec = _native.ThinSpec()
    spec.kind = operation.kind
    spec.a = operation.a.tolist()
    if operation.b is not None:
        spec.b = operation.b.tolist()
    if operation.table is not None:
        spec.table = operation.table.reshape(-1).tolist()
    spec.tensor = operation.tensor
    return spec
