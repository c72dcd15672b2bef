"""On labelled pictures of real people the refined mask is no worse than the network's own.

And better than MediaPipe's, where its environment is there (`make mediapipe`).

The table is in the test's output: `pytest tests/test_quality.py -rP`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

BENCHMARK = Path(__file__).parents[1] / "benchmarks" / "quality.py"


@pytest.fixture(scope="module")
def report(media: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What benchmarks/quality.py measures."""
    file = tmp_path_factory.mktemp("quality") / "quality.json"
    done = subprocess.run(
        [sys.executable, str(BENCHMARK), "--media", str(media), "--json", str(file)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return report | {"table": done.stdout}


@pytest.mark.parametrize("tier", ["A", "A'", "A' gs_static", "A' gs_motion"])
def test_refined_is_no_worse_than_the_network(report: dict[str, Any], tier: str) -> None:
    network, refined = report["masks"][tier]["network"], report["masks"][tier]["refined"]
    assert refined["iou"] >= network["iou"]
    assert refined["sad"] <= network["sad"]
    assert refined["mse"] <= network["mse"]


@pytest.mark.parametrize("tier", ["A", "A'", "A easyportrait", "A' gs_static", "A' gs_motion"])
def test_refined_is_better_than_mediapipe(report: dict[str, Any], tier: str) -> None:
    if "mediapipe" not in report["masks"][tier]:
        pytest.skip("without MediaPipe: make mediapipe")
    theirs, refined = report["masks"][tier]["mediapipe"], report["masks"][tier]["refined"]
    for overlap in ("iou", "biou"):
        assert refined[overlap] > theirs[overlap]
    for error in ("sad", "mse", "grad"):
        assert refined[error] < theirs[error]


def test_where_the_edge_is_known_exactly_refined_is_far_better(report: dict[str, Any]) -> None:
    network, refined = report["masks"]["A'"]["network"], report["masks"]["A'"]["refined"]
    assert 1 - refined["iou"] < 0.65 * (1 - network["iou"])
    assert refined["sad"] < 0.7 * network["sad"]
    assert refined["mse"] < 0.65 * network["mse"]


def test_the_masks_are_good_at_all(report: dict[str, Any]) -> None:
    sys.stdout.write(report["table"])
    assert report["masks"]["A easyportrait"]["refined"]["iou"] > 0.92
    assert report["masks"]["A'"]["refined"]["iou"] > 0.985
    assert report["masks"]["A'"]["refined"]["sad"] < 6


def test_smoothing_calms_a_still_mask_and_does_not_delay_a_moving_one(
    report: dict[str, Any],
) -> None:
    still, moving = report["smoothing"]["gs_static"], report["smoothing"]["gs_motion"]
    assert still["smoothed"]["flicker"] < 0.9 * still["network"]["flicker"]
    assert still["smoothed"]["sad"] <= still["network"]["sad"]
    assert moving["smoothed"]["sad"] <= moving["network"]["sad"]
