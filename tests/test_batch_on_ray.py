"""The same batch on a Ray of two workers, where Ray is installed."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_batch import DAMAGED, LONG, Dawdle, Misbehave, names, processes, wait_for
from video_files import QUICK, times

import pullfx
from pullfx import FileState, Mirror, run_batch

CLIPS = ("edge/bframes.mp4", "edge/one_frame.mp4", "edge/tiny_16x16.mp4")


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    """Two workers, which find the effects of tests where these are."""
    ray = pytest.importorskip("ray")
    variables = {"PYTHONPATH": str(Path(__file__).parent)}
    ray.init(
        "local",
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        runtime_env={"env_vars": variables},
    )
    yield ray
    ray.shutdown()


@pytest.fixture
def clips(media: Path, tmp_path: Path, ray: Any) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    for name in (*CLIPS, DAMAGED):
        shutil.copy(media / name, folder)
    return folder


def test_two_workers_do_all_files_but_the_damaged_one(
    clips: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # names are those of this folder
    report = run_batch(["in/*.mp4"], "out", [Mirror()], on="ray", encoder=QUICK)
    states = {file.source.name: file.state for file in report.files}
    assert states.pop("not_a_video.mp4") is FileState.FAILED
    assert set(states.values()) == {FileState.DONE}
    for file in report.files:
        if file.state is FileState.DONE:
            assert file.frames == len(times(file.output)) == len(times(file.source))
    with pullfx.Pipeline([Mirror()]) as pipeline:
        pullfx.run("in/bframes.mp4", "alone.mp4", pipeline, encoder=QUICK)
    assert Path("out/bframes.mp4").read_bytes() == Path("alone.mp4").read_bytes()
    report = run_batch(["in/*.mp4"], "out", [Mirror()], on="ray", tries=1, encoder=QUICK)
    assert (report.count(FileState.SKIPPED), report.count(FileState.FAILED)) == (3, 1)


@pytest.mark.parametrize("how", ["raise", "die"])
def test_a_file_that_fails_is_done_by_another_worker(
    clips: Path, tmp_path: Path, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    effect = Misbehave(folder=str(notes), how=how)
    sources = [clips / "one_frame.mp4", clips / "tiny_16x16.mp4"]
    report = run_batch(sources, tmp_path / "out", [effect], on="ray", encoder=QUICK)
    assert report.count(FileState.DONE) == 2
    assert names(tmp_path / "out") == ["one_frame.mp4", "tiny_16x16.mp4"]
    assert ("injected" if how == "raise" else "died") in caplog.text
    assert len(set(processes(notes))) >= 2


def test_a_stopped_batch_leaves_nothing_half_written(
    media: Path, clips: Path, tmp_path: Path
) -> None:
    stop = threading.Event()

    def press(done: int, total: int) -> None:
        if done == 1:
            stop.set()

    sources = [clips / "one_frame.mp4", media / LONG]
    report = run_batch(
        sources, tmp_path / "out", [Dawdle()], on="ray", encoder=QUICK, progress=press, stop=stop
    )
    assert [file.state for file in report.files] == [FileState.DONE, FileState.UNFINISHED]
    assert names(tmp_path / "out") == ["one_frame.mp4"]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[str]:
    """A Ray of its own, as on another machine: the address that its clients take."""
    pytest.importorskip("ray.util.client.server")
    port = free_port()
    settings = {
        "RAY_AUTH_MODE": "disabled",
        "GRPC_ENABLE_FORK_SUPPORT": "0",  # its server of clients forks, which gRPC is not up to
        "GRPC_POLL_STRATEGY": "poll",
    }
    command = [
        *(sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--block"),
        *("--num-cpus", "2", "--port", str(free_port()), "--ray-client-server-port", str(port)),
        *("--include-dashboard", "false", "--disable-usage-stats"),
    ]
    with (
        tempfile.TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True) as folder,
        open(tmp_path / "ray.log", "wb") as log,
        subprocess.Popen(
            [*command, "--temp-dir", folder],
            env={**os.environ, **settings},
            stdout=log,
            stderr=log,
        ) as process,
    ):
        end = time.monotonic() + 60
        while b"--block" not in (tmp_path / "ray.log").read_bytes() and process.poll() is None:
            assert time.monotonic() < end, "Ray does not begin"
            time.sleep(0.1)
        yield f"ray://127.0.0.1:{port}"
        process.send_signal(signal.SIGTERM)


@pytest.mark.skipif(os.name != "posix", reason="sends Ctrl-C to a group of processes")
def test_the_command_works_on_a_cluster_elsewhere(
    media: Path, tmp_path: Path, cluster: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "in"
    folder.mkdir()
    for name in (*CLIPS, DAMAGED):
        shutil.copy(media / name, folder)
    command = [sys.executable, "-P", "-m", "pullfx", "batch", "in/*.mp4", "out/", "--on", cluster]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert ended.returncode == 1
    assert ended.stderr.count("not_a_video.mp4 will be tried again") == 2
    assert "3 done, 1 failed" in ended.stderr
    assert names(Path("out")) == ["bframes.mp4", "one_frame.mp4", "tiny_16x16.mp4"]
    shutil.copy(media / LONG, folder / "zz.mp4")
    with subprocess.Popen(
        [*command, "-e", "beautify"], stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        wait_for(Path("out"), ".zz.*")
        os.killpg(process.pid, signal.SIGINT)
        _, printed = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted" in printed
    assert names(Path("out")) == ["bframes.mp4", "one_frame.mp4", "tiny_16x16.mp4"]
