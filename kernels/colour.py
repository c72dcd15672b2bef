"""Y'CbCr to R'G'B' and back in whole numbers, for every matrix and range of a frame."""

from __future__ import annotations

import functools
from typing import NamedTuple

from pullfx.errors import KernelError

FRACTION_BITS = 13
"""Coefficients are scaled by 2 to this power: the most at which no sum leaves 32 bits."""

# Kr and Kb: the share of red and of blue in luma.
# ITU-R BT.601-7, table 3; BT.709-6, table 3.2; BT.2020-2, table 4 (non-constant luminance).
_SHARES = {
    "bt601": (0.299, 0.114),
    "bt709": (0.2126, 0.0722),
    "bt2020": (0.2627, 0.0593),
}


class Coefficients(NamedTuple):
    """What R'G'B' of 0..255 is made with, each but `black` scaled by `2 ** FRACTION_BITS`.

    Attributes:
        black: code of black in Y'.
        luma: times Y' - black, in all three.
        red_v: times Cr - 128, in red.
        green_u: times Cb - 128, in green; negative.
        green_v: times Cr - 128, in green; negative.
        blue_u: times Cb - 128, in blue.
    """

    black: int
    luma: int
    red_v: int
    green_u: int
    green_v: int
    blue_u: int


@functools.cache
def coefficients(matrix: str, full_range: bool) -> Coefficients:
    """Coefficients for one kind of Y'CbCr.

    Args:
        matrix: "bt601", "bt709" or "bt2020".
        full_range: True where the codes are 0..255, False for 16..235 (Y') and 16..240 (Cb, Cr).

    Raises:
        KernelError: an unknown matrix.
    """
    red, blue = _shares(matrix)
    green = 1.0 - red - blue
    luma = 1.0 if full_range else 255 / 219
    chroma = 1.0 if full_range else 255 / 224
    scaled = (
        luma,
        chroma * 2 * (1 - red),
        -chroma * 2 * (1 - blue) * blue / green,
        -chroma * 2 * (1 - red) * red / green,
        chroma * 2 * (1 - blue),
    )
    return Coefficients(0 if full_range else 16, *(round(c * 2**FRACTION_BITS) for c in scaled))


class PlaneCoefficients(NamedTuple):
    """What Y'CbCr is made with from R'G'B' of 0..255.

    Attributes:
        black: code of black in Y'.
        red_y, green_y, blue_y: parts of Y', scaled by 2**16.
        red_u, green_u, blue_u: parts of Cb, scaled by 2**15; their sum is 0, so grey stays grey.
        red_v, green_v, blue_v: parts of Cr, the same.
    """

    black: int
    red_y: int
    red_u: int
    red_v: int
    green_y: int
    green_u: int
    green_v: int
    blue_y: int
    blue_u: int
    blue_v: int


@functools.cache
def plane_coefficients(matrix: str, full_range: bool) -> PlaneCoefficients:
    """Coefficients of the way back; arguments and errors are those of `coefficients`."""
    red, blue = _shares(matrix)
    luma = 2**16 * (1.0 if full_range else 219 / 255)
    chroma = 2**15 * (1.0 if full_range else 224 / 255)
    red_y, blue_y = round(luma * red), round(luma * blue)
    red_u, blue_u = round(-chroma * red / (2 * (1 - blue))), round(chroma / 2)
    red_v, blue_v = round(chroma / 2), round(-chroma * blue / (2 * (1 - red)))
    green_y, green_u, green_v = round(luma) - red_y - blue_y, -red_u - blue_u, -red_v - blue_v
    return PlaneCoefficients(
        0 if full_range else 16,
        *(red_y, red_u, red_v),
        *(green_y, green_u, green_v),
        *(blue_y, blue_u, blue_v),
    )


class Mixing(NamedTuple):
    """What new Cb and Cr are made with, each but `black` scaled by `2 ** FRACTION_BITS`.

    Attributes:
        black: code of black in Y'.
        luma_u, u_u, v_u: times Y' - black, Cb - 128 and Cr - 128, in Cb - 128.
        luma_v, u_v, v_v: the same, in Cr - 128.
    """

    black: int
    luma_u: int
    u_u: int
    v_u: int
    luma_v: int
    u_v: int
    v_v: int


def _shares(matrix: str) -> tuple[float, float]:
    if matrix not in _SHARES:
        raise KernelError(f"matrix must be one of {', '.join(_SHARES)}, but is {matrix!r}")
    return _SHARES[matrix]
