"""Light that is smooth in time: it follows the room, not what passes."""

from __future__ import annotations

from pathlib import Path

import av
import cv2
import numpy as np
import pytest
from lit_pictures import Picture, darkened, frame_of, read, tinted
from made_frames import noise
from numpy.typing import NDArray

from pullfx import Pipeline
from pullfx.effects import BackgroundBlur, Lighting
from pullfx.nodes import Faces
from pullfx.nodes.lighting import FollowFaces, Light, balance, lifting, relight
from pullfx.nodes.lighting.cast import Chroma
from pullfx.pipeline.frame import Frame, Range

SECOND = 30


def decoded(path: Path, count: int) -> list[Picture]:
    with av.open(str(path)) as video:
        return [
            np.asarray(frame.to_ndarray(format="bgr24", width=480, height=320), np.uint8)
            for frame, _ in zip(video.decode(video=0), range(count), strict=False)
        ]


def lumas(pipe: Pipeline, pictures: list[Picture]) -> NDArray[np.float64]:
    """The mean luma of each picture as it comes out."""
    return np.array([run(pipe, frame_of(picture)).y.mean() for picture in pictures])


def small(media: Path, name: str) -> Picture:
    picture = read(media, name)
    return np.asarray(cv2.resize(picture, None, fx=0.4, fy=0.4, interpolation=cv2.INTER_AREA))


def run(pipe: Pipeline, frame: Frame) -> Frame:
    return pipe.process(frame, strict=True)


def noisy(picture: Picture, count: int) -> list[Picture]:
    random = np.random.default_rng(2)
    return [
        np.clip(picture + random.normal(0, 2, picture.shape), 0, 255).astype(np.uint8)
        for _ in range(count)
    ]


@pytest.mark.parametrize(
    "clip", ["video/intelasl_eat_640x480_yuvj420p.mkv", "video/lp_s18_desk_1280x720.mp4"]
)
@pytest.mark.parametrize("gain", [0.25, 0.6, 1.0])
def test_no_flicker_of_its_own(media: Path, clip: str, gain: float) -> None:
    """The light of dark moving clips changes no more than that of the clip, made as bright."""
    pictures = [darkened(picture, gain) for picture in decoded(media / clip, 45)]
    before = np.array([frame_of(picture).y.mean() - 16 for picture in pictures])
    after = lumas(Pipeline([Lighting()]), pictures) - 16
    changes = [np.abs(np.diff(np.log(values))) for values in (before, after)]
    assert changes[1][10:].mean() < 1.1 * changes[0][10:].mean() + 0.0005
    assert changes[1][10:].max() < 1.3 * changes[0][10:].max() + 0.002


