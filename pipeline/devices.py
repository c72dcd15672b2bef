"""What this machine offers: cameras, video encoders, and whether a window can be shown."""

from __future__ import annotations

import functools
import os
import platform
import re
import socket
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import cv2

H264_ENCODERS = (
    "libx264",
    "libopenh264",
    "h264_videotoolbox",
    "h264_mf",
    "h264_nvenc",
    "h264_qsv",
    "h264_amf",
)
"""FFmpeg's encoders of H.264 that take pictures from main memory, the preferred one first."""

VP9_ENCODERS = ("libvpx-vp9",)
"""FFmpeg's encoders of VP9."""

_CAMERAS_PROBED = 6  # indices tried where the system has no list that can be read


@dataclass(frozen=True, slots=True)
class CameraDevice:
    """A camera.

    Attributes:
        index: number to open it by.
        name: what its maker or driver calls it.
        path: device file on Linux, or None.
    """

    index: int
    name: str
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class EncoderDevice:
    """A video encoder of FFmpeg.

    Attributes:
        name: as FFmpeg calls it.
        codec: what it writes: h264 or vp9.
        works: True when it encoded a test picture on this machine.
    """

    name: str
    codec: str
    works: bool


@dataclass(frozen=True, slots=True)
class WindowSupport:
    """Whether pictures can be shown on a screen.

    Attributes:
        available: True when a window can be opened.
        reason: why not and what to do, one line; empty when it can.
    """

    available: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Devices:
    """Everything that was found."""

    cameras: tuple[CameraDevice, ...]
    encoders: tuple[EncoderDevice, ...]
    window: WindowSupport


def devices() -> Devices:
    """Looks for cameras, encoders and a screen; takes up to some seconds."""
    encoders = tuple(
        EncoderDevice(name, codec, encoder_works(name))
        for codec, names in (("h264", H264_ENCODERS), ("vp9", VP9_ENCODERS))
        for name in names
        if name in av.codecs_available
    )
    return Devices(tuple(list_cameras()), encoders, window_support())


def list_cameras(folder: Path = Path("/sys/class/video4linux")) -> list[CameraDevice]:
    """The cameras, in the order of their indices.

    Linux is asked through sysfs, without opening anything; elsewhere the first indices are opened
    for a moment, since OpenCV has no list.

    Args:
        folder: where Linux lists its video devices.
    """
    if platform.system() == "Linux":
        return sorted(_list_linux(folder), key=lambda camera: camera.index)
    found = []
    for index in range(_CAMERAS_PROBED):
        capture = cv2.VideoCapture(index)
        if capture.isOpened():
            found.append(CameraDevice(index, f"camera {index}"))
        capture.release()
    return found


def _list_linux(folder: Path) -> list[CameraDevice]:
    found = []
    for entry in folder.glob("video*"):
        number = re.fullmatch(r"video(\d+)", entry.name)
        try:
            name = (entry / "name").read_text().strip()
            position = (entry / "index").read_text().strip()
        except OSError:  # unplugged just now
            continue
        # A camera registers several devices; all but the first carry metadata, no pictures.
        if number is not None and position == "0":
            index = int(number[1])
            found.append(CameraDevice(index, name, Path(f"/dev/video{index}")))
    return found


@functools.cache
def encoder_works(name: str) -> bool:
    """Whether an encoder takes a picture here: many are built in that need absent hardware."""
    try:
        codec = av.Codec(name, "w")
        if codec.type != "video":
            return False
        context = codec.create("video")
        known = [format.name for format in codec.video_formats or ()]
        usual = not known or "yuv420p" in known
        context.width, context.height = 320, 240
        context.pix_fmt = "yuv420p" if usual else known[0]
        context.framerate = Fraction(30)
        context.time_base = Fraction(1, 30)
        picture = av.VideoFrame(320, 240, "yuv420p")
        picture.pts = 0
        picture.time_base = context.time_base
        return bool(context.encode(picture) + context.encode(None))
    except (av.FFmpegError, ValueError):
        return False


def window_support() -> WindowSupport:
    """Whether OpenCV can show a window.

    It is found out without trying: without a screen OpenCV's Qt ends the whole program.
    """
    gui = re.search(r"GUI:\s+(\S+)", cv2.getBuildInformation())
    if gui is None or gui[1] == "NONE":
        return WindowSupport(
            False,
            "this OpenCV was built without windows; install opencv-python instead of "
            "opencv-python-headless, or write to a file",
        )
    if platform.system() != "Linux":
        return WindowSupport(True)
    display = os.environ.get("DISPLAY", "")
    if not display:
        return WindowSupport(
            False,
            "there is no screen (DISPLAY is not set); write to a file instead, or log in with a "
            "desktop, or with ssh -X",
        )
    if not _x_server_answers(display):
        return WindowSupport(
            False,
            f"no X server answers at DISPLAY={display}; start one, set DISPLAY right, or write to "
            "a file instead",
        )
    return WindowSupport(True)


def _x_server_answers(display: str) -> bool:
    """Tries to connect where `host:number.screen` leads: see X(7), DISPLAY NAMES."""
    parts = re.fullmatch(r"(?:.*/)?([^:]*):(\d+)(?:\.\d+)?", display)
    if parts is None:
        return False
    host, number = parts[1], int(parts[2])
    try:
        if host in ("", "unix"):
            path = f"/tmp/.X11-unix/X{number}"
            return any(_connects(address) for address in (f"\0{path}", path))
        socket.create_connection((host, 6000 + number), timeout=2.0).close()
    except OSError:
        return False
    return True


def _connects(address: str) -> bool:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(2.0)
        try:
            connection.connect(address)
        except OSError:
            return False
    return True
