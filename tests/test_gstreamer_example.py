"""The example for GStreamer, between its own test source and a file."""

from __future__ import annotations

import runpy
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pullfx

gi = pytest.importorskip("gi")
try:
    gi.require_version("GstVideo", "1.0")
except ValueError as error:
    pytest.skip(str(error), allow_module_level=True)

SOURCE = "videotestsrc num-buffers=5 ! video/x-raw,format=I420,width=66,height=50"


@pytest.fixture(scope="module")
def example() -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of an older PyGObject about Python's import
        return runpy.run_path(str(Path(__file__).parents[1] / "examples" / "gstreamer_effects.py"))


def test_every_frame_goes_through(example: dict[str, Any], tmp_path: Path) -> None:
    found = {}
    with pullfx.Pipeline([pullfx.Mirror()]) as pipe:
        for name in ("mirrored", "plain"):
            path = tmp_path / name
            assert example["run"](SOURCE, f"filesink location={path}", pipe) == 5
            # Rows of 66 and 33 lie 68 and 36 bytes apart.
            data = np.frombuffer(path.read_bytes(), np.uint8).reshape(5, -1)
            luma, chroma = data[:, : 68 * 50], data[:, 68 * 50 :]
            found[name] = (
                luma.reshape(5, 50, 68)[..., :66],
                chroma.reshape(5, 2, 25, 36)[..., :33],
            )
            pipe.disable("mirror")
    for mirrored, plain in zip(found["mirrored"], found["plain"], strict=True):
        np.testing.assert_array_equal(mirrored, plain[..., ::-1])
        assert (mirrored != plain).any()


@pytest.mark.parametrize(
    ("source", "sink"),
    [("filesrc location=nowhere.yuv", "fakesink"), (SOURCE, "filesink location=/nowhere/out.yuv")],
)
def test_an_element_that_fails_is_named(example: dict[str, Any], source: str, sink: str) -> None:
    with pullfx.Pipeline([]) as pipe, pytest.raises(RuntimeError, match=r"^file(src|sink)\d+: "):
        example["run"](source, sink, pipe)


@pytest.mark.parametrize(
    ("colorimetry", "matrix", "range_"),
    [
        ("bt601", pullfx.Matrix.BT601, pullfx.Range.LIMITED),
        ("bt709", pullfx.Matrix.BT709, pullfx.Range.LIMITED),
        ("1:4:0:0", pullfx.Matrix.BT601, pullfx.Range.FULL),
    ],
)
def test_colours_are_known(
    example: dict[str, Any], colorimetry: str, matrix: pullfx.Matrix, range_: pullfx.Range
) -> None:
    seen: list[pullfx.Frame] = []

    class Watching:
        def process(self, frame: pullfx.Frame) -> pullfx.Frame:
            seen.append(frame)
            return frame

    assert example["run"](f"{SOURCE},colorimetry={colorimetry}", "fakesink", Watching()) == 5
    assert {(frame.matrix, frame.range) for frame in seen} == {(matrix, range_)}
