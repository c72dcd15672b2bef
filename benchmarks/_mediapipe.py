"""Scripts that run with MediaPipe, each in a process of its own.

MediaPipe pins numpy < 2, so it has its own environment, with its own Python.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

MEDIAPIPE = Path(__file__).resolve().parents[1] / "build" / "mediapipe" / "bin" / "python"
"""The Python that has it, which `make mediapipe` makes."""


class Script:
    """One that works when it is told to, and answers each line with a line.

    Args:
        name: of a file in this folder.
        python: one that has MediaPipe.
    """

    def __init__(self, name: str, python: Path) -> None:
        self._name = name
        self._process = subprocess.Popen(
            [str(python), str(Path(__file__).with_name(name))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def ask(self, order: object) -> str:
        """Its answer to an order; SystemExit where it has ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        answer = ""
        try:
            self._process.stdin.write(f"{order}\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except OSError:
            pass
        if not answer:
            raise SystemExit(f"{self._name} has ended: make mediapipe makes it run")
        return answer.strip()

    def close(self) -> None:
        """Ends it."""
        self._process.kill()
        self._process.wait()
