"""What is found on this machine, and what is said of what is not."""

from __future__ import annotations

import socket
from pathlib import Path

import cv2
import pytest

from pullfx.errors import SinkError
from pullfx.pipeline import devices
from pullfx.pipeline.sinks import (
    open_sink,
)


@pytest.mark.parametrize(
    ("display", "message"),
    [("", "there is no screen"), (":94", "no X server answers at DISPLAY=:94"), ("?", "DISPLAY=?")],
)
def test_without_a_screen_there_is_no_window(
    monkeypatch: pytest.MonkeyPatch, display: str, message: str
) -> None:
    monkeypatch.setattr("platform.system", lambda: "Linux")
    monkeypatch.setenv("DISPLAY", display)
    with pytest.raises(SinkError) as refusal:
        open_sink("window")
    assert message in str(refusal.value)


def test_an_x_server_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        number = server.getsockname()[1] - 6000
        monkeypatch.setattr("platform.system", lambda: "Linux")
        monkeypatch.setenv("DISPLAY", f"127.0.0.1:{number}.0")
        assert devices.window_support() == devices.WindowSupport(True)


def test_opencv_without_windows_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cv2, "getBuildInformation", lambda: "  GUI:     NONE\n")
    assert "opencv-python-headless" in devices.window_support().reason


def test_cameras_are_listed_without_their_metadata_devices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.system", lambda: "Linux")
    for number, name, index in ((10, "Virtual", 0), (2, "Webcam", 0), (3, "Webcam", 1)):
        entry = tmp_path / f"video{number}"
        entry.mkdir()
        (entry / "name").write_text(f"{name}\n")
        (entry / "index").write_text(f"{index}\n")
    (tmp_path / "video7").mkdir()  # unplugged just now
    assert devices.list_cameras(tmp_path) == [
        devices.CameraDevice(2, "Webcam", Path("/dev/video2")),
        devices.CameraDevice(10, "Virtual", Path("/dev/video10")),
    ]


def test_encoders_are_listed_with_whether_they_work() -> None:
    found = {encoder.name: encoder for encoder in devices.devices().encoders}
    assert found["libx264"] == devices.EncoderDevice("libx264", "h264", works=True)
    assert not devices.encoder_works("nonsense")
