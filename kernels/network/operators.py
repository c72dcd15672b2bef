"""The operators of ONNX that compile, each as a value made from values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pullfx.kernels.network.inputs import Array, Reader, Value, Weights, sized
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
    Pooled,
    Prelu,
    Quantised,
    Shape,
    Softmax,
    Widened,
)

LARGEST_WINDOW = 16
LARGEST_STRIDE = 8
LARGEST_DILATION = 32


def _scale_and_zero(reader: Reader, count: int) -> tuple[Doubles, Array]:
    scale = np.asarray(reader.constant(1), np.float64).reshape(-1)
    if not np.all(np.isfinite(scale)) or not np.all(scale > 1e-30) or not np.all(scale < 1e30):
        raise reader.node.refuse("a scale is not positive")
    zero = reader.constant(2).reshape(-1) if reader.has(2) else np.zeros(len(scale), np.uint8)
    if len(scale) not in (1, count) or len(zero) not in (1, len(scale)):
        raise reader.node.refuse("scales and zero points must be one, or one per channel")
    return np.broadcast_to(scale, count), np.broadcast_to(zero, count)


def quantise(reader: Reader) -> Value:
    """QuantizeLinear to uint8."""
    value = reader.real()
    scale, zero = _scale_and_zero(reader, value.shape[0])
    if zero.dtype != np.uint8:
        raise reader.node.refuse(f"its codes are {zero.dtype}, not uint8")
    if scale.size > 1 and reader.integer("axis", 1) != 1 and np.ptp(scale) > 0:
        raise reader.node.refuse("its scales are not along the channels")
    return Quantised(reader.node.name, value, scale, zero)


def dequantise(reader: Reader) -> Value:
    """DequantizeLinear of a tensor, or of a constant."""
    value = reader.value(0)
    if isinstance(value, Quantised):
        scale, zero = _scale_and_zero(reader, len(value.scale))
        if not np.array_equal(zero, value.zero):
            raise reader.node.refuse("its zero points are not those of the codes")
        if scale.size > 1 and reader.integer("axis", 1) != 1 and np.ptp(scale) > 0:
            raise reader.node.refuse("its scales are not along the channels")
        fused = value.value.operators if value.lazy else ()
        return Decoded(value.value.shape, fused, value, scale)
    if not isinstance(value, np.ndarray):
        raise reader.node.refuse("it decodes what are no codes")
    axis = reader.integer("axis", 1)
    if value.ndim and not -value.ndim <= axis < value.ndim:
        axis = 0
    count = value.shape[axis] if value.ndim else 1
    scale, zero = _scale_and_zero(reader, count)
    shape = [1] * value.ndim
    if value.ndim:
        shape[axis] = -1
    codes = value.astype(np.int64) - zero.astype(np.int64).reshape(shape)
    return Weights(codes, scale, axis % max(value.ndim, 1))


def _weights(reader: Reader, axis: int) -> tuple[NDArray[np.int8], Doubles]:
    weights = reader.value(1)
    if not isinstance(weights, Weights) or weights.codes.ndim != 4:
        raise reader.node.refuse("its weights have no scale")
    count = weights.codes.shape[axis]
    if weights.axis != axis and np.ptp(weights.scale) > 0:
        raise reader.node.refuse("its weights' scales are not along the outputs")
    if np.abs(weights.codes).max(initial=0) > 127 and weights.codes.min() < -128:
        raise reader.node.refuse("its weights do not fit into 8 bits")
    if weights.codes.max(initial=0) > 127:
        raise reader.node.refuse("its weights do not fit into 8 bits")
    scale = weights.scale if weights.axis == axis else np.repeat(weights.scale[:1], count)
    return weights.codes.astype(np.int8), np.broadcast_to(scale, count)


def _bias(reader: Reader, count: int) -> Doubles:
    if not reader.has(2):
        return np.zeros(count)
    bias = np.asarray(reader.constant(2), np.float64).reshape(-1)
    if len(bias) != count:
        raise reader.node.refuse("its bias has a wrong length")
    return bias


def _pads(reader: Reader, size: tuple[int, int], reach: tuple[int, int]) -> tuple[int, ...]:
    automatic = reader.text("auto_pad", "NOTSET")
    if automatic == "VALID":
        return 0, 0, 0, 0
    if automatic != "NOTSET":
        strides = reader.integers("strides", (1, 1))
        totals = [
            max((-(-side // stride) - 1) * stride + far - side, 0)
            for side, stride, far in zip(size, strides, reach, strict=True)
        ]
        before = [total // 2 if automatic == "SAME_UPPER" else -(-total // 2) for total in totals]
        after = [total - first for total, first in zip(totals, before, strict=True)]
        return *before, *after
    return reader.integers("pads", (0, 0, 0, 0))


def _window(
    reader: Reader, shape: Shape, window: tuple[int, ...], pads: tuple[int, ...] = (0, 0, 0, 0)
) -> tuple[Any, Any, Any, tuple[int, int]]:
    """Pads, strides, dilations and the size of the result; all within what kernels take."""
    strides = reader.integers("strides", (1, 1))
    dilations = reader.integers("dilations", (1, 1))
    if not (
        all(1 <= side <= LARGEST_WINDOW for side in window)
        and all(1 <= stride <= LARGEST_STRIDE for stride in strides)
        and all(1 <= dilation <= LARGEST_DILATION for dilation in dilations)
    ):
        raise reader.node.refuse(
            f"window {window}, stride {strides} or dilation {dilations} is out of range"
        )
    reach = ((window[0] - 1) * dilations[0] + 1, (window[1] - 1) * dilations[1] + 1)
    own = _pads(reader, (shape[1], shape[2]), reach)
    if not all(0 <= pad <= far for pad, far in zip(own, (*reach, *reach), strict=True)):
        raise reader.node.refuse(f"its pads {own} are out of range")
    pads = tuple(one + other for one, other in zip(own, pads, strict=True))
    height = (shape[1] + pads[0] + pads[2] - reach[0]) // strides[0] + 1
    width = (shape[2] + pads[1] + pads[3] - reach[1]) // strides[1] + 1
    return pads[:2], strides, dilations, (height, width)


def convolve(reader: Reader) -> Value:
    """Conv: dense, or within each channel."""
    value = reader.real()
    pads, number = (0, 0, 0, 0), 0.0
    if isinstance(value, Padded):
        pads, number, value = value.pads, value.number, value.value
    weights, scale = _weights(reader, 0)
    groups = reader.integer("group", 1)
    channels, *_ = value.shape
    depthwise = groups == channels == len(weights) and weights.shape[1] == 1 and groups > 1
    if not depthwise and (groups != 1 or weights.shape[1] != channels):
        raise reader.node.refuse(f"{groups} groups of {channels} channels do not compile")
    if isinstance(value, Enlarged) and (depthwise or weights.shape[2:] != (1, 1)):
        raise reader.node.refuse("an enlarged picture has no scale")
    pads, strides, dilations, size = _window(reader, value.shape, weights.shape[2:], pads)
    own_border = reader.text("auto_pad", "NOTSET").startswith("SAME")
    if number and (own_border or any(reader.integers("pads", (0, 0, 0, 0)))):
        raise reader.node.refuse("a border of numbers and one of zeros do not compile")
    return Convolution(
        sized(reader, len(weights), *size),
        reader.named(value),
        value,
        weights,
        scale,
        _bias(reader, len(weights)),
        pads,
        strides,
        dilations,
        depthwise,
        number=number,
    )


def convolve_transposed(reader: Reader) -> Value:
    """ConvTranspose with windows that do not overlap: 2x2, stride 2."""
    value = reader.real()
    weights, scale = _weights(reader, 1)
    plain = (
        weights.shape[2:] == (2, 2)
        and reader.integers("strides", (1, 1)) == (2, 2)
        and reader.integers("pads", (0, 0, 0, 0)) == (0, 0, 0, 0)
        and reader.integers("dilations", (1, 1)) == (1, 1)
        and reader.integers("output_padding", (0, 0)) == (0, 0)
        and reader.integer("group", 1) == 1
        and "output_shape" not in reader.node.attributes
        and reader.text("auto_pad", "NOTSET") in ("NOTSET", "VALID")
    )
    if not plain or weights.shape[0] != value.shape[0]:
        raise reader.node.refuse("only 2x2 with stride 2, without pads and groups, compiles")
    count = weights.shape[1]
    _, height, width = value.shape
    return Convolution(
        sized(reader, count, 2 * height, 2 * width),
        reader.named(value),
        value,
        weights,
        scale,
        _bias(reader, count),
        (0, 0),
        (2, 2),
        (1, 1),
        depthwise=False,
        transposed=True,
    )


def _elementwise(reader: Reader, kind: str, first: float = 0.0, second: float = 0.0) -> Value:
    value = reader.real()
    return Elementwise(value.shape, reader.named(value), kind, value, first, second)


def clip(reader: Reader) -> Value:
    """Clip, with constant bounds."""
    low, high = reader.number(1, -np.inf), reader.number(2, np.inf)
    if not low <= high:
        raise reader.node.refuse("its bounds are in the wrong order")
    return _elementwise(reader, "clip", low, high)


def hard_sigmoid(reader: Reader) -> Value:
    """HardSigmoid."""
    slope, offset = reader.factor("alpha", 0.2), reader.factor("beta", 0.5)
    return _elementwise(reader, "hard_sigmoid", slope, offset)


def prelu(reader: Reader) -> Value:
    """PRelu, with a slope for each channel or one for all."""
    value = reader.real()
    slope = reader.constant(1)
    count = value.shape[0]
    if slope.shape not in ((count, 1, 1), (1, count, 1, 1), (1,), ()):
        raise reader.node.refuse("its slopes are not along the channels")
    slopes = np.broadcast_to(np.asarray(slope, np.float64).reshape(-1), count)
    return Prelu(value.shape, reader.named(value), value, slopes)


def both(reader: Reader, kind: str) -> Value:
    """Add or Mul of two pictures, or of a picture with a number per channel."""
    one, other = reader.real(0), reader.real(1)
    if other.shape != one.shape and one.shape[1:] == (1, 1):
        one, other = other, one
    gated = kind == "multiply" and other.shape == (one.shape[0], 1, 1)
    if other.shape != one.shape and not gated:
        raise reader.node.refuse(f"{one.shape} and {other.shape} do not fit")
    return Both(one.shape, reader.named(one, other), kind, one, other)


def mean(reader: Reader) -> Value:
    """GlobalAveragePool, or ReduceMean over height and width."""
    value = reader.real()
    if reader.node.operator == "ReduceMean":
        given = reader.constant(1).reshape(-1) if reader.has(1) else reader.integers("axes", (0, 0))
        axes = sorted(int(axis) % 4 for axis in given)
        if axes != [2, 3] or reader.integer("keepdims", 1) != 1:
            raise reader.node.refuse("only means over height and width, dimensions kept, compile")
    return Mean((value.shape[0], 1, 1), reader.named(value), value)


def pool(reader: Reader) -> Value:
    """MaxPool or AveragePool."""
    value = reader.real()
    largest = reader.node.operator == "MaxPool"
    window = reader.integers("kernel_shape", (0, 0))
    if reader.integer("ceil_mode", 0) != 0 or reader.integers("dilations", (1, 1)) != (1, 1):
        raise reader.node.refuse("neither ceil_mode nor dilations compile")
    pads, strides, _, size = _window(reader, value.shape, window)
    if (
        not largest
        and any(_pads(reader, (value.shape[1], value.shape[2]), (window[0], window[1])))
        and not reader.integer("count_include_pad", 0)
    ):
        raise reader.node.refuse("means that leave out the border do not compile")
    return Pooled(
        sized(reader, value.shape[0], *size),
        reader.named(value),
        value,
        largest,
        (window[0], window[1]),
        pads,
        strides,
    )


def resize(reader: Reader) -> Value:
    """Resize to twice the size: bilinear with half-pixel centres, or nearest."""
    value = reader.real()
    channels, height, width = value.shape
    if reader.has(3):
        target = [int(side) for side in reader.constant(3).reshape(-1)]
        scales = [a / b for a, b in zip(target, (1, channels, height, width), strict=False)]
    elif reader.has(2):
        scales = [float(scale) for scale in reader.constant(2).reshape(-1)]
    else:
        scales = []
    mode = reader.text("mode", "nearest")
    where = reader.text("coordinate_transformation_mode", "half_pixel")
    if scales != [1, 1, 2, 2] or mode not in ("linear", "nearest"):
        raise reader.node.refuse("only enlargement by 2, linear or nearest, compiles")
    if mode == "linear" and where not in ("half_pixel", "pytorch_half_pixel"):
        raise reader.node.refuse(f"bilinear with {where} does not compile")
    if mode == "nearest" and where not in ("half_pixel", "asymmetric"):
        raise reader.node.refuse(f"nearest with {where} does not compile")
    rounding = reader.text("nearest_mode", "round_prefer_floor")
    if mode == "nearest" and where == "asymmetric" and rounding != "floor":
        raise reader.node.refuse(f"nearest with {where} and {rounding} does not compile")
    return Enlarged(
        sized(reader, channels, 2 * height, 2 * width),
        reader.named(value),
        value,
        mode == "linear",
    )


def pad(reader: Reader) -> Value:
    """Pad of height and width with a number, or of channels, behind their own, with zeros."""
    value = reader.real()
    pads = [int(side) for side in reader.constant(1).reshape(-1)]
    number = reader.number(2, 0.0)
    channels, height, width = value.shape
    if reader.text("mode", "constant") != "constant" or not np.isfinite(number):
        raise reader.node.refuse("only pads with a number compile")
    if pads[:5] == [0] * 5 and pads[6:] == [0] * 2 and not reader.has(3):
        if number != 0 or pads[5] < 0:
            raise reader.node.refuse("more channels compile only as zeros")
        return Widened(sized(reader, channels + pads[5], height, width), reader.named(value), value)
    plain = len(pads) == 8 and pads[:2] == pads[4:6] == [0, 0] and not reader.has(3)
    if not plain or not all(0 <= side <= LARGEST_WINDOW for side in pads):
        raise reader.node.refuse("only up to 16 pixels around height and width compile")
    top, left, bottom, right = *pads[2:4], *pads[6:8]
    shape = sized(reader, channels, height + top + bottom, width + left + right)
    return Padded(shape, reader.named(value), value, (top, left, bottom, right), number)


def join(reader: Reader) -> Value:
    """Concat of channels."""
    values = tuple(reader.real(index) for index in range(len(reader)))
    if reader.integer("axis", 1) not in (1, -3) or len({value.shape[1:] for value in values}) != 1:
        raise reader.node.refuse("only channels of pictures of one size can be joined")
    channels = sum(value.shape[0] for value in values)
    return Joined(sized(reader, channels, *values[0].shape[1:]), reader.named(*values), values)


def softmax(reader: Reader) -> Value:
    """Softmax over two channels."""
    value = reader.real()
    if value.shape[0] != 2 or reader.integer("axis", -1) not in (1, -3):
        raise reader.node.refuse("only the softmax over two channels compiles")
    return Softmax(value.shape, reader.named(value), value)


OPERATORS: Final[dict[str, Callable[[Reader], Value]]] = {
    "Add": lambda reader: both(reader, "add"),
    "AveragePool": pool,
    "Clip": clip,
    "Concat": join,
    "Conv": convolve,
    "ConvTranspose": convolve_transposed,
    "DequantizeLinear": dequantise,
    "GlobalAveragePool": mean,
    "HardSigmoid": hard_sigmoid,
    "HardSwish": lambda reader: _elementwise(reader, "hard_swish"),
    "MaxPool": pool,
    "Mul": lambda reader: both(reader, "multiply"),
    "Pad": pad,
    "PRelu": prelu,
    "QuantizeLinear": quantise,
    "ReduceMean": mean,
    "Relu": lambda reader: _elementwise(reader, "clip", 0.0, np.inf),
    "Resize": resize,
    "Sigmoid": lambda reader: _elementwise(reader, "sigmoid"),
    "Softmax": softmax,
}
