"""`python -m tools.fuzz TARGET [RUNS]`: so many inputs by atheris, by default 10,000.

An input that is not refused in the way that its target names ends the run; atheris writes it into a
file and says how to run it again.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from types import FunctionType

import atheris

from tools.fuzz.targets import TARGETS

_RUNS = "10000"


def functions() -> Iterator[FunctionType]:
    """All of pullfx that is written in Python and has been loaded."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] != "pullfx":
            continue
        for owner in (module, *(kind for _, kind in inspect.getmembers(module, inspect.isclass))):
            for value in vars(owner).values():
                if isinstance(value, FunctionType) and value.__module__ == name:
                    yield value


def main(name: str, runs: str = _RUNS) -> None:
    """Fuzzes one target."""
    target = TARGETS[name]()
    # One by one, since atheris follows no import of an editable installation.
    for function in functions():
        atheris.instrument_func(function)
    atheris.Setup(
        [sys.argv[0], f"-atheris_runs={runs}", "-rss_limit_mb=4096", "-max_len=4096"],
        lambda data: target(atheris.FuzzedDataProvider(data)),
    )
    atheris.Fuzz()


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3 or sys.argv[1] not in TARGETS:
        sys.exit(f"python -m tools.fuzz {{{','.join(TARGETS)}}} [RUNS]")
    main(*sys.argv[1:])
