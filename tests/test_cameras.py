"""Cameras: read raw where they can be, whatever they claim, and opened again when lost."""

from __future__ import annotations

import itertools
import logging
import os
import threading
import time
from fractions import Fraction
from pathlib import Path

import cv2
import numpy as np
import pytest
from fake_camera import SMALL, FakeCamera, NoCamera, NoDevice, source_of
from video_files import Array

from pullfx.errors import SourceError
from pullfx.pipeline.devices import CameraDevice
from pullfx.pipeline.formats import PixelFormat
from pullfx.pipeline.sources import CameraSource, open_source
from pullfx.pipeline.sources.camera import recognise


@pytest.mark.parametrize(
    ("formats", "act", "wanted", "convert"),
    [
        (("YUYV", "MJPG"), "raw", "YUYV", 0.0),
        (("YUYV", "NV12", "MJPG"), "raw", "NV12", 0.0),
        (("YUYV",), "flat", "YUYV", 0.0),
        (("MJPG",), "bgr", "MJPG", 1.0),
        ((), "bgr", "", 1.0),
    ],
)
def test_a_camera_is_read_raw_where_it_can_be(
    formats: tuple[str, ...], act: str, wanted: str, convert: float
) -> None:
    camera = FakeCamera(formats, iter([act] * 3))
    with source_of(camera) as source:
        found = next(source.frames())
    assert (source.info.width, source.info.height, source.info.live) == (*SMALL, True)
    assert camera.settings.get(cv2.CAP_PROP_FOURCC, 0) == (
        cv2.VideoWriter.fourcc(*wanted) if wanted else 0
    )
    assert camera.settings[cv2.CAP_PROP_CONVERT_RGB] == convert
    assert (found.width, found.height) == SMALL
    assert camera.released
    if convert == 0:
        assert set(found.y.ravel()) == {18}  # the driver's own codes, never converted


def test_a_rate_that_raw_cannot_reach_is_taken_as_jpeg() -> None:
    camera = FakeCamera(("YUYV", "MJPG"), claims={cv2.CAP_PROP_FPS: 10.0})
    with source_of(camera, fps=Fraction(30)):
        assert camera.settings[cv2.CAP_PROP_FOURCC] == cv2.VideoWriter.fourcc(*"MJPG")


@pytest.mark.parametrize("act", ["bgr", "rubbish"])
def test_a_camera_that_lies_about_its_format_works(act: str) -> None:
    with source_of(FakeCamera(("YUYV",), iter([act, "raw", "raw"]))) as source:
        frame = next(source.frames())
    assert (frame.width, frame.height) == SMALL


@pytest.mark.parametrize(("formats", "code"), [(("YUYV",), "YUYV"), (("YUYV", "MJPG"), "MJPG")])
def test_a_camera_of_another_size_is_taken_as_it_is(formats: tuple[str, ...], code: str) -> None:
    camera = FakeCamera(formats, size=(32, 24))
    with source_of(camera, size=(1280, 720)) as source:
        assert (source.info.width, source.info.height) == (32, 24)
    assert camera.settings[cv2.CAP_PROP_FOURCC] == cv2.VideoWriter.fourcc(*code)


@pytest.mark.parametrize(
    ("shape", "raw_format", "expected"),
    [
        ((48, 64, 3), PixelFormat.YUYV422, PixelFormat.BGR24),
        ((48, 64, 2), None, PixelFormat.YUYV422),
        ((1, 6144), PixelFormat.YUYV422, PixelFormat.YUYV422),
        ((1, 4608), PixelFormat.NV12, PixelFormat.NV12),
        ((72, 64), PixelFormat.NV12, PixelFormat.NV12),
        ((72, 64), PixelFormat.YUYV422, None),
        ((72, 64), None, None),
        ((48, 64, 4), None, None),
    ],
)
def test_pictures_are_recognised_by_their_shape(
    shape: tuple[int, ...], raw_format: PixelFormat | None, expected: PixelFormat | None
) -> None:
    found = recognise(np.zeros(shape, np.uint8), raw_format, *SMALL)
    assert (None if found is None else found[1]) == expected


def test_times_of_a_camera_grow() -> None:
    with source_of(FakeCamera(pause=0.002)) as source:
        taken = source.frames()
        found = [next(taken).seconds or 0.0 for _ in range(5)]
    assert found[0] == 0.0
    assert all(later - earlier >= 0.0019 for earlier, later in itertools.pairwise(found))


@pytest.mark.parametrize("failure", ["false", "none", "error"])
def test_one_picture_that_fails_is_no_loss(failure: str, caplog: pytest.LogCaptureFixture) -> None:
    camera = FakeCamera(script=iter(["raw"] + 3 * ["raw", failure, failure]))
    with source_of(camera) as source:
        taken = source.frames()
        assert len([next(taken) for _ in range(3)]) == 3
    assert not caplog.records


