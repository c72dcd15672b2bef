"""A timeline of node runs in the Trace Event format, which Chrome and Perfetto open."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from pullfx.errors import SinkError


class Trace:
    """Collects runs and writes them as complete events ("ph": "X").

    Format: the "Trace Event Format" document of the Chromium project. Times are in microseconds.
    """

    def __init__(self) -> None:
        self._events: list[tuple[str, int, int, int]] = []

    def add(self, name: str, begun: int, ended: int, thread: int) -> None:
        """Notes one run; `begun` and `ended` in nanoseconds of `time.perf_counter_ns`."""
        self._events.append((name, begun, ended, thread))

    def events(self) -> list[dict[str, Any]]:
        """The runs so far, each a dictionary as the format has it."""
        return [
            {
                "name": name,
                "ph": "X",
                "ts": begun / 1000,
                "dur": (ended - begun) / 1000,
                "pid": os.getpid(),
                "tid": thread,
            }
            for name, begun, ended, thread in self._events
        ]

    def save(self, path: str | Path) -> None:
        """Writes the timeline as JSON.

        Raises:
            SinkError: the file cannot be written.
        """
        try:
            Path(path).write_text(
                json.dumps({"traceEvents": self.events(), "displayTimeUnit": "ms"}),
                encoding="utf-8",
            )
        except OSError as error:
            raise SinkError(f"trace cannot be written to {path}: {error.strerror}") from error
