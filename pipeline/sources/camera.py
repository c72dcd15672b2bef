"""`CameraSource`: a camera that may lie about what it gives, and may go and come back."""

from __future__ import annotations

import logging
import os
import platform
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol, cast

import cv2
import numpy as np
from numpy.typing import NDArray

from pullfx.errors import SourceError
from pullfx.pipeline.devices import list_cameras
from pullfx.pipeline.formats import PixelFormat, frame_from_array
from pullfx.pipeline.frame import Frame, Matrix, Range
from pullfx.pipeline.pool import Pool
from pullfx.pipeline.sources.frozen import FrozenPicture
from pullfx.pipeline.sources.source import Source, SourceInfo

logger = logging.getLogger(__name__)

# The clock of MPEG. A finer one would overflow the 32 bits that MP4 has for the time between two
# frames when a camera is away for half an hour.
TIME_BASE = Fraction(1, 90_000)
DEFAULT_SIZE = (1280, 720)
DEFAULT_RATE = Fraction(30)

# One picture may fail, a damaged JPEG for instance; this many in a row is a camera that is gone.
_FAILURES_UNTIL_LOST = 3
# By their codes, the one with less data first.
_RAW_FORMATS = {"NV12": PixelFormat.NV12, "YUYV": PixelFormat.YUYV422}
# Seconds between looks at whether a pause is over.
_POLL = 0.05
# Some cameras need a moment until the first picture.
_ATTEMPTS_AT_FIRST = 10


class Capture(Protocol):
    """What is used of `cv2.VideoCapture`."""

    def isOpened(self) -> bool:  # noqa: N802 (OpenCV's name)
        """True when there is a camera behind it."""

    def read(self) -> tuple[bool, NDArray[np.uint8] | None]:
        """Waits for the next picture; False when there is none."""

    def set(self, property: int, value: float, /) -> bool:
        """Asks for something; True says that it was understood, not that it is so."""

    def get(self, property: int, /) -> float:
        """What the driver claims."""

    def release(self) -> None:
        """Gives the camera back."""


Opener = Callable[[int | str], Capture]


def open_capture(camera: int | str) -> Capture:
    """`cv2.VideoCapture` without its own messages: what is wrong is said in one line later.

    Raises:
        SourceError: a device path that does not exist.
    """
    if isinstance(camera, str):
        if not Path(camera).exists():
            raise SourceError(why_not_opened(camera))
        number = re.fullmatch(r"/dev/video(\d+)", str(Path(camera).resolve()))
        camera = int(number[1]) if number is not None else camera
    backend = cv2.CAP_V4L2 if platform.system() == "Linux" else cv2.CAP_ANY
    with _quiet_opencv():
        return cast(Capture, cv2.VideoCapture(camera, backend))


