"""Effects on everybody's video in a LiveKit room, published as tracks of one's own.

    pip install pullfx livekit
    LIVEKIT_URL=wss://... LIVEKIT_TOKEN=... python examples/livekit_effects.py

Frames come and go as LiveKit's I420: the planes are views of its memory, and nothing is converted.
"""

import asyncio
import os

import numpy as np
from livekit import rtc
from numpy.typing import NDArray

import pullfx

Planes = tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]


def planes_of(data: memoryview | bytearray, width: int, height: int) -> Planes:
    """Y, U and V of I420 as views of its bytes."""
    half = (height + 1) // 2, (width + 1) // 2
    ends = np.cumsum([height * width, half[0] * half[1]])
    y, u, v = np.split(np.frombuffer(data, np.uint8), ends)
    return y.reshape(height, width), u.reshape(half), v.reshape(half)


def with_effects(pipe: pullfx.Pipeline, frame: rtc.VideoFrame, rotation: int = 0) -> rtc.VideoFrame:
    """The frame upright and with effects in it.

    Args:
        pipe: of this stream alone.
        frame: in I420.
        rotation: quarters of a turn, clockwise, that it has to be turned by, as phones send it.
    """
    y, u, v = planes_of(frame.data, frame.width, frame.height)
    if rotation:
        y, u, v = (np.ascontiguousarray(np.rot90(plane, -rotation)) for plane in (y, u, v))
    given = pullfx.Frame(y, u, v)
    result = pipe.process(given)
    if result is given and not rotation:
        return frame
    data = bytearray(sum(plane.size for plane in result.planes))
    targets = planes_of(data, result.width, result.height)
    for target, plane in zip(targets, result.planes, strict=True):
        np.copyto(target, plane)
    return rtc.VideoFrame(result.width, result.height, rtc.VideoBufferType.I420, data)


async def add_effects(track: rtc.Track, source: rtc.VideoSource, pipe: pullfx.Pipeline) -> None:
    """Gives a source the frames of a track with effects in them, until the track ends."""
    # Of one that holds one frame, the newest wins when an effect is late.
    stream = rtc.VideoStream(track, format=rtc.VideoBufferType.I420, capacity=1)
    try:
        async for event in stream:
            frame = await asyncio.to_thread(with_effects, pipe, event.frame, event.rotation)
            source.capture_frame(frame, timestamp_us=event.timestamp_us)
    finally:
        await stream.aclose()
        pipe.close()


async def main(url: str, token: str) -> None:
    """Joins the room and stays."""
    room = rtc.Room()
    shared = pullfx.Pipeline([pullfx.Lighting(), pullfx.BackgroundBlur()])
    tasks = set()

    async def publish(track: rtc.Track, name: str) -> None:
        source = rtc.VideoSource(1280, 720)
        await room.local_participant.publish_track(
            rtc.LocalVideoTrack.create_video_track(f"{name} with effects", source)
        )
        await add_effects(track, source, await asyncio.to_thread(shared.session))

    @room.on("track_subscribed")
    def on_track(track: rtc.Track, _: rtc.TrackPublication, who: rtc.RemoteParticipant) -> None:
        if track.kind == rtc.TrackKind.KIND_VIDEO:
            task = asyncio.create_task(publish(track, who.identity))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

    await room.connect(url, token)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(os.environ["LIVEKIT_URL"], os.environ["LIVEKIT_TOKEN"]))
