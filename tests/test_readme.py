"""README says what was measured."""

from __future__ import annotations

import runpy
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_tables_are_those_of_the_measured_files() -> None:
    script = runpy.run_path(str(ROOT / "benchmarks" / "_readme.py"))
    readme = (ROOT / "README.md").read_text("utf-8")
    assert readme == script["with_tables"](readme)
