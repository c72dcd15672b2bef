"""What the whole effect may not do to a picture, each held to a number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path

import av
import cv2
import numpy as np
import pytest
from made_frames import Plane, disc, enlarged, frame_of, matte_of, network_mask
from numpy.typing import NDArray

from pullfx import Pipeline
from pullfx.effects import BackgroundBlur, ShowMask
from pullfx.nodes import (
    Mask,
    Matte,
    Segment,
    blur_background,
    composite,
    downscale,
    expose,
    main_person,
    reduce,
    refine,
)
from pullfx.pipeline.formats import PixelFormat, frame_from_array, frame_from_av
from pullfx.pipeline.frame import Frame

STRENGTHS = (0.0, 0.3, 0.6, 1.0)


def effect(frame: Frame, matte: Matte, strength: float) -> Frame:
    """Background blur with a known matte."""
    return composite(frame, blur_background(reduce(frame), matte, strength), matte)


def alpha(frame: Frame, mask: Mask) -> Plane:
    """What is painted with, at full size."""
    return enlarged(refine(mask, frame, reduce(frame), 1.0), frame.width, frame.height)


def picture(path: Path) -> Frame:
    return frame_from_array(np.asarray(cv2.imread(str(path)), np.uint8), PixelFormat.BGR24)


def decoded(path: Path) -> list[Frame]:
    with av.open(str(path)) as video:
        return [frame_from_av(frame) for frame in video.decode(video=0)]


def overlap(one: Plane, other: Plane) -> float:
    """Intersection over union, cut at one half."""
    a, b = one >= 128, other >= 128
    return float((a & b).sum() / max(1, (a | b).sum()))


@pytest.mark.parametrize("strength", STRENGTHS)
@pytest.mark.parametrize(("width", "height"), [(640, 360), (1280, 720), (1920, 1080)])
def test_a_white_disc_leaves_no_ring_on_black(width: int, height: int, strength: float) -> None:
    shape = disc(width, height)
    frame = frame_of(shape * np.uint8(255))
    matte = matte_of(shape)
    out = effect(frame, matte, strength)
    outside = cv2.dilate(shape, np.ones((7, 7), np.uint8)) == 0  # no pixel there has any alpha
    assert enlarged(matte, width, height)[outside].max() == 0
    assert out.y[outside].max() < 5


@pytest.mark.parametrize("strength", STRENGTHS)
def test_a_pixel_under_full_mask_keeps_its_value(strength: float) -> None:
    random = np.random.default_rng(4)
    half = (360, 640)
    frame = frame_of(
        random.integers(0, 256, (720, 1280), np.uint8),
        random.integers(0, 256, half, np.uint8),
        random.integers(0, 256, half, np.uint8),
    )
    matte = Matte(np.asarray(cv2.GaussianBlur(matte_of(disc(1280, 720)), (0, 0), 3), np.uint8))
    out = effect(frame, matte, strength)
    person = enlarged(matte, 1280, 720) == 255
    assert person.sum() > 50_000
    np.testing.assert_array_equal(out.y[person], frame.y[person])
    np.testing.assert_array_equal(out.u[matte == 255], frame.u[matte == 255])
    np.testing.assert_array_equal(out.v[matte == 255], frame.v[matte == 255])


@pytest.mark.parametrize(("width", "height"), [(640, 480), (853, 479), (1280, 720), (1920, 1080)])
def test_a_person_who_touches_the_border_is_whole_up_to_it(width: int, height: int) -> None:
    shape = np.zeros((height, width), np.uint8)
    shape[height // 3 :, width // 2 :] = 1
    random = np.random.default_rng(1)
    texture = random.integers(0, 60, (height, width), np.uint8)
    mask = alpha(frame_of(np.where(shape, 150 + texture, 20 + texture)), network_mask(shape))
    inner = np.s_[width * 3 // 4 : width], np.s_[height * 2 // 3 : height]
    assert mask[-3:, inner[0]].min() >= 0.95 * 255
    assert mask[inner[1], -3:].min() >= 0.95 * 255


@pytest.mark.parametrize("slope", [0.1, 0.3, 0.8])
def test_a_slanted_edge_has_no_steps(slope: float) -> None:
    rows, columns = np.indices((720, 1280))
    shape = (columns - 400 > rows * slope).astype(np.uint8)
    random = np.random.default_rng(2)
    y = np.where(shape, np.uint8(120), np.uint8(90)) + random.integers(0, 9, (720, 1280), np.uint8)
    mask = alpha(frame_of(np.asarray(y, np.uint8)), network_mask(shape))
    crossing = (mask >= 128).argmax(axis=1)[20:-20]
    line = np.polynomial.Polynomial.fit(np.arange(crossing.size), crossing, 1)
    assert np.abs(crossing - line(np.arange(crossing.size))).max() < 4


def test_two_persons_are_both_kept_or_only_the_main_one(media: Path) -> None:
    """Two selfies side by side, the second one smaller."""
    one, other = (
        np.asarray(cv2.imread(str(media / "pairs" / f"easyportrait_{name}.png")), np.uint8)
        for name in ("p1", "p2")
    )
    room = np.full((one.shape[0], 80, 3), one[0, -1], np.uint8)
    small = np.full_like(one[:, : other.shape[1]], other[0, 0])
    small[60:, 40:] = other[: one.shape[0] - 60, : other.shape[1] - 40]
    frame = frame_from_array(np.hstack([one, room, small]), PixelFormat.BGR24)
    segment = Segment()
    mask = segment(downscale(frame, reduce(frame), segment.sizes))
    both = alpha(frame, mask) >= 128
    left, right = np.s_[:, : one.shape[1] + 40], np.s_[:, one.shape[1] + 40 :]
    assert both[left].mean() > 0.3
    assert both[right].mean() > 0.2
    main = alpha(frame, main_person(mask)) >= 128
    assert overlap(main[left] * np.uint8(255), both[left] * np.uint8(255)) > 0.95
    assert main[right].mean() < 0.02


LIGHTS: dict[str, Callable[[NDArray[np.float64], np.random.Generator], NDArray[np.float64]]] = {
    "gamma 0.4": lambda y, _: 255 * (y / 255) ** 0.4,
    "gamma 0.6": lambda y, _: 255 * (y / 255) ** 0.6,
    "gamma 1.6": lambda y, _: 255 * (y / 255) ** 1.6,
    "gamma 2.5": lambda y, _: 255 * (y / 255) ** 2.5,
    "x0.12 with noise": lambda y, random: y * 0.12 + random.normal(0, 2, y.shape),
}


@pytest.mark.parametrize("light", LIGHTS)
def test_another_light_finds_the_same_person(media: Path, light: str) -> None:
    random = np.random.default_rng(3)
    segment = Segment()
    overlaps = []
    for path in sorted((media / "pairs").glob("easyportrait_p?.png")):
        pixels = np.asarray(cv2.imread(str(path)), np.uint8)
        lit = np.clip(np.rint(LIGHTS[light](pixels.astype(float), random)), 0, 255)
        mattes = [
            alpha(frame, segment(expose(downscale(frame, reduce(frame), segment.sizes))))
            for frame in (
                frame_from_array(pixels, PixelFormat.BGR24),
                frame_from_array(lit.astype(np.uint8), PixelFormat.BGR24),
            )
        ]
        overlaps.append(overlap(*mattes))
    assert np.mean(overlaps) >= 0.9


def shown_masks(smoothing: float, frames: list[Frame]) -> list[Plane]:
    """The masks of a stream of frames, 0 to 255."""
    pipe = Pipeline([ShowMask(smoothing=smoothing)])
    # Shown as grey in limited range, 16 to 235.
    codes = [pipe.process(frame, strict=True).y.astype(float) - 16 for frame in frames]
    return [np.rint(code * (255 / 219)).astype(np.uint8) for code in codes]


@dataclass(frozen=True)
class Followed:
    """A clip with labels: the masks with and without smoothing, uint8 [frames, height, width]."""

    labels: list[Plane]
    masks: dict[float, list[Plane]]

    @classmethod
    def through(cls, pairs: Path, name: str, frames: int) -> Followed:
        """The first frames of a clip."""
        with av.open(str(pairs / f"{name}_alpha.mkv")) as video:
            labels = [
                np.asarray(frame.to_ndarray(format="gray"), np.uint8)
                for frame in islice(video.decode(video=0), frames)
            ]
        masks = {}
        for smoothing in (0.0, BackgroundBlur().smoothing):
            masks[smoothing] = shown_masks(smoothing, decoded(pairs / f"{name}.mp4")[:frames])
        return cls(labels, masks)


def changing(masks: list[Plane]) -> float:
    """The share of pixels that change by more than 0.2 from one frame to the next."""
    pairs = pairwise(mask.astype(np.int16) for mask in masks)
    return float(np.mean([(np.abs(after - before) > 0.2 * 255).mean() for before, after in pairs]))


def test_the_mask_is_of_this_frame_and_not_of_one_before(media: Path) -> None:
    """On a person who slides sideways, the mask fits the labels of its own frame best."""
    clip = Followed.through(media / "pairs", "gs_motion", 40)
    raw, smooth = clip.masks.values()

    def fit(masks: list[Plane], lag: int) -> float:
        numbers = range(3, len(masks) - 3)
        return float(np.mean([overlap(masks[n], clip.labels[n - lag]) for n in numbers]))

    assert max(range(-2, 3), key=lambda lag: fit(smooth, lag)) == 0
    assert fit(smooth, 0) >= fit(raw, 0) - 0.01


def test_the_mask_of_a_person_who_sits_still_changes_no_more_than_the_person(media: Path) -> None:
    clip = Followed.through(media / "pairs", "gs_static", 40)
    raw, smooth = map(changing, clip.masks.values())
    assert smooth < raw
    assert smooth <= changing(clip.labels)


def test_smoothing_halves_the_flicker_of_a_frozen_frame_with_noise(media: Path) -> None:
    frame = decoded(media / "pairs" / "gs_static.mp4")[0]
    random = np.random.default_rng(6)
    noisy = [
        frame.replace(
            y=np.clip(np.rint(frame.y + random.normal(0, 3, frame.y.shape)), 0, 255).astype(
                np.uint8
            )
        )
        for _ in range(12)
    ]
    raw, smooth = (
        changing(shown_masks(smoothing, noisy)) for smoothing in (0.0, BackgroundBlur().smoothing)
    )
    assert smooth <= 0.5 * raw
