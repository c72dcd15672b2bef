"""The fp32 network as a list of steps, and which of its tensors get 8-bit codes.

A tensor has codes unless the kernel that makes it goes on with the 32-bit sum: `KEPT_WIDE` lists
the pairs (maker, only user) between which nothing is rounded. A sigmoid is a table over the codes
of its input; what the table gives is not rounded to 8 bits again. `PASSING` steps give values that
their input had, or zero, so they add no rounding.

A network ends in a mask, behind a sigmoid, or in the sums of its last convolutions as they are.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
from onnx import numpy_helper

from tools.quantise.errors import QuantisationError

FloatArray = npt.NDArray[np.float32]

KEPT_WIDE = {
    ("Conv", "Relu"),
    ("Conv", "HardSwish"),
    ("Conv", "Add"),
    ("Relu", "Add"),
    ("HardSwish", "Add"),
    ("Mul", "Add"),
    ("Conv", "Mul"),
    ("Relu", "Mul"),
    ("HardSwish", "Mul"),
    ("Add", "GlobalAveragePool"),
    ("Resize", "Conv"),
    ("Add", "Relu"),
    ("Add", "PRelu"),
    ("Conv", "PRelu"),
}
"""Maker and only user of a tensor that is never rounded to 8 bits."""

PASSING = {"MaxPool", "Pad"}
"""What gives no value that its input has no code for, once the value of a border is rounded."""

LAYOUT = {"Concat", "Reshape", "Transpose"}
"""What only rearranges values, behind the input and before the outputs."""

_KNOWN = {
    *PASSING,
    *LAYOUT,
    "Add",
    "Conv",
    "ConvTranspose",
    "GlobalAveragePool",
    "HardSwish",
    "Mul",
    "PRelu",
    "Relu",
    "Resize",
    "Sigmoid",
}


@dataclass
class Step:
    """One node of the network. `weight` and `bias` only where it is a convolution."""

    kind: str
    name: str
    inputs: list[str]
    output: str
    weight: FloatArray | None = None
    bias: FloatArray | None = None
    pads: tuple[int, ...] = (0, 0, 0, 0)
    """Top, left, bottom, right; of a Pad, what comes before each axis, then after each."""
    padding: float = 0.0
    """The value that a Pad adds."""
    window: tuple[int, ...] = ()
    """Of a MaxPool."""
    slope: FloatArray | None = None
    """Of a PRelu, [channels, 1, 1]."""
    stride: int = 1
    dilation: int = 1
    groups: int = 1

    @property
    def is_convolution(self) -> bool:
        """Whether the step has weights."""
        return self.kind in ("Conv", "ConvTranspose")

    @property
    def is_depthwise(self) -> bool:
        """Whether every channel is filtered for itself."""
        return self.kind == "Conv" and self.groups > 1


@dataclass
class Network:
    """The steps in the order of their computation."""

    path: Path
    model: onnx.ModelProto
    steps: list[Step]
    users: dict[str, list[Step]] = field(init=False)
    """The steps that read a tensor, by its name."""
    makers: dict[str, Step] = field(init=False)
    """The step that makes a tensor, by its name."""

    def __post_init__(self) -> None:
        self.makers = {step.output: step for step in self.steps}
        self.users = {name: [] for name in [self.input, *self.makers]}
        for step in self.steps:
            for name in step.inputs:
                self.users[name].append(step)

    @property
    def input(self) -> str:
        """The picture, [1, height, width, 3]."""
        return str(self.model.graph.input[0].name)

    @property
    def picture(self) -> str:
        """The picture in the network's own layout, [1, 3, height, width]."""
        return self.steps[0].output

    @property
    def size(self) -> tuple[int, int]:
        """Height and width of the picture."""
        axes = self.model.graph.input[0].type.tensor_type.shape.dim
        return axes[1].dim_value, axes[2].dim_value

    @property
    def has_mask(self) -> bool:
        """Whether the only output is a mask."""
        return self.makers[str(self.model.graph.output[0].name)].kind == "Transpose" and any(
            step.kind == "Sigmoid" for step in self.steps
        )

    @property
    def logits(self) -> str:
        """The tensor before the last sigmoid, where there is a mask."""
        return next(s for s in reversed(self.steps) if s.kind == "Sigmoid").inputs[0]

    @property
    def heads(self) -> list[str]:
        """The sums that are outputs as they are, but for their layout; none for a mask."""
        return [
            step.output
            for step in self.convolutions
            if all(user.kind in LAYOUT for user in self.users[step.output])
        ]

    @property
    def is_of_one_face(self) -> bool:
        """Whether the outputs are numbers of what is in the middle, not of places."""
        return not self.has_mask and {self.shapes[name][2:] for name in self.heads} == {(1, 1)}

    @property
    def ends(self) -> list[str]:
        """The last tensors that are computed here, not looked up or rearranged."""
        return [self.logits] if self.has_mask else self.heads

    @property
    def convolutions(self) -> list[Step]:
        """The steps with weights."""
        return [step for step in self.steps if step.is_convolution]

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shapes of all tensors that are computed, NCHW."""
        return {
            value.name: tuple(axis.dim_value for axis in value.type.tensor_type.shape.dim)
            for value in self.model.graph.value_info
        }

    def parameters(self) -> Iterator[tuple[str, FloatArray]]:
        """Name and value of every weight and bias."""
        for step in self.convolutions:
            assert step.weight is not None
            assert step.bias is not None
            yield f"{step.name}.weight", step.weight
            yield f"{step.name}.bias", step.bias

    def coded(self) -> list[str]:
        """The tensors with 8-bit codes, in the order of their computation."""
        names = []
        wide: set[str] = set()
        without = {"Sigmoid", *PASSING, *LAYOUT}
        heads = self.heads
        for step in self.steps:
            if step.kind in without or step.output in heads:
                continue
            users = self.users[step.output]
            can_stay = len(users) == 1 and (step.kind, users[0].kind) in KEPT_WIDE
            # Of the two sides of a sum or product only one can still be in the registers.
            if can_stay and users[0].output not in wide:
                if users[0].kind in ("Add", "Mul"):
                    wide.add(users[0].output)
                continue
            names.append(step.output)
        return names

    def is_pooled(self, tensor: str) -> bool:
        """Whether a tensor has one value per channel: means, and what gates are made of them."""
        maker = self.makers.get(tensor)
        if maker is None or maker.kind in ("Add", "Mul"):
            return False
        return maker.kind == "GlobalAveragePool" or self.is_pooled(maker.inputs[0])

    def is_upsampled(self, tensor: str) -> bool:
        """Whether there is an upsampling on the way from the picture to a tensor."""
        maker = self.makers.get(tensor)
        if maker is None:
            return False
        return maker.kind == "Resize" or any(map(self.is_upsampled, maker.inputs))

    def dense_users(self, tensor: str) -> list[Step]:
        """The convolutions over all channels that read a tensor, directly or upsampled."""
        found = []
        for user in self.users[tensor]:
            if user.kind == "Resize":
                found += self.dense_users(user.output)
            elif user.is_convolution and not user.is_depthwise:
                found.append(user)
        return found


def read_network(path: Path) -> Network:
    """Read a network that `tools/convert_tflite` wrote.

    Raises QuantisationError where it holds an operator that the recipe does not know.
    """
    model = onnx.load(path)
    constants = {i.name: numpy_helper.to_array(i) for i in model.graph.initializer}
    steps = []
    for node in model.graph.node:
        if node.op_type not in _KNOWN:
            raise QuantisationError(f"{path.name}: operator {node.op_type} ({node.name})")
        options = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        step = Step(node.op_type, node.name, [node.input[0]], node.output[0])
        if step.kind in ("Add", "Concat", "Mul"):
            step.inputs = list(node.input)
        if step.kind == "Pad":
            step.pads = tuple(int(side) for side in constants[node.input[1]])
            step.padding = float(constants[node.input[2]]) if len(node.input) > 2 else 0.0
        if step.kind == "PRelu":
            step.slope = constants[node.input[1]]
        if step.kind == "MaxPool":
            step.window = tuple(options["kernel_shape"])
            step.stride = options["strides"][0]
            if any(options.get("pads", ())):
                raise QuantisationError(f"{path.name}: pooling over a border ({node.name})")
        if step.is_convolution:
            step.weight, step.bias = (constants[name].copy() for name in node.input[1:])
            step.pads = tuple(options.get("pads", step.pads))
            step.stride = options.get("strides", [1])[0]
            step.dilation = options.get("dilations", [1])[0]
            step.groups = options.get("group", 1)
        steps.append(step)
    return Network(path, model, steps)
