"""README says what was measured."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_table_of_background_blur_is_that_of_the_measured_file() -> None:
    script = runpy.run_path(str(ROOT / "benchmarks" / "_readme.py"))
    report = json.loads((ROOT / "benchmarks" / "results" / "pipeline.json").read_text("utf-8"))
    readme = (ROOT / "README.md").read_text("utf-8")
    assert script["BEGIN"] in readme
    assert readme == script["with_table"](readme, report)
