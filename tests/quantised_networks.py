"""Small portrait networks in the QDQ form, written node by node with random weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

Array = NDArray[Any]


class Writer:
    """Builds a file; each method adds operators and gives the name of the result.

    Tensors of codes get scales for values of about -4..4, those of `per_channel` one per channel.
    """

    def __init__(self, height: int, width: int, seed: int = 0) -> None:
        self.size = (height, width)
        self.random = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.channels: dict[str, int] = {}
        self.channels["nchw"] = 3
        self.add("Transpose", ["image"], "nchw", perm=[0, 3, 1, 2])
        self.picture = self.coded("nchw", scale=1 / 255, zero=0)

    def add(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(kind, inputs, [output], output, **attributes))
        return output

    def constant(self, name: str, value: Any) -> str:
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def thin(self, kind: str, *inputs: str, **attributes: Any) -> str:
        output = f"{kind.lower()}{len(self.nodes)}"
        self.channels[output] = max(self.channels.get(name, 1) for name in inputs)
        return self.add(kind, list(inputs), output, **attributes)

    def coded(
        self, name: str, scale: float = 8 / 255, zero: int = 128, per_channel: bool = False
    ) -> str:
        """QuantizeLinear and DequantizeLinear."""
        count = self.channels[name]
        scales: Any = np.float32(scale)
        zeros: Any = np.uint8(zero)
        axis = {}
        if per_channel:
            scales = self.random.uniform(0.5 * scale, 1.5 * scale, count).astype(np.float32)
            zeros = self.random.integers(0, 256, count).astype(np.uint8)
            axis = {"axis": 1}
        parts = [
            self.constant(f"{name}.scale", scales),
            self.constant(f"{name}.zero", zeros),
        ]
        self.add("QuantizeLinear", [name, *parts], f"{name}.codes", **axis)
        self.channels[f"{name}.values"] = count
        return self.add("DequantizeLinear", [f"{name}.codes", *parts], f"{name}.values", **axis)

    def weights(self, name: str, shape: tuple[int, ...], axis: int) -> str:
        count = shape[axis]
        fan = np.prod(shape) / count
        scale = self.random.uniform(0.5, 1.5, count) * 1.2 / (74 * fan**0.5)
        values = self.random.integers(-127, 128, shape).astype(np.int8)
        parts = [
            self.constant(f"{name}.weight", values),
            self.constant(f"{name}.weight_scale", scale.astype(np.float32)),
            self.constant(f"{name}.weight_zero", np.zeros(count, np.int8)),
        ]
        return self.add("DequantizeLinear", parts, f"{name}.weight_values", axis=axis)

    def conv(
        self,
        source: str,
        channels: int,
        window: int = 1,
        stride: int = 1,
        depthwise: bool = False,
        dilation: int = 1,
        pads: list[int] | None = None,
    ) -> str:
        name = f"conv{len(self.nodes)}"
        count = self.channels[source]
        shape = (channels, 1 if depthwise else count, window, window)
        side = dilation * (window - 1) // 2
        bias = self.random.normal(0, 0.5, channels).astype(np.float32)
        self.channels[name] = channels
        return self.add(
            "Conv",
            [source, self.weights(name, shape, 0), self.constant(f"{name}.bias", bias)],
            name,
            strides=[stride] * 2,
            dilations=[dilation] * 2,
            pads=pads or [side] * 4,
            group=count if depthwise else 1,
            kernel_shape=[window] * 2,
        )

    def transposed(self, source: str, channels: int) -> str:
        name = f"transposed{len(self.nodes)}"
        shape = (self.channels[source], channels, 2, 2)
        bias = self.random.normal(0, 0.5, channels).astype(np.float32)
        self.channels[name] = channels
        return self.add(
            "ConvTranspose",
            [source, self.weights(name, shape, 1), self.constant(f"{name}.bias", bias)],
            name,
            strides=[2, 2],
            kernel_shape=[2, 2],
        )

    def enlarged(self, source: str, mode: str = "linear") -> str:
        scales = self.constant(f"scales{len(self.nodes)}", np.array([1, 1, 2, 2], np.float32))
        return self.thin(
            "Resize", source, "", scales, mode=mode, coordinate_transformation_mode="half_pixel"
        )

    def gate(self, source: str, kind: str = "Sigmoid") -> str:
        """Squeeze and excite: one factor per channel."""
        count = self.channels[source]
        mean = self.coded(self.thin("GlobalAveragePool", source))
        inner = self.coded(self.thin("Relu", self.conv(mean, 8)), zero=0)
        return self.thin(kind, self.coded(self.conv(inner, count)))

    def padded(self, source: str, pads: list[int], number: float | None = None) -> str:
        """Pad: before each axis, then after each."""
        name = f"pads{len(self.nodes)}"
        inputs = [source, self.constant(name, np.array(pads, np.int64))]
        if number is not None:
            inputs.append(self.constant(f"{name}.number", np.float32(number)))
        output = self.thin("Pad", *inputs)
        self.channels[output] = self.channels[source] + pads[5]
        return output

    def widened(self, source: str, more: int) -> str:
        """More channels, which are zero."""
        return self.padded(source, [0, 0, 0, 0, 0, more, 0, 0])

    def rows(self, source: str, shape: list[int]) -> str:
        """Channels last, in another shape."""
        last = self.add("Transpose", [source], f"{source}.last", perm=[0, 2, 3, 1])
        sides = self.constant(f"{source}.shape", np.array(shape, np.int64))
        return self.add("Reshape", [last, sides], f"{source}.rows")

    def model(self, output: str, two: bool = False) -> onnx.ModelProto:
        """Ends with the layout of the mask."""
        self.add("Transpose", [output], "mask", perm=[0, 2, 3, 1])
        height, width = self.size
        return self.finished({"mask": [1, height, width, 2 if two else 1]})

    def finished(self, outputs: dict[str, list[int]]) -> onnx.ModelProto:
        """The file, with these outputs in these shapes."""
        height, width = self.size
        graph = helper.make_graph(
            self.nodes,
            "made",
            [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, height, width, 3])],
            [
                helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
                for name, shape in outputs.items()
            ],
            self.constants,
        )
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
        made.ir_version = 8
        onnx.checker.check_model(made, full_check=True)
        return made


def portrait() -> onnx.ModelProto:
    """What the shipped networks are made of: every fused step that they have."""
    w = Writer(32, 48)
    first = w.coded(w.thin("HardSwish", w.conv(w.picture, 16, 3, 2, pads=[0, 0, 1, 1])))
    inner = w.coded(w.thin("Relu", w.conv(first, 24)), zero=0, per_channel=False)
    deep = w.conv(inner, 24, 3, 2, depthwise=True, pads=[0, 0, 1, 1])
    deep = w.coded(w.thin("HardSwish", deep))
    gated = w.coded(w.thin("Mul", deep, w.gate(deep)))
    low = w.coded(w.conv(gated, 16))
    wide = w.coded(w.thin("HardSwish", w.conv(low, 40)))
    wide = w.coded(w.thin("HardSwish", w.conv(wide, 40, 5, depthwise=True)))
    low = w.coded(w.thin("Add", w.conv(wide, 16), low))
    other = w.thin("Relu", w.conv(low, 16))
    low = w.coded(w.thin("Mul", other, w.gate(low)), zero=0)
    high = w.coded(w.conv(w.enlarged(low), 16), per_channel=True)
    both = w.thin("Add", first, high)
    factor = w.gate(both)
    high = w.coded(w.thin("Add", w.thin("Mul", first, factor), high))
    spread = w.coded(w.thin("Relu", w.conv(high, 16)), zero=0, per_channel=True)
    high = w.thin("Add", spread, w.thin("Relu", w.conv(spread, 16, 3, depthwise=True)))
    last = w.coded(w.transposed(w.coded(high), 1), scale=16 / 255)
    return w.model(w.thin("Sigmoid", last))


def everything_else() -> onnx.ModelProto:
    """The operators that only other networks have, and the form that onnxruntime's tool writes."""
    w = Writer(16, 24, 1)
    left = w.coded(w.thin("Relu", w.coded(w.conv(w.picture, 8, 3, 2))), zero=0)
    right = w.coded(w.thin("MaxPool", left, kernel_shape=[3, 3], pads=[1, 1, 1, 1]))
    joined = w.thin("Concat", left, right, axis=1)
    w.channels[joined] = 16
    joined = w.coded(joined, zero=100)
    pads = w.constant("pads", np.array([0, 0, 1, 2, 0, 0, 1, 2], np.int64))
    padded = w.thin("Pad", joined, pads)
    a = w.coded(w.thin("HardSwish", w.coded(w.conv(padded, 20, 3, pads=[0, 0, 0, 0]))))
    low, high = w.constant("low", np.float32(0)), w.constant("high", np.float32(6))
    trimmed = w.conv(a, 20, 3, dilation=2, pads=[2, 1, 2, 1])
    b = w.coded(w.thin("Clip", trimmed, low, high), zero=0)
    c = w.coded(w.conv(b, 20, 3, depthwise=True, dilation=2, pads=[2, 2, 2, 2]))
    c = w.coded(w.thin("Mul", c, b))
    small = w.thin("AveragePool", c, kernel_shape=[2, 2], strides=[2, 2])
    nearest = w.conv(w.enlarged(w.coded(small), "nearest"), 20)
    bilinear = w.coded(w.enlarged(w.coded(nearest)))
    d = w.coded(w.thin("Mul", bilinear, w.gate(bilinear, "HardSigmoid")))
    e = w.coded(w.conv(d, 12, 2, 2, pads=[0, 0, 0, 0]))
    wide = w.coded(w.transposed(e, 7))
    return w.model(w.thin("Softmax", w.coded(w.conv(wide, 2), scale=4 / 255), axis=1), two=True)


