"""Many files in several processes: what is whole stays, what fails is tried elsewhere and told."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import BrokenExecutor
from pathlib import Path

import pytest
from video_files import QUICK, times

import pullfx
from pullfx import Effect, FileState, Frame, Mirror, node, parameter, run_batch
from pullfx.batch.job import Job, Recipe, Workbench
from pullfx.batch.processes import LocalCrew
from pullfx.cli import main
from pullfx.errors import ClusterError, ParameterError, PullfxError, SourceError

CLIPS = (
    "edge/bframes.mp4",
    "edge/one_frame.mp4",
    "edge/tiny_16x16.mp4",
    "edge/odd_641x481_mjpeg.avi",
)
DAMAGED = "edge/not_a_video.mp4"
LONG = "video/lp_s18_desk_1280x720.mp4"


@node
def misbehave(frame: Frame, folder: str, times: int, how: str) -> Frame:
    """Notes the process in the folder and, for the first ones, fails."""
    before = len(os.listdir(folder))
    Path(folder, f"{before}-{os.getpid()}").touch()
    if before < times:
        if how == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        raise RuntimeError("injected")
    return frame


class Misbehave(Effect):
    """Fails, or dies, a few times in all."""

    folder: str = parameter(default="")
    times: int = parameter(default=1)
    how: str = parameter(default="raise")

    def build(self, frame: Frame, original: Frame) -> Frame:
        return misbehave(frame, self.folder, self.times, self.how)


@node
def dawdle(frame: Frame, seconds: float) -> Frame:
    time.sleep(seconds)
    return frame


class Dawdle(Effect):
    """Takes its time."""

    seconds: float = parameter(default=0.05)

    def build(self, frame: Frame, original: Frame) -> Frame:
        return dawdle(frame, self.seconds)


@pytest.fixture
def clips(media: Path, tmp_path: Path) -> Path:
    """A folder with a few short clips, one of which is no video."""
    folder = tmp_path / "in"
    folder.mkdir()
    for name in (*CLIPS, DAMAGED):
        shutil.copy(media / name, folder)
    return folder


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def processes(notes: Path) -> list[str]:
    """Who worked, in turn."""
    return [
        name.partition("-")[2] for name in sorted(names(notes), key=lambda n: int(n.split("-")[0]))
    ]


WHOLE = ["bframes.mp4", "odd_641x481_mjpeg.mp4", "one_frame.mp4", "tiny_16x16.mp4"]


def test_two_processes_do_all_files_but_the_damaged_one(
    clips: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    told: list[tuple[int, int]] = []
    out = tmp_path / "new" / "out"
    report = run_batch(
        [clips / "*"],
        out,
        [Mirror()],
        jobs=2,
        encoder=QUICK,
        progress=lambda *state: told.append(state),
    )
    assert names(out) == WHOLE
    for file in report.files:
        bad = file.source.name == "not_a_video.mp4"
        assert file.state is (FileState.FAILED if bad else FileState.DONE)
        assert bool(file.error) is bad
        if not bad:
            assert file.frames == len(times(file.output)) == len(times(file.source))
    assert told == [(done, 5) for done in range(6)]
    lines = [record.getMessage() for record in caplog.records if "not_a_video" in record.message]
    assert [line.partition(": ")[0].split("mp4 ")[1] for line in lines] == [
        "will be tried again",
        "will be tried again",
        "failed, tried 3 times",
    ]


def test_the_result_is_that_of_run(clips: Path, tmp_path: Path) -> None:
    run_batch([clips / "bframes.mp4"], tmp_path / "out", [Mirror()], encoder=QUICK)
    with pullfx.Pipeline([Mirror()]) as pipeline:
        pullfx.run(clips / "bframes.mp4", tmp_path / "alone.mp4", pipeline, encoder=QUICK)
    assert (tmp_path / "out/bframes.mp4").read_bytes() == (tmp_path / "alone.mp4").read_bytes()


def test_what_is_whole_is_skipped_and_what_is_cut_off_is_not(clips: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    patterns = [clips / name for name in ("bframes.mp4", "one_frame.mp4", "tiny_16x16.mp4")]
    run_batch(patterns, out, [Mirror()], jobs=1, encoder=QUICK)
    whole = (out / "bframes.mp4").read_bytes()
    (out / "bframes.mp4").write_bytes(whole[:-100])
    (out / "one_frame.mp4").write_bytes(b"")
    report = run_batch(patterns, out, [Mirror()], jobs=1, encoder=QUICK)
    states = {file.source.name: file.state for file in report.files}
    assert states == {
        "bframes.mp4": FileState.DONE,
        "one_frame.mp4": FileState.DONE,
        "tiny_16x16.mp4": FileState.SKIPPED,
    }
    assert (out / "bframes.mp4").read_bytes() == whole
    report = run_batch(patterns, out, [Mirror()], jobs=1, encoder=QUICK, again=True)
    assert report.count(FileState.DONE) == 3


@pytest.mark.parametrize("how", ["raise", "die"])
def test_a_file_that_fails_is_done_by_another_process(
    clips: Path, tmp_path: Path, notes: Path, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    out = tmp_path / "out"
    report = run_batch(
        [clips / "one_frame.mp4", clips / "tiny_16x16.mp4"],
        out,
        [Misbehave(folder=str(notes), how=how)],
        jobs=2,
        encoder=QUICK,
    )
    assert report.count(FileState.DONE) == 2
    assert names(out) == ["one_frame.mp4", "tiny_16x16.mp4"]
    assert "will be tried again" in caplog.text
    assert ("injected" if how == "raise" else "died") in caplog.text
    assert len(set(processes(notes))) >= 2
    if how == "die":
        assert processes(notes)[0] not in processes(notes)[1:]


def test_a_process_that_dies_each_time_costs_its_own_file_only(
    clips: Path, tmp_path: Path, notes: Path
) -> None:
    out = tmp_path / "out"
    report = run_batch(
        [clips / "one_frame.mp4"],
        out,
        [Misbehave(folder=str(notes), times=9, how="die")],
        jobs=2,
        tries=2,
        encoder=QUICK,
    )
    (file,) = report.files
    assert file.state is FileState.FAILED
    assert "died" in file.error
    assert names(out) == []  # nor a hidden file
    assert len(set(processes(notes))) == 2


def test_a_stopped_batch_leaves_what_is_whole_and_goes_on_later(
    media: Path, clips: Path, tmp_path: Path
) -> None:
    shutil.copy(media / LONG, clips)
    sources = [clips / "one_frame.mp4", clips / Path(LONG).name, clips / "tiny_16x16.mp4"]
    stop = threading.Event()
    out = tmp_path / "out"

    def press(done: int, total: int) -> None:
        if done == 1:
            stop.set()

    report = run_batch(sources, out, [Dawdle()], jobs=1, encoder=QUICK, progress=press, stop=stop)
    assert [file.state for file in report.files] == [
        FileState.DONE,
        FileState.UNFINISHED,
        FileState.UNFINISHED,
    ]
    assert names(out) == ["one_frame.mp4"]
    report = run_batch(sources[::2], out, [Mirror()], jobs=1, encoder=QUICK)
    assert [file.state for file in report.files] == [FileState.SKIPPED, FileState.DONE]


def test_a_process_that_dies_while_it_has_nothing_to_do_is_known_as_lost(
    clips: Path, tmp_path: Path
) -> None:
    recipe = Recipe((Mirror(),), "high", 1, QUICK, True, tmp_path)
    worker = LocalCrew(1, 1).hire(recipe)
    assert worker.begin().result(30)
    (process,) = multiprocessing.active_children()
    process.kill()
    process.join()
    job = Job(clips / "one_frame.mp4", tmp_path / "out.mp4")
    for _ in range(2):  # the pool may learn of it by the first
        assert isinstance(worker.submit(job).exception(30), BrokenExecutor)
    worker.kill()


def test_a_folder_that_a_machine_does_not_have_is_named(clips: Path, tmp_path: Path) -> None:
    bench = Workbench(Recipe((Mirror(),), "high", 1, QUICK, True, tmp_path / "nowhere"))
    job = Job(clips / "one_frame.mp4", tmp_path / "out.mp4")
    report = bench.do(job, lambda: False).report
    assert report.state is FileState.FAILED
    assert "nowhere; a cluster's machines must see files" in report.error


@pytest.mark.skipif(os.name != "posix", reason="sends Ctrl-C to a group of processes")
def test_a_second_ctrl_c_does_not_wait_for_a_process_that_hangs(
    media: Path, tmp_path: Path
) -> None:
    code = (
        "import sys, test_batch;"
        "test_batch.run_batch(sys.argv[1:2], 'out', [test_batch.Dawdle(seconds=100)], jobs=1)"
    )
    with subprocess.Popen(
        [sys.executable, "-P", "-c", code, media / LONG],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        wait_for(tmp_path, "out")
        time.sleep(3)  # a pipeline is loaded, and the first frame has begun
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.5)
        assert process.poll() is None
        os.killpg(process.pid, signal.SIGINT)
        process.wait(5)
    assert names(tmp_path / "out") == []


def start(*arguments: object) -> subprocess.Popen[str]:
    """The command line in a process group of its own, as a terminal has it."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "pullfx", *map(str, arguments)],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for(folder: Path, pattern: str) -> None:
    end = time.monotonic() + 30
    while not list(folder.glob(pattern)):
        assert time.monotonic() < end, pattern
        time.sleep(0.02)


