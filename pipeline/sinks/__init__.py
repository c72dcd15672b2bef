"""Where frames go to: files, windows, virtual cameras, pipes, pictures, or nowhere."""

from pullfx.pipeline.sinks.encoder import EncoderOptions
from pullfx.pipeline.sinks.file import VideoFileSink
from pullfx.pipeline.sinks.images import ImageFolderSink, ImageSink
from pullfx.pipeline.sinks.null import NullSink
from pullfx.pipeline.sinks.open import open_sink
from pullfx.pipeline.sinks.preview import PreviewSink
from pullfx.pipeline.sinks.raw import RawVideoSink
from pullfx.pipeline.sinks.sink import Outcome, Sink
from pullfx.pipeline.sinks.virtual_camera import VirtualCameraSink

__all__ = [
    "EncoderOptions",
    "ImageFolderSink",
    "ImageSink",
    "NullSink",
    "Outcome",
    "PreviewSink",
    "RawVideoSink",
    "Sink",
    "VideoFileSink",
    "VirtualCameraSink",
    "open_sink",
]
