"""Changes of format and of colour."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pullfx.kernels.colour import FRACTION_BITS, Coefficients, Mixing, PlaneCoefficients

Plane = NDArray[np.uint8]
Whole = NDArray[np.int64]
Number = TypeVar("Number", int, Whole)


def i420_to_rgb(
    y: Plane, u: Plane, v: Plane, out: NDArray[np.uint8], coefficients: Coefficients, bgr: bool
) -> None:
    """Defines `pullfx.kernels.i420_to_rgb`.

    Each product is rounded to 1/64, the sum once more, ties up, and clipped.
    """
    cb, cr = (
        np.repeat(np.repeat(plane, 2, 0), 2, 1)[: y.shape[0], : y.shape[1]] for plane in (u, v)
    )
    black = _rounded((128 - coefficients.black) * coefficients.luma, FRACTION_BITS - 6)
    luma = _scaled(y, coefficients.luma) + black
    channels = (
        luma + _scaled(cr, coefficients.red_v),
        luma + _scaled(cb, coefficients.green_u) + _scaled(cr, coefficients.green_v),
        luma + _scaled(cb, coefficients.blue_u),
    )
    stacked = np.stack(channels[::-1] if bgr else channels, axis=-1)
    out[:] = np.clip(_rounded(stacked, 6), 0, 255)


def rgb_to_i420(
    rgb: NDArray[np.uint8], y: Plane, u: Plane, v: Plane, coefficients: PlaneCoefficients, bgr: bool
) -> None:
    """Defines `pullfx.kernels.rgb_to_i420`.

    Luma is a sum of products rounded down to 1/256, and half a unit of each is put back. Chroma is
    one of products of the sums of 2x2 pixels, rounded to 1/128; an odd last row or column stands
    for two of its kind.
    """
    pixels = (rgb[..., ::-1] if bgr else rgb).astype(np.int64)
    red, green, blue = np.moveaxis(pixels, -1, 0)
    c = coefficients
    luma = (red * c.red_y >> 8) + (green * c.green_y >> 8) + (blue * c.blue_y >> 8)
    y[:] = (luma + 256 * c.black + 129) >> 8
    even = np.pad(pixels, ((0, y.shape[0] % 2), (0, y.shape[1] % 2), (0, 0)), mode="edge")
    sums = even[::2, ::2] + even[::2, 1::2] + even[1::2, ::2] + even[1::2, 1::2]
    red, green, blue = np.moveaxis(sums, -1, 0)
    for plane, factors in (
        (u, (c.red_u, c.green_u, c.blue_u)),
        (v, (c.red_v, c.green_v, c.blue_v)),
    ):
        parts = [
            _rounded(channel * factor, 10)
            for channel, factor in zip((red, green, blue), factors, strict=True)
        ]
        plane[:] = np.clip(_rounded(parts[0] + parts[1] + parts[2] + 128 * 128, 7), 0, 255)


def split_pairs(pairs: Plane, first: Plane, second: Plane) -> None:
    """Defines `pullfx.kernels.split_pairs`."""
    first[:], second[:] = pairs[:, ::2], pairs[:, 1::2]


def merge_pairs(first: Plane, second: Plane, pairs: Plane) -> None:
    """Defines `pullfx.kernels.merge_pairs`."""
    pairs[:, ::2], pairs[:, 1::2] = first, second


def yuyv_to_i420(yuyv: Plane, y: Plane, u: Plane, v: Plane) -> None:
    """Defines `pullfx.kernels.yuyv_to_i420`: chroma is the mean of two rows, ties up."""
    y[:] = yuyv[:, ::2]
    chroma = np.pad(yuyv[:, 1::2], ((0, y.shape[0] % 2), (0, 0)), mode="edge").astype(np.int64)
    means = (chroma[::2] + chroma[1::2] + 1) >> 1
    u[:], v[:] = means[:, ::2], means[:, 1::2]


def i420_to_yuyv(y: Plane, u: Plane, v: Plane, yuyv: Plane) -> None:
    """Defines `pullfx.kernels.i420_to_yuyv`: each chroma row serves two rows."""
    yuyv[:, ::2] = y
    for start, plane in ((1, u), (3, v)):
        yuyv[:, start::4] = np.repeat(plane, 2, 0)[: y.shape[0]]


def apply_table(plane: Plane, table: NDArray[np.uint8], out: Plane) -> None:
    """Defines `pullfx.kernels.apply_table`."""
    out[:] = table[plane]


def apply_pair_table(first: Plane, second: Plane, table: NDArray[np.uint8], out: Plane) -> None:
    """Defines `pullfx.kernels.apply_pair_table`."""
    out[:] = table[256 * first.astype(np.int64) + second]


def scale_chroma(plane: Plane, out: Plane, factor: int) -> None:
    """Defines `pullfx.kernels.saturate` for a plane: rounded to 1/64, then to a whole, ties up."""
    out[:] = np.clip(128 + _rounded(_scaled(plane, factor), 6), 0, 255)


def mix_chroma(
    luma: Plane, u: Plane, v: Plane, out_u: Plane, out_v: Plane, factors: Mixing
) -> None:
    """Defines `pullfx.kernels.mix_chroma`: rounded once, ties up."""
    black, *by = factors
    a, b, c = luma.astype(np.int64) - black, u.astype(np.int64) - 128, v.astype(np.int64) - 128
    for out, own in ((out_u, by[:3]), (out_v, by[3:])):
        total = own[0] * a + own[1] * b + own[2] * c
        out[:] = np.clip(128 + _rounded(total, FRACTION_BITS), 0, 255)


def _scaled(codes: Plane, factor: int) -> Whole:
    """The distance from 128 times factor / 2**FRACTION_BITS, rounded to 1/64."""
    return _rounded((codes.astype(np.int64) - 128) * factor, FRACTION_BITS - 6)


def _rounded(numerator: Number, bits: int) -> Number:
    """Divided by 2**bits, to nearest, ties up."""
    return (numerator + (1 << (bits - 1))) >> bits
