"""`RawVideo`: what has to be said of pictures that come without a head."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import av

from pullfx.errors import SourceError

_DEFAULT_RATE = Fraction(30)


@dataclass(frozen=True, slots=True)
class RawVideo:
    """The layout of bare pictures, one after the other, as `ffmpeg -f rawvideo` writes them.

    Attributes:
        size: width and height in pixels.
        pixel_format: FFmpeg's name, such as yuv420p, nv12, yuyv422 or bgr24.
        fps: frames a second, from which the times are made.

    Raises:
        SourceError: no size, or no such pixel format.
    """

    size: tuple[int, int] | None
    pixel_format: str
    fps: Fraction | None = None

    def __post_init__(self) -> None:
        try:
            av.VideoFormat(self.pixel_format)
        except ValueError:
            raise SourceError(
                f"there is no pixel format '{self.pixel_format}'; name it as FFmpeg does: "
                "yuv420p, nv12, yuyv422, bgr24 and the like"
            ) from None
        if self.size is None:
            raise SourceError(
                "raw video has no head that names its size; give it, as with --size 1280x720"
            )

    @property
    def rate(self) -> Fraction:
        """Frames a second."""
        return self.fps or _DEFAULT_RATE

    @property
    def options(self) -> dict[str, str]:
        """For FFmpeg's demuxer `rawvideo`."""
        width, height = self.size or (0, 0)
        return {
            "video_size": f"{width}x{height}",
            "pixel_format": self.pixel_format,
            "framerate": str(self.rate),
        }
