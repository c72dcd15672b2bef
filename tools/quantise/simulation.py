"""The network in PyTorch: in float32, or with the rounding of the 8-bit file.

What is rounded here is exactly what the exported file rounds, so that training sees the arithmetic
that ships. Tensors are NCHW.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from tools.quantise.codes import LEVELS, PICTURE, Codes
from tools.quantise.network import FloatArray, Network, Step

WEIGHT_LIMIT = 127
"""Weights are symmetric: -127..127."""

Probe = Callable[[Step, Tensor], Tensor]


class Simulation(nn.Module):
    """The network's weights as parameters, and its tensors' codes, where it has any."""

    def __init__(self, network: Network, codes: Mapping[str, Codes] | None = None) -> None:
        super().__init__()
        self.network = network
        self.weights = nn.ParameterDict(
            {_key(name): torch.from_numpy(value.copy()) for name, value in network.parameters()}
        )
        self.codes: dict[str, Codes] = {}
        self.growths = nn.ParameterDict()
        """Of every tensor whose codes may change: the logarithms of what its scales grow by."""
        if codes:
            self.set_codes(codes)

    def set_codes(self, codes: Mapping[str, Codes]) -> None:
        """Round as these codes say, from now on."""
        self.codes = {self.network.picture: PICTURE, **codes}
        self._code_tensors = {
            name: (
                torch.from_numpy(c.scale).reshape(-1, 1, 1),
                torch.from_numpy(c.zero_point.astype("float32")).reshape(-1, 1, 1),
            )
            for name, c in self.codes.items()
        }
        fixed = {self.network.picture}
        if self.network.has_mask:
            fixed.add(self.network.logits)
        self.growths = nn.ParameterDict(
            {
                _key(name): torch.zeros(len(c.scale), 1, 1)
                for name, c in self.codes.items()
                if name not in fixed
            }
        )

    def grown_codes(self) -> dict[str, Codes]:
        """The codes with the growth of their scales."""
        return {
            name: Codes(self._grown_scale(name).numpy(), codes.zero_point)
            for name, codes in self.codes.items()
        }

    def _grown_scale(self, name: str) -> Tensor:
        """[1] or [channels], a constant for the gradient."""
        scale, _ = self._code_tensors[name]
        return (scale * self._growth(name).detach().exp()).flatten()

    def parameter_of(self, step: Step, part: str) -> nn.Parameter:
        """The `weight` or `bias` of a convolution."""
        return self.weights[_key(f"{step.name}.{part}")]

    def forward(self, pictures: Tensor) -> Tensor:
        """Logits of the mask, [n, 1, height, width], of pictures, [n, 3, height, width], 0..1."""
        return self.run(pictures)[self.network.logits]

    def run(
        self, pictures: Tensor, keep: frozenset[str] = frozenset(), probe: Probe | None = None
    ) -> dict[str, Tensor]:
        """Compute the network's ends and give them back with the tensors named in `keep`.

        Args:
            pictures: [n, 3, height, width], 0..1.
            keep: names of tensors to give back as well; others are freed after their last use.
            probe: called with every convolution and its sums; what it gives back replaces them.
        """
        ends = self.network.ends
        keep = keep | set(ends)
        values = {self.network.input: pictures}
        reads = {name: len(users) for name, users in self.network.users.items()}
        for step in self.network.steps:
            value = self._compute(step, [values[name] for name in step.inputs])
            if probe and step.is_convolution:
                value = probe(step, value)
            values[step.output] = self._rounded(step.output, value)
            for name in step.inputs:
                reads[name] -= 1
                if not reads[name] and name not in keep:
                    del values[name]
            if step.output == ends[-1]:
                break
        return {name: values[name] for name in keep}

    def _rounded(self, name: str, value: Tensor) -> Tensor:
        """The value that the codes of the tensor stand for."""
        if name not in self.codes:
            return value
        scale, zero_point = self._code_tensors[name]
        return round_to_codes(value, scale, -zero_point, LEVELS - zero_point, self._growth(name))

    def _growth(self, name: str) -> Tensor:
        """The logarithms of what the scales of a tensor grow by, [1 or channels, 1, 1]."""
        key = _key(name)
        growth: Tensor = self.growths.get(key, _NO_GROWTH)
        return growth

    def _compute(self, step: Step, inputs: list[Tensor]) -> Tensor:
        value = inputs[0]
        match step.kind:
            case "Conv" | "ConvTranspose":
                return self._convolve(step, value)
            case "Add":
                return value + inputs[1]
            case "Mul":
                return value * inputs[1]
            case "PRelu":
                assert step.slope is not None
                return functional.prelu(value, torch.from_numpy(step.slope.copy()).flatten())
            case "Relu":
                return functional.relu(value)
            case "HardSwish":
                return functional.hardswish(value)
            case "Sigmoid":
                return torch.sigmoid(value)
            case "GlobalAveragePool":
                return value.mean((2, 3), keepdim=True)
            case "MaxPool":
                return functional.max_pool2d(value, step.window, step.stride)
            case "Pad":
                padding = self.padding(step)
                return functional.pad(value, _innermost_first(step.pads), value=padding)
            case "Resize":
                return functional.interpolate(value, scale_factor=2, mode="bilinear")
            case _:  # The picture comes in NCHW here, so its Transpose has nothing to do.
                return value

    def padding(self, step: Step) -> float:
        """The value that a Pad adds: where the network is rounded, that of the nearest code."""
        if not self.codes or not step.padding:
            return step.padding
        codes = self.codes[coded_input(self.network, step, self.codes)]
        scale = float(codes.scale[0])
        return round(step.padding / scale) * scale

    def _convolve(self, step: Step, value: Tensor) -> Tensor:
        """The sums of one convolution."""
        weight, bias = self._kernel(step)
        if step.kind == "ConvTranspose":
            return functional.conv_transpose2d(value, weight, bias, stride=step.stride)
        return functional.conv2d(
            _pad(step, value), weight, bias, step.stride, 0, step.dilation, step.groups
        )

    def integer_weight(self, step: Step) -> Tensor:
        """The weights in units of their scales, with what they absorb, not yet rounded."""
        weight = self.parameter_of(step, "weight")
        absorbed = self.absorbed_scale(step)
        if absorbed is not None:
            weight = weight * absorbed
        return weight / along_outputs(step, self.weight_scale(step))

    def _kernel(self, step: Step) -> tuple[Tensor, Tensor]:
        weight, bias = self.parameter_of(step, "weight"), self.parameter_of(step, "bias")
        if not self.codes:
            return weight, bias
        scale = along_outputs(step, self.weight_scale(step))
        limit = torch.tensor(float(WEIGHT_LIMIT))
        absorbed = self.absorbed_scale(step)
        if absorbed is None:
            return round_to_codes(weight, scale, -limit, limit), bias
        return round_to_codes(weight * absorbed, scale, -limit, limit) / absorbed, bias

    def weight_scale(self, step: Step) -> Tensor:
        """[outputs], the finest with which every code has room, as the weights are now.

        That is, each in -127..127, and in dense convolutions two neighbours of one sign add up to
        128 at most: so much AVX2 can add in 16 bits, see `docs/kernels.md`.
        """
        with torch.no_grad():
            weight = self.parameter_of(step, "weight")
            absorbed = self.absorbed_scale(step)
            if absorbed is not None:
                weight = weight * absorbed
            others = [axis for axis in range(weight.ndim) if axis != output_axis(step)]
            largest = weight.abs().amax(others)
            if step.kind == "Conv" and not step.is_depthwise:
                largest = torch.maximum(largest, _largest_pair(weight))
            return largest.clamp_min(1e-8) / WEIGHT_LIMIT

    def absorbed_scale(self, step: Step) -> Tensor | None:
        """What a dense convolution's weights take over from an input with a scale per channel.

        [1, inputs, 1, 1], relative to `shared_scale`; None where the input has one scale, or where
        the convolution is depthwise and keeps the scales apart.
        """
        name = coded_input(self.network, step, self.codes)
        if step.is_depthwise or not self.codes[name].per_channel:
            return None
        scale = self._grown_scale(name)
        scale = scale / scale.max()
        return scale.reshape((1, -1, 1, 1) if step.kind == "Conv" else (-1, 1, 1, 1))


def _largest_pair(weight: Tensor) -> Tensor:
    """[outputs], the largest sum of two neighbouring weights of one sign.

    Neighbours are values that lie side by side: channels, and in a window of the picture, whose
    pixels have three, also the last of a pixel and the first of the next.
    """
    rows = weight.permute(0, 2, 3, 1).flatten(2)
    pairs = functional.pad(rows, (0, rows.shape[2] % 2)).unflatten(2, (-1, 2))
    sums = torch.maximum(pairs.clamp_min(0).sum(3), (-pairs).clamp_min(0).sum(3))
    return sums.amax((1, 2))


def coded_input(network: Network, step: Step, codes: Mapping[str, Codes]) -> str:
    """The tensor whose codes a convolution reads, seen through upsampling and layout."""
    name = step.inputs[0]
    while name not in codes:
        name = network.makers[name].inputs[0]
    return name


def shared_scale(codes: Codes) -> float:
    """The one scale that a dense convolution counts with when its input has one per channel."""
    return float(codes.scale.max())


def _innermost_first(pads: Sequence[int]) -> list[int]:
    """The pads of ONNX (before each axis, then after each) in PyTorch's order."""
    axes = len(pads) // 2
    return [pads[axis + end] for axis in reversed(range(axes)) for end in (0, axes)]


