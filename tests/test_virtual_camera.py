"""The virtual camera, with a stand-in for pyvirtualcam, and with itself where it is installed."""

from __future__ import annotations

import subprocess
import sys
from enum import Enum
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from video_files import Array, frames, stacked, write

from pullfx.errors import SinkError
from pullfx.pipeline.sinks import Outcome, VirtualCameraSink, open_sink
from pullfx.pipeline.sources import SourceInfo

FILE = SourceInfo("noise", 64, 48, frame_rate=Fraction(25))
CAMERA = SourceInfo("camera", 64, 48, live=True)


class StandIn(ModuleType):
    """Does what is used of pyvirtualcam, whose signatures it has."""

    class PixelFormat(Enum):
        I420 = "I420"

    def __init__(self) -> None:
        super().__init__("pyvirtualcam")
        self.opened: list[tuple[int, int, float, str | None]] = []
        self.shown: list[Array] = []
        self.events: list[str] = []
        self.failure: Exception | None = None

    def Camera(  # noqa: N802 (the library's name)
        self, width: int, height: int, fps: float, *, fmt: Enum, device: str | None = None
    ) -> StandIn:
        if self.failure is not None:
            raise self.failure
        assert fmt is self.PixelFormat.I420
        self.opened.append((width, height, fps, device))
        return self

    def send(self, frame: Array) -> None:
        if self.failure is not None:
            raise self.failure
        width, height, *_ = self.opened[-1]
        assert frame.shape == (width * height * 3 // 2,)
        self.shown.append(frame.copy())

    def sleep_until_next_frame(self) -> None:
        self.events.append("sleep")

    def close(self) -> None:
        self.events.append("close")


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    stand_in = StandIn()
    monkeypatch.setitem(sys.modules, "pyvirtualcam", stand_in)
    return stand_in


@pytest.mark.parametrize(
    ("info", "rate", "events"),
    [(FILE, 25.0, ["sleep", "sleep", "close"]), (CAMERA, 30.0, ["close"])],
)
def test_frames_are_shown_as_they_are(
    library: StandIn, info: SourceInfo, rate: float, events: list[str]
) -> None:
    assert write(open_sink("virtualcam"), frames(2), info) is None
    assert library.opened == [(64, 48, rate, None)]
    for shown, frame in zip(library.shown, frames(2), strict=True):
        np.testing.assert_array_equal(shown, stacked(frame).ravel())
    assert library.events == events


def test_a_device_is_chosen_by_name(library: StandIn) -> None:
    write(open_sink("virtualcam:/dev/video9"), frames(1))
    assert library.opened == [(64, 48, 25.0, "/dev/video9")]


def test_odd_and_changing_sizes_fit_the_camera(library: StandIn) -> None:
    given = [*frames(1, 63, 47), *frames(1, 128, 96)]
    write(open_sink("virtualcam"), given)
    assert library.opened == [(64, 48, 25.0, None)]
    assert len(library.shown) == 2
    np.testing.assert_array_equal(library.shown[0].reshape(72, 64)[:47, :63], given[0].y)


def test_without_a_device_it_says_what_to_do(library: StandIn) -> None:
    library.failure = RuntimeError("'v4l2loopback' backend: No device\n'x' backend: none")
    sink = VirtualCameraSink()
    sink.open(FILE, None)
    with pytest.raises(SinkError) as refusal:
        sink.write(next(frames(1)))
    sink.close(Outcome.FAILED)
    assert "there is no virtual camera ('v4l2loopback' backend: No device" in str(refusal.value)
    assert "\n" not in str(refusal.value)
    if sys.platform == "linux":
        assert "modprobe v4l2loopback" in str(refusal.value)


def test_a_camera_that_is_taken_away_is_named(library: StandIn) -> None:
    sink = VirtualCameraSink()
    sink.open(FILE, None)
    given = frames(2)
    sink.write(next(given))
    library.failure = OSError("gone")
    with pytest.raises(SinkError, match="takes no more frames: gone"):
        sink.write(next(given))
    sink.close(Outcome.FAILED)
    assert library.events == ["sleep", "close"]


def test_without_the_library_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyvirtualcam", None)
    with pytest.raises(SinkError, match=r"GPL 2.0 .* pip install 'pullfx\[virtualcam\]'"):
        open_sink("virtualcam")


def test_nothing_else_imports_it(tmp_path: Path) -> None:
    (tmp_path / "pyvirtualcam.py").write_text("raise SystemExit('imported')")
    code = (
        "import sys, pullfx; from pullfx.pipeline import sinks; from pullfx.cli import application;"
        f"sys.path.insert(0, {str(tmp_path)!r});"
        "[getattr(pullfx, name) for name in pullfx.__all__];"
        "pullfx.open_sink('null'); assert 'pyvirtualcam' not in sys.modules"
    )
    subprocess.run([sys.executable, "-P", "-c", code], check=True)


@pytest.mark.skipif(
    sys.platform != "linux" or any(Path("/dev").glob("video*")),
    reason="there may be a virtual camera, which somebody looks at",
)
def test_the_real_library_says_that_there_is_none() -> None:
    pytest.importorskip("pyvirtualcam")
    sink = open_sink("virtualcam")
    sink.open(FILE, None)
    with pytest.raises(SinkError, match=r"no virtual camera .*v4l2loopback"):
        sink.write(next(frames(1)))
    sink.close(Outcome.FAILED)
