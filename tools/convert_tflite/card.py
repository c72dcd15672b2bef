"""Writes the model card: a block of `key: value` lines for code, then text for people."""

import hashlib

import onnx

from tools.convert_tflite import fetch
from tools.convert_tflite.compare import Comparison
from tools.convert_tflite.convert import IR_VERSION, OPSET_VERSION
from tools.convert_tflite.cost import Cost, measure_cost
from tools.convert_tflite.recipes import INPUT, Recipe, Value

LICENCE = "Apache-2.0"
COPYRIGHT = "Copyright The MediaPipe Authors"

_TEMPLATE = """\
---
file: {recipe.name}.onnx
sha256: {sha256}
licence: {licence}
origin: {wheel}/{recipe.member}
input: {input}
output: {outputs}
parameters: {cost.parameters}
multiply_adds: {cost.multiply_adds}
max_difference: {comparison.max_difference:.1e}
compared_on: {comparison.compared_on}
---

# {recipe.title}

Written by `tools/convert_tflite`: change the template there, not this page.

{recipe.summary}

## Origin and licence

{copyright}, {licence}; the text of the licence is in `LICENSE`. The original is
`{recipe.member}`
(sha256 `{recipe.member_sha256}`)
in the wheel `{wheel}`
of {package} {version} on PyPI. It is changed only in its format, as described below.

## Input and output

| | name | type and meaning |
| --- | --- | --- |
{rows}

{recipe.use}

## How it was made

```
pip {pip_arguments} --dest {folder}
python -m tools.convert_tflite {folder}/{wheel} --output models/ --pictures FOLDER
```

Every operator becomes the ONNX operator of the same meaning; the weights, float16 in the original,
are stored as float32, which changes no value; paddings are written out. Inside, the network is
NCHW, with one Transpose at each end. ONNX opset {opset}, IR version {ir}. The same input gives
the same bytes.{normalising}

## Measured

* {cost.parameters:,} parameters; per picture {cost.multiply_adds:,} multiply-adds in convolutions.
* Against LiteRT on the original, over {comparison.compared_on}, no output
  value differs by more than {comparison.max_difference:.1e}. That is the size of float32's rounding
  errors through the whole network.{recipe.judging}

## Intended use and limits

{recipe.limits}
"""


_NORMALISING = """ The original wants the picture times {scale:g} plus {offset:g}: that is in
the first convolution's weights, and the border before it holds what is zero there."""


def _describe(value: Value, onnx_value: onnx.ValueInfoProto) -> str:
    """Type and meaning of an input or output, in words."""
    shape = [axis.dim_value for axis in onnx_value.type.tensor_type.shape.dim]
    layout = " NHWC" if len(shape) == 4 else ""
    return f"float32 {shape}{layout}, {value.meaning}"


def render_card(recipe: Recipe, onnx_content: bytes, comparison: Comparison) -> str:
    """The text of a model's card: the same arguments give the same text."""
    model = onnx.load_from_string(onnx_content)
    cost: Cost = measure_cost(model)
    source = _describe(INPUT, model.graph.input[0])
    results = {
        value.name: _describe(value, onnx_value)
        for value, onnx_value in zip(recipe.outputs, model.graph.output, strict=True)
    }
    rows = [("input", INPUT.name, source), *(("output", *result) for result in results.items())]
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
        input=f"{INPUT.name} {source}",
        outputs="; ".join(f"{name} {result}" for name, result in results.items()),
        rows="\n".join(f"| {end} | `{name}` | {text} |" for end, name, text in rows),
        normalising=""
        if recipe.normalisation is None
        else _NORMALISING.format(**vars(recipe.normalisation)),
        cost=cost,
        comparison=comparison,
        opset=OPSET_VERSION,
        ir=IR_VERSION,
    )
