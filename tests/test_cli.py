"""The command `pullfx`: what it prints, what it leaves behind, and how it ends."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import av
import cv2
import numpy as np
import pytest
from video_files import copy_with_zeros

from pullfx import models
from pullfx.cli import console, main


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    """Six frames of 176x144."""
    path = tmp_path / "clip.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=30)
        stream.width, stream.height, stream.pix_fmt = 176, 144, "yuv420p"
        for number in range(6):
            picture = np.full((144, 176, 3), 40 * number, np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, "bgr24")))
        container.mux(stream.encode(None))
    return path


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    """Runs the command line; its exit code."""
    monkeypatch.setattr(sys, "argv", ["pullfx", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    code = ended.value.code
    return code if isinstance(code, int) else int(code is not None)


def test_run_writes_a_video_and_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], clip: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.mp4"
    effect = "background_blur:strength=0.9,feather=-0.2"
    assert run(monkeypatch, "run", clip, out, "--effect", effect, "--stats") == 0
    with av.open(str(out)) as container:
        assert sum(1 for _ in container.decode(video=0)) == 6
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "6 frames in" in printed.err
    assert "segment" in printed.err


def test_a_damaged_file_has_an_exit_code_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    media: Path,
    tmp_path: Path,
) -> None:
    damaged, out = tmp_path / "damaged.mp4", tmp_path / "out.mp4"
    copy_with_zeros(media / "edge" / "bframes.mp4", damaged, 12)
    assert run(monkeypatch, "run", damaged, out, "--effect", "mirror") == 3
    assert "23 frames in" in (printed := capsys.readouterr().err)
    assert "1 damaged in the source" in printed
    with av.open(str(out)) as container:
        assert sum(1 for _ in container.decode(video=0)) == 23
    assert run(monkeypatch, "batch", damaged, tmp_path / "all", "--effect", "mirror") == 3


@pytest.mark.parametrize("quality", ["low", "best", "auto"])
def test_run_at_a_quality(
    monkeypatch: pytest.MonkeyPatch, clip: Path, tmp_path: Path, quality: str
) -> None:
    out = tmp_path / "out.mp4"
    assert run(monkeypatch, "run", clip, out, "--quality", quality) == 0
    with av.open(str(out)) as container:
        assert sum(1 for _ in container.decode(video=0)) == 6


def test_net_prints_the_steps_of_a_network(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(console.results, "width", 200)
    file = models.path("selfie_landscape.int8")
    assert run(monkeypatch, "net", file, "--rounds", "2", "--threads", "2") == 0
    printed = capsys.readouterr().out
    assert "depthwise_3x3" in printed
    assert "the arena" in printed


def test_quiet_prints_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], clip: Path
) -> None:
    assert run(monkeypatch, "run", clip, "null", "--quiet") == 0
    assert capsys.readouterr() == ("", "")


def test_trace_writes_a_timeline(
    monkeypatch: pytest.MonkeyPatch, clip: Path, tmp_path: Path
) -> None:
    path = tmp_path / "trace.json"
    assert run(monkeypatch, "run", clip, "null", "--trace", path) == 0
    names = {event["name"] for event in json.loads(path.read_text())["traceEvents"]}
    assert {"downscale", "segment", "composite"} <= names


def test_a_picture_becomes_a_picture(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path, out = tmp_path / "in.png", tmp_path / "out.png"
    cv2.imwrite(str(path), np.full((90, 160, 3), 77, np.uint8))
    assert run(monkeypatch, "run", path, out) == 0
    printed = capfd.readouterr()  # what native libraries print counts too
    assert printed.out == ""
    assert printed.err.startswith("1 frame in")
    assert len(printed.err.splitlines()) == 1
    written = cv2.imread(str(out))
    assert written is not None
    assert written.shape == (90, 160, 3)


@pytest.mark.parametrize("name", ["graph.png", "graph.mmd", "graph.dot"])
def test_graph_writes_a_picture(
    monkeypatch: pytest.MonkeyPatch, clip: Path, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    assert run(monkeypatch, "graph", "--times-from", clip, "--output", path) == 0
    if path.suffix == ".png":
        assert cv2.imread(str(path)) is not None
    else:
        assert " ms" in path.read_text()


def test_graph_prints_mermaid(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("-e", "background_blur", "-e", "show_mask", "--off", "show_mask")
    assert run(monkeypatch, "graph", *arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "flowchart LR"
    assert sum('["segment"]:::active' in line for line in lines) == 1
    assert any('["show_mask"]:::inactive' in line for line in lines)


def test_effects_lists_parameters(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "effects") == 0
    printed = capsys.readouterr().out
    assert "background_blur" in printed
    assert "strength" in printed


def test_devices_says_what_there_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "devices") == 0
    printed = capsys.readouterr().out
    assert "encoder" in printed
    assert "window" in printed


def test_version(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "--version") == 0
    assert capsys.readouterr().out.startswith("pullfx ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "nowhere.mp4", "out.mp4"), "nowhere.mp4"),
        (("run", "empty.mp4", "out.mp4"), "empty.mp4"),
        (("run", "text.mp4", "out.mp4"), "text.mp4"),
        (("run", "camera:97", "out.mp4"), "camera"),
        (("run", "clip.mp4", "out.xyz"), ".xyz"),
        (("run", "clip.mp4", "nowhere/out.mp4"), "nowhere"),
        (("run", "clip.mp4", "clip.mp4"), "is the input too"),
        (("run", "clip.mp4", "out.mp4", "-e", "blur"), "no effect 'blur'"),
        (("run", "clip.mp4", "out.mp4", "-e", "background_blur:size=3"), "no parameter 'size'"),
        (("run", "clip.mp4", "out.mp4", "-e", "background_blur:strength=2"), "must be 0 to 1"),
        (("run", "clip.mp4", "out.mp4", "-e", "background_blur:strength=x"), "must be float"),
        (("run", "clip.mp4", "out.mp4", "-e", "background_blur:strength"), "is no setting"),
        (("run", "clip.mp4", "out.mp4", "-e", "background_blur:model=text.mp4"), "no ONNX"),
        (("run", "clip.mp4", "out.mp4", "-e", "background_blur:model=nowhere.onnx"), "no model at"),
        (("run", "clip.mp4", "out.mp4", "--seconds", "-1"), "seconds must be more than 0"),
        (("run", "clip.mp4", "out.mp4", "--codec", "nonesuch"), "nonesuch"),
        (("run", "clip.mp4", "out.mp4", "--crf", "99"), "crf must be 0"),
        (("run", "clip.mp4", "out.mp4", "--size", "huge"), "is no size"),
        (("run", "clip.mp4", "out.mp4", "--quality", "ultra"), "quality must be one of low"),
        (("net", "text.mp4"), "text.mp4"),
        (("net", "nowhere.onnx"), "nowhere.onnx"),
        (("graph", "--off", "beauty"), "not among background_blur"),
        (("graph", "--format", "svg"), "must be mermaid or dot"),
        (("graph", "--output", "graph.xyz"), "graph.xyz"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    clip: Path,
    arguments: tuple[str, ...],
    message: str,
) -> None:
    folder = clip.parent
    monkeypatch.chdir(folder)
    (folder / "empty.mp4").touch()
    (folder / "text.mp4").write_text("this is no video")
    before = sorted(folder.iterdir())
    assert run(monkeypatch, *arguments) == 2
    printed = capsys.readouterr()
    assert message in printed.err
    assert "Traceback" not in printed.err
    if "is no size" not in message:  # what typer itself refuses comes in a box
        assert len(printed.err.strip().splitlines()) == 1
    assert printed.out == ""
    assert sorted(folder.iterdir()) == before
