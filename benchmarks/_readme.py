"""README's tables, made from what benchmarks measured.

    python benchmarks/_readme.py            writes them, from benchmarks/results/*.json

`make readme` measures first. A test holds README to the files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
README = ROOT / "README.md"
END = "<!-- end -->"

ARMS = {
    "pullfx": "pullfx, from and to `av.VideoFrame`",
    "pullfx bgr": "pullfx, from and to numpy BGR",
    "careful": "a careful script: onnxruntime, blur at a quarter, `cv2.blendLinear`",
    "usual": "the usual script: MediaPipe, `cv2.GaussianBlur`, `numpy.where`",
    "copy": "a copy of the frame, nothing else",
}

STEPS = {
    "low": ("`low`", "a mask of every second frame"),
    "balanced": ("`balanced`", "a mask of every frame"),
    "high": ("`high`, the default", "edges: the mask follows hair and shoulders"),
    "best": ("`best`", "a second look at people who are small: up to three quarters less error"),
}


def blur_table(report: dict[str, Any]) -> str:
    """Background blur beside what else there is, by size."""
    sizes = report["sizes"]
    first = next(iter(sizes))
    rows = []
    for arm, words in ARMS.items():
        cells = []
        for size in sizes.values():
            milliseconds = size["milliseconds"].get(arm)
            if milliseconds is None:
                cells.append("")
                continue
            text = f"{milliseconds['p50']:.2f}"
            if arm in ("careful", "usual"):
                text += f" ({size['times_pullfx'][arm]:.1f}x)"
            cells.append(text)
        cpu = sizes[first]["cpu"].get(arm)
        rows.append((words, *cells, "" if cpu is None else f"{cpu:.1%}"))
    return _table(("background blur, ms a frame", *sizes, f"CPU for {first} at 30 fps"), rows)


def quality_table(report: dict[str, Any]) -> str:
    """The steps of quality and what background blur costs on each."""
    times = report["blur by quality"]
    rows = [(name, words, f"{times[step]['mean']:.2f}") for step, (name, words) in STEPS.items()]
    return _table(("quality", "adds", "background blur, ms a 720p frame"), rows)


def effects_table(report: dict[str, Any]) -> str:
    """Effects one by one, then some together."""
    arms = {f"`{name}`": times for name, times in report["alone"].items() if name != "copy"}
    arms |= {
        name: times
        for name, times in report["together"].items()
        if name not in ("copy", "background_blur")
    }
    rows = [
        (
            name,
            *(f"{times[key]:.2f}" for key in ("p50", "p95", "mean")),
            f"{times['copies']:.0f}",
            f"{times['times_blur']:.2f}",
        )
        for name, times in arms.items()
    ]
    head = ("effect, ms a 720p frame", "p50", "p95", "mean", "copies of a frame", "x blur")
    return _table(head, rows)


TABLES: dict[str, tuple[str, Callable[[dict[str, Any]], str]]] = {
    "blur": ("pipeline.json", blur_table),
    "quality": ("effects.json", quality_table),
    "effects": ("effects.json", effects_table),
}
"""By the name in `<!-- table: NAME -->`: the file of results, and what makes a table of it."""


def with_tables(readme: str) -> str:
    """README with all tables in their places."""
    for name, (file, table_of) in TABLES.items():
        report = json.loads((RESULTS / file).read_text(encoding="utf-8"))
        begin = f"<!-- table: {name} -->"
        before, found, rest = readme.partition(begin)
        if not found:
            raise ValueError(f"README has no {begin}")
        _, _, after = rest.partition(END)
        readme = f"{before}{begin}\n\n{table_of(report)}\n\n{END}{after}"
    return readme


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


if __name__ == "__main__":
    README.write_text(with_tables(README.read_text(encoding="utf-8")), encoding="utf-8")