class CameraSource(Source):
    """A camera, read as raw YUYV or NV12 where its driver gives that.

    What the driver says it will give is not believed: the layout of each picture is read off its
    shape. A camera that stops giving pictures is opened again, with growing pauses, until it is
    back or `stop` is called; of one that gives the same picture for ever a warning is logged. Times
    are those of a monotonic clock that starts with the first frame of `frames`.

    Args:
        camera: index, or device path such as /dev/video0.
        size: width and height to ask for; the camera may give another.
        fps: frames a second to ask for.
        opener: makes the capture; for tests and for other capture libraries.
        pauses: seconds before the first attempt to open a lost camera, and the longest between two.
        pool: where frames go.

    Raises:
        SourceError: no such camera, no permission, in use, or no pictures.
    """

    def __init__(
        self,
        camera: int | str = 0,
        *,
        size: tuple[int, int] | None = None,
        fps: Fraction | None = None,
        opener: Opener = open_capture,
        pauses: tuple[float, float] = (0.25, 5.0),
        pool: Pool | None = None,
    ) -> None:
        super().__init__()
        self._camera = camera
        self._name = f"camera {camera}"
        self._size = size or DEFAULT_SIZE
        self._fps = fps or DEFAULT_RATE
        self._opener = opener
        self._pauses = pauses
        self._pool = pool or Pool()
        self._raw_wanted = True
        self._raw_format: PixelFormat | None = None
        self._start: float | None = None
        self._last_pts = -1
        self._frozen = FrozenPicture()
        self._awake = threading.Event()
        self._awake.set()
        capture = opener(camera)
        if not capture.isOpened():
            capture.release()
            raise SourceError(why_not_opened(camera))
        self._capture: Capture = capture
        try:
            self._ask()
            first = self._first_frame()
        except BaseException:
            self.close()
            raise
        rate = capture.get(cv2.CAP_PROP_FPS)
        self.info = SourceInfo(
            description=self._name,
            width=first.width,
            height=first.height,
            live=True,
            frame_rate=Fraction(rate).limit_denominator(1001) if rate >= 1 else self._fps,
        )
        self._log_what_came(first, rate)

    def frames(self) -> Iterator[Frame]:
        """Frames as they come, until `stop`."""
        self._start = None  # the picture that was taken to learn the size may be old by now
        self._last_pts = -1
        failures = 0
        while not self._stopped.is_set():
            if self.paused:
                self._rest()
                failures = 0
                continue
            frame = self._take()
            failures = 0 if frame is not None else failures + 1
            if failures >= _FAILURES_UNTIL_LOST:
                logger.warning("%s is lost; it is opened again as soon as it is back", self._name)
                frame = self._open_again()
                if frame is not None:
                    logger.warning("%s is back", self._name)
            if frame is not None:
                failures = 0
                yield frame
                del frame  # while the next one is awaited, only its user holds it

    @property
    def paused(self) -> bool:
        """True from `pause` to `resume`."""
        return not self._awake.is_set()

    def pause(self) -> None:
        """Gives the camera back until `resume`, its light goes out; from any thread.

        No frame comes meanwhile. Whoever waits for one, such as a sink, keeps what it has.
        """
        self._awake.clear()

    def resume(self) -> None:
        """Opens the camera again after `pause`; from any thread."""
        self._awake.set()

    def close(self) -> None:
        """Gives the camera back."""
        self._capture.release()

    def _log_what_came(self, first: Frame, rate: float) -> None:
        """What the camera and we have agreed on, beside what was asked for."""
        layout = "converted" if self._raw_format is None else self._raw_format.name
        logger.info(
            "%s: %dx%d at %g fps, %s; asked for %dx%d at %g fps",
            self._name,
            first.width,
            first.height,
            rate,
            layout,
            *self._size,
            float(self._fps),
        )

    def _ask(self) -> None:
        """Asks for the size and the rate, in a raw format if the camera gives them in one."""
        self._raw_format = None
        self._capture.set(cv2.CAP_PROP_CONVERT_RGB, 1)
        raw = self._raw_wanted
        if raw and any(self._ask_for(code, exactly=True) for code in _RAW_FORMATS):
            self._take_raw()
        # Over USB many cameras reach full size and rate only in JPEG, which OpenCV decodes.
        elif self._ask_for("MJPG", exactly=False):
            return
        elif raw and any(self._ask_for(code, exactly=False) for code in _RAW_FORMATS):
            self._take_raw()

    def _ask_for(self, code: str, *, exactly: bool) -> bool:
        """Whether the driver grants a format; `exactly`: with the size and the rate, too."""
        number = cv2.VideoWriter.fourcc(*code)
        width, height = self._size
        self._capture.set(cv2.CAP_PROP_FOURCC, number)
        self._capture.set(cv2.CAP_PROP_FRAME_WIDTH, width)
        self._capture.set(cv2.CAP_PROP_FRAME_HEIGHT, height)
        self._capture.set(cv2.CAP_PROP_FPS, float(self._fps))
        if int(self._capture.get(cv2.CAP_PROP_FOURCC)) != number:
            return False
        rate = self._capture.get(cv2.CAP_PROP_FPS)
        return not exactly or (
            int(self._capture.get(cv2.CAP_PROP_FRAME_WIDTH)) == width
            and int(self._capture.get(cv2.CAP_PROP_FRAME_HEIGHT)) == height
            and (rate <= 0 or rate >= 0.9 * self._fps)  # 0: a driver that does not tell
        )

    def _take_raw(self) -> None:
        granted = int(self._capture.get(cv2.CAP_PROP_FOURCC)).to_bytes(4, "little").decode()
        self._raw_format = _RAW_FORMATS[granted]
        self._capture.set(cv2.CAP_PROP_CONVERT_RGB, 0)

    def _first_frame(self) -> Frame:
        for _ in range(_ATTEMPTS_AT_FIRST):
            frame = self._take()
            if frame is not None:
                return frame
        raise SourceError(
            f"{self._name} opens but gives no pictures; close other programs that use it, and look "
            "for a shutter or privacy switch"
        )

    def _take(self) -> Frame | None:
        try:
            taken, picture = self._capture.read()
        except cv2.error as error:
            logger.debug("%s: %s", self._name, error)
            return None
        if not taken or picture is None or picture.size == 0:
            return None
        now = time.monotonic()
        if self._start is None:
            self._start = now
        self._last_pts = max(self._last_pts + 1, round((now - self._start) / TIME_BASE))
        if self._frozen.look(picture, now):
            logger.warning(
                "%s gives the same picture again and again; if it should not, unplug it and plug "
                "it in, or close the program that feeds it",
                self._name,
            )
        return self._frame(picture)

    def _frame(self, picture: NDArray[np.uint8]) -> Frame | None:
        width = int(self._capture.get(cv2.CAP_PROP_FRAME_WIDTH))
        height = int(self._capture.get(cv2.CAP_PROP_FRAME_HEIGHT))
        found = recognise(picture, self._raw_format, width, height)
        if found is None:
            logger.debug("%s gives arrays of shape %s", self._name, picture.shape)
            if self._raw_wanted:  # raw pictures that nobody can read: have them converted instead
                self._raw_wanted = False
                self._ask()
            return None
        array, pixel_format = found
        return frame_from_array(
            array,
            pixel_format,
            matrix=Matrix.BT601,  # what the USB video class takes where a camera says nothing
            range=Range.LIMITED,
            pts=self._last_pts,
            time_base=TIME_BASE,
            pool=self._pool,
        )

    def _rest(self) -> None:
        """Leaves the camera alone until `resume` or `stop` is called."""
        self._capture.release()
        logger.info("%s is paused", self._name)
        while not self._stopped.is_set():
            if self._awake.wait(_POLL):
                self._open_again()
                return

    def _open_again(self) -> Frame | None:
        """Waits until the camera gives pictures; None when `stop` or `pause` was called."""
        pause, longest = self._pauses
        self._capture.release()
        while not self.paused and not self._stopped.wait(pause):
            pause = min(2 * pause, longest)
            try:
                self._capture = self._opener(self._camera)
            except SourceError:  # its device file is gone, too
                continue
            if self._capture.isOpened():
                self._ask()
                frame = self._take()
                if frame is not None:
                    return frame
            self._capture.release()
        return None


