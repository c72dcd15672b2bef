"""`VirtualCameraSink`: a camera for other programs, through pyvirtualcam."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from pullfx.errors import SinkError
from pullfx.pipeline.formats import PixelFormat, frame_to_array, over_black
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.pool import Pool
from pullfx.pipeline.shape import Shape
from pullfx.pipeline.sinks.fit import fit, pad_to_even
from pullfx.pipeline.sinks.sink import Outcome, Sink
from pullfx.pipeline.sources.other_streams import OtherStreams
from pullfx.pipeline.sources.source import SourceInfo

_DEFAULT_RATE = 30.0
_HOW_TO = {
    "linux": "load the kernel's module with 'sudo modprobe v4l2loopback exclusive_caps=1'",
    "darwin": "install OBS and start its virtual camera once",
    "win32": "install OBS, which brings a virtual camera along",
}


class VirtualCameraSink(Sink):
    """Shows frames as a camera that other programs can choose, such as one for calls.

    Frames go out in I420 as they are; size and colours are those of the first, and later ones are
    fitted to it. Live frames go out at once, those of a file in their own time.

    pyvirtualcam is under the GPL 2.0: it is an extra, and imported here and nowhere else.

    Args:
        device: name of the virtual camera, such as /dev/video9; None takes the first free one.

    Raises:
        SinkError: pyvirtualcam is not installed; at the first frame: there is no virtual camera.
    """

    def __init__(self, device: str | None = None) -> None:
        try:
            import pyvirtualcam
        except ImportError as error:
            raise SinkError(
                "a virtual camera needs pyvirtualcam, which is under the GPL 2.0 and does not come "
                "along; install it with: pip install 'pullfx[virtualcam]'"
            ) from error
        self._library: Any = pyvirtualcam
        self._device = device
        self._camera: Any = None
        self._shape: Shape | None = None
        self._pool = Pool()
        self._rate = _DEFAULT_RATE
        self._live = True

    def open(self, info: SourceInfo, other_streams: OtherStreams | None) -> None:
        """Keeps the rate for the camera; sound is not carried."""
        self._live = info.live
        if info.frame_rate is not None:
            self._rate = float(info.frame_rate)

    def write(self, frame: Frame) -> None:
        """Shows one frame."""
        if self._shape is None:
            self._shape = Shape.of(frame)
        frame = pad_to_even(fit(over_black(frame, self._pool), self._shape, self._pool), self._pool)
        if self._camera is None:
            self._camera = self._opened(frame.width, frame.height)
        picture = frame_to_array(frame, PixelFormat.I420, pool=self._pool)
        try:
            self._camera.send(np.ravel(picture))
        except (OSError, RuntimeError) as error:
            raise SinkError(f"the virtual camera takes no more frames: {_line(error)}") from error
        if not self._live:
            self._camera.sleep_until_next_frame()

    def close(self, outcome: Outcome) -> Path | None:
        """Gives the camera back."""
        if self._camera is not None:
            self._camera.close()
        return None

    def _opened(self, width: int, height: int) -> Any:
        try:
            return self._library.Camera(
                width,
                height,
                self._rate,
                fmt=self._library.PixelFormat.I420,
                device=self._device,
            )
        except (OSError, RuntimeError, ValueError) as error:
            how_to = _HOW_TO.get(sys.platform, "see pyvirtualcam's page for this system")
            raise SinkError(f"there is no virtual camera ({_line(error)}); {how_to}") from error


def _line(error: Exception) -> str:
    return " ".join(str(error).split())
