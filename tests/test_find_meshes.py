"""Meshes lie on the faces that they are of, however these are turned, and follow them."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import cv2
import numpy as np
import pytest
from face_pictures import Portrait, frame_of_picture, read
from made_frames import frame_of
from numpy.typing import NDArray

from pullfx.effects import ShowFaces
from pullfx.nodes import (
    DetectFaces,
    DetectMeshes,
    Face,
    Faces,
    Meshes,
    SmoothFaces,
    SmoothMeshes,
    find_meshes,
    reduce,
)
from pullfx.nodes.faces import detect, detect_meshes
from pullfx.nodes.faces.turned import TurnedSquare, cut_turned
from pullfx.pipeline.effect import Effect
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.node import node
from pullfx.pipeline.pipeline import Pipeline
from pullfx.pipeline.pool import HEAP
from pullfx.pipeline.sources import open_source

Floats = NDArray[np.float32]

# Points of the mesh: corners of the right and the left eye, corners of the mouth, tip of the nose.
RIGHT_EYE, LEFT_EYE, MOUTH, NOSE = [33, 133], [263, 362], [61, 291], 1


def found(frame: Frame) -> tuple[Faces, Meshes]:
    """The faces of a picture that stands alone, and their meshes."""
    reduced = reduce(frame)
    faces = SmoothFaces()(frame, DetectFaces()(frame, reduced))
    return faces, SmoothMeshes()(frame, DetectMeshes()(frame, reduced, faces), faces)


def follow(frames: Iterable[Frame]) -> list[tuple[Faces, Meshes]]:
    """What a pipeline finds in frames that follow each other."""
    find, smooth = DetectFaces(), SmoothFaces()
    mesh, smooth_mesh = DetectMeshes(), SmoothMeshes()
    results = []
    for number, frame in enumerate(frames):
        reduced = reduce(frame)
        if number % detect.EVERY == 0:
            sightings = find(frame, reduced)
        faces = smooth(frame, sightings)
        if number % detect_meshes.EVERY == 0:
            meshes = mesh(frame, reduced, faces)
        results.append((faces, smooth_mesh(frame, meshes, faces)))
    return results


def features(mesh: Floats) -> Floats:
    """Right eye, left eye, nose and mouth: what a mesh and the detector's six points share."""
    middles = [mesh[places].mean(axis=0) for places in (RIGHT_EYE, LEFT_EYE, [NOSE], MOUTH)]
    return np.array(middles, np.float32)


@pytest.mark.parametrize("angle", [-30, 0, 20])
@pytest.mark.parametrize("part", [0.08, 0.3, 0.7])
def test_a_mesh_lies_on_its_face(media: Path, part: float, angle: float) -> None:
    frame, box = Portrait(media, "vmhuman_stock-emotions-a-1.jpg").frame(part)
    turn = np.asarray(cv2.getRotationMatrix2D((640, 360), angle, 1), float)
    y = cv2.warpAffine(frame.y, turn, (1280, 720), borderValue=(120,))
    turn[:, 2] /= 2
    u, v = (cv2.warpAffine(p, turn, (640, 360), borderValue=(128,)) for p in (frame.u, frame.v))
    turned = frame_of(*(np.asarray(plane, np.uint8) for plane in (y, u, v)))
    (face,), (mesh,) = found(turned)
    assert mesh.shape == (468, 2)
    off = np.linalg.norm(features(mesh) - face.points[:4], axis=1)
    assert off.max() < 0.12 * box[3]
    eyes = features(mesh)[1] - features(mesh)[0]
    assert np.degrees(np.arctan2(-eyes[1], eyes[0])) == pytest.approx(angle, abs=6)


@pytest.mark.parametrize("angle", [0.0, 0.4, -1.2, 3.0])
@pytest.mark.parametrize("side", [60.0, 250.0, 700.0])
def test_a_turned_square_lies_where_it_says(side: float, angle: float) -> None:
    across = np.tile(np.linspace(0, 1, 1280), (720, 1))
    down = np.tile(np.linspace(0, 1, 720)[:, None], (1, 1280))
    y = np.rint(16 + 219 * (across + down) / 2).astype(np.uint8)
    frame = frame_of(y)
    square = TurnedSquare(600, 380, side, angle)
    image = cut_turned(frame, reduce(frame), square, 192, HEAP)
    rows, columns = np.indices((192, 192)) + 0.5
    way = square.to_frame(192)
    places = np.stack((columns, rows, np.ones_like(rows)), axis=-1) @ way.T - 0.5
    expected = 255 * (places[..., 0] / 1279 + places[..., 1] / 719) / 2
    inside = ((places > 3) & (places < (1276, 716))).all(axis=-1)
    np.testing.assert_allclose(image[inside].mean(axis=1), expected[inside], atol=2.5)
    middle = way @ (96, 96, 1)
    np.testing.assert_allclose(middle, (600, 380), atol=0.01)


def test_beyond_the_frame_is_black() -> None:
    frame = frame_of(np.full((72, 128), 235, np.uint8))
    image = cut_turned(frame, reduce(frame), TurnedSquare(0, 0, 100, 0.0), 192, HEAP)
    assert image[:90].max() == 0
    assert image[:, :90].max() == 0
    assert image[100:190, 100:190].min() > 250


def test_many_faces_have_their_own_meshes(media: Path) -> None:
    frame = frame_of_picture(read(media / "calib" / "faces_vmhuman_group-3.jpg"))
    faces, meshes = found(frame)
    assert len(faces) == len(meshes) == 4
    for face, mesh in zip(faces, meshes, strict=True):
        assert np.linalg.norm(features(mesh) - face.points[:4], axis=1).max() < 0.2 * face.height


