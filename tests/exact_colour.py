"""R'G'B' and Y'CbCr in exact arithmetic, straight from ITU-R BT.601, BT.709 and BT.2020.

What the formats are measured against. Nothing is rounded or clipped on the way.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pullfx.pipeline.frame import Frame, Matrix, Range

Exact = NDArray[np.float64]

LUMA_WEIGHTS = {
    Matrix.BT601: (0.299, 0.587, 0.114),
    Matrix.BT709: (0.2126, 0.7152, 0.0722),
    Matrix.BT2020: (0.2627, 0.6780, 0.0593),
}
ALL_COLOURS = [(matrix, range) for matrix in Matrix for range in Range]

# The bars of the media folder's edge/bars_*.mp4, each 32 pixels wide (see its SOURCES.md).
BARS = np.array(
    [
        (255, 255, 255),
        (255, 255, 0),
        (0, 255, 255),
        (0, 255, 0),
        (255, 0, 255),
        (255, 0, 0),
        (0, 0, 255),
        (16, 16, 16),
        (224, 172, 140),
        (90, 56, 37),
    ],
    np.uint8,
)


def ycbcr(rgb: NDArray[np.uint8], matrix: Matrix, range: Range) -> tuple[Exact, Exact, Exact]:
    """Codes of Y, Cb and Cr for each pixel of uint8 [..., 3] in the order red, green, blue."""
    red, green, blue = np.moveaxis(rgb.astype(np.float64) / 255, -1, 0)
    weight_red, weight_green, weight_blue = LUMA_WEIGHTS[matrix]
    luma = weight_red * red + weight_green * green + weight_blue * blue
    cb = (blue - luma) / (2 * (1 - weight_blue))
    cr = (red - luma) / (2 * (1 - weight_red))
    if range is Range.FULL:
        return 255 * luma, 128 + 255 * cb, 128 + 255 * cr
    return 16 + 219 * luma, 128 + 224 * cb, 128 + 224 * cr


def rgb(frame: Frame) -> Exact:
    """Red, green and blue of each pixel, [height, width, 3] in 0..255."""
    shape = frame.y.shape
    luma, cb, cr = (
        plane.astype(np.float64)
        for plane in (frame.y, spread(frame.u, shape), spread(frame.v, shape))
    )
    if frame.range is Range.FULL:
        luma, cb, cr = luma / 255, (cb - 128) / 255, (cr - 128) / 255
    else:
        luma, cb, cr = (luma - 16) / 219, (cb - 128) / 224, (cr - 128) / 224
    weight_red, weight_green, weight_blue = LUMA_WEIGHTS[frame.matrix]
    red = luma + 2 * (1 - weight_red) * cr
    blue = luma + 2 * (1 - weight_blue) * cb
    green = (luma - weight_red * red - weight_blue * blue) / weight_green
    return np.clip(255 * np.stack((red, green, blue), axis=-1), 0, 255)


def square_means(plane: Exact) -> Exact:
    """The mean of each 2x2 square, of what there is of it at the lower and right edge."""
    sums = np.add.reduceat(plane, np.arange(0, plane.shape[0], 2), axis=0)
    sums = np.add.reduceat(sums, np.arange(0, plane.shape[1], 2), axis=1)
    ones = np.ones_like(plane)
    counts = np.add.reduceat(ones, np.arange(0, plane.shape[0], 2), axis=0)
    counts = np.add.reduceat(counts, np.arange(0, plane.shape[1], 2), axis=1)
    means: Exact = sums / counts
    return means


def spread(chroma: NDArray[np.uint8], shape: tuple[int, ...]) -> NDArray[np.uint8]:
    """Each chroma sample on the 2x2 pixels that it covers, cut to the picture."""
    doubled = np.repeat(np.repeat(chroma, 2, axis=0), 2, axis=1)
    return doubled[: shape[0], : shape[1]]
