"""What lighting makes of the light of real pictures."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from lit_pictures import (
    BACKLIT,
    BOXES,
    DARK_SKIN,
    DIM,
    PAIRS,
    WELL_LIT,
    backlit,
    coded,
    darkened,
    face_at,
    face_of,
    faces_in,
    frame_of,
    light_of,
    lit,
    off,
    read,
    same,
    tinted,
    with_light,
)

from pullfx.nodes import Faces, reduce
from pullfx.nodes.lighting import WatchScene, in_part, measure_noise

LIT_AGAIN = ("calib/easyportrait_12.png", "calib/intelasl_book_f30.jpg", *DARK_SKIN)


@pytest.mark.parametrize("name", WELL_LIT)
def test_a_well_lit_picture_stays_as_it_is(media: Path, name: str) -> None:
    picture = read(media, name)
    assert off(lit(picture, faces_in(name)), same(picture)) < 2
    assert off(lit(picture, Faces(())), same(picture)) < 2


@pytest.mark.parametrize(
    ("gain", "noise", "left"), [(0.12, 2.0, 0.6), (0.25, 2.0, 0.4), (0.5, 0.0, 0.5)]
)
@pytest.mark.parametrize("name", LIT_AGAIN)
def test_a_dark_picture_comes_back(
    media: Path, name: str, gain: float, noise: float, left: float
) -> None:
    """`left` is what may be left of the difference."""
    picture = read(media, name)
    dark = darkened(picture, gain, noise=noise)
    assert off(lit(dark, faces_in(name)), same(picture)) < left * off(dark, same(picture))


@pytest.mark.parametrize("gain", [0.12, 0.25])
@pytest.mark.parametrize("name", LIT_AGAIN)
def test_a_dark_picture_comes_back_without_a_face(media: Path, name: str, gain: float) -> None:
    picture = read(media, name)
    dark = darkened(picture, gain, noise=2.0)
    assert off(lit(dark, Faces(())), same(picture)) < 0.6 * off(dark, same(picture))


def test_dark_pictures_of_any_gamma_come_nearer(media: Path) -> None:
    before, after = [], []
    for name in WELL_LIT:
        picture = read(media, name)
        dark = darkened(picture, 1.0, gamma=2.5)
        before.append(off(dark, same(picture)))
        after.append(off(lit(dark, faces_in(name)), same(picture)))
        assert after[-1] < before[-1] + 1
    assert np.mean(after) < 0.8 * np.mean(before)


@pytest.mark.parametrize("name", PAIRS)
def test_a_person_before_a_window_is_lifted_and_the_window_is_not(media: Path, name: str) -> None:
    picture, dark = read(media, name), backlit(media, name)
    light = lit(dark, faces_in(name))
    face = face_of(name)
    assert off(light[face], same(picture)[face]) < 0.5 * off(dark[face], same(picture)[face])
    window = dark.min(axis=2) >= 230
    assert window.sum() > 1000
    assert np.abs(light[window].astype(int) - same(dark)[window]).mean() < 6


@pytest.mark.parametrize("name", BACKLIT)
def test_a_real_face_before_light_is_lifted(media: Path, name: str) -> None:
    picture = read(media, name)
    light, face = lit(picture, faces_in(name)), face_of(name)
    assert 1.3 * picture[face].mean() < light[face].mean() < 2.8 * picture[face].mean()
    bright = cv2.GaussianBlur(picture, (0, 0), 4).min(axis=2) > 190
    if bright.any():
        assert np.abs(light[bright].astype(int) - same(picture)[bright]).mean() < 8


@pytest.mark.parametrize("name", DIM)
def test_a_real_dim_room_is_exposed(media: Path, name: str) -> None:
    picture = read(media, name)
    light, face = lit(picture, faces_in(name)), face_of(name)
    assert 1.15 * picture[face].mean() < light[face].mean() < 2.5 * picture[face].mean()


def test_lifting_leaves_no_halo() -> None:
    """A dark disc before a bright wall: up to its edge both stay even, ring by ring."""
    rows, columns = np.indices((720, 1280))
    distance = np.hypot(rows - 360, columns - 640)
    y = np.where(distance < 200, 45.0, 215.0) + np.random.default_rng(1).normal(0, 2, rows.shape)
    picture = coded(np.repeat(y[..., None], 3, axis=2))
    light = lit(picture, face_at(540, 260, 200, 200)).mean(axis=2)
    rings = {
        ring: float(light[(distance >= ring) & (distance < ring + 6)].mean())
        for ring in range(0, 354, 6)
    }
    assert rings[0] > 120
    for ring, value in rings.items():
        if ring not in (192, 198, 204):  # the edge itself
            assert abs(value - rings[max(ring - 6, 0) if ring != 210 else 216]) < 2
        if ring > 204:
            assert value < 215 + 8


CASTS = [(1.25, 1.0, 0.78), (0.75, 1.0, 1.2), (0.88, 1.12, 0.9)]


@pytest.mark.parametrize("cast", CASTS)
def test_coloured_light_becomes_white(media: Path, cast: tuple[float, float, float]) -> None:
    before, after = [], []
    for name in WELL_LIT:
        picture = read(media, name)
        coloured = tinted(picture, *cast)
        before.append(off(coloured, same(picture)))
        after.append(off(lit(coloured, faces_in(name)), same(picture)))
        assert after[-1] < before[-1] + 1.5
    assert np.mean(after) < 0.75 * np.mean(before)


def test_a_coloured_wall_does_not_colour_a_face(media: Path) -> None:
    """A wall of wood behind a face of the colour of skin."""
    name = "calib/easyportrait_02.png"
    picture = read(media, name)
    assert off(lit(picture, face_at(53, 124, 69, 69)), same(picture)) < 2


@pytest.mark.parametrize("name", DARK_SKIN)
@pytest.mark.parametrize("gain", [0.2, 0.5, 1.0])
def test_dark_skin_stays_dark(media: Path, name: str, gain: float) -> None:
    """However dark the picture, skin becomes hardly lighter than it was in good light."""
    picture, face = read(media, name), face_of(name)
    light = lit(darkened(picture, gain), faces_in(name))
    assert light[face].mean() < 1.1 * same(picture)[face].mean()


@pytest.mark.parametrize("name", ["calib/easyportrait_09.png", *LIT_AGAIN])
@pytest.mark.parametrize("gain", [0.15, 0.35, 0.7])
def test_nothing_is_clipped(media: Path, name: str, gain: float) -> None:
    frame = frame_of(darkened(read(media, name), gain))
    faces = faces_in(name)
    out = with_light(frame, light_of(frame, faces), faces)
    for before, after in zip(frame.planes, out.planes, strict=True):
        black, white = (16, 235) if before is frame.y else (16, 240)
        for ends in (before <= black, after <= black), (before >= white, after >= white):
            assert ends[1].mean() < ends[0].mean() + 0.005


@pytest.mark.parametrize("noise", [2.0, 4.0, 8.0, 16.0])
def test_noise_is_measured(noise: float) -> None:
    random = np.random.default_rng(5)
    ramp = np.linspace(60, 160, 640)[None, :] + np.zeros((480, 1))
    y = np.rint(ramp + random.normal(0, noise, (480, 640))).clip(0, 255).astype(np.uint8)
    frame = frame_of(np.repeat(y[..., None], 3, axis=2)).replace(y=y)
    assert measure_noise(WatchScene()(frame, reduce(frame), Faces(()))) == pytest.approx(
        noise, rel=0.2
    )


@pytest.mark.parametrize("noise", [1.0, 3.0, 6.0, 12.0])
def test_noise_is_not_amplified_beyond_a_bound(noise: float) -> None:
    random = np.random.default_rng(4)
    y = np.rint(26 + random.normal(0, noise, (360, 640))).clip(0, 255).astype(np.uint8)
    flat = frame_of(np.zeros((360, 640, 3), np.uint8)).replace(y=y)
    out = with_light(flat, light_of(flat, Faces(())), Faces(()))
    assert out.y.astype(float).std() < max(9.5, 1.05 * y.astype(float).std())


def test_parts_of_a_change(media: Path) -> None:
    name = "calib/easyportrait_15.png"
    light = light_of(frame_of(read(media, name)), face_at(*BOXES[name]))
    none = in_part(light, 0.0, 0.0, 0.0)
    frame = frame_of(read(media, name))
    assert with_light(frame, none, faces_in(name)) is frame
    half = with_light(frame, in_part(light, 0.5, 1.0, 0.0), faces_in(name)).y.mean()
    whole = with_light(frame, light, faces_in(name)).y.mean()
    assert frame.y.mean() + 3 < half < whole - 3
    warm = with_light(frame, in_part(none, 0.0, 0.0, 1.0), faces_in(name))
    cold = with_light(frame, in_part(none, 0.0, 0.0, -1.0), faces_in(name))
    np.testing.assert_array_equal(warm.y, frame.y)
    assert warm.v.mean() > frame.v.mean() > cold.v.mean()
    assert warm.u.mean() < frame.u.mean() < cold.u.mean()
