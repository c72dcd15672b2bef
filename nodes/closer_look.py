"""A second look at people who are small in the picture.

A network sees the whole frame in some 256x144 pixels, and someone far from the camera in few of
them. Cut out, the same person fills them all. On the labelled moving clip the error of the alpha
(SAD) falls by 0.29; made smaller, to 0.45 or 0.3 of its size, by 0.7 and 0.78
(tests/test_closer_look.py).
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil
from typing import Final, NamedTuple

import cv2
import numpy as np

from pullfx import kernels
from pullfx.nodes.downscale import downscale
from pullfx.nodes.types import Image, Mask, Reduced, Size
from pullfx.pipeline.frame import Frame, Plane
from pullfx.pipeline.node import UNCHANGED, node
from pullfx.pipeline.pool import HEAP, Pool

# Of the people's box, on each side: what is cut out with them, and what has to be left of that
# before another region is taken.
_MARGIN: Final = 0.25
_LEAST_MARGIN: Final = 0.08
# Of the frame's sides, what a region has at least: a little that is seen may belong to more.
_LEAST_SIDE: Final = 0.3
# Larger than its people by this, a region no longer brings what it could.
_TOO_WIDE: Final = 1.7
# Of the frame's area, from which on a second look would see no more than the first.
_NEARLY_ALL: Final = 0.6
# From which on there may be a person: of one who is far away the first look is never sure.
_PERHAPS: Final = 40
# Pixels in which regions are measured: sides that have much in common with the network's are made
# small sooner.
_GRAIN: Final = 32
# Where a region ends within the picture, its mask fades into the whole one's, over this part of it.
_FADE: Final = 0.06


class Region(NamedTuple):
    """A part of a frame in pixels; even, so that chroma has it too, but at the frame's odd ends."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def size(self) -> Size:
        """Width and height."""
        return Size(self.right - self.left, self.bottom - self.top)


@node
class FollowPeople:
    """The region of a frame with all its people, which stands still for as long as it serves."""

    def __init__(self) -> None:
        self._region: Region | None = None

    def __call__(self, mask: Mask, frame: Frame) -> Region:
        """The region.

        Args:
            mask: the frame's.
            frame: gives the size.

        Returns:
            The whole frame where nobody is in it, or people are nearly everywhere.
        """
        region = self._next(mask, Size(frame.width, frame.height))
        if region == self._region:
            return UNCHANGED  # type: ignore[no-any-return]  # stands for the value before
        self._region = region
        return region

    def reset(self) -> None:
        """Forgets where people were."""
        self._region = None

    def _next(self, mask: Mask, frame: Size) -> Region:
        whole = Region(0, 0, frame.width, frame.height)
        people = _bounds(mask, frame)
        if people is None:
            return whole
        now = self._region
        wanted = _around(people, _MARGIN, _LEAST_SIDE, frame)
        if now is not None and now != whole:
            needed = _around(people, _LEAST_MARGIN, 0, frame)
            if _encloses(now, needed) and _area(now) <= _TOO_WIDE * _area(wanted):
                return now
        return whole if _area(wanted) > _NEARLY_ALL * _area(whole) else wanted


@node
class LookCloser:
    """The region as RGB, for a network; stands where there is nothing to see closer."""

    def __init__(self) -> None:
        self._looked = False

    def __call__(
        self,
        frame: Frame,
        reduced: Reduced,
        region: Region,
        sizes: tuple[Size, ...],
        pool: Pool = HEAP,
    ) -> Image:
        """The picture of the region, of the size whose shape is nearest.

        Args:
            frame: the picture.
            reduced: the same in small.
            region: the part of it.
            sizes: what the network takes.
            pool: where the result comes from.

        Returns:
            RGB picture, see `downscale`.
        """
        if self._looked and region.size == (frame.width, frame.height):
            return UNCHANGED  # type: ignore[no-any-return]  # stands for the value before
        self._looked = True
        half = reduced.half[_half(region)]
        return downscale(cut(frame, region), reduced._replace(half=half), sizes, pool)

    def reset(self) -> None:
        """The next picture is looked at whatever it is."""
        self._looked = False


