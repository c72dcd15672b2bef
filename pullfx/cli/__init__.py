"""The command `pullfx`: `run`, `batch`, `graph`, `net`, `effects`, `devices`, `doctor`.

What the commands need is loaded when they run: help and completion are there at once, and `doctor`
works where a library does not.
"""

from __future__ import annotations

import logging
import sys

from pullfx.cli.application import application
from pullfx.cli.console import messages
from pullfx.errors import PullfxError

USER_ERROR = 2
LIBRARY_ERROR = 1


def main() -> None:
    """Runs the command line; what a person can mend is one line and exit code 2."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s", handlers=[_OneLine()])
    try:
        application()
    except PullfxError as error:
        messages.print(f"pullfx: {error}", style="red", markup=False, highlight=False)
        sys.exit(USER_ERROR)
    except ImportError as error:
        line = f"pullfx: {error}; `pullfx doctor` says what to do"
        messages.print(line, style="red", markup=False, highlight=False)
        sys.exit(LIBRARY_ERROR)


class _OneLine(logging.Handler):
    """Shows warnings as messages, without the traceback that a log file would get."""

    def emit(self, record: logging.LogRecord) -> None:
        messages.print(record.getMessage(), style="yellow", markup=False, highlight=False)
