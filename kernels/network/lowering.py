"""From values to steps: each tensor of codes becomes one step with all that is thin in it."""

from __future__ import annotations

import numpy as np

from pullfx.errors import ModelError
from pullfx.kernels.network.chains import Operation, OutOfRangeError, finish, mean_finish
from pullfx.kernels.network.program import (
    PICTURE,
    Codes,
    Finish,
    Program,
    Step,
    Window,
    stored,
)
from pullfx.kernels.network.sums import Sums, depthwise_sums, enlarged, pointwise, sums_of
from pullfx.kernels.network.tables import source_of, tabulate
from pullfx.kernels.network.values import (
    Both,
    Convolution,
    Decoded,
    Doubles,
    Elementwise,
    Enlarged,
    Joined,
    Mean,
    Padded,
    Picture,
    Pooled,
    Prelu,
    Quantised,
    Real,
    Widened,
    refuse,
)
from pullfx.kernels.network.windows import border_of, window_of

MOST_MEANS = 4
_PIXEL = 1 / 255


class Lowering:
    """Adds the steps to a program."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def codes(self, quantised: Quantised) -> int:
        """The tensor that holds the codes; the step that makes it is added once."""
        if quantised.tensor is None:
            quantised.tensor = self._make(quantised)
        return quantised.tensor

    def append(self, step: Step) -> None:
        """Adds a step. Raises ModelError where it cannot read the picture."""
        if step.kind != "dense" and PICTURE in (*step.inputs, *step.second_tensors()):
            raise ModelError(
                f"node '{(*step.fused, step.name)[0]}': only a dense convolution can read the "
                "picture; onnxruntime can run this network"
            )
        self.program.steps.append(step)

    def _make(self, quantised: Quantised) -> int:
        base, operations = self.decompose(quantised.value)
        if isinstance(base, Picture):
            return self._picture(quantised, base, operations)
        if isinstance(base, Joined):
            return self._join(quantised, base, operations)
        channels, height, width = quantised.value.shape
        output = self.program.add_tensor(quantised.name, channels, height, width)
        try:
            match base:
                case Convolution():
                    self._convolution(quantised, base, operations, output)
                case Enlarged(bilinear=True):
                    source = self.source(base.value)
                    sums = enlarged(source)
                    self._enlarged("enlarge", quantised, sums, source, operations, output)
                case Mean():
                    self._mean(quantised, base, operations, output)
                case Pooled():
                    self._pool(quantised, base, operations, output)
                case Decoded() | Padded() | Enlarged():
                    self._thin(quantised, base, operations, output)
                case _:
                    raise refuse(base, "its result has no scale")
        except OutOfRangeError:
            raise refuse(quantised.value, "its scale is too small for its values") from None
        return output

    def decompose(self, value: Real) -> tuple[Real, list[Operation]]:
        """What makes the sums, and the thin operations after it."""
        if isinstance(value, Elementwise):
            base, operations = self.decompose(value.value)
            if value.kind not in ("clip", "hard_swish"):
                raise refuse(value, "this function compiles only for gates and for the mask")
            return base, [*operations, Operation(value.kind, value.first, value.second)]
        if isinstance(value, Prelu):
            base, operations = self.decompose(value.value)
            return base, [*operations, Operation("prelu", slope=value.slope)]
        if isinstance(value, Both):
            return self._decompose_both(value)
        if isinstance(value, Decoded) and value.source.lazy and value.source.tensor is None:
            source = value.source
            if not np.array_equal(source.scale, value.scale):
                raise refuse(value, "its codes are read with another scale")
            base, operations = self.decompose(source.value)
            return base, [*operations, Operation("round", scale=source.scale, zero=source.zero)]
        return value, []

    def _decompose_both(self, value: Both) -> tuple[Real, list[Operation]]:
        one, other = value.one, value.other
        source = source_of(other)
        if value.kind == "multiply" and other.shape[1:] == (1, 1) and source is not None:
            tensor = self.codes(source)
            table = tabulate(other)
            if np.all(table == table[0]):
                table = table[:1]
            gate = Operation("gate", tensor=tensor, table=table.astype(np.float32).squeeze())
            base, operations = self.decompose(one)
            return base, [*operations, gate]
        if not self._is_tensor(other) and (self._is_tensor(one) or not isinstance(other, Decoded)):
            one, other = other, one
        if one.shape != other.shape:
            raise refuse(value, "one of its inputs has no scale")
        if isinstance(other, Widened) and value.kind == "add":
            tensor, scale, zero = self._widened(other)
        elif isinstance(other, Decoded):
            tensor, scale, zero = self.codes(other.source), other.scale, other.source.zero
        else:
            raise refuse(value, "one of its inputs has no scale")
        base, operations = self.decompose(one)
        operation = Operation(value.kind, scale=scale, zero=zero, tensor=tensor)
        return base, [*operations, operation]

    def _widened(self, value: Widened) -> tuple[int, Doubles, Codes]:
        """A tensor to add with its scale and zero points, which say 0 where it has no channel."""
        source = self.source(value.value)
        tensor, own = self.codes(source.source), len(source.scale)
        channels, height, width = value.shape
        if stored(own) != stored(channels):
            narrow = tensor
            tensor = self.program.add_tensor(value.operators[-1], channels, height, width)
            border = np.zeros(channels, np.uint8)
            self.append(
                Step(
                    "copy",
                    value.operators[-1],
                    (narrow,),
                    tensor,
                    border=border,
                    fused=value.operators,
                )
            )
        more = channels - own
        return tensor, np.pad(source.scale, (0, more)), np.pad(source.source.zero, (0, more))

    @staticmethod
    def _is_tensor(value: Real) -> bool:
        if isinstance(value, Widened):
            value = value.value
        return isinstance(value, Decoded) and value.source.tensor is not None

    def source(self, value: Real) -> Decoded:
        """A value as codes in memory, those of nearest enlargement and of pads made by copying."""
        if isinstance(value, Decoded):
            self.codes(value.source)
            return value
        if isinstance(value, Padded) or (isinstance(value, Enlarged) and not value.bilinear):
            inner = self.source(value.value)
            copied = Quantised(value.operators[-1], value, inner.scale, inner.source.zero)
            copied.tensor = self.program.add_tensor(copied.name, *value.shape)
            border = border_of(value, inner) if isinstance(value, Padded) else None
            self.append(
                Step(
                    "copy",
                    copied.name,
                    (self.codes(inner.source),),
                    copied.tensor,
                    window=Window(top=value.pads[0], left=value.pads[1])
                    if isinstance(value, Padded)
                    else Window(),
                    border=border,
                    repeat=2 if border is None else 1,
                    fused=value.operators,
                )
            )
            return Decoded(value.shape, (), copied, inner.scale)
        raise refuse(value, "its input has no scale")

    def _picture(self, quantised: Quantised, base: Real, operations: list[Operation]) -> int:
        scale = quantised.scale[0]
        if operations or abs(scale / _PIXEL - 1) > 1e-5 or quantised.zero.any():
            raise refuse(base, "the image must be quantised with scale 1/255 and zero point 0")
        return PICTURE

    def finish(
        self,
        quantised: Quantised,
        start: Doubles,
        largest: Doubles,
        operations: list[Operation],
    ) -> Finish:
        """What turns sums into the codes of a tensor, see `chains.finish`."""
        return finish(start, largest, operations, quantised.scale, quantised.zero)

    def _convolution(
        self, quantised: Quantised, base: Convolution, operations: list[Operation], output: int
    ) -> None:
        if isinstance(base.value, Enlarged) and base.value.bilinear:
            source = self.source(base.value.value)
            sums = self.sums(base, source, limit=2**27)
            return self._enlarged("upconv", quantised, sums, source, operations, output)
        source = self.source(base.value)
        window = window_of(base)
        if base.transposed:
            if any(operation.kind in ("add", "multiply") for operation in operations):
                raise refuse(base, "nothing can be added within a transposed convolution")
            for row, column in np.ndindex(2, 2):
                phase = pointwise(base, base.weights[:, :, row, column].T)
                self._add(
                    "dense",
                    quantised,
                    output,
                    source,
                    self.sums(phase, source),
                    operations,
                    Window(),
                    phase=(row, column),
                )
            return None
        kind = "depthwise" if base.depthwise else "dense"
        sums = self.sums(base, source)
        border = border_of(base, source)
        return self._add(kind, quantised, output, source, sums, operations, window, border)

    def sums(self, base: Convolution, source: Decoded, limit: int = 2**31) -> Sums:
        """The sums of a convolution. Raises ModelError where they may pass the limit."""
        zero = source.source.zero
        if base.depthwise:
            sums = depthwise_sums(base, source.scale, zero)
        elif np.ptp(source.scale) > 0:
            raise refuse(base, "its input has a scale per channel")
        else:
            sums = sums_of(base, float(source.scale[0]), zero)
        if sums is None or not sums.largest.max() < limit:
            raise refuse(base, "its sums do not fit into 32 bits")
        return sums

    def _add(
        self,
        kind: str,
        quantised: Quantised,
        output: int,
        source: Decoded,
        sums: Sums,
        operations: list[Operation],
        window: Window,
        border: Codes | None = None,
        phase: tuple[int, int] | None = None,
    ) -> None:
        fused = quantised.value.operators
        self.append(
            Step(
                kind,
                fused[0],
                (self.codes(source.source),),
                output,
                self.finish(quantised, sums.scale, sums.largest, operations),
                window,
                sums.weights,
                sums.bias,
                source.source.zero if border is None else border,
                spread=1 if phase is None else 2,
                phase=phase or (0, 0),
                fused=fused,
            )
        )

    def _enlarged(
        self,
        kind: str,
        quantised: Quantised,
        sums: Sums,
        source: Decoded,
        operations: list[Operation],
        output: int,
    ) -> None:
        sixteenth = Sums(sums.weights, sums.bias, sums.scale / 16, sums.largest * 16)
        self._add(kind, quantised, output, source, sixteenth, operations, Window())

    def _mean(
        self, quantised: Quantised, base: Mean, operations: list[Operation], output: int
    ) -> None:
        terms = self._terms(base.value)
        if len(terms) > MOST_MEANS or any(operation.kind != "clip" for operation in operations):
            raise refuse(base, "this mean does not compile")
        _, height, width = base.value.shape
        unit = quantised.scale * (height * width)
        self.append(
            Step(
                "mean",
                quantised.value.operators[0],
                tuple(self.codes(term.source) for term in terms),
                output,
                mean_finish(operations, quantised.scale, quantised.zero),
                factors=tuple((term.scale / unit).astype(np.float32) for term in terms),
                zeros=tuple(term.source.zero for term in terms),
                fused=quantised.value.operators,
            )
        )

    def _terms(self, value: Real) -> list[Decoded]:
        """Tensors whose sum it is: a mean is linear, so the sum itself need not be made."""
        if isinstance(value, Both) and value.kind == "add" and value.one.shape == value.other.shape:
            return [*self._terms(value.one), *self._terms(value.other)]
        return [self.source(value)]

    def _pool(
        self, quantised: Quantised, base: Pooled, operations: list[Operation], output: int
    ) -> None:
        source = self.source(base.value)
        count = base.window[0] * base.window[1]
        start = source.scale if base.largest else source.scale / count
        self.append(
            Step(
                "maximum" if base.largest else "average",
                quantised.value.operators[0],
                (self.codes(source.source),),
                output,
                self.finish(quantised, start, np.full(len(start), 255.0 * count), operations),
                Window(*base.window, *base.strides, top=base.pads[0], left=base.pads[1]),
                border=source.source.zero,
                fused=quantised.value.operators,
            )
        )

    def _thin(
        self, quantised: Quantised, base: Real, operations: list[Operation], output: int
    ) -> None:
        source = self.source(base)
        largest = np.full(len(source.scale), 255.0)
        self.append(
            Step(
                "thin",
                (*quantised.value.operators, quantised.name)[0],
                (self.codes(source.source),),
                output,
                self.finish(quantised, source.scale, largest, operations),
                zeros=(source.source.zero,),
                fused=quantised.value.operators,
            )
        )

    def _join(self, quantised: Quantised, base: Joined, operations: list[Operation]) -> int:
        if operations:
            raise refuse(base, "its result has no scale")
        output = self.program.add_tensor(quantised.name, *quantised.value.shape)
        first = 0
        for value in base.values:
            part = slice(first, first + value.shape[0])
            scale, zero = quantised.scale[part], quantised.zero[part]
            tensor = self._recoded(value, scale, zero)
            self.append(
                Step(
                    "copy",
                    base.operators[-1],
                    (tensor,),
                    output,
                    channel=first,
                    fused=base.operators,
                )
            )
            first += value.shape[0]
        return output

    def _recoded(self, value: Real, scale: Doubles, zero: Codes) -> int:
        """A tensor with codes of the given scale."""
        if (
            isinstance(value, Decoded)
            and np.array_equal(value.scale, scale)
            and np.array_equal(value.source.zero, zero)
        ):
            return self.codes(value.source)
        return self.codes(Quantised(f"{(*value.operators, 'joined')[-1]}", value, scale, zero))