@pytest.mark.skipif(os.name != "posix", reason="sends signals to a group of processes")
def test_ctrl_c_leaves_nothing_half_written(media: Path, clips: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copy(media / LONG, clips / "zz.mp4")
    with start("batch", clips / "[b-z]*.mp4", out, "-j", 2, "-e", "beautify") as process:
        wait_for(tmp_path, "out/bframes.mp4")
        wait_for(tmp_path, "out/.zz.*")
        os.killpg(process.pid, signal.SIGINT)
        _, printed = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "interrupted" in printed
    assert "Traceback" not in printed
    assert "bframes.mp4" in names(out)
    assert not any("zz" in name or "partial" in name for name in names(out))


@pytest.mark.skipif(os.name != "posix", reason="kills a process")
def test_a_killed_batch_leaves_no_process_behind(media: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with start("batch", media / LONG, out, "-e", "beautify") as process:
        wait_for(tmp_path, "out/.lp*")
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        end = time.monotonic() + 20
        while names(out) and time.monotonic() < end:
            time.sleep(0.05)
        assert names(out) == []
        while time.monotonic() < end:
            try:
                os.killpg(process.pid, 0)
            except ProcessLookupError:
                break
            time.sleep(0.05)
        else:
            pytest.fail("a process lives on")


def run_command(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["pullfx", "batch", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def test_the_summary_and_the_exit_code_say_how_many_failed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], clips: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    arguments = (clips / "*.mp4", out, "-e", "mirror", "-j", 2)
    assert run_command(monkeypatch, *arguments, "--tries", 1) == 1
    assert "4 files in" in (printed := capsys.readouterr().err)
    assert "3 done, 1 failed" in printed
    (clips / "not_a_video.mp4").unlink()
    assert run_command(monkeypatch, *arguments) == 0
    assert "0 done, 3 skipped" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere/*.mp4", "out"), "no file matches 'nowhere/*.mp4'"),
        (("in", "out"), "write 'in/*.mp4'"),
        (("in/*.mp4", "file"), "file is a file"),
        (("in/*.mp4", "file/out"), "cannot be made"),
        (("in/*", "more/*", "out"), "would both become out/bframes.mp4"),
        (("in/*.mp4", "in"), "is an input too"),
        (("in/*.mp4", "out", "-e", "blur"), "no effect 'blur'"),
        (("in/*.mp4", "out", "--quality", "ultra"), "quality must be one of low"),
        (("in/*.mp4", "out", "--codec", "nonesuch"), "nonesuch"),
        (("in/*.mp4", "out", "--on", "moon"), "not on 'moon'"),
        (("in/*.mp4", "out", "--on", "ray://127.0.0.1:1"), "ray"),
        (("in/*.mp4", "out", "--on", "ray://127.0.0.1:x"), "ray"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    clips: Path,
    arguments: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(clips.parent)
    (clips.parent / "file").touch()
    shutil.copytree(clips, "more")
    before = names(clips.parent)
    assert run_command(monkeypatch, *arguments) == 2
    printed = capsys.readouterr().err
    assert message in printed
    assert len(printed.strip().splitlines()) == 1
    assert names(clips.parent) == before


def test_without_ray_it_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, clips: Path, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ClusterError, match=r"pip install 'pullfx\[ray\]'"):
        run_batch([clips / "*.mp4"], tmp_path / "out", [Mirror()], on="ray://127.0.0.1:10001")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"jobs": 0}, ParameterError, "jobs must be 1 or more"),
        ({"tries": 0}, ParameterError, "tries must be 1 or more"),
        ({"sources": []}, SourceError, "no files were named"),
    ],
)
def test_wrong_arguments_are_refused(
    clips: Path,
    tmp_path: Path,
    arguments: dict[str, object],
    error: type[PullfxError],
    message: str,
) -> None:
    given: dict[str, object] = {"sources": [clips / "*.mp4"], **arguments}
    with pytest.raises(error, match=message):
        run_batch(folder=tmp_path / "out", effects=[Mirror()], **given)  # type: ignore[arg-type]
