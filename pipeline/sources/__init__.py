"""Where frames come from: files, addresses, cameras, pictures, arrays and the sample clip."""

from pullfx.pipeline.sources.array import ArraySource
from pullfx.pipeline.sources.camera import CameraSource
from pullfx.pipeline.sources.file import FileSource
from pullfx.pipeline.sources.images import IMAGE_SUFFIXES, ImageFolderSource, ImageSource
from pullfx.pipeline.sources.looped import LoopedSource
from pullfx.pipeline.sources.open import open_source
from pullfx.pipeline.sources.other_streams import OtherStreams
from pullfx.pipeline.sources.sample import SampleSource
from pullfx.pipeline.sources.source import Source, SourceInfo

__all__ = [
    "IMAGE_SUFFIXES",
    "ArraySource",
    "CameraSource",
    "FileSource",
    "ImageFolderSource",
    "ImageSource",
    "LoopedSource",
    "OtherStreams",
    "SampleSource",
    "Source",
    "SourceInfo",
    "open_source",
]
