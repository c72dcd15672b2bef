"""`pullfx doctor`: every fault is found, told in one line with what to do, and decides the end."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import pullfx.kernels
from pullfx import models
from pullfx.cli import doctor_checks, main
from pullfx.cli.application import application
from pullfx.cli.doctor_checks import Finding, State
from pullfx.kernels import isa
from pullfx.nodes.network.compiled import CompiledNetwork
from pullfx.nodes.network.session import SessionNetwork
from pullfx.pipeline import devices

Patch = pytest.MonkeyPatch


@pytest.fixture(autouse=True)
def looked_up_anew() -> Iterator[None]:
    """What is found out once in a process is found out once in a test."""
    yield
    isa.implementations.cache_clear()
    isa.active.cache_clear()


@pytest.fixture(autouse=True)
def webcam(monkeypatch: Patch) -> None:
    """A machine with a camera and a screen, wherever the test runs."""
    monkeypatch.setattr(devices, "list_cameras", lambda: [devices.CameraDevice(0, "Webcam")])
    monkeypatch.setattr(devices, "window_support", lambda: devices.WindowSupport(True))


def doctor(*arguments: str) -> Result:
    return CliRunner().invoke(application, ["doctor", *arguments])


def not_importing(name: str, error: ImportError) -> Callable[[Patch, Path], None]:
    """A fault: this module cannot be imported."""

    def inject(monkeypatch: Patch, _: Path) -> None:
        healthy = importlib.import_module

        def import_module(wanted: str, package: str | None = None) -> ModuleType:
            if wanted == name:
                raise error
            return healthy(wanted, package)

        monkeypatch.setattr(importlib, "import_module", import_module)

    return inject


def no_kernels(monkeypatch: Patch, _: Path) -> None:
    monkeypatch.delattr(pullfx.kernels, "_native")
    monkeypatch.setitem(sys.modules, "pullfx.kernels._native", None)
    isa.implementations.cache_clear()


def instruction_set(name: str) -> Callable[[Patch, Path], None]:
    def inject(monkeypatch: Patch, _: Path) -> None:
        monkeypatch.setenv(isa.VARIABLE, name)
        isa.active.cache_clear()

    return inject


def damaged_model(monkeypatch: Patch, folder: Path) -> None:
    (folder / "tiny.onnx").write_bytes(b"not the network")
    (folder / "tiny.md").write_text(
        models.path("selfie_square").with_suffix(".md").read_text("utf-8"), "utf-8"
    )
    monkeypatch.setattr(models, "_FOLDER", folder)


def no_models(monkeypatch: Patch, folder: Path) -> None:
    monkeypatch.setattr(models, "_FOLDER", folder)


def failing_network(monkeypatch: Patch, _: Path) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("broken by the test")

    for engine in (CompiledNetwork, SessionNetwork):
        monkeypatch.setattr(engine, "__call__", fail)


def encoders_without(name: str) -> Callable[[Patch, Path], None]:
    def inject(monkeypatch: Patch, _: Path) -> None:
        monkeypatch.setattr(devices, "encoder_works", lambda encoder: not encoder.startswith(name))

    return inject


def cameras(*found: devices.CameraDevice) -> Callable[[Patch, Path], None]:
    def inject(monkeypatch: Patch, _: Path) -> None:
        monkeypatch.setattr(devices, "list_cameras", lambda: list(found))

    return inject


def no_screen(monkeypatch: Patch, _: Path) -> None:
    monkeypatch.setattr(
        devices, "window_support", lambda: devices.WindowSupport(False, "no screen; log in")
    )


def cameras_that_raise(monkeypatch: Patch, _: Path) -> None:
    def fail() -> None:
        raise OSError("the bus\n is gone")

    monkeypatch.setattr(devices, "list_cameras", fail)


def no_virtual_camera(monkeypatch: Patch, _: Path) -> None:
    def version(name: str) -> str:
        if name == "pyvirtualcam":
            raise PackageNotFoundError(name)
        return "1.0"

    monkeypatch.setattr(doctor_checks, "version", version)


LIB_GL = ImportError("libGL.so.1: cannot open shared object file: No such file or directory")
GONE = ModuleNotFoundError("No module named 'networkx'")
LOCKED = devices.CameraDevice(3, "Webcam", Path("/dev/no/such/video3"))

FAULTS: dict[str, tuple[Callable[[Patch, Path], None], str, State, str]] = {
    "system library": (
        not_importing("cv2", LIB_GL), "opencv-python", State.BROKEN, "apt install libgl1"
    ),
    "library": (
        not_importing("networkx", GONE), "networkx", State.BROKEN, "run: pip install networkx"
    ),
    "damaged library": (
        not_importing("onnx", ImportError("bad magic number")),
        "onnx", State.BROKEN, "--force-reinstall onnx",
    ),
    "compiled kernels": (no_kernels, "instruction sets", State.BROKEN, "install pullfx again"),
    "unknown set": (instruction_set("sse9"), "in use", State.BROKEN, "unset PULLFX_ISA"),
    "slow set": (instruction_set("reference"), "in use", State.MISSING, "is faster"),
    "damaged model": (damaged_model, "tiny", State.BROKEN, "install pullfx again"),
    "no models": (no_models, "models", State.BROKEN, "install pullfx again"),
    "network": (failing_network, "background_blur", State.BROKEN, "mend what is broken above"),
    "no encoder": (encoders_without(""), "write .mp4, .mov, .mkv", State.BROKEN, "PyPI's has"),
    "no VP9": (encoders_without("libvpx"), "write .webm", State.MISSING, "PyPI's has"),
    "no camera": (cameras(), "camera", State.MISSING, "plug one in"),
    "locked camera": (cameras(LOCKED), "camera:3", State.MISSING, "usermod -aG video"),
    "no screen": (no_screen, "window", State.MISSING, "log in"),
    "what nobody thought of": (cameras_that_raise, "Devices", State.BROKEN, "report this"),
    "extra": (no_virtual_camera, "pyvirtualcam", State.MISSING, "'pullfx[virtualcam]'"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_with_what_to_do(monkeypatch: Patch, tmp_path: Path, fault: str) -> None:
    inject, name, state, remedy = FAULTS[fault]
    inject(monkeypatch, tmp_path)
    ended = doctor("--json")
    told = json.loads(ended.stdout)
    found = {f["name"]: f for findings in told["found"].values() for f in findings}
    assert found[name]["state"] == state
    assert remedy in found[name]["remedy"]
    assert told["works"] is (state is not State.BROKEN)
    assert ended.exit_code == (state is State.BROKEN)
    for finding in found.values():
        assert "\n" not in finding["detail"] + finding["remedy"]
        assert bool(finding["remedy"]) is (finding["state"] != State.WORKS)


def test_a_machine_with_all_that_is_needed() -> None:
    ended = doctor()
    assert ended.exit_code == 0
    assert ended.stdout.endswith("All needed works.\n")
    for name in (*models.names(), *pullfx.kernels.available_isas(), "numpy", "libx264", "Webcam"):
        assert name in ended.stdout


def test_each_problem_has_its_line_below_it(monkeypatch: Patch, tmp_path: Path) -> None:
    damaged_model(monkeypatch, tmp_path)
    lines = doctor().stdout.splitlines()
    row = next(i for i, line in enumerate(lines) if line.startswith("  broken  tiny"))
    assert lines[row + 1].strip() == f"-> {doctor_checks._INSTALL_AGAIN}"
    assert lines[-1].startswith("broken: tiny")


@pytest.mark.parametrize(
    ("home", "detail", "told"),
    [
        ("/home/anna", "/home/anna/venv/lib/x.so is gone", "~/venv/lib/x.so is gone"),
        ("/home/anna", "/media/anna/disk is gone", "/media/~/disk is gone"),
        ("/home/anna", "Hannah's camera", "Hannah's camera"),
        ("/", "/usr/lib/x.so", "/usr/lib/x.so"),
    ],
)
def test_no_name_and_no_home_folder_is_told(
    monkeypatch: Patch, home: str, detail: str, told: str
) -> None:
    monkeypatch.setenv("HOME", home)
    monkeypatch.setattr(
        doctor_checks, "CHECKS", (("One", lambda: [Finding("it", State.WORKS, detail)]),)
    )
    assert doctor_checks.examine()["One"][0].detail == told


def test_a_command_without_its_library_sends_to_the_doctor(
    monkeypatch: Patch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pullfx.kernels.network", None)
    monkeypatch.setattr(sys, "argv", ["pullfx", "net", "x.onnx"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    assert "`pullfx doctor` says what to do" in capsys.readouterr().err
