"""Which way up a stored picture is, and how it is turned.

Phones store what the sensor saw and say in a display matrix how to show it. The matrix is read in
full: the angle alone, as PyAV's `rotation` gives it, takes a mirrored picture for one turned by 180
degrees.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence

import av
import cv2
import numpy as np
from av.sidedata.sidedata import SideData, SideDataContainer

from pullfx.pipeline.formats.reporting import warn_once
from pullfx.pipeline.frame import Plane
from pullfx.pipeline.pool import HEAP, Pool

# How far, against its size, a matrix may be from turning by right angles before it is reported.
_TOLERANCE = 1e-3


class Orientation(enum.Enum):
    """What has to be done to a stored picture to show it upright.

    The name says it: mirrored left to right first, then turned clockwise. The value (a, b, c, d) is
    the same as a matrix: a pixel at (x, y) goes to (a x + c y, b x + d y), but for a shift that
    brings the picture's corner back to the origin; y points downwards.
    """

    UPRIGHT = (1, 0, 0, 1)
    ROTATED_90 = (0, 1, -1, 0)
    ROTATED_180 = (-1, 0, 0, -1)
    ROTATED_270 = (0, -1, 1, 0)
    MIRRORED = (-1, 0, 0, 1)
    MIRRORED_ROTATED_90 = (0, -1, -1, 0)
    MIRRORED_ROTATED_180 = (1, 0, 0, -1)
    MIRRORED_ROTATED_270 = (0, 1, 1, 0)

    @property
    def transposes(self) -> bool:
        """True where width and height change places."""
        return not self.value[0]

    @property
    def flips_columns(self) -> bool:
        """True where the stored columns are shown in reverse order, as columns or as rows."""
        return self.value[0] + self.value[1] < 0

    @property
    def flips_rows(self) -> bool:
        """True where the stored rows are shown in reverse order, as rows or as columns."""
        return self.value[2] + self.value[3] < 0

    @classmethod
    def from_matrix(cls, matrix: Sequence[int]) -> Orientation:
        """The orientation that a display matrix asks for.

        Args:
            matrix: its nine numbers a, b, u, c, d, v, x, y, w as ISO/IEC 14496-12 6.2.2 stores
                them. Only a, b, c and d count, whatever their unit.

        Returns:
            The nearest of the eight. A matrix that turns by anything but right angles, or that
            flattens the picture, is reported once through logging.
        """
        linear = np.array([matrix[0], matrix[1], matrix[3], matrix[4]], np.float64)
        nearest = max(cls, key=lambda orientation: float(linear @ orientation.value))
        along = linear * nearest.value
        aside = np.abs(linear[np.array(nearest.value) == 0]).max()
        if np.sort(along)[-2] <= 0 or aside > _TOLERANCE * np.abs(linear).max():
            warn_once(
                "the picture's display matrix does not turn it by right angles; "
                "the nearest right angle is used"
            )
        return nearest


# Counter-clockwise, as PyAV's `rotation` has it.
_OF_ANGLE = {
    -90: Orientation.ROTATED_90,
    180: Orientation.ROTATED_180,
    -180: Orientation.ROTATED_180,
    90: Orientation.ROTATED_270,
}


def orientation_of(picture: av.VideoFrame) -> Orientation:
    """The orientation that a picture's display matrix asks for; UPRIGHT where it has none."""
    # Not picture.side_data: that ties picture and container into a cycle, and each frame would stay
    # in memory until the garbage collector runs.
    try:
        side_data = SideDataContainer(picture)  # type: ignore[call-arg]  # the stub has no __init__
    except ValueError:  # PyAV 18 has no name for EXIF data, and knows the angle alone then
        return _OF_ANGLE.get(picture.rotation, Orientation.UPRIGHT)
    matrix = side_data.get("DISPLAYMATRIX")
    if not isinstance(matrix, SideData):
        return Orientation.UPRIGHT
    return Orientation.from_matrix(np.frombuffer(memoryview(matrix), np.int32).tolist())


def upright(
    planes: tuple[Plane, Plane, Plane], orientation: Orientation, pool: Pool = HEAP
) -> tuple[Plane, Plane, Plane]:
    """Turns the planes of a 4:2:0 picture.

    A side of odd length ends with a chroma sample that covers one pixel, not two. Where such a side
    is reversed, the samples no longer fall on the pairs of pixels as they are now, and each new one
    is the mean of the two that its pixels had.

    Args:
        planes: Y, U, V as `Frame` has them.
        orientation: what to do.
        pool: where the turned planes are put.

    Returns:
        The turned planes; the given ones when they are upright.
    """
    if orientation is Orientation.UPRIGHT:
        return planes
    luma, *chroma = planes
    height, width = luma.shape
    if orientation.flips_columns and width % 2:
        chroma = [_shifted(plane, pool) for plane in chroma]
    if orientation.flips_rows and height % 2:
        chroma = [_shifted(plane.T, pool).T for plane in chroma]
    y, u, v = (_turned(plane, orientation, pool) for plane in (luma, *chroma))
    return y, u, v


def _shifted(plane: Plane, pool: Pool) -> Plane:
    """Chroma half a sample further right: each column's mean with the column before it."""
    result = pool.array(plane.shape)
    result[:, 0] = plane[:, 0]
    if plane.shape[1] > 1:
        cv2.addWeighted(plane[:, 1:], 0.5, plane[:, :-1], 0.5, 0.0, dst=result[:, 1:])
    return result


def _turned(plane: Plane, orientation: Orientation, pool: Pool) -> Plane:
    if orientation.transposes:
        result = pool.array(plane.shape[::-1])
        cv2.transpose(plane, dst=result)
        down, across = orientation.flips_columns, orientation.flips_rows
        if not (down or across):
            return result
        plane = result
    else:
        result = pool.array(plane.shape)
        down, across = orientation.flips_rows, orientation.flips_columns
    cv2.flip(plane, -1 if down and across else 0 if down else 1, dst=result)
    return result
