"""Where in a frame a face is worked on, and in how small a picture."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from pullfx.nodes.beautify import landmarks
from pullfx.nodes.planes import halve
from pullfx.pipeline.frame import Plane
from pullfx.pipeline.pool import Pool

Mesh = NDArray[np.float32]

# A face is this long or more, and less than twice as much, in the picture in which its skin is
# smoothed. So what counts as texture, and what as a blotch, is a matter of the face, not of pixels.
_LENGTH: Final = 64.0
_LARGEST_SHIFT: Final = 6
# By how much a face must pass a bound before it is worked on at another size.
_HYSTERESIS: Final = 1.12
# Sides are multiples of so many cells, so that few sizes of memory occur.
_STEP: Final = 8
# Around the outline of the face, in its lengths: ears and hairline; and the neck.
_AROUND: Final = 0.2
_BELOW: Final = 0.45


class Place(NamedTuple):
    """A part of a frame, and the small picture that it becomes.

    Attributes:
        left, top: its first pixel of luma, multiples of 2^(shift + 1).
        width, height: in pixels of the small picture, even; may reach beyond the frame.
        shift: one of those pixels for each 2^shift pixels of luma along a side, 1 or more.
    """

    left: int
    top: int
    width: int
    height: int
    shift: int

    def is_within(self, width: int, height: int) -> bool:
        """Whether some of it lies in a frame of that size."""
        return self.left < width and self.top < height


def length_of(mesh: Mesh) -> float:
    """How long a face is, in pixels: the greater of its height and its width, however turned."""
    height = math.dist(mesh[landmarks.TOP], mesh[landmarks.CHIN])
    width = math.dist(mesh[landmarks.RIGHT_SIDE], mesh[landmarks.LEFT_SIDE])
    return max(height, width)


def turn_of(mesh: Mesh) -> float:
    """Where the tip of the nose is between the sides of the face.

    0.5 is a face that looks ahead, 0 its own right side, 1 its left; a profile lies beyond.
    """
    right = mesh[landmarks.RIGHT_SIDE]
    across = mesh[landmarks.LEFT_SIDE] - right
    width = max(float(across @ across), 1.0)
    return float((mesh[landmarks.NOSE_TIP] - right) @ across) / width


def shift_for(length: float, before: int | None) -> int:
    """In how small a picture to work on a face of this length, given how it was before."""
    if before is not None:
        small = length / 2**before / _LENGTH
        if 1 / _HYSTERESIS <= small < 2 * _HYSTERESIS:
            return before
    return min(max(int(math.log2(max(length / _LENGTH, 1))), 1), _LARGEST_SHIFT)


def place_of(mesh: Mesh, shift: int) -> Place:
    """The part of the frame that a face's skin may lie in."""
    outline = mesh[landmarks.OVAL]
    length = length_of(mesh)
    margin, below = _AROUND * length, _BELOW * length
    cell = 2 ** (shift + 1)
    near, far = outline.min(axis=0), outline.max(axis=0)
    left, top = (max(0, int((float(edge) - margin) // cell)) for edge in near)
    width = max(1, math.ceil((float(far[0]) + margin) / cell) - left)
    height = max(1, math.ceil((float(far[1]) + below) / cell) - top)
    return Place(
        left * cell,
        top * cell,
        2 * (-(-width // _STEP) * _STEP),
        2 * (-(-height // _STEP) * _STEP),
        shift,
    )


def cut(plane: Plane, place: Place, shift: int, pool: Pool) -> Plane:
    """The part of a plane in small.

    Args:
        plane: uint8, of the size of the frame's chroma planes.
        place: which part.
        shift: `place.shift`, or 1 more for half of its size.
        pool: where the result comes from.

    Returns:
        uint8 of the place's size in pixels at `shift`; beyond the frame it is as it ends.
    """
    extra = shift - place.shift
    width, height = place.width >> extra, place.height >> extra
    scale = shift - 1
    left, top = place.left // 2, place.top // 2
    part = plane[top : top + (height << scale), left : left + (width << scale)]
    if part.shape != (height << scale, width << scale):
        part = _extended(part, (height << scale, width << scale), pool)
    for _ in range(scale):
        part = halve(part, pool)
    return part


def _extended(part: Plane, shape: tuple[int, int], pool: Pool) -> Plane:
    out = pool.array(shape)
    below, beside = shape[0] - part.shape[0], shape[1] - part.shape[1]
    cv2.copyMakeBorder(part, 0, below, 0, beside, cv2.BORDER_REPLICATE, dst=out)
    return out
