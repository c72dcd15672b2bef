"""`open_sink`: the sink that a piece of text or a path means."""

from __future__ import annotations

import re
from pathlib import Path

from pullfx.errors import SinkError
from pullfx.pipeline.formats import PixelFormat
from pullfx.pipeline.sinks.encoder import MUXERS, EncoderOptions
from pullfx.pipeline.sinks.file import VideoFileSink
from pullfx.pipeline.sinks.images import ImageFolderSink, ImageSink
from pullfx.pipeline.sinks.null import NullSink
from pullfx.pipeline.sinks.preview import PreviewSink
from pullfx.pipeline.sinks.raw import RAW_SUFFIXES, RawVideoSink
from pullfx.pipeline.sinks.sink import Sink
from pullfx.pipeline.sinks.virtual_camera import VirtualCameraSink
from pullfx.pipeline.sources.images import IMAGE_SUFFIXES

_VIRTUAL = re.compile(r"virtualcam(?::(.+))?")


def open_sink(
    specification: str | Path,
    *,
    encoder: EncoderOptions | None = None,
    pixel_format: PixelFormat | str | None = None,
) -> Sink:
    """Makes the sink that the text means; nothing is written yet.

    | text | sink |
    | --- | --- |
    | `window` | preview window |
    | `virtualcam`, `virtualcam:/dev/video9` | a camera for other programs (pyvirtualcam) |
    | `null` | nothing |
    | `-` | standard output: YUV4MPEG2, or bare pictures in `pixel_format` |
    | .mp4, .m4v, .mov, .mkv, .webm | video file |
    | .y4m, .yuv | raw pictures with or without a head |
    | .png, .jpg and the like | picture |
    | a folder, or a name without an ending | one picture per frame |

    Args:
        specification: as above.
        encoder: how video files are encoded.
        pixel_format: of raw video to `-` or into a .yuv file: one of `PixelFormat`, or its name.

    Raises:
        SinkError: nothing can be written there; the message says why and what to do.
    """
    if pixel_format is not None:
        return _raw(specification, pixel_format)
    if specification == "window":
        return PreviewSink()
    if isinstance(specification, str) and (match := _VIRTUAL.fullmatch(specification)):
        return VirtualCameraSink(match[1])
    if specification == "null":
        return NullSink()
    if specification == "-":
        return RawVideoSink("-")
    path = Path(specification).expanduser()
    suffix = path.suffix.lower()
    if suffix in MUXERS:
        return VideoFileSink(path, encoder)
    if suffix in RAW_SUFFIXES:
        return RawVideoSink(path)
    if suffix in IMAGE_SUFFIXES:
        return ImageSink(path)
    if path.is_dir() or not suffix:
        return ImageFolderSink(path)
    known = [*MUXERS, *RAW_SUFFIXES, *sorted(IMAGE_SUFFIXES)]
    raise SinkError(
        f"{path.name}: files ending in {suffix} are not written; use one of {', '.join(known)}"
    )


def _raw(specification: str | Path, pixel_format: PixelFormat | str) -> Sink:
    try:
        format = PixelFormat(pixel_format)
    except ValueError:
        names = ", ".join(known.value for known in PixelFormat)
        raise SinkError(
            f"raw video is not written in '{pixel_format}'; use one of {names}"
        ) from None
    if specification == "-":
        return RawVideoSink("-", pixel_format=format)
    path = Path(specification).expanduser()
    if path.suffix.lower() not in RAW_SUFFIXES:
        raise SinkError(
            f"{specification} holds no raw video in {format.value}; write that to - or a .yuv file"
        )
    return RawVideoSink(path, pixel_format=format)
