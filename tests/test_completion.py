"""What the shells complete for `pullfx`, through the scripts that `--install-completion` writes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pullfx import effects
from pullfx.cli import options
from pullfx.pipeline.quality import Quality

PULLFX = Path(sys.executable).with_name("pullfx")
SHELLS = ("bash", "zsh", "fish")


def complete(shell: str, *words: str) -> list[str]:
    """What the shell offers for the last of the words."""
    line = " ".join(("pullfx", *words))
    variables = {
        "_PULLFX_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words)),
        "_TYPER_COMPLETE_ARGS": line,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    found = subprocess.run(
        [PULLFX], env={**os.environ, **variables}, capture_output=True, text=True, check=True
    )
    return found.stdout.split()


@pytest.mark.parametrize(
    ("shell", "words", "expected"),
    [
        ("bash", ("run", "a.mp4", "b.mp4", "--effect", "background"), "background_replacement"),
        ("zsh", ("run", "a.mp4", "b.mp4", "-e", "mir"), "mirror"),
        ("fish", ("graph", "--off", "show"), "show_faces"),
        ("bash", ("run", "a.mp4", "b.mp4", "--quality", "b"), "balanced"),
        ("zsh", ("run", "--eff"), "--effect"),
        ("fish", ("do",), "doctor"),
    ],
)
def test_the_shell_completes(shell: str, words: tuple[str, ...], expected: str) -> None:
    assert any(expected in offered for offered in complete(shell, *words))


def test_all_effects_are_offered_and_no_others() -> None:
    assert complete("bash", "run", "a", "b", "--effect", "") == list(effects.names())
    assert complete("bash", "run", "a", "b", "--effect", "x") == []


def test_the_qualities_are_those_there_are() -> None:
    assert (*Quality, options.AUTOMATIC) == options.QUALITIES


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_is_told_how_to_complete(tmp_path: Path, shell: str) -> None:
    """Installed into a home folder of its own; where the shell is here, it reads it."""
    home = {**os.environ, "HOME": str(tmp_path), "ZDOTDIR": str(tmp_path)}
    home["_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION"] = "1"
    subprocess.run([PULLFX, "--install-completion", shell], env=home, check=True)
    scripts = [p for p in tmp_path.rglob("*") if p.is_file() and "pullfx" in p.name]
    assert len(scripts) == 1
    assert "_PULLFX_COMPLETE" in scripts[0].read_text()
    shown = subprocess.run(
        [PULLFX, "--show-completion", shell], env=home, capture_output=True, text=True, check=True
    )
    assert "_PULLFX_COMPLETE" in shown.stdout
    if found := shutil.which(shell):
        subprocess.run([found, "-n", scripts[0]], check=True)
