"""README's table of background blur, made from what `pipeline.py` measured.

    python benchmarks/_readme.py            writes it, from benchmarks/results/pipeline.json

`make readme` measures first. A test holds README to the file.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "pipeline.json"
README = ROOT / "README.md"
BEGIN, END = "<!-- from benchmarks/results/pipeline.json -->", "<!-- end -->"

ARMS = {
    "pullfx": "pullfx, from and to `av.VideoFrame`",
    "pullfx bgr": "pullfx, from and to numpy BGR",
    "careful": "a careful script: onnxruntime, blur at a quarter, `cv2.blendLinear`",
    "usual": "the usual script: MediaPipe, `cv2.GaussianBlur`, `numpy.where`",
    "copy": "a copy of the frame, nothing else",
}


def table_of(report: dict[str, Any]) -> str:
    """The table in Markdown."""
    sizes = report["sizes"]
    first = next(iter(sizes))
    lines = [
        " | ".join(("| background blur, ms a frame", *sizes, f"CPU for {first} at 30 fps |")),
        "| --- |" + " --- |" * (len(sizes) + 1),
    ]
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
        cells.append("" if cpu is None else f"{cpu:.1%}")
        lines.append(f"| {words} | {' | '.join(cells)} |")
    return "\n".join(lines)


def with_table(readme: str, report: dict[str, Any]) -> str:
    """README with the table in its place."""
    before, _, rest = readme.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{table_of(report)}\n\n{END}{after}"


if __name__ == "__main__":
    result = json.loads(RESULTS.read_text(encoding="utf-8"))
    README.write_text(with_table(README.read_text(encoding="utf-8"), result), encoding="utf-8")
