"""`EffectsTrack`: effects within aiortc, alone and between two real peers."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Coroutine
from fractions import Fraction
from typing import Any, cast

import av
import numpy as np
import pytest

from pullfx import Mirror, Pipeline
from pullfx.errors import NodeError

pytest.importorskip("aiortc")

from aiortc import RTCPeerConnection
from aiortc.mediastreams import MediaStreamError, MediaStreamTrack

from pullfx.integrations.aiortc import EffectsTrack

WIDTH, HEIGHT = 320, 240


def picture(number: int) -> av.VideoFrame:
    """Dark on the left, light on the right."""
    array = np.full((HEIGHT * 3 // 2, WIDTH), 128, np.uint8)
    array[:HEIGHT, : WIDTH // 2] = 40
    array[:HEIGHT, WIDTH // 2 :] = 200
    frame = av.VideoFrame.from_ndarray(array, "yuv420p")
    frame.pts, frame.time_base = 3000 * number, Fraction(1, 90_000)
    return frame


def left_and_right(frame: av.VideoFrame) -> tuple[float, float]:
    luma = frame.to_ndarray()[:HEIGHT]
    return float(luma[:, : WIDTH // 2].mean()), float(luma[:, WIDTH // 2 :].mean())


class Camera(MediaStreamTrack):
    """Gives so many frames, one after each pause."""

    kind = "video"

    def __init__(self, count: int = 1000, pause: float = 0.01) -> None:
        super().__init__()
        self.given: list[av.VideoFrame] = []
        self._count = count
        self._pause = pause

    async def recv(self) -> av.VideoFrame:
        await asyncio.sleep(self._pause)
        if len(self.given) == self._count:
            raise MediaStreamError
        self.given.append(picture(len(self.given)))
        return self.given[-1]


class Acting:
    """Stands in for a pipeline, and acts on the number of each frame."""

    def __init__(self, act: Callable[[int], None] = lambda _: None) -> None:
        self.act = act
        self.threads: set[str] = set()
        self.count = 0
        self.closed_after = -1

    def process(self, frame: av.VideoFrame) -> av.VideoFrame:
        self.threads.add(threading.current_thread().name)
        self.count += 1
        self.act(self.count - 1)
        return frame

    def close(self) -> None:
        self.closed_after = self.count


def track_of(camera: Camera, acting: Acting, **arguments: bool) -> EffectsTrack:
    return EffectsTrack(camera, cast(Pipeline, acting), **arguments)


def run(work: Coroutine[Any, Any, None]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(30):
            await work

    asyncio.run(bounded())


async def without_workers() -> None:
    """Returns once no thread of a track is left."""
    while any(thread.name.startswith("pullfx-track") for thread in threading.enumerate()):
        await asyncio.sleep(0.01)


def test_frames_come_with_effects_and_their_own_times() -> None:
    async def work() -> None:
        camera = Camera()
        with Pipeline([Mirror()]) as pipe:
            track = EffectsTrack(camera, pipe)
            first = await track.recv()
            assert left_and_right(first) == (200, 40)
            assert (first.pts, first.time_base) == (0, Fraction(1, 90_000))
            assert first.format.name == "yuv420p"
            pipe.disable("mirror")
            untouched = await track.recv()
            assert any(untouched is given for given in camera.given)
            track.stop()

    run(work())


def test_the_newest_wins_when_it_is_late() -> None:
    async def work() -> None:
        camera = Camera()
        newest: list[int] = []

        def act(_: int) -> None:
            newest.append(len(camera.given) - 1)
            time.sleep(0.1)

        track = track_of(camera, Acting(act))
        for _ in range(5):
            frame = await track.recv()
            assert camera.given.index(frame) >= newest[-1] - 1  # one may come as the thread begins
        assert track.dropped > 10
        track.stop()

    run(work())


def test_the_loop_is_free_while_a_frame_is_worked_on() -> None:
    async def work() -> None:
        acting = Acting(lambda _: time.sleep(0.2))
        track = track_of(Camera(), acting)
        receiving = asyncio.create_task(track.recv())
        turns = 0
        while not receiving.done():
            await asyncio.sleep(0.005)
            turns += 1
        assert turns > 10
        await track.recv()
        assert len(acting.threads) == 1
        assert threading.current_thread().name not in acting.threads
        track.stop()

    run(work())


def test_errors_leave_frames_out_and_are_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    def fail(number: int) -> None:
        if number in (1, 2, 4):
            raise NodeError("the node broke")

    async def work() -> None:
        acting = Acting(fail)
        track = track_of(Camera(), acting)
        for expected in (1, 4, 6):
            await track.recv()
            assert acting.count == expected
        assert track.readyState == "live"
        track.stop()

    run(work())
    assert [record.levelno for record in caplog.records] == [logging.WARNING] * 2
    assert "frames are left out, since the pipeline failed: the node broke" in caplog.text


def test_stop_ends_what_the_track_began_and_no_more() -> None:
    async def work() -> None:
        camera, acting = Camera(), Acting()
        track = track_of(camera, acting)
        await track.recv()
        tasks = asyncio.all_tasks()
        track.stop()
        track.stop()
        await asyncio.sleep(0.05)
        given = len(camera.given)
        await asyncio.sleep(0.05)
        assert len(camera.given) == given
        assert len(asyncio.all_tasks()) == len(tasks) - 1
        await without_workers()
        assert camera.readyState == "live"
        assert acting.closed_after == -1
        with pytest.raises(MediaStreamError):
            await track.recv()

    run(work())


def test_stop_lets_go_whoever_waits_for_a_frame() -> None:
    async def work() -> None:
        track = track_of(Camera(pause=60), Acting())
        waiting = asyncio.create_task(track.recv())
        await asyncio.sleep(0.05)
        track.stop()
        with pytest.raises(MediaStreamError):
            await waiting

    run(work())


def test_the_pipeline_is_closed_after_the_frame_in_work() -> None:
    async def work() -> None:
        acting = Acting(lambda _: time.sleep(0.1))
        track = track_of(Camera(), acting, close_pipeline=True)
        receiving = asyncio.create_task(track.recv())
        await asyncio.sleep(0.05)
        track.stop()
        assert acting.closed_after == -1
        with pytest.raises(MediaStreamError):
            await receiving
        await without_workers()
        assert acting.closed_after == 1

    run(work())


def test_it_ends_when_its_source_ends() -> None:
    async def work() -> None:
        ended = []
        track = track_of(Camera(count=2, pause=0.02), Acting())
        track.on("ended", lambda: ended.append(True))
        for _ in range(2):
            await track.recv()
        with pytest.raises(MediaStreamError):
            await track.recv()
        assert ended == [True]
        assert track.readyState == "ended"

    run(work())


def test_a_source_that_breaks_is_its_end(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Camera):
        async def recv(self) -> av.VideoFrame:
            raise OSError("unplugged")

    async def work() -> None:
        with pytest.raises(MediaStreamError):
            await track_of(Broken(), Acting()).recv()

    run(work())
    assert "its source failed: unplugged" in caplog.text


def test_between_two_peers() -> None:
    """One sends its camera, the other sends it back with effects, as the example's server does."""

    async def work() -> None:
        sender, server = RTCPeerConnection(), RTCPeerConnection()
        back: asyncio.Future[MediaStreamTrack] = asyncio.get_running_loop().create_future()
        with Pipeline([Mirror()]) as pipe:
            server.on("track", lambda track: server.addTrack(EffectsTrack(track, pipe)))
            sender.on("track", back.set_result)
            sender.addTrack(Camera(pause=0.03))
            await sender.setLocalDescription(await sender.createOffer())
            await server.setRemoteDescription(sender.localDescription)
            await server.setLocalDescription(await server.createAnswer())
            await sender.setRemoteDescription(server.localDescription)
            track = await back
            for _ in range(3):
                frame = await track.recv()
                left, right = left_and_right(frame)
                assert left > 180
                assert right < 60
            await sender.close()
            await server.close()
        await without_workers()

    run(work())
