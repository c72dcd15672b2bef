"""`PixelFormat`: how the pixels of a numpy array lie in memory."""

import enum


class PixelFormat(enum.Enum):
    """Layouts of uint8 arrays that become frames; the values are FFmpeg's names.

    BGR24 and RGB24 are [height, width, 3]; BGRA and RGBA are [height, width, 4] with straight
    alpha. I420 and NV12 are [height * 3 / 2, width] as OpenCV has
    them, with even sides: the luma rows, then all Cb and all Cr (I420), or Cb and Cr by turns
    (NV12). YUYV422 is [height, width, 2] with an even width: Y0 Cb Y1 Cr, as webcams send it.
    """

    BGR24 = "bgr24"
    RGB24 = "rgb24"
    BGRA = "bgra"
    RGBA = "rgba"
    I420 = "yuv420p"
    NV12 = "nv12"
    YUYV422 = "yuyv422"

    @property
    def is_rgb(self) -> bool:
        """True where a pixel is red, green and blue, with or without alpha."""
        return self in (PixelFormat.BGR24, PixelFormat.RGB24) or self.has_alpha

    @property
    def has_alpha(self) -> bool:
        """True where a pixel says how opaque it is."""
        return self in (PixelFormat.BGRA, PixelFormat.RGBA)

    @property
    def is_bgr(self) -> bool:
        """True where a pixel is blue first."""
        return self in (PixelFormat.BGR24, PixelFormat.BGRA)
