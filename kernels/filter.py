"""Means, blurs and other sizes of a plane."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from pullfx.errors import KernelError
from pullfx.kernels import isa
from pullfx.kernels.arguments import check_apart, check_apart_or_same, check_plane, check_sides

Plane = NDArray[np.uint8]

LARGEST_RADIUS = 1023
"""Most that `box_mean` reaches to each side."""

LARGEST_SIGMA = 1000
"""Most that `gaussian_blur` blurs by."""

_POSITION_UNIT = 2**15

BOXES = 3
"""How many box means are a Gaussian."""


def mean_3x3(plane: Plane, out: Plane) -> None:
    """Writes the mean of each pixel and its eight neighbours, rounded down.

    As NEBox3x3 of Arm's Compute Library; beyond the border lie the outermost pixels again.

    Args:
        plane: uint8 [height, width], any stride between rows.
        out: the same shape, written.

    Raises:
        KernelError: wrong type, shape or strides, or `out` overlaps `plane`.
    """
    check_plane("plane", plane)
    check_plane("out", out, plane.shape)
    check_apart("out", out, plane=plane)
    isa.active().mean_3x3(plane, out)


def box_mean(plane: Plane, out: Plane, radius: int) -> None:
    """Writes the mean of the square around each pixel, rounded to nearest; it can be no tie.

    The cost of a pixel is the same for every radius. Beyond its borders the picture is mirrored,
    the outermost pixel first: so the mean of the whole stays what it was.

    Args:
        plane: uint8 [height, width], any stride between rows, at most 32767 a side.
        out: the same shape, written; may be the very array `plane`.
        radius: pixels to each side, 0 to 1023; the square has 2 * radius + 1 a side.

    Raises:
        KernelError: wrong type, shape or strides, a radius out of range, or `out` overlaps `plane`
            without being it.
    """
    _check_blur(plane, out)
    if not 0 <= radius <= LARGEST_RADIUS:
        raise KernelError(f"radius must be 0 to {LARGEST_RADIUS}, but is {radius}")
    isa.active().box_mean(plane, out, radius)


def gaussian_blur(plane: Plane, out: Plane, sigma: float) -> None:
    """Writes the plane blurred nearly as by a Gaussian: by three box means, one after the other.

    The cost does not depend on sigma. The boxes are those of `gaussian_radii`. Whole radii allow
    only some deviations: 0, 0.82, 1.15, 1.41, 1.83 and so on, half a pixel apart at most.

    Args:
        plane: uint8 [height, width], any stride between rows, at most 32767 a side.
        out: the same shape, written; may be the very array `plane`.
        sigma: standard deviation in pixels, 0 to 1000.

    Raises:
        KernelError: wrong type, shape or strides, a sigma out of range, or `out` overlaps `plane`
            without being it.
    """
    _check_blur(plane, out)
    radii = gaussian_radii(sigma)
    kernels = isa.active()
    source = plane
    for radius in radii:
        kernels.box_mean(source, out, radius)
        source = out


def gaussian_radii(sigma: float) -> tuple[int, ...]:
    """Radii of the three boxes that together have the variance nearest to that of a Gaussian.

    Boxes of two odd widths next to each other, so many of each that their variances, (width^2 - 1)
    / 12, add up to sigma^2 as nearly as they can. P. Kovesi, "Fast almost-Gaussian filtering",
    DICTA 2010, section II.

    Raises:
        KernelError: sigma is not within 0 to 1000.
    """
    if not 0 <= sigma <= LARGEST_SIGMA:
        raise KernelError(f"sigma must be 0 to {LARGEST_SIGMA}, but is {sigma}")
    small = (math.isqrt(int(12 * sigma**2 / BOXES + 1)) - 1) // 2
    # From small to the next radius a box gains (width + 2)^2 - width^2, in twelfths.
    width = 2 * small + 1
    missing = 12 * sigma**2 - BOXES * (width**2 - 1)
    larger = round(missing / (4 * width + 4))
    return (small,) * (BOXES - larger) + (small + 1,) * larger


def upsample_2x(plane: Plane, out: Plane) -> None:
    """Writes the plane at twice its size, bilinear: 9, 3, 3 and 1 sixteenths of the nearest pixels.

    Rounded once, to nearest, ties up. Beyond the border lie the outermost pixels again.

    Args:
        plane: uint8 [height, width], any stride between rows.
        out: uint8 [2 * height, 2 * width], written.

    Raises:
        KernelError: wrong type, shape or strides, or `out` overlaps `plane`.
    """
    check_plane("plane", plane)
    check_plane("out", out, (2 * plane.shape[0], 2 * plane.shape[1]))
    check_apart("out", out, plane=plane)
    isa.active().upsample_2x(plane, out)


def resize_bilinear(plane: Plane, out: Plane) -> None:
    """Writes the plane at the size of `out`, between the nearest pixels of two rows and columns.

    Middles of pixels lie at halves, and beyond the border lie the outermost pixels again, as with
    OpenCV's INTER_LINEAR. To make a picture smaller than half, `resize_area` looks at all pixels.
    No value is off by more than 0.52 from exact arithmetic, of which 0.5 is the rounding.

    Args:
        plane: uint8 [height, width], any stride between rows, at most 32767 a side.
        out: uint8 [target height, target width], at most 32767 a side, written.

    Raises:
        KernelError: wrong type, shape or strides, or `out` overlaps `plane`.
    """
    _check_resize(plane, out)
    isa.active().resize_bilinear(plane, out)


def crop_bilinear(
    plane: Plane, out: Plane, left: float, top: float, width: float, height: float
) -> None:
    """Writes a window of the plane at the size of `out`, like `resize_bilinear` on the window.

    Its sides may lie within pixels, so that a window which moves slowly does so without steps; they
    are rounded to 1/32768 of a pixel. What lies around it is looked at where it is the nearest.

    Args:
        plane: uint8 [height, width], any stride between rows, at most 32767 a side.
        out: uint8 [target height, target width], at most 32767 a side, written.
        left, top, width, height: the window in pixels of the plane, within it and not empty.

    Raises:
        KernelError: wrong type, shape or strides, a window that is empty or reaches beyond the
            plane, or `out` overlaps `plane`.
    """
    _check_resize(plane, out)
    across = _window("left and width", left, width, plane.shape[1])
    down = _window("top and height", top, height, plane.shape[0])
    isa.active().crop_bilinear(plane, out, (across[0], down[0], across[1], down[1]))


def _window(names: str, start: float, length: float, samples: int) -> tuple[int, int]:
    """Start and length in units of 1/32768, checked."""
    if math.isfinite(start) and math.isfinite(length):
        first, count = round(start * _POSITION_UNIT), round(length * _POSITION_UNIT)
        if first >= 0 and count > 0 and first + count <= samples * _POSITION_UNIT:
            return first, count
    raise KernelError(
        f"{names} must be a window within 0 to {samples}, but are {start:g} and {length:g}"
    )


def resize_area(plane: Plane, out: Plane) -> None:
    """Writes the plane at the size of `out`, each pixel the mean of the part that it covers.

    Pixels at the edge of that part are counted by what lies in it. The mean is exact and rounded
    once, ties up. Where `out` is larger than the plane, the same rule repeats pixels.

    Args:
        plane: uint8 [height, width], any stride between rows, at most 32767 a side.
        out: uint8 [target height, target width], at most 32767 a side, written.

    Raises:
        KernelError: wrong type, shape or strides, or `out` overlaps `plane`.
    """
    _check_resize(plane, out)
    isa.active().resize_area(plane, out)


def _check_blur(plane: Plane, out: Plane) -> None:
    check_plane("plane", plane)
    check_sides(plane=plane)
    check_plane("out", out, plane.shape)
    check_apart_or_same("out", out, plane=plane)


def _check_resize(plane: Plane, out: Plane) -> None:
    check_plane("plane", plane)
    check_plane("out", out)
    check_sides(plane=plane, out=out)
    check_apart("out", out, plane=plane)