def _pad(step: Step, value: Tensor) -> Tensor:
    """A convolution's input with the zeros around it."""
    top, left, bottom, right = step.pads
    return functional.pad(value, (left, right, top, bottom)) if any(step.pads) else value


def along_outputs(step: Step, values: Tensor) -> Tensor:
    """A vector with one value per output channel, shaped to go with the weights."""
    shape = [1, 1, 1, 1]
    shape[output_axis(step)] = -1
    return values.reshape(shape)


def output_axis(step: Step) -> int:
    """The axis of the output channels in a convolution's weights."""
    return 1 if step.kind == "ConvTranspose" else 0


_NO_GROWTH = torch.zeros(1, 1, 1)


def round_to_codes(
    value: Tensor, scale: Tensor, lowest: Tensor, highest: Tensor, growth: Tensor = _NO_GROWTH
) -> Tensor:
    """Multiples of a scale, after its growth, cut off at the lowest and highest code."""
    result: Tensor = _Rounding.apply(value, scale, lowest, highest, growth)
    return result


class _Rounding(torch.autograd.Function):
    """The gradient passes to the value, but not where a code is cut off.

    To the growth it passes as in Esser and others, "Learned step size quantization", 2020: what
    rounding adds counts as a constant number of steps.
    """

    @staticmethod
    def forward(
        context: Any, value: Tensor, scale: Tensor, lowest: Tensor, highest: Tensor, growth: Tensor
    ) -> Tensor:
        scale = scale * growth.exp()
        nearest = (value / scale).round_()
        codes = nearest.clamp(lowest, highest)
        inside = codes == nearest
        result = codes.mul_(scale)
        context.save_for_backward(value, inside, result)
        context.growth_shape = growth.shape
        return result

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> tuple[Tensor, None, None, None, Tensor | None]:
        value, inside, result = context.saved_tensors
        to_value = gradient * inside
        to_growth = None
        if context.needs_input_grad[4]:
            to_growth = (gradient * result - to_value * value).sum((0, 2, 3))[:, None, None]
            to_growth = to_growth.sum_to_size(context.growth_shape)
        return to_value, None, None, None, to_growth


def _key(name: str) -> str:
    """Names of PyTorch parameters cannot have dots."""
    return name.replace(".", "/")


def weights_of(simulation: Simulation) -> dict[str, FloatArray]:
    """The weights and biases by name, as `Network.parameters` names them."""
    return {
        key.replace("/", "."): value.detach().numpy().copy()
        for key, value in simulation.weights.items()
    }