@node
def join_looks(mask: Mask, detail: Mask, region: Region, frame: Frame, pool: Pool = HEAP) -> Mask:
    """The mask with what a second look saw in its place.

    Args:
        mask: that of the whole frame.
        detail: that of the region, of any size.
        region: where the second look was.
        frame: gives the size.
        pool: where the result comes from.

    Returns:
        uint8 of the size of `mask`; `mask` itself where the region is the whole frame.
    """
    if region.size == (frame.width, frame.height):
        return mask
    height, width = mask.shape
    out = pool.array(mask.shape)
    np.copyto(out, mask)
    across, down = width / frame.width, height / frame.height
    left, right = round(region.left * across), round(region.right * across)
    top, bottom = round(region.top * down), round(region.bottom * down)
    size = Size(right - left, bottom - top)
    # Not from the pool, which would keep memory for every size that a region ever had.
    seen = np.empty((size.height, size.width), np.uint8)
    kernels.resize_area(detail, seen)
    fade = _fade(size, (left > 0, top > 0, right < width, bottom < height))
    place = out[top:bottom, left:right]
    kernels.blend(seen, place, fade, place)
    return Mask(out)


def cut(frame: Frame, region: Region) -> Frame:
    """The part of a frame, as views."""
    y = frame.y[region.top : region.bottom, region.left : region.right]
    u, v = frame.u[_half(region)], frame.v[_half(region)]
    return frame.replace(y=y, u=u, v=v)


def _half(region: Region) -> tuple[slice, slice]:
    """The region in planes of half the size."""
    rows = slice(region.top // 2, (region.bottom + 1) // 2)
    return rows, slice(region.left // 2, (region.right + 1) // 2)


def _bounds(mask: Mask, frame: Size) -> Region | None:
    """The box of all people, in pixels of the frame."""
    _, people = cv2.threshold(mask, _PERHAPS - 1, 255, cv2.THRESH_BINARY)
    left, top, width, height = cv2.boundingRect(people)
    if width == 0:
        return None
    across, down = frame.width / mask.shape[1], frame.height / mask.shape[0]
    return Region(
        int(left * across),
        int(top * down),
        ceil((left + width) * across),
        ceil((top + height) * down),
    )


def _around(box: Region, margin: float, least: float, frame: Size) -> Region:
    """The box with a margin, of a least size, as far as the frame goes."""
    across, down = (
        round(max(margin * own, (least * whole - own) / 2))
        for own, whole in zip(box.size, frame, strict=True)
    )

    def low(value: int) -> int:
        return max(0, value // _GRAIN * _GRAIN)

    def high(value: int, end: int) -> int:
        return min(end, -(-value // _GRAIN) * _GRAIN)

    return Region(
        low(box.left - across),
        low(box.top - down),
        high(box.right + across, frame.width),
        high(box.bottom + down, frame.height),
    )


def _encloses(outer: Region, inner: Region) -> bool:
    return (
        outer.left <= inner.left
        and outer.top <= inner.top
        and outer.right >= inner.right
        and outer.bottom >= inner.bottom
    )


def _area(region: Region) -> int:
    width, height = region.size
    return width * height


@lru_cache(maxsize=16)
def _fade(size: Size, ends: tuple[bool, bool, bool, bool]) -> Plane:
    """Weights of a second look: 255, falling to 0 at those ends where the picture goes on."""
    sides = []
    for count, begins, stops in ((size.width, *ends[::2]), (size.height, *ends[1::2])):
        place = np.arange(count, dtype=np.float32) + 0.5
        reach = max(1.0, _FADE * count)
        rise = np.minimum(place / reach if begins else 1, (count - place) / reach if stops else 1)
        sides.append(np.minimum(rise, 1) * np.ones(count, np.float32))
    return np.asarray(np.multiply.outer(sides[1] * 255, sides[0]), np.uint8)
