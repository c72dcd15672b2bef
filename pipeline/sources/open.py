"""`open_source`: the source that a piece of text, a number or a path means."""

from __future__ import annotations

import logging
import re
from fractions import Fraction
from pathlib import Path

from pullfx.errors import SourceError
from pullfx.pipeline.formats import PixelFormat
from pullfx.pipeline.sources.camera import CameraSource
from pullfx.pipeline.sources.container import describe, is_address
from pullfx.pipeline.sources.file import FileSource
from pullfx.pipeline.sources.images import IMAGE_SUFFIXES, ImageFolderSource, ImageSource
from pullfx.pipeline.sources.pipe import InputPipe
from pullfx.pipeline.sources.raw import RawVideo
from pullfx.pipeline.sources.sample import SampleSource
from pullfx.pipeline.sources.source import Source

logger = logging.getLogger(__name__)

_CAMERA = re.compile(r"camera(?::(\d+))?|(\d+)")


def open_source(
    specification: int | str | Path,
    *,
    size: tuple[int, int] | None = None,
    fps: Fraction | float | None = None,
    pixel_format: PixelFormat | str | None = None,
    live: bool | None = None,
) -> Source:
    """Opens what the text means.

    | text | source |
    | --- | --- |
    | `0`, `camera`, `camera:1`, `/dev/video0` | camera |
    | `sample` | the clip that comes with the package |
    | `-` | what another program writes into standard input, such as YUV4MPEG2 |
    | `https://...`, `rtsp://...` | video from an address |
    | a folder | its pictures |
    | a file with the ending of a picture | that picture |
    | any other file | video |

    A file that happens to be called `sample` is named as `./sample`, or as a `Path`.

    Args:
        specification: as above.
        size: width and height to ask a camera for, or of raw video; other sources have their own.
        fps: frames a second to ask a camera for; also the rate of a folder's pictures and of
            streams without times, such as raw H.264 or raw video.
        pixel_format: of raw video in a file or from standard input: bare pictures without a head,
            which `size` has to be given for. One of `PixelFormat`, or FFmpeg's name of any other.
        live: whether the frames of a video come in real time: the newest wins then, and an effect
            that fails shows less instead of ending the run. None takes that for true of addresses
            such as `rtsp://`. Cameras are live, pictures never.

    Raises:
        SourceError: it gives no frame; the message says why and what to do.
    """
    rate = None if fps is None else Fraction(fps).limit_denominator(1001)
    if pixel_format is not None:
        name = pixel_format.value if isinstance(pixel_format, PixelFormat) else pixel_format
        return _raw(specification, RawVideo(size, name, rate), live)
    camera = _camera(specification)
    if camera is not None:
        return CameraSource(camera, size=size, fps=rate)
    if size is not None:
        logger.warning(
            "a size can only be asked of a camera or said of raw video; %s keeps its own",
            specification,
        )
    if specification == "-":
        return FileSource(InputPipe.standard_input(), fps=rate, live=live)
    if specification == "sample":
        return SampleSource()
    if isinstance(specification, str) and is_address(specification):
        return FileSource(specification, fps=rate, live=live)
    path = Path(str(specification)).expanduser()
    if path.is_dir():
        return ImageFolderSource(path, fps=rate)
    if path.suffix.lower() in IMAGE_SUFFIXES:
        return ImageSource(path)
    return FileSource(path, fps=rate, live=live)


def _raw(specification: int | str | Path, raw: RawVideo, live: bool | None) -> Source:
    if specification == "-":
        return FileSource(InputPipe.standard_input(), raw=raw, live=live)
    if isinstance(specification, int) or is_address(str(specification)):
        raise SourceError(
            f"{describe(str(specification))} gives no raw video; that comes from a file or from -"
        )
    return FileSource(Path(specification).expanduser(), raw=raw, live=live)


def _camera(specification: int | str | Path) -> int | str | None:
    if isinstance(specification, int):
        return specification
    if str(specification).startswith(("/dev/video", "/dev/v4l/")):
        return str(specification)
    if isinstance(specification, str) and (match := _CAMERA.fullmatch(specification)):
        return int(match[1] or match[2] or 0)
    return None