def detector() -> onnx.ModelProto:
    """What the networks of faces are made of: a border that is not zero, wider sums, two grids."""
    w = Writer(16, 24, 2)
    grey = w.padded(w.picture, [0, 0, 1, 1, 0, 0, 2, 2], 128 / 255)
    a = w.coded(w.thin("Relu", w.conv(grey, 12, 5, 2, pads=[0, 0, 0, 0])), zero=0)
    b = w.coded(w.conv(a, 12, 3, depthwise=True))
    b = w.thin("Add", w.widened(a, 3), w.conv(b, 15))
    b = w.coded(w.thin("Relu", b), zero=0, per_channel=True)
    deep = w.coded(w.conv(b, 15, 3, 2, depthwise=True, pads=[0, 0, 1, 1]))
    largest = w.thin("MaxPool", b, kernel_shape=[2, 2], strides=[2, 2])
    scales = [f"{b.removesuffix('.values')}.{part}" for part in ("scale", "zero")]
    w.add("QuantizeLinear", [largest, *scales], f"{largest}.codes", axis=1)
    w.add("DequantizeLinear", [f"{largest}.codes", *scales], f"{largest}.values", axis=1)
    w.channels[f"{largest}.values"] = 15
    c = w.thin("Add", w.conv(deep, 20), w.widened(f"{largest}.values", 5))
    c = w.coded(w.thin("Relu", c), zero=0)
    slope = w.constant("slope", w.random.uniform(-0.2, 0.5, (24, 1, 1)).astype(np.float32))
    d = w.coded(w.thin("PRelu", w.conv(c, 24, 3, 2, pads=[0, 0, 1, 1]), slope))
    d = w.coded(w.thin("PRelu", w.thin("Add", w.conv(d, 24), d), slope))
    fine = w.rows(w.conv(c, 8), [1, 48, 4])
    coarse = w.rows(w.conv(d, 16), [1, 24, 4])
    w.add("Concat", [fine, coarse], "numbers", axis=1)
    w.add("Transpose", [w.conv(d, 2)], "scores", perm=[0, 2, 3, 1])
    return w.finished({"scores": [1, 2, 3, 2], "numbers": [1, 72, 4]})


NETWORKS = {"portrait": portrait, "everything_else": everything_else}
