"""The network in PyTorch: in float32, or with the rounding of the 8-bit file.

What is rounded here is exactly what the exported file rounds, so that training sees the arithmetic
that ships. Tensors are NCHW.
"""

from collections.abc import Callable, Mapping
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
        self.weight_scales = {
            step.name: self._finest_weight_scale(step) for step in self.network.convolutions
        }

    def parameter_of(self, step: Step, part: str) -> nn.Parameter:
        """The `weight` or `bias` of a convolution."""
        return self.weights[_key(f"{step.name}.{part}")]

    def forward(self, pictures: Tensor) -> Tensor:
        """Logits, [n, 1, height, width], of pictures, [n, 3, height, width], 0..1."""
        return self.run(pictures)[self.network.logits]

    def run(
        self, pictures: Tensor, keep: frozenset[str] = frozenset(), probe: Probe | None = None
    ) -> dict[str, Tensor]:
        """Compute the logits and give them back with the tensors named in `keep`.

        Args:
            pictures: [n, 3, height, width], 0..1.
            keep: names of tensors to give back as well; others are freed after their last use.
            probe: called with every convolution and its sums; what it gives back replaces them.
        """
        keep = keep | {self.network.logits}
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
            if step.output == self.network.logits:
                break
        return {name: values[name] for name in keep}

    def _rounded(self, name: str, value: Tensor) -> Tensor:
        """The value that the codes of the tensor stand for."""
        if name not in self.codes:
            return value
        scale, zero_point = self._code_tensors[name]
        rounded: Tensor = _Rounding.apply(value, scale, -zero_point, LEVELS - zero_point)
        return rounded

    def _compute(self, step: Step, inputs: list[Tensor]) -> Tensor:
        value = inputs[0]
        match step.kind:
            case "Conv" | "ConvTranspose":
                return self._convolve(step, value)
            case "Add":
                return value + inputs[1]
            case "Mul":
                return value * inputs[1]
            case "Relu":
                return functional.relu(value)
            case "HardSwish":
                return functional.hardswish(value)
            case "Sigmoid":
                return torch.sigmoid(value)
            case "GlobalAveragePool":
                return value.mean((2, 3), keepdim=True)
            case "Resize":
                return functional.interpolate(value, scale_factor=2, mode="bilinear")
            case _:  # The picture comes in NCHW here, so the Transpose has nothing to do.
                return value

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
        return weight / along_outputs(step, self.weight_scales[step.name])

    def _kernel(self, step: Step) -> tuple[Tensor, Tensor]:
        weight, bias = self.parameter_of(step, "weight"), self.parameter_of(step, "bias")
        if not self.codes:
            return weight, bias
        scale = along_outputs(step, self.weight_scales[step.name])
        limit = torch.tensor(float(WEIGHT_LIMIT))
        absorbed = self.absorbed_scale(step)
        if absorbed is None:
            return _Rounding.apply(weight, scale, -limit, limit), bias
        return _Rounding.apply(weight * absorbed, scale, -limit, limit) / absorbed, bias

    def _finest_weight_scale(self, step: Step) -> Tensor:
        """[outputs], with which every output channel's largest weight is the largest code."""
        with torch.no_grad():
            weight = self.parameter_of(step, "weight")
            absorbed = self.absorbed_scale(step)
            if absorbed is not None:
                weight = weight * absorbed
            others = [axis for axis in range(weight.ndim) if axis != output_axis(step)]
            return weight.abs().amax(others).clamp_min(1e-8) / WEIGHT_LIMIT

    def absorbed_scale(self, step: Step) -> Tensor | None:
        """What a dense convolution's weights take over from an input with a scale per channel.

        [1, inputs, 1, 1], relative to `shared_scale`; None where the input has one scale, or where
        the convolution is depthwise and keeps the scales apart.
        """
        codes = self.codes[coded_input(self.network, step, self.codes)]
        if step.is_depthwise or not codes.per_channel:
            return None
        scale = torch.from_numpy(codes.scale / shared_scale(codes))
        return scale.reshape((1, -1, 1, 1) if step.kind == "Conv" else (-1, 1, 1, 1))


def coded_input(network: Network, step: Step, codes: Mapping[str, Codes]) -> str:
    """The tensor whose codes a convolution reads, seen through upsampling and layout."""
    name = step.inputs[0]
    while name not in codes:
        name = network.makers[name].inputs[0]
    return name


def shared_scale(codes: Codes) -> float:
    """The one scale that a dense convolution counts with when its input has one per channel."""
    return float(codes.scale.max())


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


class _Rounding(torch.autograd.Function):
    """Rounds to multiples of a scale; the gradient passes, but not where a code is cut off."""

    @staticmethod
    def forward(
        context: Any, value: Tensor, scale: Tensor, lowest: Tensor, highest: Tensor
    ) -> Tensor:
        codes = value / scale
        if value.requires_grad:
            context.save_for_backward((codes >= lowest) & (codes <= highest))
        return codes.round_().clamp_(lowest, highest).mul_(scale)

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> tuple[Tensor, None, None, None]:
        (inside,) = context.saved_tensors
        return gradient * inside, None, None, None


def _key(name: str) -> str:
    """Names of PyTorch parameters cannot have dots."""
    return name.replace(".", "/")


def weights_of(simulation: Simulation) -> dict[str, FloatArray]:
    """The weights and biases by name, as `Network.parameters` names them."""
    return {
        key.replace("/", "."): value.detach().numpy().copy()
        for key, value in simulation.weights.items()
    }
