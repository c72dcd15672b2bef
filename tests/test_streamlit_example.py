"""The example for Streamlit: its switches, and its callback within streamlit-webrtc's own track."""

from __future__ import annotations

import asyncio
import inspect
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

pytest.importorskip("streamlit_webrtc")

import streamlit_webrtc
from aiortc import MediaStreamTrack
from streamlit.testing.v1 import AppTest
from streamlit_webrtc.models import CallbackAttachableProcessor
from streamlit_webrtc.process import AsyncVideoProcessTrack, VideoProcessTrack

EXAMPLE = Path(__file__).parents[1] / "examples" / "streamlit_effects.py"


class Camera(MediaStreamTrack):
    kind = "video"

    async def recv(self) -> av.VideoFrame:
        array = np.arange(64 * 72, dtype=np.int64).astype(np.uint8).reshape(72, 64)
        frame = av.VideoFrame.from_ndarray(array, "yuv420p")
        frame.pts, frame.time_base = 0, Fraction(1, 30)
        return frame


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> tuple[AppTest, dict[str, Any]]:
    """The app after its first run, and what it gives the component, which needs a browser."""
    given: dict[str, Any] = {}
    signature = inspect.signature(streamlit_webrtc.webrtc_streamer)

    def streamer(**arguments: Any) -> None:
        signature.bind(**arguments)
        given.update(arguments)

    monkeypatch.setattr(streamlit_webrtc, "webrtc_streamer", streamer)
    test = AppTest.from_file(str(EXAMPLE), default_timeout=60).run()
    assert not test.exception
    return test, given


def test_switches_and_sliders_reach_the_pipeline(app: tuple[AppTest, dict[str, Any]]) -> None:
    test, _ = app
    pipe = test.session_state["pipe"]
    assert pipe.active == {"background_blur"}
    test.toggle[2].set_value(False)
    test.toggle[3].set_value(True)
    test.slider[0].set_value(0.2)
    assert not test.run().exception
    assert pipe.active == {"mirror"}
    assert pipe.get("background_blur")["strength"] == 0.2


def test_the_very_first_frame_has_effects(app: tuple[AppTest, dict[str, Any]]) -> None:
    test, given = app
    pipe = test.session_state["pipe"]
    pipe.enable("mirror")
    pipe.disable("background_blur")
    kind = AsyncVideoProcessTrack if given["async_processing"] else VideoProcessTrack
    processor = CallbackAttachableProcessor(given["video_frame_callback"], None, None)

    async def first() -> tuple[av.VideoFrame, av.VideoFrame]:
        track = kind(Camera(), processor)
        try:
            return await track.recv(), await Camera().recv()
        finally:
            track.stop()

    shown, plain = asyncio.run(first())
    np.testing.assert_array_equal(shown.to_ndarray()[:48], plain.to_ndarray()[:48, ::-1])