@pytest.mark.parametrize("failure", ["false", "none", "error"])
def test_a_lost_camera_is_opened_again(failure: str, caplog: pytest.LogCaptureFixture) -> None:
    lost = FakeCamera(script=iter(["raw"] * 3 + [failure] * 3))
    back = FakeCamera(size=(32, 24))
    mute = FakeCamera(script=iter([]))
    with source_of(lost, NoCamera(), NoDevice(), mute, back) as source:
        taken = source.frames()
        found = [next(taken) for _ in range(4)]
    assert [frame.width for frame in found] == [64, 64, 32, 32]
    assert lost.released
    assert mute.released
    assert back.released
    assert back.settings[cv2.CAP_PROP_CONVERT_RGB] == 0
    assert [record.message for record in caplog.records] == [
        "camera 0 is lost; it is opened again as soon as it is back",
        "camera 0 is back",
    ]


def test_what_was_agreed_on_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with source_of(FakeCamera(size=(32, 24), claims={cv2.CAP_PROP_FPS: 15}), fps=Fraction(30)):
        pass
    assert [record.message for record in caplog.records] == [
        "camera 0: 32x24 at 15 fps, YUYV422; asked for 64x48 at 30 fps"
    ]


@pytest.mark.parametrize("seconds", [2.0, 60.0])
def test_a_camera_that_freezes_is_named_once(
    seconds: float, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Frozen(FakeCamera):
        def picture(self, act: str) -> Array:
            self.count = 1
            return super().picture(act)

    times = itertools.count(0, seconds / 20)
    monkeypatch.setattr(time, "monotonic", lambda: next(times))
    with source_of(Frozen()) as source:
        taken = source.frames()
        assert len([next(taken) for _ in range(20)]) == 20
    warnings = ["gives the same picture again and again" in text for text in caplog.messages]
    assert warnings == ([True] if seconds > 5 else [])


def test_a_paused_camera_is_given_back() -> None:
    first, second = FakeCamera(), FakeCamera(size=(32, 24))
    with source_of(first, second) as source:
        taken = source.frames()
        assert next(taken).width == 64
        paused = [source.paused]
        source.pause()
        paused.append(source.paused)
        resume = threading.Timer(0.1, source.resume)
        resume.start()
        assert next(taken).width == 32  # it waits until then
        paused.append(source.paused)
        assert paused == [False, True, False]
        assert first.released
        resume.join()


def test_the_end_comes_during_a_pause_too() -> None:
    camera = FakeCamera()
    with source_of(camera) as source:
        source.pause()
        stop = threading.Timer(0.1, source.stop)
        stop.start()
        assert not list(source.frames())
        assert camera.released
        stop.join()


def test_a_camera_that_stays_away_does_not_hold_the_end_up() -> None:
    cameras = [FakeCamera(script=iter(["raw"] * 2)), *(NoCamera() for _ in range(5000))]
    source = source_of(*cameras)
    stop = threading.Timer(0.1, source.stop)
    stop.start()
    assert len(list(source.frames())) == 1
    stop.join()


def test_a_camera_without_pictures_is_refused() -> None:
    camera = FakeCamera(script=iter(["false"] * 50))
    with pytest.raises(SourceError, match="opens but gives no pictures"):
        source_of(camera)
    assert camera.released


@pytest.mark.parametrize(
    ("camera", "found", "exists", "message"),
    [
        (7, [], False, "there is no camera 7 (/dev/video7 does not exist); no camera was found"),
        (
            7,
            [CameraDevice(0, "Webcam")],
            False,
            "there is no camera 7 (/dev/video7 does not exist); cameras found: 0 (Webcam)",
        ),
        (0, [CameraDevice(0, "Webcam")], True, "camera 0 does not open; close other programs"),
    ],
)
def test_a_camera_that_does_not_open_is_explained(
    monkeypatch: pytest.MonkeyPatch,
    camera: int,
    found: list[CameraDevice],
    exists: bool,
    message: str,
) -> None:
    monkeypatch.setattr("platform.system", lambda: "Linux")
    monkeypatch.setattr("pullfx.pipeline.sources.camera.list_cameras", lambda: found)
    monkeypatch.setattr(Path, "exists", lambda _: exists)
    monkeypatch.setattr(os, "access", lambda *_: True)
    with pytest.raises(SourceError) as refusal:
        CameraSource(camera, opener=lambda _: NoCamera())
    assert message in str(refusal.value)


def test_a_camera_without_permission_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.system", lambda: "Linux")
    monkeypatch.setattr(Path, "exists", lambda _: True)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(SourceError, match="no permission for /dev/video0; add yourself"):
        CameraSource(0, opener=lambda _: NoCamera())


@pytest.mark.skipif(Path("/dev/video99").exists(), reason="there is such a camera")
@pytest.mark.parametrize("specification", ["99", 99, "camera:99", "/dev/video99"])
def test_a_camera_that_does_not_exist_is_refused_quietly(
    specification: int | str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SourceError, match="99"):
        open_source(specification)
    assert capfd.readouterr() == ("", "")
