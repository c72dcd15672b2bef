"""Interlaced pictures become progressive ones, each by itself."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from av_pictures import (
    FULL,
    assert_planes,
    filtered,
    random_picture,
    rows_of,
)

from pullfx.pipeline.formats import frame_from_av
from pullfx.pipeline.frame import Frame, Range


def moving_picture(offset: int, format: str = "yuv420p") -> av.VideoFrame:
    """A bright disc and a soft slope, moved to the right by `offset`."""
    picture = av.VideoFrame(128, 96, format)
    for plane in picture.planes:
        scale = 128 // plane.width
        down, across = np.mgrid[: plane.height, : plane.width] * scale
        disc = np.clip(25 - np.hypot(across - 40 - offset, down - 48), 0, 1)
        rows = np.frombuffer(memoryview(plane), np.uint8).reshape(plane.height, -1)
        rows[:, : plane.width] = 60 + (across + offset) // 4 + 80 * disc
    return picture


def interlaced(first: av.VideoFrame, second: av.VideoFrame) -> av.VideoFrame:
    picture = av.VideoFrame(first.width, first.height, first.format.name)
    for index in range(len(picture.planes)):
        rows_of(picture, index)[0::2] = rows_of(first, index)[0::2]
        rows_of(picture, index)[1::2] = rows_of(second, index)[1::2]
    picture.pts, picture.time_base = 9, Fraction(1, 25)
    return filtered(picture, "setfield", "tff")


def decibels(frame: Frame, picture: av.VideoFrame) -> float:
    wanted = rows_of(picture, 0)[:, : picture.width].astype(float)
    return float(10 * np.log10(255**2 / np.mean((frame.y - wanted) ** 2)))


def test_fields_of_two_moments_become_the_first_ones_picture() -> None:
    first, second = moving_picture(0), moving_picture(30)
    picture = interlaced(first, second)
    assert picture.interlaced_frame
    frame = frame_from_av(picture)
    y, u, v = (rows_of(picture, i)[:, : picture.planes[i].width] for i in (0, 1, 2))
    woven = Frame(y, u, v)
    assert decibels(woven, first) < 20
    assert decibels(frame, first) > 39
    assert (frame.pts, frame.time_base) == (9, Fraction(1, 25))


def test_deinterlacing_knows_no_other_picture() -> None:
    picture = interlaced(moving_picture(0), moving_picture(30))
    other = interlaced(moving_picture(60), moving_picture(10))
    once = frame_from_av(picture)
    frame_from_av(other)
    assert_planes(frame_from_av(picture), *once.planes)


def test_fields_of_one_moment_stay_sharp() -> None:
    still = moving_picture(0)
    assert decibels(frame_from_av(interlaced(still, still)), still) > 44


@pytest.mark.parametrize(
    "format", ["nv12", "yuv422p", "yuv444p", "yuvj420p", "yuv420p10le", "gray"]
)
def test_interlaced_pictures_of_other_formats(format: str) -> None:
    first, second = moving_picture(0), moving_picture(30)
    for picture in (first, second):
        picture.color_range = FULL
    source = interlaced(first, second)
    source.color_range = FULL
    converted = interlaced(
        first.reformat(format=format, dst_color_range=FULL),
        second.reformat(format=format, dst_color_range=FULL),
    )
    converted.color_range = FULL
    assert converted.interlaced_frame
    frame = frame_from_av(converted)
    assert frame.range is Range.FULL
    assert decibels(frame, first) > 30


@pytest.mark.parametrize("height", [1, 2, 3, 47])
def test_interlaced_pictures_of_any_height(height: int) -> None:
    picture = filtered(random_picture(64, height, "yuv420p"), "setfield", "tff")
    assert picture.interlaced_frame
    assert frame_from_av(picture).height == height


def test_interlaced_h264_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "interlaced.mkv"
    with av.open(path, "w") as container:
        stream = container.add_stream("libx264", rate=25)
        stream.width, stream.height, stream.pix_fmt = 128, 96, "yuv420p"
        stream.options = {"flags": "+ildct+ilme", "crf": "10", "x264-params": "tff=1"}
        for step in range(4):
            picture = interlaced(moving_picture(20 * step), moving_picture(20 * step + 10))
            picture.pts = step
            container.mux(stream.encode(picture))
        container.mux(stream.encode())
    with av.open(path) as container:
        for step, picture in enumerate(container.decode(video=0)):
            assert picture.interlaced_frame
            assert decibels(frame_from_av(picture), moving_picture(20 * step)) > 28
