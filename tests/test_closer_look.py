"""People who are small in the picture are looked at a second time, and it pays."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import av
import cv2
import numpy as np
import pytest
from made_frames import SIZES, Plane, frame_of, noise

from pullfx import Pipeline, Quality
from pullfx.effects import BackgroundBlur, ShowMask
from pullfx.nodes import FollowPeople, Mask, Region, join_looks
from pullfx.pipeline.formats import PixelFormat, frame_from_array
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.node import UNCHANGED

FRAME = frame_of(np.zeros((720, 1280), np.uint8))
WHOLE = Region(0, 0, 1280, 720)


def mask_of(*people: tuple[int, int, int, int]) -> Mask:
    """A mask of 256x144 with people as boxes: left, top, right, bottom."""
    mask = np.zeros((144, 256), np.uint8)
    for left, top, right, bottom in people:
        mask[top:bottom, left:right] = 255
    return Mask(mask)


def far_away(
    pairs: Path, scale: float, frames: int, every: int = 13
) -> tuple[list[Frame], list[Plane]]:
    """The person of the moving clip at a part of their size, in a room of soft colours."""
    colours = np.random.default_rng(1).integers(40, 200, (18, 32, 3), np.uint8)
    shown, labels = [], []
    with (
        av.open(str(pairs / "gs_motion.mp4")) as video,
        av.open(str(pairs / "gs_motion_alpha.mkv")) as alphas,
    ):
        both = zip(video.decode(video=0), alphas.decode(video=0), strict=True)
        for picture, alpha in islice(both, 0, every * frames, every):
            size = int(picture.width * scale) // 2 * 2, int(picture.height * scale) // 2 * 2
            room = cv2.resize(colours, (1280, 720), interpolation=cv2.INTER_CUBIC)
            label = np.zeros((720, 1280), np.uint8)
            place = np.s_[720 - size[1] :, (1280 - size[0]) // 2 : (1280 + size[0]) // 2]
            pixels, soft = (
                cv2.resize(frame.to_ndarray(format=name), size, interpolation=cv2.INTER_AREA)
                for frame, name in ((picture, "bgr24"), (alpha, "gray"))
            )
            label[place] = soft
            part = soft[:, :, None] / 255
            room[place] = np.rint(pixels * part + room[place] * (1 - part)).astype(np.uint8)
            shown.append(frame_from_array(np.asarray(room, np.uint8), PixelFormat.BGR24))
            labels.append(label)
    return shown, labels


@pytest.mark.parametrize(("scale", "rest"), [(0.3, 0.3), (0.45, 0.4), (0.6, 0.4), (1.0, 0.8)])
def test_who_is_far_away_is_cut_out_better(media: Path, scale: float, rest: float) -> None:
    frames, labels = far_away(media / "pairs", scale, 4)
    errors = {}
    for quality in (Quality.HIGH, Quality.BEST):
        pipe = Pipeline([ShowMask(smoothing=0.0)], quality=quality)
        masks = [(pipe.process(f, strict=True).y.astype(float) - 16) * (255 / 219) for f in frames]
        errors[quality] = np.mean(
            [np.abs(m - a).mean() for m, a in zip(masks, labels, strict=True)]
        )
    assert errors[Quality.BEST] < rest * errors[Quality.HIGH]


def test_a_region_stands_still_for_as_long_as_it_serves() -> None:
    follow = FollowPeople()
    first = follow(mask_of((100, 60, 130, 140)), FRAME)
    assert first.left < 500
    assert first.right > 650
    for step in range(1, 4):  # a person who sways
        assert follow(mask_of((100 + step, 60, 130 + step, 140)), FRAME) == first
    moved = follow(mask_of((150, 60, 180, 140)), FRAME)
    assert moved != first
    assert moved.left <= 750
    assert moved.right >= 900


def test_a_person_who_goes_away_gets_a_closer_region() -> None:
    follow = FollowPeople()
    near = follow(mask_of((80, 40, 160, 144)), FRAME)
    far = follow(mask_of((110, 90, 130, 144)), FRAME)
    assert far.size.width < 0.7 * near.size.width


@pytest.mark.parametrize(
    "people",
    [(), ((30, 10, 230, 144),), ((0, 50, 20, 144), (236, 40, 256, 144))],
    ids=["nobody", "very near", "at both ends"],
)
def test_without_anything_to_see_closer_it_is_the_whole_frame(
    people: tuple[tuple[int, int, int, int], ...],
) -> None:
    assert FollowPeople()(mask_of(*people), FRAME) == WHOLE


def test_the_whole_frame_is_not_looked_at_again() -> None:
    pipe = Pipeline([BackgroundBlur()], quality="best")
    for seed in range(4):
        pipe.process(noise(1280, 720, seed), strict=True)
    runs = {node.name: node.runs for node in pipe.stats().nodes}
    assert runs["segment"] == 4
    assert runs["segment#2"] == 1


def test_outside_of_the_region_the_mask_stays_and_its_ends_are_soft() -> None:
    mask = mask_of((10, 10, 20, 40), (100, 60, 130, 144))
    detail = Mask(np.full((256, 256), 200, np.uint8))
    region = Region(448, 256, 704, 720)
    joined = join_looks(mask, detail, region, FRAME)
    inside = np.zeros(mask.shape, bool)
    inside[51:144, 90:141] = True
    np.testing.assert_array_equal(joined[~inside], mask[~inside])
    assert (joined[60:, 100:130] == 200).all()  # down to the frame's own end
    assert np.abs(np.diff(joined[100, 80:100].astype(int))).max() < 100


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_any_size_and_place(width: int, height: int) -> None:
    frame = noise(width, height)
    for people in ((0, 0, 9, 9), (250, 140, 256, 144), (100, 50, 140, 90)):
        mask = mask_of(people)
        region = FollowPeople()(mask, frame)
        assert 0 <= region.left < region.right <= width
        assert 0 <= region.top < region.bottom <= height
        detail = Mask(np.full((144, 256), 9, np.uint8))
        assert join_looks(mask, detail, region, frame).shape == mask.shape
    out = Pipeline([BackgroundBlur()], quality="best").process(frame, strict=True)
    assert out.y.shape == (height, width)


def test_the_same_region_keeps_its_version() -> None:
    follow = FollowPeople()
    mask = mask_of((100, 60, 130, 140))
    follow(mask, FRAME)
    assert FollowPeople.__call__.__wrapped__(follow, mask, FRAME) is UNCHANGED  # type: ignore[attr-defined]


@pytest.mark.parametrize("quality", list(Quality))
def test_a_person_is_found_at_every_quality(media: Path, quality: Quality) -> None:
    frames, labels = far_away(media / "pairs", 1.0, 4, every=1)
    pipe = Pipeline([ShowMask()], quality=quality)
    for frame, label in zip(frames, labels, strict=True):
        shown = pipe.process(frame, strict=True).y > 125
        person = label > 127
        least = 0.7 if quality is Quality.LOW else 0.95  # whose mask may be one frame old
        assert (shown & person).sum() / (shown | person).sum() > least
