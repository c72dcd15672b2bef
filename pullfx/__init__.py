"""Real-time video effects on a pull graph.

```python
import pullfx

pipe = pullfx.Pipeline([pullfx.BackgroundBlur(strength=0.6)])
out = pipe.process(frame)  # av.VideoFrame, pullfx.Frame or numpy BGR; returns the same kind
```
"""

from importlib.metadata import version

from pullfx.effects import (
    AutoFraming,
    BackgroundBlur,
    BackgroundReplacement,
    Beautify,
    Denoise,
    Lighting,
    LookupTable,
    Mirror,
    Overlay,
    PortraitMode,
    Sharpen,
    ShowFaces,
    ShowMask,
)
from pullfx.errors import (
    FrameError,
    GraphError,
    KernelError,
    ModelError,
    NodeError,
    ParameterError,
    PullfxError,
    SinkError,
    SourceError,
)
from pullfx.nodes.types import Image, Mask, Size
from pullfx.pipeline.devices import list_cameras, window_support
from pullfx.pipeline.effect import Effect, Parameter, parameter
from pullfx.pipeline.formats import PixelFormat, frame_from_array, frame_to_array
from pullfx.pipeline.frame import Frame, Matrix, Range
from pullfx.pipeline.governor import Governor
from pullfx.pipeline.node import UNCHANGED, node
from pullfx.pipeline.pipeline import Pipeline
from pullfx.pipeline.pool import HEAP, Pool
from pullfx.pipeline.quality import Quality, by_quality
from pullfx.pipeline.run import Report, run
from pullfx.pipeline.sinks import EncoderOptions, PreviewSink, Sink, open_sink
from pullfx.pipeline.sources import ArraySource, LoopedSource, Source, open_source
from pullfx.pipeline.stats import NodeStats, Stats

__version__ = version("pullfx")

__all__ = [
    "HEAP",
    "UNCHANGED",
    "ArraySource",
    "AutoFraming",
    "BackgroundBlur",
    "BackgroundReplacement",
    "Beautify",
    "Denoise",
    "Effect",
    "EncoderOptions",
    "Frame",
    "FrameError",
    "Governor",
    "GraphError",
    "Image",
    "KernelError",
    "Lighting",
    "LookupTable",
    "LoopedSource",
    "Mask",
    "Matrix",
    "Mirror",
    "ModelError",
    "NodeError",
    "NodeStats",
    "Overlay",
    "Parameter",
    "ParameterError",
    "Pipeline",
    "PixelFormat",
    "Pool",
    "PortraitMode",
    "PreviewSink",
    "PullfxError",
    "Quality",
    "Range",
    "Report",
    "Sharpen",
    "ShowFaces",
    "ShowMask",
    "Sink",
    "SinkError",
    "Size",
    "Source",
    "SourceError",
    "Stats",
    "by_quality",
    "frame_from_array",
    "frame_to_array",
    "list_cameras",
    "node",
    "open_sink",
    "open_source",
    "parameter",
    "run",
    "window_support",
]
