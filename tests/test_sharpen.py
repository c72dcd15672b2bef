"""Sharper luma, with bounds on halos and noise."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from made_frames import SIZES, frame_of, noise

from pullfx import Pipeline
from pullfx.effects import Sharpen
from pullfx.nodes import sharpen, sharpening_table
from pullfx.pipeline.formats import PixelFormat, frame_from_array
from pullfx.pipeline.frame import Frame

STRENGTHS = (0.2, 0.4, 0.7, 1.0)


def portrait(media: Path, name: str) -> Frame:
    picture = cv2.imread(str(media / "calib" / name))
    return frame_from_array(np.asarray(picture, np.uint8), PixelFormat.BGR24)


def detail(frame: Frame) -> float:
    """The mean difference from what is around."""
    return float(np.abs(frame.y.astype(float) - cv2.GaussianBlur(frame.y, (0, 0), 2)).mean())


@pytest.mark.parametrize("name", ["easyportrait_01.png", "easyportrait_20.png"])
def test_more_strength_is_more_detail(media: Path, name: str) -> None:
    frame = portrait(media, name)
    details = [detail(sharpen(frame, sharpening_table(strength))) for strength in (0.0, *STRENGTHS)]
    assert details[0] == detail(frame)
    assert (np.diff(details) > 0).all()
    assert details[-1] > 1.15 * details[0]


@pytest.mark.parametrize("strength", STRENGTHS)
@pytest.mark.parametrize(("dark", "light"), [(20, 230), (60, 120), (100, 118)])
def test_halos_are_bounded(strength: float, dark: int, light: int) -> None:
    """Beside an edge nothing is darker or lighter than before by more than 8 % of white."""
    y = np.full((90, 160), dark, np.uint8)
    y[:, 80:] = light
    out = sharpen(frame_of(y), sharpening_table(strength)).y.astype(int)
    assert out.min() >= dark - 20 * strength
    assert out.max() <= light + 20 * strength


@pytest.mark.parametrize("strength", STRENGTHS)
def test_noise_is_not_raised(strength: float) -> None:
    random = np.random.default_rng(1)
    y = np.rint(110 + random.normal(0, 1.0, (240, 320))).astype(np.uint8)
    out = sharpen(frame_of(y), sharpening_table(strength)).y
    assert out.astype(float).std() < 1.1 * y.astype(float).std()


def test_flat_and_smooth_parts_stay_as_they_are() -> None:
    y = np.repeat(np.linspace(20, 230, 640).astype(np.uint8)[None], 90, 0)
    np.testing.assert_array_equal(sharpen(frame_of(y), sharpening_table(1.0)).y, y)


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_any_size_and_colours_stay(width: int, height: int) -> None:
    frame = noise(width, height)
    out = Pipeline([Sharpen()]).process(frame, strict=True)
    np.testing.assert_array_equal(out.u, frame.u)
    np.testing.assert_array_equal(out.v, frame.v)
    assert out.y.shape == (height, width)
