"""Which instruction set the kernels run on, and what happens where it is not there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from pullfx import kernels
from pullfx.errors import KernelError
from pullfx.kernels import isa, reference


@pytest.fixture(autouse=True)
def chosen_anew() -> Iterator[None]:
    """The choice stands for a process; these tests make it again."""
    yield
    isa.implementations.cache_clear()
    isa.active.cache_clear()


def run_with(forced: str | None) -> subprocess.CompletedProcess[str]:
    """Has another process use a kernel and print what it ran on."""
    environment = {name: value for name, value in os.environ.items() if name != isa.VARIABLE}
    if forced is not None:
        environment[isa.VARIABLE] = forced
    program = (
        "import numpy; from pullfx import kernels\n"
        "plane = numpy.zeros((2, 2), numpy.uint8)\n"
        "kernels.blend(plane, plane, plane, plane)\n"
        "print(kernels.active_isa())"
    )
    return subprocess.run(
        [sys.executable, "-P", "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_portable_kernels_are_always_there() -> None:
    assert kernels.available_isas()[-2:] == ("portable", "reference")


@pytest.mark.parametrize("forced", kernels.available_isas())
def test_the_forced_instruction_set_is_active(forced: str) -> None:
    finished = run_with(forced)
    assert finished.stdout == f"{forced}\n", finished.stderr


def test_without_a_wish_the_fastest_is_active() -> None:
    finished = run_with(None)
    assert finished.stdout == f"{kernels.available_isas()[0]}\n", finished.stderr


@pytest.mark.parametrize("forced", ["avx9", "AVX2", " "])
def test_an_unknown_instruction_set_is_an_error(forced: str) -> None:
    finished = run_with(forced)
    assert finished.returncode != 0
    assert (
        f"PULLFX_ISA={forced} is not available: this build on this CPU has "
        f"{', '.join(kernels.available_isas())}" in finished.stderr
    )


class Recorder:
    """Stands for an instruction set, and writes down that it ran."""

    def __init__(self, name: str, ran: list[str]) -> None:
        self.name = name
        self._ran = ran

    def __getattr__(self, kernel: str) -> Callable[..., None]:
        return lambda *_: self._ran.append(self.name)


@pytest.mark.parametrize("forced", kernels.available_isas())
def test_the_active_instruction_set_is_what_runs(
    forced: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []
    recorders = {name: Recorder(name, ran) for name in kernels.available_isas()}
    monkeypatch.setattr(isa, "implementations", lambda: recorders)
    monkeypatch.setattr(isa, "reference", recorders[reference.name])
    monkeypatch.setenv(isa.VARIABLE, forced)
    isa.active.cache_clear()
    plane = np.zeros((1, 1), np.uint8)
    kernels.blend(plane, plane, plane, plane)
    kernels.blend_half(plane, plane, np.zeros((2, 2), np.uint8), plane)
    kernels.downscale_rgb(plane, plane, plane, np.zeros((1, 1, 3), np.uint8), "bt601", True)
    kernels.box_mean(plane, plane, 1)
    assert ran == [forced] * 4


def test_a_missing_module_says_how_to_build_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pullfx.kernels._native", None)
    monkeypatch.delattr(kernels, "_native")
    monkeypatch.delenv(isa.VARIABLE, raising=False)
    isa.implementations.cache_clear()
    isa.active.cache_clear()
    with pytest.raises(KernelError, match=r"build them with 'pip install \.'"):
        kernels.active_isa()
    monkeypatch.setenv(isa.VARIABLE, reference.name)
    assert kernels.active_isa() == reference.name
