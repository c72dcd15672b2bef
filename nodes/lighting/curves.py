"""Curves of luma that make it lighter and clip nothing, and their tables."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pullfx.nodes.lighting.codes import CODES, Codes
from pullfx.nodes.lighting.light import Light
from pullfx.nodes.tone import Tables
from pullfx.pipeline.frame import Range
from pullfx.pipeline.node import node

Floats = NDArray[np.float64]

# Up to here a curve is straight where the whole picture is dark, so that contrasts stay; the second
# is for the dark part of a picture, where some of what is light is lifted too.
_STRAIGHT: Final = 0.65
_STRAIGHT_LIFT: Final = 0.45
# Highlights at which it begins to be.
_DARK: Final = (1.0, 0.5)
# Nothing becomes lighter than this at the subject's luma.
_LIGHTEST: Final = 0.9
# How much of what luma gains, colour does: a little less, as its noise is the coarser.
_COLOURFUL: Final = 0.9
# Less than this many stops is no change.
_LEAST: Final = 0.01
_MOST_GAIN: Final = 30.0


class Curve:
    """Luma of 0..1 to luma of 0..1: straight up to a knee, then bent so that 1 stays 1.

    Below the knee luma is multiplied by the gain. Above it is a rational function of the same
    slope, so that nothing is clipped, and order is kept.

    Attributes:
        gain: slope at black; below 1 makes darker.
        knee: luma of the result up to which the curve is straight.
        veil: luma that becomes black.
    """

    def __init__(self, gain: float = 1.0, knee: float = 0.0, veil: float = 0.0) -> None:
        self.gain = gain
        self.knee = min(knee, gain)
        self.veil = veil

    def __call__(self, luma: Floats) -> Floats:
        """The luma that each becomes."""
        above_veil = np.maximum(luma - self.veil, 0) / (1 - self.veil)
        straight = self.gain * above_veil
        start = self.knee / self.gain
        if start >= 1:
            return straight
        place = np.maximum(above_veil - start, 0) / (1 - start)
        slope = (self.gain - self.knee) / (1 - self.knee)
        bent = self.knee + (1 - self.knee) * slope * place / (1 + (slope - 1) * place)
        return np.where(above_veil < start, straight, bent)

    def at(self, luma: float) -> float:
        """The luma that one becomes."""
        return float(self(np.array([luma]))[0])


def curve_through(luma: float, wanted: float, knee: float = 0.0, veil: float = 0.0) -> Curve:
    """The curve that makes one luma another, by bisection."""
    low, high = 1 / _MOST_GAIN, _MOST_GAIN
    for _ in range(24):
        gain = (low * high) ** 0.5
        if Curve(gain, knee, veil).at(luma) < wanted:
            low = gain
        else:
            high = gain
    return Curve(gain, knee, veil)


def exposure_curve(light: Light) -> Curve:
    """What becomes of luma all over the picture."""
    if abs(light.exposure) < _LEAST:
        return Curve(veil=light.veil)
    dark = min(max((_DARK[0] - light.bright) / (_DARK[0] - _DARK[1]), 0.0), 1.0)
    wanted = min(light.subject * 2**light.exposure, _LIGHTEST)
    return curve_through(light.subject, wanted, _STRAIGHT * dark, light.veil)


def lift_curve(light: Light) -> Curve:
    """What becomes of luma where it is lifted, after `exposure_curve`."""
    if light.lift < _LEAST:
        return Curve()
    subject = exposure_curve(light).at(light.subject)
    wanted = min(subject * 2**light.lift, _LIGHTEST)
    return curve_through(subject, wanted, _STRAIGHT_LIFT)


@node
def light_tables(light: Light) -> Tables:
    """The tables for what becomes of the whole picture; none where nothing does.

    Args:
        light: the change of light.
    """
    curve = exposure_curve(light)
    if curve.gain == 1 and curve.veil < _LEAST:
        return Tables()
    return tables_of(curve, light.subject, light.range)


def tables_of(curve: Curve, subject: float, range: Range) -> Tables:
    """A curve as tables; colours gain what they do at the subject's luma.

    Args:
        curve: what becomes of luma.
        subject: luma whose colours keep their strength in proportion to it.
        range: which codes the picture uses.
    """
    codes = CODES[range]
    luma = (np.arange(256) - codes.black) / codes.luma
    inside = luma.clip(0, 1)
    # Codes beyond black and white stay as far beyond.
    y = codes.black + codes.luma * (curve(inside) + luma - inside)
    gain = 1 + _COLOURFUL * (curve.at(subject) / max(subject, 0.01) - 1)
    chroma = _stronger(max(gain, 0.0), codes)
    return Tables(_codes(y), chroma, chroma)


def _stronger(gain: float, codes: Codes) -> NDArray[np.uint8]:
    """Colours as much stronger, up to the strongest there are, which stay."""
    distance = (np.arange(256) - 128) / (codes.chroma / 2)
    strength = np.abs(distance).clip(0, 1)
    more = distance * gain / (1 + (gain - 1) * strength)
    return _codes(128 + codes.chroma / 2 * more)


def _codes(values: Floats) -> NDArray[np.uint8]:
    return np.rint(values).clip(0, 255).astype(np.uint8)
