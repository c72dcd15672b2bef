"""The picture as in a mirror, and what effects after it look at."""

from __future__ import annotations

from pathlib import Path

import av
import numpy as np
import pytest
from made_frames import SIZES, noise

from pullfx import Pipeline
from pullfx.effects import BackgroundBlur, Mirror, ShowMask
from pullfx.nodes import mirror
from pullfx.pipeline.formats import frame_from_av
from pullfx.pipeline.frame import Frame


def same(one: Frame, other: Frame) -> bool:
    return all(map(np.array_equal, one.planes, other.planes))


def person(media: Path) -> Frame:
    with av.open(str(media / "video" / "lp_s18_desk_1280x720.mp4")) as video:
        return frame_from_av(next(video.decode(video=0)))


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_every_plane_is_turned(width: int, height: int) -> None:
    frame = noise(width, height)
    out = mirror(frame)
    for before, after in zip(frame.planes, out.planes, strict=True):
        np.testing.assert_array_equal(after, before[:, ::-1])
    assert (out.pts, out.time_base, out.matrix) == (frame.pts, frame.time_base, frame.matrix)


def test_planes_of_any_layout() -> None:
    frame = noise(64, 48)
    upside_down = frame.replace(y=frame.y[::-1], u=frame.u[::-1], v=frame.v[::-1])
    assert same(
        mirror(upside_down),
        mirror(
            frame.replace(y=frame.y[::-1].copy(), u=frame.u[::-1].copy(), v=frame.v[::-1].copy())
        ),
    )


def test_effects_after_it_find_people_where_it_shows_them(media: Path) -> None:
    frame = person(media)
    shown = Pipeline([Mirror(), ShowMask()]).process(frame, strict=True)
    assert same(shown, Pipeline([ShowMask()]).process(mirror(frame), strict=True))
    assert not same(shown, Pipeline([ShowMask()]).process(frame, strict=True))


def test_effects_before_it_are_turned_with_the_picture(media: Path) -> None:
    frame = person(media)
    out = Pipeline([BackgroundBlur(), Mirror()]).process(frame, strict=True)
    assert same(out, mirror(Pipeline([BackgroundBlur()]).process(frame, strict=True)))


def test_when_off_nothing_is_turned_and_nothing_runs(media: Path) -> None:
    frame = person(media)
    pipe = Pipeline([Mirror(), BackgroundBlur()])
    both = pipe.process(frame, strict=True)
    pipe.disable("mirror")
    plain = pipe.process(frame, strict=True)
    assert same(plain, Pipeline([BackgroundBlur()]).process(frame, strict=True))
    assert pipe.stats().node("mirror").runs == 1
    pipe.enable("mirror")
    assert same(pipe.process(frame, strict=True), both)
    pipe.disable("background_blur")
    pipe.disable("mirror")
    assert pipe.process(frame, strict=True) is frame


def test_what_remembers_forgets_the_other_side(media: Path) -> None:
    """Masks are smoothed in time; turned, none has anything of the unturned ones before."""
    with av.open(str(media / "video" / "intelasl_eat_640x480_yuvj420p.mkv")) as video:
        frames = [
            frame_from_av(frame) for frame, _ in zip(video.decode(video=0), range(4), strict=False)
        ]
    pipe = Pipeline([Mirror(), ShowMask()])
    for frame in frames[:3]:
        pipe.process(frame, strict=True)
    pipe.disable("mirror")
    alone = Pipeline([ShowMask()]).process(frames[3], strict=True)
    assert same(pipe.process(frames[3], strict=True), alone)


def test_one_that_fails_turns_nothing(media: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = person(media)
    pipe = Pipeline([Mirror(), ShowMask()])
    pipe.process(frame, strict=True)

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("broken by the test")

    monkeypatch.setattr("cv2.flip", fail)
    alone = Pipeline([ShowMask()]).process(frame, strict=True)
    for _ in range(2):
        assert same(pipe.process(frame), alone)


def test_as_the_first_effect_it_runs_once(media: Path) -> None:
    pipe = Pipeline([Mirror(), BackgroundBlur(), ShowMask()])
    for _ in range(3):
        pipe.process(person(media), strict=True)
    assert [node.runs for node in pipe.stats().nodes if node.name.startswith("mirror")] == [3]


def test_twice_is_as_it_was() -> None:
    frame = noise(640, 480)
    pipe = Pipeline([Mirror(), Mirror(name="again")])
    assert same(pipe.process(frame, strict=True), frame)
