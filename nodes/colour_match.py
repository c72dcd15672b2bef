"""The person's light and colours moved towards those of the picture that they are laid over."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from pullfx.nodes.tone import Table, Tables
from pullfx.pipeline.frame import Frame, Plane, Range
from pullfx.pipeline.node import UNCHANGED, node

# What is done at an amount of 1 and no more, chosen by eye on people of all skins before beaches,
# rooms and nights: beyond, skin is no longer skin. Of the difference between two pictures only a
# part is their light; the rest is what is in them, and a meadow makes nobody green.
_BRIGHTNESS: Final = 0.6  # part of the difference of the means
_MOST_BRIGHTNESS: Final = 1.5  # exponent of a curve that leaves black and white where they are
_CONTRAST: Final = 0.5
_MOST_CONTRAST: Final = 1.15
_COLOUR: Final = 0.5
_MOST_COLOUR: Final = 10.0  # codes

# Rows and columns that are looked at.
_ROWS: Final = 96

# Part of a change that a frame follows: half of it in a third of a second. And the change in codes
# from which on it is followed at all, so that a picture that stands still costs nothing.
_STEP: Final = 0.07
_STANDS: Final = 1.0


class Colours(NamedTuple):
    """The colours of a whole picture.

    Attributes:
        means: of Y, U and V, in codes.
        deviation: of Y, in codes.
        range: codes in use.
    """

    means: tuple[float, float, float]
    deviation: float
    range: Range

    def is_near(self, other: Colours) -> bool:
        """Whether nobody would see the difference."""
        pairs = zip((*self.means, self.deviation), (*other.means, other.deviation), strict=True)
        return self.range is other.range and all(abs(a - b) < _STANDS for a, b in pairs)

    def nearer(self, other: Colours) -> Colours:
        """These, a step on their way to others."""
        y, u, v = (a + _STEP * (b - a) for a, b in zip(self.means, other.means, strict=True))
        deviation = self.deviation + _STEP * (other.deviation - self.deviation)
        return Colours((y, u, v), deviation, other.range)


@node
class SteadyColours:
    """The colours of a picture, without haste, so that a hand that passes changes nothing."""

    def __init__(self) -> None:
        self._colours: Colours | None = None

    def __call__(self, picture: Frame, amount: float) -> Colours:
        """The colours, or that they stand.

        Args:
            picture: of any size.
            amount: of the match; at 0 nobody needs them, and they are not looked for.
        """
        before = self._colours
        if before is not None and amount == 0:
            return UNCHANGED  # type: ignore[no-any-return]  # stands for the value before
        now = _colours_of(picture)
        if before is not None and before.is_near(now):
            return UNCHANGED  # type: ignore[no-any-return]
        self._colours = now if before is None else before.nearer(now)
        return self._colours

    def reset(self) -> None:
        """Takes the next picture's colours at once."""
        self._colours = None


@node
def matching_tables(seen: Colours, behind: Colours, amount: float) -> Tables:
    """Tables that make a person who stood in one picture look at home in another.

    Means and deviation are matched as in Reinhard et al., "Color Transfer between Images" (IEEE
    CG&A 2001), within narrow bounds. The two pictures are compared as a whole, since the means of
    the person alone tell more of skin and clothes than of the light on them.

    Args:
        seen: the picture that the person stood in.
        behind: the one that they are laid over, which uses the same codes.
        amount: 0 to 1; 0 changes nothing.
    """
    if amount == 0:
        return Tables()
    _, u, v = (there - here for here, there in zip(seen.means, behind.means, strict=True))
    return Tables(_light(seen, behind, amount), _shifted(u, amount), _shifted(v, amount))


def _colours_of(picture: Frame) -> Colours:
    y, u, v = (cv2.meanStdDev(_thinned(plane)) for plane in picture.planes)
    return Colours((y[0].item(), u[0].item(), v[0].item()), y[1].item(), picture.range)


def _thinned(plane: Plane) -> Plane:
    height, width = plane.shape
    few = plane[:: max(1, height // _ROWS), :: max(1, width // _ROWS)]
    return np.ascontiguousarray(few)  # as OpenCV wants it; 15 KB


def _light(seen: Colours, behind: Colours, amount: float) -> Table:
    low, high = (16, 235) if seen.range is Range.LIMITED else (0, 255)
    before, after = (
        min(max((colours.means[0] - low) / (high - low), 0.05), 0.95) for colours in (seen, behind)
    )
    wanted = before + amount * _BRIGHTNESS * (after - before)
    exponent = _bounded(math.log(wanted) / math.log(before), _MOST_BRIGHTNESS**amount)
    ratio = (behind.deviation + 1) / (seen.deviation + 1)
    contrast = _bounded(ratio ** (amount * _CONTRAST), _MOST_CONTRAST**amount)
    codes = np.clip((np.arange(256) - low) / (high - low), 0, 1) ** exponent
    middle = before**exponent
    return _rounded(low + (high - low) * np.clip(middle + contrast * (codes - middle), 0, 1))


def _shifted(difference: float, amount: float) -> Table:
    most = amount * _MOST_COLOUR
    shift = round(min(max(amount * _COLOUR * difference, -most), most))
    return _rounded(np.arange(256.0) + shift)


def _bounded(factor: float, most: float) -> float:
    return min(max(factor, 1 / most), most)


def _rounded(values: NDArray[np.floating]) -> Table:
    return np.asarray(np.clip(np.rint(values), 0, 255), np.uint8)
