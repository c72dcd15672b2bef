"""A camera for machines that have none, which lies and goes away as real ones do."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import cv2
import numpy as np
from video_files import Array

from pullfx.errors import SourceError
from pullfx.pipeline.sources import CameraSource

SMALL = (64, 48)


class FakeCamera:
    """A `cv2.VideoCapture` that gives what a script says.

    Args:
        formats: codes that its driver takes.
        script: what each read does: "raw" or "bgr" gives a picture of that kind, "none" and "false"
            and "error" the three ways to fail.
        size: what it gives, whatever was asked for.
        claims: properties that it claims to have, whatever it gives.
    """

    def __init__(
        self,
        formats: tuple[str, ...] = ("YUYV",),
        script: Iterator[str] | None = None,
        size: tuple[int, int] = SMALL,
        claims: dict[int, float] | None = None,
        pause: float = 0.0,
    ) -> None:
        self.formats = formats
        self.script = script or iter(lambda: "raw", "never")
        self.size = size
        self.claims = claims or {}
        self.pause = pause
        self.settings: dict[int, float] = {}
        self.count = 0
        self.released = False

    def isOpened(self) -> bool:  # noqa: N802
        return True

    def set(self, prop: int, value: float, /) -> bool:
        codes = [cv2.VideoWriter.fourcc(*code) for code in self.formats]
        if prop != cv2.CAP_PROP_FOURCC or value in codes:
            self.settings[prop] = value
        return True

    def get(self, prop: int, /) -> float:
        sizes = {cv2.CAP_PROP_FRAME_WIDTH: self.size[0], cv2.CAP_PROP_FRAME_HEIGHT: self.size[1]}
        return self.claims.get(prop, sizes.get(prop, self.settings.get(prop, 0.0)))

    def read(self) -> tuple[bool, Array | None]:
        assert not self.released
        time.sleep(self.pause)
        act = next(self.script, "false")
        if act == "none":
            return True, None
        if act == "error":
            raise cv2.error("the driver fell over")
        if act == "false":
            return False, None
        self.count += 1
        return True, self.picture(act)

    def picture(self, act: str) -> Array:
        width, height = self.size
        shade = self.count % 200 + 16
        converted = self.settings.get(cv2.CAP_PROP_CONVERT_RGB, 1.0) != 0
        if act == "bgr" or (converted and act != "stubborn"):
            return np.full((height, width, 3), shade, np.uint8)
        if act == "rubbish" or act == "stubborn":
            return np.full((7, 13), shade, np.uint8)
        code = cv2.VideoWriter.fourcc(*"NV12")
        if self.settings.get(cv2.CAP_PROP_FOURCC) == code:
            return np.full((height * 3 // 2, width), shade, np.uint8)
        flat = np.full((1, 2 * height * width), shade, np.uint8)
        return flat if act == "flat" else flat.reshape(height, width, 2)

    def release(self) -> None:
        self.released = True


class NoDevice(FakeCamera):
    """Stands for a device file that does not exist."""


class NoCamera(FakeCamera):
    def isOpened(self) -> bool:  # noqa: N802
        return False


def source_of(*cameras: FakeCamera, **options: Any) -> CameraSource:
    """A source whose opener hands out these cameras, one at each opening."""
    waiting = list(cameras)

    def opener(_: int | str) -> FakeCamera:
        camera = waiting.pop(0)
        if isinstance(camera, NoDevice):
            raise SourceError("there is no such camera")
        return camera

    options.setdefault("size", SMALL)
    return CameraSource(0, opener=opener, pauses=(0.001, 0.004), **options)