def test_no_face_is_no_mesh() -> None:
    frame = frame_of(np.full((720, 1280), 90, np.uint8))
    assert found(frame) == ((), ())


def test_a_face_that_is_hidden_has_none(media: Path) -> None:
    face, _ = Portrait(media, "easyportrait_12.png").frame(0.4)
    hidden = frame_of_picture(np.full((720, 1280, 3), (110, 120, 115), np.uint8))
    results = follow([face] * 6 + [hidden] * 6 + [face] * 12)
    assert all(len(mesh) == 468 for _, (mesh,) in results[:6])
    # The face is kept for a moment, but from the next run on nothing is there for a mesh.
    run = -(-6 // detect_meshes.EVERY) * detect_meshes.EVERY
    assert all(len(mesh) == 0 for _, (mesh,) in results[run:12])
    assert all(len(mesh) == 468 for _, (mesh,) in results[18:])


def test_meshes_are_in_the_order_of_the_faces() -> None:
    frame = frame_of(np.zeros((720, 1280), np.uint8))
    smooth = SmoothMeshes()
    points = [np.full((468, 2), value, np.float32) for value in (100, 200)]
    sightings = detect_meshes.MeshSightings(
        tuple(detect_meshes.MeshSighting(5 + i, points[i], 50.0) for i in (0, 1))
    )
    six = np.zeros((6, 2), np.float32)
    for order in ((5, 6), (6, 5), (6,), (9, 6, 5), ()):
        faces = Faces(tuple(Face(0, 0, 50, 50, six, 0.9, identity) for identity in order))
        meshes = smooth(frame, sightings, faces)
        assert [mesh.mean() if len(mesh) else None for mesh in meshes] == [
            {5: 100, 6: 200}.get(identity) for identity in order
        ]


def test_a_still_face_has_a_still_mesh(media: Path) -> None:
    random = np.random.default_rng(2)
    still, box = Portrait(media, "vmhuman_stock-emotions-a-1.jpg").frame(0.4)
    noisy = (
        still.replace(
            y=np.clip(still.y + random.normal(0, 3, still.y.shape), 0, 255).astype(np.uint8)
        )
        for _ in range(30)
    )
    shown = np.array([mesh for _, (mesh,) in follow(noisy)][6:]) / box[3]
    assert shown.std(axis=0).mean() < 0.002
    assert np.abs(np.diff(shown, axis=0)).max() < 0.012


@pytest.mark.parametrize("speed", [0.4, 1.0, 2.0])
def test_a_moving_face_keeps_its_mesh(media: Path, speed: float) -> None:
    """It lags by less than a frame's movement once that is steady; in heights a second."""
    portrait = Portrait(media, "vmhuman_stock-emotions-a-1.jpg")
    still, box = portrait.frame(0.3, 0.3)
    (_, (origin,)) = found(still)
    step = speed * box[3] / 30
    frames = (portrait.frame(0.3, 0.3 + number * step / 1280)[0] for number in range(24))
    shown = [mesh for _, (mesh,) in follow(frames)]
    off = [
        float(features(mesh)[:, 0].mean() - features(origin)[:, 0].mean()) - number * step
        for number, mesh in enumerate(shown)
    ]
    assert np.abs(off[15:]).max() < step


@pytest.mark.parametrize("clip", ["intelasl_bird_640x480_yuvj420p.mkv", "lp_s18_desk_1280x720.mp4"])
def test_real_people_keep_their_meshes(media: Path, clip: str) -> None:
    with open_source(str(media / "video" / clip)) as source:
        results = follow(itertools.islice(source.frames(), 40))
    for (face,), (mesh,) in results:
        assert np.linalg.norm(features(mesh) - face.points[:4], axis=1).max() < 0.3 * face.height


@node
def mark(frame: Frame, meshes: Meshes) -> Frame:
    """Stands in for an effect that needs meshes."""
    return frame.replace(y=np.asarray(frame.y // (2 if meshes else 1), np.uint8))


class Mark(Effect):
    def build(self, frame: Frame, original: Frame) -> Frame:
        return mark(frame, find_meshes(original))


@pytest.mark.parametrize(
    ("on", "faces", "meshes"),
    [((), 0, 0), (("mark",), 2, 2), (("show_faces",), 2, 2), (("mark", "show_faces"), 2, 2)],
    ids=["none", "one", "the other", "both"],
)
def test_all_effects_share_the_meshes(
    media: Path, on: tuple[str, ...], faces: int, meshes: int
) -> None:
    frame, _ = Portrait(media, "easyportrait_12.png").frame(0.3)
    with Pipeline([Mark(), ShowFaces()]) as pipe:
        for name in ("mark", "show_faces"):
            if name not in on:
                pipe.disable(name)
        for _ in range(6):
            pipe.process(frame)
        counts = Counter({stats.name: stats.runs for stats in pipe.stats().nodes})
    assert counts["detect_faces"] == faces
    assert counts["detect_meshes"] == meshes


@pytest.mark.parametrize(("mesh", "runs"), [(True, 1), (False, 0)])
def test_show_faces_draws_on_the_luma(media: Path, mesh: bool, runs: int) -> None:
    frame, _ = Portrait(media, "easyportrait_12.png").frame(0.3)
    with Pipeline([ShowFaces(mesh=mesh)]) as pipe:
        out = pipe.process(frame)
        counts = Counter({stats.name: stats.runs for stats in pipe.stats().nodes})
    changed = (out.y != frame.y).mean()
    assert 0.001 < changed < 0.2
    np.testing.assert_array_equal(out.u, frame.u)
    np.testing.assert_array_equal(out.v, frame.v)
    assert counts["detect_meshes"] == runs
