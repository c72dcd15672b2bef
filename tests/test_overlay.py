"""What is laid on top lies where it is asked for, and nowhere else."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from made_frames import SIZES, noise

from pullfx import ParameterError, Pipeline, SourceError
from pullfx.effects import Overlay
from pullfx.nodes.overlay import PLACES
from pullfx.pipeline.formats import PixelFormat, frame_to_array
from pullfx.pipeline.frame import Frame

FRAME = noise(640, 360)


@pytest.fixture
def logo(tmp_path: Path) -> Path:
    """A red disc on transparent blue."""
    pixels = np.zeros((60, 90, 4), np.uint8)
    pixels[..., 0] = 255
    cv2.circle(pixels, (45, 30), 25, (0, 0, 255, 255), cv2.FILLED)
    path = tmp_path / "logo.png"
    cv2.imwrite(str(path), pixels)
    return path


def changed(frame: Frame, out: Frame) -> tuple[slice, slice]:
    """The rectangle within which luma has changed."""
    rows, columns = np.nonzero(frame.y != out.y)
    return slice(rows.min(), rows.max() + 1), slice(columns.min(), columns.max() + 1)


@pytest.mark.parametrize("place", PLACES)
def test_it_lies_where_it_is_asked_for(logo: Path, place: str) -> None:
    out = Pipeline([Overlay(picture=logo, place=place, size=0.2)]).process(FRAME, strict=True)
    rows, columns = changed(FRAME, out)
    middle = (rows.start + rows.stop) / 720, (columns.start + columns.stop) / 1280
    row, column = place.split()
    assert {"top": 0 < middle[0] < 0.3, "bottom": 0.7 < middle[0] < 1}.get(
        row, abs(middle[0] - 0.5) < 0.03
    )
    assert {"left": 0 < middle[1] < 0.3, "right": 0.7 < middle[1] < 1}.get(
        column, abs(middle[1] - 0.5) < 0.03
    )
    assert 0.1 < (rows.stop - rows.start) / 360 < 0.21


def test_outside_of_it_no_pixel_changes_and_inside_it_has_its_colours(logo: Path) -> None:
    out = Pipeline([Overlay(picture=logo, place="top left", size=0.5)]).process(FRAME, strict=True)
    rows, columns = changed(FRAME, out)
    centre = (rows.start + rows.stop) // 2, (columns.start + columns.stop) // 2
    blue, green, red = frame_to_array(out, PixelFormat.BGR24)[centre].tolist()
    assert red > 240
    assert max(blue, green) < 15
    outside = np.ones(FRAME.u.shape, bool)
    outside[rows.start // 2 : rows.stop // 2 + 1, columns.start // 2 : columns.stop // 2 + 1] = (
        False
    )
    np.testing.assert_array_equal(out.u[outside], FRAME.u[outside])
    np.testing.assert_array_equal(out.v[outside], FRAME.v[outside])


def test_hidden_colours_do_not_run_into_the_edge(logo: Path) -> None:
    """The logo is blue where it is transparent; on black, nothing blue is to be seen."""
    black = Frame(np.full_like(FRAME.y, 16), np.full_like(FRAME.u, 128), np.full_like(FRAME.v, 128))
    out = Pipeline([Overlay(picture=logo, size=0.13)]).process(black, strict=True)
    blue, green, _ = np.moveaxis(frame_to_array(out, PixelFormat.BGR24).astype(int), 2, 0)
    assert (blue - green).max() < 25


@pytest.mark.parametrize("text", ["Anna Müller", "two\nlines", "Žluťoučký кот"])
def test_text_is_written_and_can_be_read(text: str) -> None:
    out = Pipeline([Overlay(text=text, size=0.2)]).process(FRAME, strict=True)
    rows, columns = changed(FRAME, out)
    written = out.y[rows, columns]
    assert (written > 220).mean() > 0.05  # letters
    assert (written < 30).mean() > 0.05  # their outline


def test_it_is_drawn_once_and_again_when_it_changes(logo: Path) -> None:
    pipe = Pipeline([Overlay(text="one")])
    for _ in range(3):
        first = pipe.process(FRAME, strict=True)
    assert [n.runs for n in pipe.stats().nodes if n.name == "lay_over"] == [3]
    pipe.set("overlay", text="two")
    second = pipe.process(FRAME, strict=True)
    assert (first.y != second.y).any()
    pipe.set("overlay", picture=str(logo))
    assert (pipe.process(FRAME, strict=True).y != second.y).any()
    pipe.set("overlay", picture="", text="")
    np.testing.assert_array_equal(pipe.process(FRAME, strict=True).y, FRAME.y)


def test_half_opacity_is_half_way(logo: Path) -> None:
    full, half = (
        Pipeline([Overlay(picture=logo, opacity=opacity)]).process(FRAME, strict=True).y.astype(int)
        for opacity in (1.0, 0.5)
    )
    assert np.abs(half - (full + FRAME.y) / 2).max() <= 2


def test_a_picture_that_breaks_on_the_way_keeps_the_last_one(
    logo: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pipe = Pipeline([Overlay(picture=logo)])
    before = pipe.process(FRAME, strict=True)
    with caplog.at_level(logging.WARNING, "pullfx"):
        pipe.set("overlay", picture="nowhere.png")
        for _ in range(3):
            after = pipe.process(FRAME, strict=True)
    np.testing.assert_array_equal(before.y, after.y)
    assert caplog.text.count("the overlay stays as it was") == 1


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"picture": "nowhere.png"}, SourceError, "'nowhere.png' cannot be read: No such file"),
        ({"picture": __file__}, SourceError, "is no picture; give a PNG, JPEG or WebP file"),
        ({"place": "somewhere"}, ParameterError, "'place' must be one of top left"),
        ({"size": 0.0}, ParameterError, "'size' must be 0.01 to 1"),
    ],
)
def test_bad_input_is_told(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Overlay(**options)


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("size", [0.01, 1.0])
def test_any_size(logo: Path, width: int, height: int, size: float) -> None:
    frame = noise(width, height)
    for place in ("top left", "bottom right"):
        pipe = Pipeline([Overlay(picture=logo, size=size, place=place)])
        assert pipe.process(frame, strict=True).y.shape == (height, width)
