__all__: list[str]

from . import (
    effects as effects,
    errors as errors,
    kernels as kernels,
    models as models,
    nodes as nodes,
)
from .batch import (
    BatchReport as BatchReport,
    FileReport as FileReport,
    FileState as FileState,
    run_batch as run_batch,
)
from .effects import (
    AutoFraming as AutoFraming,
    BackgroundBlur as BackgroundBlur,
    BackgroundReplacement as BackgroundReplacement,
    Beautify as Beautify,
    Denoise as Denoise,
    Lighting as Lighting,
    LookupTable as LookupTable,
    Mirror as Mirror,
    Overlay as Overlay,
    PortraitMode as PortraitMode,
    Sharpen as Sharpen,
    ShowFaces as ShowFaces,
    ShowMask as ShowMask,
)
from .errors import (
    ClusterError as ClusterError,
    FrameError as FrameError,
    GraphError as GraphError,
    KernelError as KernelError,
    ModelError as ModelError,
    NodeError as NodeError,
    ParameterError as ParameterError,
    PullfxError as PullfxError,
    SinkError as SinkError,
    SourceError as SourceError,
)
from .nodes.types import (
    Image as Image,
    Mask as Mask,
    Size as Size,
)
from .pipeline.devices import (
    list_cameras as list_cameras,
    window_support as window_support,
)
from .pipeline.effect import (
    Effect as Effect,
    Parameter as Parameter,
    parameter as parameter,
)
from .pipeline.formats import (
    PixelFormat as PixelFormat,
    frame_from_array as frame_from_array,
    frame_to_array as frame_to_array,
)
from .pipeline.frame import (
    Frame as Frame,
    Matrix as Matrix,
    Range as Range,
)
from .pipeline.governor import Governor as Governor
from .pipeline.node import (
    UNCHANGED as UNCHANGED,
    node as node,
)
from .pipeline.pipeline import Pipeline as Pipeline
from .pipeline.pool import (
    HEAP as HEAP,
    Pool as Pool,
)
from .pipeline.quality import (
    Quality as Quality,
    by_quality as by_quality,
)
from .pipeline.run import (
    Report as Report,
    run as run,
)
from .pipeline.sinks import (
    EncoderOptions as EncoderOptions,
    PreviewSink as PreviewSink,
    Sink as Sink,
    open_sink as open_sink,
)
from .pipeline.sources import (
    ArraySource as ArraySource,
    CameraSource as CameraSource,
    LoopedSource as LoopedSource,
    Source as Source,
    open_source as open_source,
)
from .pipeline.stats import (
    NodeStats as NodeStats,
    Stats as Stats,
)
from .version import __version__ as __version__
