"""The example for LiveKit: its I420 frames in and out, through its own tracks and streams."""

from __future__ import annotations

import asyncio
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pullfx

rtc = pytest.importorskip("livekit.rtc")

EXAMPLE = runpy.run_path(str(Path(__file__).parents[1] / "examples" / "livekit_effects.py"))


def noise(width: int, height: int) -> Any:
    size = height * width + 2 * ((height + 1) // 2) * ((width + 1) // 2)
    data = np.random.default_rng(0).integers(0, 256, size, np.uint8).tobytes()
    return rtc.VideoFrame(width, height, rtc.VideoBufferType.I420, data)


def planes(frame: Any) -> Any:
    """As LiveKit itself divides them."""
    found = []
    for number in range(3):
        half = 1 if number else 0
        shape = (frame.height + half) >> half, (frame.width + half) >> half
        found.append(np.frombuffer(frame.get_plane(number), np.uint8).reshape(shape))
    return found


@pytest.mark.parametrize("size", [(64, 48), (63, 47), (2, 2)])
def test_planes_are_views_of_the_frame(size: tuple[int, int]) -> None:
    frame = noise(*size)
    for view, expected in zip(EXAMPLE["planes_of"](frame.data, *size), planes(frame), strict=True):
        np.testing.assert_array_equal(view, expected)
        assert not view.flags.owndata


@pytest.mark.parametrize("rotation", range(4))
def test_a_frame_comes_upright_with_effects(rotation: int) -> None:
    frame = noise(64, 48)
    with pullfx.Pipeline([pullfx.Mirror()]) as pipe:
        result = EXAMPLE["with_effects"](pipe, frame, rotation)
        assert result.type == rtc.VideoBufferType.I420
        for plane, given in zip(planes(result), planes(frame), strict=True):
            np.testing.assert_array_equal(plane, np.rot90(given, -rotation)[:, ::-1])
        pipe.disable("mirror")
        assert (EXAMPLE["with_effects"](pipe, frame, rotation) is frame) is (rotation == 0)


def test_through_tracks_and_streams() -> None:
    """A local track stands in for a remote one; between them would be a server."""

    async def work() -> None:
        camera, source = rtc.VideoSource(64, 48), rtc.VideoSource(64, 48)
        pipe = pullfx.Pipeline([pullfx.Mirror()])
        track = rtc.LocalVideoTrack.create_video_track("camera", camera)
        shown = rtc.VideoStream(rtc.LocalVideoTrack.create_video_track("effects", source))
        task = asyncio.create_task(EXAMPLE["add_effects"](track, source, pipe))
        frame = noise(64, 48)

        async def send() -> None:
            while True:
                camera.capture_frame(frame)
                await asyncio.sleep(0.03)

        sending = asyncio.create_task(send())
        async with asyncio.timeout(20):
            event = await anext(aiter(shown))
        for plane, given in zip(planes(event.frame), planes(frame), strict=True):
            np.testing.assert_array_equal(plane, given[:, ::-1])
        for ended in (sending, task):
            ended.cancel()
        await asyncio.gather(sending, task, return_exceptions=True)
        await shown.aclose()
        await camera.aclose()
        await source.aclose()

    asyncio.run(work())
