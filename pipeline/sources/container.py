"""Opens video files and addresses, and says in one line why one cannot be opened."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import av
from av.container import InputContainer
from av.stream import Disposition
from av.video.stream import VideoStream

from pullfx.errors import SourceError
from pullfx.pipeline.sources.completeness import has_index, is_iso_media
from pullfx.pipeline.sources.pipe import InputPipe
from pullfx.pipeline.sources.raw import RawVideo

# A title that is not UTF-8 is no reason to refuse a file. PyAV 18 has to be told, later ones not.
_LENIENT: dict[str, Any] = (
    {"metadata_errors": "replace"} if int(av.__version__.partition(".")[0]) < 19 else {}
)
_open: Callable[..., InputContainer] = functools.partial(av.open, **_LENIENT)
Y4M_MAGIC = b"YUV4MPEG2"
_TIMEOUT = 15.0  # seconds without an answer after which an address counts as dead


def is_address(location: str | Path | InputPipe) -> bool:
    """True for text such as `https://...` or `rtsp://...`."""
    return (
        isinstance(location, str) and re.match(r"[a-zA-Z][a-zA-Z0-9+.-]+://", location) is not None
    )


def describe(location: str | Path | InputPipe) -> str:
    """What to call a file, an address or a pipe in messages: never with a password in it."""
    if isinstance(location, InputPipe):
        return location.description
    if is_address(location):
        return re.sub(r"(?<=://)[^/@]*@", "", str(location))
    return str(location)


def open_container(
    location: str | Path | InputPipe,
    options: dict[str, str] | None = None,
    *,
    raw: RawVideo | None = None,
) -> InputContainer:
    """Opens a file, an address or a pipe for reading.

    Args:
        location: path, address or pipe.
        options: options of FFmpeg's demuxer.
        raw: how the pictures lie, where they come without a head.

    Raises:
        SourceError: it is not there, may not be read, or is no video.
    """
    format = None if raw is None else "rawvideo"
    if raw is not None:
        options = raw.options
    if isinstance(location, InputPipe):
        try:
            return _open(location, format=format, options=options)
        except (av.FFmpegError, ValueError) as error:
            location.check()
            raise SourceError(_why_nothing_came(location)) from error
    if is_address(location):
        try:
            return _open(str(location), options=options, timeout=_TIMEOUT)
        except (av.FFmpegError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise SourceError(
                f"cannot open {describe(location)}: {reason}; check the address and the network"
            ) from error
    path = Path(location)
    _check_file(path)
    try:
        # With the protocol's name a colon or a percent sign in the path is only a character.
        return _open(f"file:{path}", format=format, options=options)
    except (av.FFmpegError, ValueError) as error:
        raise SourceError(f"{path} {_why_unreadable(path)}") from error


def main_video_stream(container: InputContainer, description: str) -> VideoStream:
    """The stream to work on: the first with moving pictures, not a cover picture.

    Raises:
        SourceError: there is none, or its codec is not known here.
    """
    for stream in container.streams.video:
        if stream.disposition & Disposition.attached_pic:
            continue
        if stream.codec_context is None:
            raise SourceError(
                f"the video codec of {description} is not known to this build of FFmpeg; "
                "convert the file to H.264 first"
            )
        return stream
    if container.streams.audio:
        raise SourceError(f"{description} has sound but no picture; choose a file with video")
    raise SourceError(f"{description} has no picture; choose a file with video")


def _check_file(path: Path) -> None:
    if not path.exists():
        raise SourceError(f"no such file: {path}; check the path")
    if path.is_dir():
        raise SourceError(f"{path} is a folder; name a file in it")
    try:
        with path.open("rb") as file:
            empty = path.is_file() and not file.read(1)
    except OSError as error:
        raise SourceError(
            f"{path} cannot be read: {error.strerror}; check its permissions"
        ) from error
    if empty:
        raise SourceError(f"{path} is empty (0 bytes); copy or download it again")


def _why_unreadable(path: Path) -> str:
    with path.open("rb") as file:
        head = file.read(512)
    if is_iso_media(path) and not has_index(path):
        return (
            "was cut off while it was recorded or copied: its index (moov) is missing; "
            "copy it again, or rebuild the index with a repair tool such as untrunc"
        )
    if not re.search(rb"[^\t\n\r\x20-\x7e\x80-\xff]", head):
        return "is a text file and no video; choose a video file"
    return (
        "is no video that can be read: damaged, cut off before the first picture, or of an unknown "
        "kind; copy it again, or convert it with ffmpeg"
    )


def _why_nothing_came(pipe: InputPipe) -> str:
    if not pipe.head:
        return f"nothing came through {pipe.description}; see what the program before it says"
    if pipe.head.startswith(Y4M_MAGIC):
        line, end, _ = pipe.head.partition(b"\n")
        what = line.decode("ascii", "replace") + ("" if end else " (cut off)")
        return f"{pipe.description} begins with a damaged head of YUV4MPEG2: {what}"
    return (
        f"{pipe.description} is no video that can be read; pipe y4m, Matroska or MPEG-TS into it, "
        "or say how raw pictures lie, as with --raw-in yuv420p --size 1280x720"
    )