def recognise(
    picture: NDArray[np.uint8], raw_format: PixelFormat | None, width: int, height: int
) -> tuple[NDArray[np.uint8], PixelFormat] | None:
    """Finds out by its shape what a capture gave.

    Args:
        picture: what `read` returned.
        raw_format: what was asked for, where it was a raw format.
        width, height: size that the capture claims, in pixels.

    Returns:
        The array in the shape that `frame_from_array` takes, and its format; None where the shape
        fits no format.
    """
    if picture.ndim == 3 and picture.shape[2] == 3:
        return picture, PixelFormat.BGR24
    if picture.ndim == 3 and picture.shape[2] == 2:
        return picture, PixelFormat.YUYV422
    even = min(width, height) > 0 and width % 2 == 0 and height % 2 == 0
    if even and raw_format is PixelFormat.YUYV422 and picture.size == 2 * width * height:
        return picture.reshape(height, width, 2), PixelFormat.YUYV422
    if even and raw_format is PixelFormat.NV12 and picture.size == 3 * width * height // 2:
        return picture.reshape(height * 3 // 2, width), PixelFormat.NV12
    return None


def why_not_opened(camera: int | str) -> str:
    """One line for a person whose camera does not open."""
    found = list_cameras()
    known = ", ".join(f"{device.index} ({device.name})" for device in found)
    hint = f"cameras found: {known}" if found else "no camera was found; is one plugged in?"
    if platform.system() == "Linux":
        path = Path(f"/dev/video{camera}" if isinstance(camera, int) else camera)
        if not path.exists():
            return f"there is no camera {camera} ({path} does not exist); {hint}"
        if not os.access(path, os.R_OK | os.W_OK):
            return (
                f"camera {camera} may not be used: no permission for {path}; "
                "add yourself to the group video (sudo usermod -aG video $USER) and log in again"
            )
        return f"camera {camera} does not open; close other programs that use it; {hint}"
    return (
        f"camera {camera} does not open; close other programs that use it, and allow this program "
        f"to use the camera in the system's privacy settings; {hint}"
    )


@contextmanager
def _quiet_opencv() -> Iterator[None]:
    logging_control: Any = cv2.utils.logging
    level = logging_control.getLogLevel()
    logging_control.setLogLevel(logging_control.LOG_LEVEL_SILENT)
    try:
        yield
    finally:
        logging_control.setLogLevel(level)
