"""Picture files as arrays: upright, in 8 bits.

OpenCV reads them, which is here anyway. It knows JPEG with its CMYK, PNG, WebP, AVIF and TIFF, grey
and palettes and 16 bits, and turns them as their EXIF orientation says. PyAV 18 fails at files that
have one; Pillow would be one more dependency, for embedded colour profiles alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from pullfx.pipeline.formats.alpha import rgb_over_black
from pullfx.pipeline.pool import HEAP

Pixels = NDArray[np.uint8]

_JPEG = b"\xff\xd8\xff"


def decode_picture(data: Pixels) -> Pixels | None:
    """The pixels of a picture file, as it is to be shown: in front of black where it has alpha.

    Args:
        data: the file's bytes, uint8 [n].

    Returns:
        BGR, uint8 [height, width, 3]; None where the file is no picture that can be read.
    """
    pixels = decode_layer(data)
    if pixels is None or pixels.shape[2] == 3:
        return pixels
    return rgb_over_black(pixels, HEAP)


def decode_layer(data: Pixels) -> Pixels | None:
    """The pixels of a picture file, with alpha where it has some.

    Args:
        data: the file's bytes, uint8 [n].

    Returns:
        BGR or BGRA with straight alpha, uint8 [height, width, 3 or 4]; None where the file is no
        picture that can be read.
    """
    try:
        picture = cv2.imdecode(data, cv2.IMREAD_COLOR) if data.size else None
        if picture is None:
            return None
        is_jpeg = data[: len(_JPEG)].tobytes() == _JPEG  # which has no alpha
        stored = None if is_jpeg else cv2.imdecode(data, cv2.IMREAD_UNCHANGED)
    except cv2.error:
        return None
    upright = np.asarray(picture, np.uint8)
    if stored is None or stored.ndim != 3 or stored.shape[2] != 4:
        return upright
    # With alpha it comes only as it is stored, so how it is turned has to be found out.
    eight_bits = np.asarray(stored // 256 if stored.dtype == np.uint16 else stored, np.uint8)
    for turned in _orientations(eight_bits):
        if turned.shape[:2] == upright.shape[:2] and np.array_equal(turned[..., :3], upright):
            return np.ascontiguousarray(turned)
    return upright


def _orientations(picture: Pixels) -> Iterator[Pixels]:
    """The picture in all ways that it can be turned and mirrored, the stored one first."""
    for turns in range(4):
        turned = np.rot90(picture, turns)
        yield turned
        yield turned[:, ::-1]