@pytest.mark.parametrize("colour", [(140, 170, 215), (30, 45, 70), (250, 250, 250)])
def test_a_hand_that_passes_changes_nothing_beside_it(
    media: Path, colour: tuple[int, int, int]
) -> None:
    """Over a dark room, a hand of half the picture's width comes and goes within 0.7 seconds."""
    room = darkened(read(media, "calib/easyportrait_12.png"), 0.3)
    height, width, _ = room.shape
    pictures = noisy(room, 3 * SECOND)
    for number, place in enumerate(np.linspace(-0.5, 1.0, 20)):
        left, right = int(place * width), int((place + 0.5) * width)
        pictures[SECOND + number][height // 8 :, max(left, 0) : max(right, 0)] = colour
    pipe = Pipeline([Lighting()])
    corner = np.array([run(pipe, frame_of(each)).y[: height // 10].mean() for each in pictures])
    assert corner[SECOND - 1] > 1.5 * frame_of(room).y[: height // 10].mean()
    assert np.ptp(corner[10:]) < 1.5


def test_another_scene_is_lit_at_once(media: Path) -> None:
    """In its first frame nearly, and quite when faces are looked for, which is in every third."""
    bright = small(media, "calib/vmhuman_stock-teen-8.jpg")
    dark = darkened(bright[::-1], 0.2)
    pipe = Pipeline([Lighting()])
    values = lumas(pipe, [bright] * 12 + [dark] * 12 + [bright] * 12)
    alone = lumas(Pipeline([Lighting()]), [dark])[0]
    unlit = frame_of(dark).y.mean()
    assert values[12] - unlit > 0.6 * (alone - unlit)
    assert np.abs(values[15:24] - alone).max() < 2
    assert np.abs(values[24:] - values[0]).max() < 2


def test_light_that_fades_is_followed_without_a_jump(media: Path) -> None:
    picture = read(media, "calib/easyportrait_12.png")
    pictures = [darkened(picture, gain) for gain in np.geomspace(1, 0.25, 2 * SECOND)]
    pictures += [pictures[-1]] * (5 * SECOND)
    values = lumas(Pipeline([Lighting()]), pictures)
    alone = lumas(Pipeline([Lighting()]), pictures[-1:])[0]
    assert abs(values[-1] - alone) < 6
    assert np.abs(np.diff(values)).max() < 5


def test_a_lamp_of_another_colour_is_followed(media: Path) -> None:
    picture = read(media, "calib/intelasl_eat_f15.jpg")
    orange = tinted(picture, 0.65, 1.0, 1.25)
    pipe = Pipeline([Lighting()])
    outs = [run(pipe, frame_of(each)).v.mean() for each in [picture] * 10 + [orange] * 120]
    assert outs[-1] < frame_of(orange).v.mean() - 3
    assert np.abs(np.diff(outs[11:])).max() < 1


def test_a_still_light_is_no_work(media: Path) -> None:
    """While the light stands, tables are not made again, and a well-lit frame is not touched."""
    picture = small(media, "calib/vmhuman_stock-teen-8.jpg")
    pipe = Pipeline([Lighting()])
    frames = [frame_of(each) for each in noisy(picture, 20)]
    for frame in frames:
        out = run(pipe, frame)
        assert out is frame
    before = pipe.stats().node("light_tables").runs
    for frame in frames:
        run(pipe, frame)
    assert pipe.stats().node("light_tables").runs == before


@pytest.mark.parametrize(
    "parameters", [{}, {"spotlight": 1.0}, {"warmth": 0.5}, {"strength": 0.3, "white_balance": 0.0}]
)
@pytest.mark.parametrize("gain", [0.2, 1.0])
def test_in_steady_state_nothing_is_allocated(
    media: Path, parameters: dict[str, float], gain: float
) -> None:
    frames = [
        frame_of(each)
        for each in noisy(darkened(read(media, "calib/easyportrait_12.png"), gain), 4)
    ]
    pipe = Pipeline([Lighting(**parameters), BackgroundBlur()])  # type: ignore[arg-type]
    for frame in frames * 4:
        run(pipe, frame)
    before = pipe.stats().allocations
    for frame in frames * 4:
        run(pipe, frame)
    assert pipe.stats().allocations == before


def test_after_blur_it_costs_no_pass_of_its_own(media: Path) -> None:
    frame = frame_of(darkened(read(media, "calib/intelasl_eat_f15.jpg"), 0.2))
    pipe = Pipeline([BackgroundBlur(), Lighting()])
    out = run(pipe, frame)
    assert pipe.stats().node("composite").runs == 0
    assert out.y.mean() > 1.5 * frame.y.mean()


def test_what_an_effect_before_has_hidden_stays_hidden() -> None:
    """Whatever is lit is the picture so far; of `original` only a few numbers are used."""
    light = Light(0.5, 1.0, 0.0, Chroma(0.05, -0.05), 0.2, 0.8, 0.9, Range.LIMITED)
    grey = noise(320, 240).replace(
        y=np.full((240, 320), 60, np.uint8),
        u=np.full((120, 160), 128, np.uint8),
        v=np.full((120, 160), 128, np.uint8),
    )
    lamps = FollowFaces()(grey, Faces(()))
    out = relight(balance(grey, light), lifting(light), lamps)
    assert np.ptp(out.u.astype(int)) <= 2
    assert np.abs(np.diff(out.y.astype(int), axis=1)).max() <= 2
