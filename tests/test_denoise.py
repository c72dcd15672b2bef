"""Noise held back in time, and what moves left as it is."""

from __future__ import annotations

from pathlib import Path

import av
import cv2
import numpy as np
import pytest
from made_frames import SIZES, frame_of, noise
from numpy.typing import NDArray

from pullfx import Pipeline
from pullfx.effects import Denoise
from pullfx.nodes import denoising
from pullfx.pipeline.formats import frame_from_av
from pullfx.pipeline.frame import Frame

Floats = NDArray[np.float64]


def with_noise(frame: Frame, deviation: float, seed: int) -> Frame:
    random = np.random.default_rng(seed)
    planes = [
        np.asarray(np.rint(plane + random.normal(0, deviation, plane.shape)).clip(0, 255), np.uint8)
        for plane in frame.planes
    ]
    return frame.replace(y=planes[0], u=planes[1], v=planes[2])


def shown(effect: Denoise, frames: list[Frame]) -> list[Floats]:
    pipe = Pipeline([effect])
    return [pipe.process(frame, strict=True).y.astype(np.float64) for frame in frames]


@pytest.fixture(scope="module")
def clip(media: Path) -> list[Frame]:
    """A man who moves his hands before a wall that stands still."""
    with av.open(str(media / "video" / "intelasl_again_640x480_yuvj420p.mkv")) as video:
        frames = zip(video.decode(video=0), range(40), strict=False)
        return [frame_from_av(frame) for frame, _ in frames]


@pytest.mark.parametrize(("strength", "left"), [(0.3, 0.85), (0.5, 0.6), (1.0, 0.5)])
def test_noise_of_what_stands_still_goes(clip: list[Frame], strength: float, left: float) -> None:
    """`left` is what may be left of it."""
    frames = [with_noise(clip[0], 3, seed) for seed in range(25)]
    clean = clip[0].y.astype(np.float64)
    calm = shown(Denoise(strength=strength), frames)
    before = np.abs(frames[-1].y - clean).mean()
    assert np.abs(calm[-1] - clean).mean() < left * before
    flicker = np.abs(calm[-1] - calm[-2]).mean()
    assert flicker < left * np.abs(frames[-1].y - frames[-2].y.astype(float)).mean()


@pytest.mark.parametrize("strength", [0.5, 1.0])
def test_moving_hands_leave_no_trail(clip: list[Frame], strength: float) -> None:
    """Where something moves, the picture is as near to the noiseless one as it came."""
    noisy = [with_noise(frame, 2, seed) for seed, frame in enumerate(clip)]
    calm = shown(Denoise(strength=strength), noisy)
    soft = [cv2.GaussianBlur(frame.y, (0, 0), 2).astype(float) for frame in clip]
    looked_at = 0
    for number in range(1, len(clip)):
        moving = np.abs(soft[number] - soft[number - 1]) > 6
        if moving.sum() < 500:
            continue
        looked_at += 1
        trail = cv2.GaussianBlur(calm[number] - clip[number].y, (0, 0), 2)[moving]
        own = cv2.GaussianBlur(noisy[number].y - clip[number].y.astype(float), (0, 0), 2)[moving]
        assert np.abs(trail).mean() < np.abs(own).mean() + 0.3
    assert looked_at > 10


def test_a_faint_thing_that_moves_leaves_no_trail() -> None:
    """Eight codes lighter than the wall, less than the noise that is taken away."""
    frames, places = [], range(100, 400, 12)
    for place in places:
        y = np.full((360, 640), 120, np.uint8)
        y[100:220, place : place + 80] = 128
        frames.append(frame_of(y))
    calm = shown(Denoise(strength=1.0), frames)
    assert np.abs(calm[-1] - frames[-1].y).max() <= 1


def test_light_that_changes_slowly_is_followed() -> None:
    frames = [frame_of(np.full((90, 160), 100 + number // 3, np.uint8)) for number in range(90)]
    for before, after in zip(frames, shown(Denoise(strength=1.0), frames), strict=True):
        assert np.abs(after - before.y).max() <= 1


def test_strength_0_changes_nothing() -> None:
    frames = [noise(64, 48, seed) for seed in range(3)]
    for before, after in zip(frames, shown(Denoise(strength=0.0), frames), strict=True):
        np.testing.assert_array_equal(after, before.y)


@pytest.mark.parametrize("strength", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("noise_there", [1.0, 4.0, 16.0])
def test_the_table_keeps_between_the_two(strength: float, noise_there: float) -> None:
    table = denoising(strength, noise_there).table.reshape(256, 256).astype(int)
    current, previous = np.arange(256)[:, None], np.arange(256)[None, :]
    assert (table >= np.minimum(current, previous)).all()
    assert (table <= np.maximum(current, previous)).all()
    far = np.abs(current - previous) >= 6 * noise_there + 1
    assert (table == current)[far].all()


@pytest.mark.parametrize("deviation", [2, 6, 12])
def test_the_more_noise_the_more_is_held_back(clip: list[Frame], deviation: float) -> None:
    frames = [with_noise(clip[0], deviation, seed) for seed in range(25)]
    clean = clip[0].y.astype(np.float64)
    calm = shown(Denoise(), frames)
    assert np.abs(calm[-1] - clean).mean() < 0.65 * np.abs(frames[-1].y - clean).mean()


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_any_size(width: int, height: int) -> None:
    for _ in range(2):
        assert len(shown(Denoise(), [noise(width, height, seed) for seed in range(3)])) == 3


def test_in_steady_state_nothing_is_allocated() -> None:
    pipe = Pipeline([Denoise()])
    frames = [noise(320, 240, seed) for seed in range(4)]
    for frame in frames * 2:
        pipe.process(frame, strict=True)
    before = pipe.stats().allocations
    for frame in frames * 3:
        pipe.process(frame, strict=True)
    assert pipe.stats().allocations == before
