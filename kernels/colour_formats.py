"""Pictures between Y'CbCr in 4:2:0 and the other formats that cameras and programs use.

I420 is what all others come from and go to. A chroma sample is taken to lie in the middle of its
four luma pixels: it is made from their mean, and serves all four on the way back.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pullfx.kernels import isa
from pullfx.kernels.arguments import (
    check_apart,
    check_even_pairs,
    check_plane,
    check_rgb,
    check_sides,
)
from pullfx.kernels.colour import Coefficients, coefficients, plane_coefficients

Plane = NDArray[np.uint8]


def downscale_rgb(
    y: Plane, u: Plane, v: Plane, out: NDArray[np.uint8], matrix: str, full_range: bool
) -> None:
    """Makes an RGB picture of any size straight from the planes of a picture, in one pass.

    The picture is stretched to the size of `out`. A target pixel is the mean over the box that it
    covers, luma and chroma alike, pixels at the box's edge counted by the part that lies in it;
    where `out` is larger than the picture the same rule repeats pixels. Chroma samples of 4:2:0 are
    taken to lie in the middle of their four luma pixels. No value is off by more than 1 from the
    same means and matrix in exact arithmetic.

    Args:
        y: luma, uint8 [height, width], any stride between rows, at most 32767 a side.
        u: Cb, uint8 [(height + 1) // 2, (width + 1) // 2], or shaped as `y`.
        v: Cr, shaped as `u`.
        out: uint8 [target height, target width, 3], C-contiguous, written: R'G'B' of 0..255.
        matrix: "bt601", "bt709" or "bt2020".
        full_range: True where the codes are 0..255, False for 16..235 (Y') and 16..240 (Cb, Cr).

    Raises:
        KernelError: wrong type, shape or strides, an unknown matrix, or `out` overlaps an input.
    """
    matrix_coefficients = coefficients(matrix, full_range)
    isa.run(isa.active().downscale_rgb, _check_downscale, y, u, v, out, matrix_coefficients)


def _check_downscale(
    y: Plane, u: Plane, v: Plane, out: NDArray[np.uint8], _coefficients: Coefficients
) -> None:
    check_plane("y", y)
    halved = ((y.shape[0] + 1) // 2, (y.shape[1] + 1) // 2)
    check_plane("u", u, None if np.shape(u) == y.shape else halved)
    check_plane("v", v, u.shape)
    check_rgb("out", out)
    check_sides(y=y, out=out)
    check_apart("out", out, y=y, u=u, v=v)


def i420_to_rgb(
    y: Plane,
    u: Plane,
    v: Plane,
    out: NDArray[np.uint8],
    matrix: str,
    full_range: bool,
    *,
    bgr: bool = False,
) -> None:
    """Makes an RGB picture of the planes of a 4:2:0 picture.

    Each chroma sample serves the pixels that it covers. No value is off by more than 0.55 from
    exact arithmetic, of which 0.5 is the rounding; what lies outside of 0..255 is clipped.

    Args:
        y: luma, uint8 [height, width], any stride between rows.
        u: Cb, uint8 [(height + 1) // 2, (width + 1) // 2].
        v: Cr, shaped as `u`.
        out: uint8 [height, width, 3], any stride between rows, written: R'G'B' of 0..255.
        matrix: "bt601", "bt709" or "bt2020".
        full_range: True where the codes are 0..255, False for 16..235 (Y') and 16..240 (Cb, Cr).
        bgr: True where a pixel has blue first.

    Raises:
        KernelError: wrong type, shape or strides, an unknown matrix, or `out` overlaps an input.
    """
    check_plane("y", y)
    _check_chroma(y.shape, u=u, v=v)
    check_rgb("out", out, y.shape, contiguous=False)
    check_apart("out", out, y=y, u=u, v=v)
    isa.active().i420_to_rgb(y, u, v, out, coefficients(matrix, full_range), bgr)


def rgb_to_i420(
    rgb: NDArray[np.uint8],
    y: Plane,
    u: Plane,
    v: Plane,
    matrix: str,
    full_range: bool,
    *,
    bgr: bool = False,
) -> None:
    """Makes the planes of a 4:2:0 picture of an RGB picture.

    Chroma is that of the mean of 2x2 pixels, of those there are at an odd edge. No value is off by
    more than 0.53 from exact arithmetic, of which 0.5 is the rounding.

    Args:
        rgb: uint8 [height, width, 3], any stride between rows: R'G'B' of 0..255.
        y: luma, uint8 [height, width], written.
        u: Cb, uint8 [(height + 1) // 2, (width + 1) // 2], written.
        v: Cr, shaped as `u`, written.
        matrix: "bt601", "bt709" or "bt2020".
        full_range: True to use the codes 0..255, False for 16..235 (Y') and 16..240 (Cb, Cr).
        bgr: True where a pixel has blue first.

    Raises:
        KernelError: wrong type, shape or strides, an unknown matrix, or an output overlaps the
            input or another output.
    """
    check_rgb("rgb", rgb, contiguous=False)
    shape = (rgb.shape[0], rgb.shape[1])
    _check_outputs(shape, y, u, v, rgb=rgb)
    isa.active().rgb_to_i420(rgb, y, u, v, plane_coefficients(matrix, full_range), bgr)


def split_pairs(pairs: Plane, first: Plane, second: Plane) -> None:
    """Takes bytes that come by turns apart: the chroma of NV12 into Cb and Cr.

    Args:
        pairs: uint8 [height, 2 * width], any stride between rows.
        first: uint8 [height, width], written: every second byte from the first on.
        second: the same of the others.

    Raises:
        KernelError: wrong type, shape or strides, or an output overlaps another array.
    """
    check_plane("first", first)
    shape = first.shape
    check_plane("second", second, shape)
    check_plane("pairs", pairs, (shape[0], 2 * shape[1]))
    check_apart("first", first, pairs=pairs, second=second)
    check_apart("second", second, pairs=pairs)
    isa.active().split_pairs(pairs, first, second)


def merge_pairs(first: Plane, second: Plane, pairs: Plane) -> None:
    """Puts two planes together, byte by byte in turns: Cb and Cr into the chroma of NV12.

    Args:
        first: uint8 [height, width], any stride between rows.
        second: the same shape.
        pairs: uint8 [height, 2 * width], written.

    Raises:
        KernelError: wrong type, shape or strides, or `pairs` overlaps an input.
    """
    check_plane("first", first)
    shape = first.shape
    check_plane("second", second, shape)
    check_plane("pairs", pairs, (shape[0], 2 * shape[1]))
    check_apart("pairs", pairs, first=first, second=second)
    isa.active().merge_pairs(first, second, pairs)


def yuyv_to_i420(yuyv: Plane, y: Plane, u: Plane, v: Plane) -> None:
    """Makes the planes of a 4:2:0 picture of one as webcams send it: Y0 Cb Y1 Cr.

    Chroma is the mean of two rows, ties up; that of an odd last row stays as it is.

    Args:
        yuyv: uint8 [height, 2 * width], any stride between rows.
        y: luma, uint8 [height, width], written; the width is even.
        u: Cb, uint8 [(height + 1) // 2, width // 2], written.
        v: Cr, shaped as `u`, written.

    Raises:
        KernelError: wrong type, shape or strides, or an output overlaps another array.
    """
    check_even_pairs("yuyv", yuyv)
    _check_outputs((yuyv.shape[0], yuyv.shape[1] // 2), y, u, v, yuyv=yuyv)
    isa.active().yuyv_to_i420(yuyv, y, u, v)


def i420_to_yuyv(y: Plane, u: Plane, v: Plane, yuyv: Plane) -> None:
    """Makes Y0 Cb Y1 Cr of the planes of a 4:2:0 picture; a chroma row serves two rows.

    Args:
        y: luma, uint8 [height, width], any stride between rows; the width is even.
        u: Cb, uint8 [(height + 1) // 2, width // 2].
        v: Cr, shaped as `u`.
        yuyv: uint8 [height, 2 * width], written.

    Raises:
        KernelError: wrong type, shape or strides, or `yuyv` overlaps an input.
    """
    check_even_pairs("yuyv", yuyv)
    check_plane("y", y, (yuyv.shape[0], yuyv.shape[1] // 2))
    _check_chroma(y.shape, u=u, v=v)
    check_apart("yuyv", yuyv, y=y, u=u, v=v)
    isa.active().i420_to_yuyv(y, u, v, yuyv)


def _check_chroma(luma_shape: tuple[int, ...], **planes: Plane) -> None:
    shape = ((luma_shape[0] + 1) // 2, (luma_shape[1] + 1) // 2)
    for name, plane in planes.items():
        check_plane(name, plane, shape)


def _check_outputs(
    shape: tuple[int, int], y: Plane, u: Plane, v: Plane, **inputs: NDArray[np.uint8]
) -> None:
    check_plane("y", y, shape)
    _check_chroma(shape, u=u, v=v)
    check_apart("y", y, **inputs, u=u, v=v)
    check_apart("u", u, **inputs, v=v)
    check_apart("v", v, **inputs)
