"""Converts MediaPipe's .tflite networks to ONNX, and writes their model cards.

The way of a network: `reader` turns the flatbuffer into plain dataclasses, `convert` walks its
operators and looks each up in the table of `registry`, `graph` collects the ONNX nodes. `litert` is
the judge of the result, `card` writes down what came out, `recipes` lists what pullfx ships.

To teach the converter an operator, add a function under `@converts(...)` to the module of its kind
(`convolutions`, `pointwise`, `spatial`, `shapes`) and, if it has options, their names to
`reader.OPTION_FIELDS`.
"""
