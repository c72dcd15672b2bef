"""Backgrounds as text means them: colours and pictures of every kind, as large as the frame."""

from __future__ import annotations

import logging
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray
from PIL import Image

from pullfx.errors import ParameterError, PullfxError, SourceError
from pullfx.nodes import PlayBackground, open_background
from pullfx.nodes.backgrounds.background import Moment
from pullfx.nodes.backgrounds.colour import colour_of
from pullfx.nodes.backgrounds.cover import cover
from pullfx.pipeline.formats import PixelFormat, frame_from_array, frame_to_array
from pullfx.pipeline.frame import Frame, Matrix, Range
from pullfx.pipeline.pace import Pace
from pullfx.pipeline.shape import Shape

Pixels = NDArray[np.uint8]

RED, GREEN, BLUE, WHITE = (200, 30, 30), (30, 180, 30), (30, 30, 220), (240, 240, 240)
HD = Shape(1280, 720, Matrix.BT709, Range.LIMITED)
SHAPES = [
    HD,
    Shape(640, 480, Matrix.BT601, Range.FULL),
    Shape(853, 479, Matrix.BT2020, Range.LIMITED),
    Shape(90, 1280, Matrix.BT601, Range.LIMITED),
    Shape(2, 2, Matrix.BT601, Range.FULL),
    Shape(1, 1, Matrix.BT601, Range.FULL),
]


def shown(text: str | Path, shape: Shape = HD) -> Frame:
    background = open_background(str(text))
    return background.at(Moment(shape, 0.0, Pace.EXACT))


def rgb(frame: Frame) -> NDArray[np.int16]:
    return frame_to_array(frame, PixelFormat.RGB24).astype(np.int16)


def quarters(width: int = 160, height: int = 90) -> Pixels:
    """Red and green above blue and white."""
    picture = np.empty((height, width, 3), np.uint8)
    picture[: height // 2, : width // 2] = RED
    picture[: height // 2, width // 2 :] = GREEN
    picture[height // 2 :, : width // 2] = BLUE
    picture[height // 2 :, width // 2 :] = WHITE
    return picture


def colours(frame: Frame) -> NDArray[np.int16]:
    """In the middle of each quarter, [2, 2, 3]."""
    pixels = rgb(frame)
    rows, columns = (np.array((side // 4, 3 * side // 4)) for side in pixels.shape[:2])
    return np.asarray(pixels[rows][:, columns])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#336699", (0x33, 0x66, 0x99)),
        ("#FfF", (255, 255, 255)),
        ("green", (0, 255, 0)),
        ("Navy", (0, 0, 128)),
        ("skyblue", (0x87, 0xCE, 0xEB)),
        ("beach", None),
        ("random", None),
        ("navy.jpg", None),
        ("./navy", None),
    ],
)
def test_texts_that_are_colours(text: str, expected: tuple[int, int, int] | None) -> None:
    assert colour_of(text) == expected


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("text", ["#336699", "green", "white", "black"])
def test_a_colour_is_that_colour_everywhere(text: str, shape: Shape) -> None:
    frame = shown(text, shape)
    assert Shape.of(frame) == shape
    colour = colour_of(text)
    assert colour is not None
    assert np.abs(rgb(frame) - colour).max() <= 2


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("#12345", ParameterError, "'#12345' is no colour; write it as #rrggbb"),
        ("#12345g", ParameterError, "is no colour"),
        ("", ParameterError, "must be a colour"),
        ("grean", SourceError, "'grean' is no colour and no file"),
        ("blur", SourceError, "take the effect background_blur"),
        ("nowhere/beach.jpg", SourceError, "no such file: nowhere/beach.jpg"),
        ("x" * 300, SourceError, "cannot be opened: .*too long"),
        ("http://127.0.0.1:1/x.mp4", SourceError, "cannot open http://127.0.0.1:1/x.mp4"),
        ("camera:99", SourceError, "there is no camera 99"),
    ],
)
def test_what_cannot_be_shown_is_said_in_one_line(
    text: str, error: type[PullfxError], message: str
) -> None:
    with pytest.raises(error, match=message) as raised:
        open_background(text)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("content", [b"", b"\xff\xd8\xff\xe0 no picture", b"text"])
def test_a_broken_picture_is_said_in_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.jpg"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=r"no picture in .*broken\.jpg can be read"):
        open_background(str(path))


KINDS = [
    ("rgb.png", "RGB", 0),
    ("rgb.jpg", "RGB", 6),
    ("rgb.webp", "RGB", 6),
    ("rgb.bmp", "RGB", 0),
    ("rgb.tif", "RGB", 0),
    ("cmyk.jpg", "CMYK", 6),
    ("palette.png", "P", 0),
    ("rgba.png", "RGBA", 0),
]


@pytest.mark.parametrize(("name", "mode", "within"), KINDS)
@pytest.mark.parametrize("shape", SHAPES[:3])
def test_pictures_of_every_kind(
    tmp_path: Path, name: str, mode: str, within: int, shape: Shape
) -> None:
    picture = Image.fromarray(quarters())
    converted = picture.quantize(16) if mode == "P" else picture.convert(mode)
    converted.save(tmp_path / name, quality=95)
    frame = shown(tmp_path / name, shape)
    assert Shape.of(frame) == shape
    expected = np.array([[RED, GREEN], [BLUE, WHITE]])
    # 3: a colour that went through two matrices.
    assert np.abs(colours(frame) - expected).max() <= within + 3


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_grey_and_sixteen_bits(tmp_path: Path, dtype: type, channels: int) -> None:
    picture = quarters()[..., ::-1]  # as OpenCV has it
    if channels == 1:
        picture = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)[..., None]
    if channels == 4:
        picture = np.dstack((picture, np.full(picture.shape[:2], 255, np.uint8)))
    factor = 257 if dtype is np.uint16 else 1
    cv2.imwrite(str(tmp_path / "picture.png"), picture.astype(dtype) * factor)
    found = colours(shown(tmp_path / "picture.png"))
    expected = np.array([[RED, GREEN], [BLUE, WHITE]], np.float64)
    if channels == 1:
        expected[...] = (expected @ (0.299, 0.587, 0.114))[..., None]
    assert np.abs(found - expected).max() <= 3


@pytest.mark.parametrize(
    ("name", "orientation"),
    [
        ("clear.png", 1),
        ("clear.webp", 1),
        ("clear16.png", 1),
        ("clear.png", 6),
        ("clear.webp", 6),
    ],
)
def test_what_is_transparent_is_black(tmp_path: Path, name: str, orientation: int) -> None:
    alpha = np.full((90, 160), 255, np.uint8)
    alpha[:45, :80] = 0
    alpha[:45, 80:] = 128
    rgba = np.dstack((quarters(), alpha))
    if name == "clear16.png":  # which Pillow does not write
        bgra = rgba[..., [2, 1, 0, 3]].astype(np.uint16) * 257
        cv2.imwrite(str(tmp_path / name), bgra)
    else:
        exif = Image.Exif()
        exif[0x0112] = orientation
        Image.fromarray(rgba).save(tmp_path / name, lossless=True, exif=exif)
    expected = np.array([[(0, 0, 0), (15, 90, 15)], [BLUE, WHITE]])
    if orientation == 6:
        expected = np.rot90(expected, -1)
    shape = HD if orientation == 1 else Shape(720, 1280, Matrix.BT709, Range.LIMITED)
    assert np.abs(colours(shown(tmp_path / name, shape)) - expected).max() <= 3


@pytest.mark.parametrize("suffix", [".jpg", ".png", ".webp"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_orientation_is_respected(tmp_path: Path, suffix: str, orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    path = tmp_path / f"turned{suffix}"
    Image.fromarray(quarters()).save(path, quality=95, exif=exif)
    corners = np.array([[RED, GREEN], [BLUE, WHITE]])
    expected = {
        1: corners,
        2: corners[:, ::-1],
        3: corners[::-1, ::-1],
        4: corners[::-1],
        5: corners.transpose(1, 0, 2),
        6: np.rot90(corners, -1),
        7: corners[::-1, ::-1].transpose(1, 0, 2),
        8: np.rot90(corners),
    }[orientation]
    size = (1280, 720) if orientation < 5 else (720, 1280)
    found = colours(shown(path, Shape(*size, Matrix.BT709, Range.LIMITED)))
    assert np.abs(found - expected).max() <= 9


@pytest.mark.parametrize("name", ["rgba", "palette", "gray", "gray16"])
def test_the_pictures_of_the_edge_cases(media: Path, name: str) -> None:
    frame = shown(media / "edge" / f"{name}_image.png")
    assert Shape.of(frame) == HD
    assert frame.y.std() > 10


def circle(width: int, height: int) -> Frame:
    """A white circle in the middle of grey, two fifths of the shorter side wide."""
    rows, columns = np.indices((height, width))
    distance = np.hypot(rows - (height - 1) / 2, columns - (width - 1) / 2)
    luma = np.where(distance < min(width, height) / 5, 235, 100).astype(np.uint8)
    half = np.full(((height + 1) // 2, (width + 1) // 2), 128, np.uint8)
    return Frame(luma, half, half.copy())


@pytest.mark.parametrize(
    "size", [(1280, 720), (4000, 3000), (641, 481), (300, 900), (720, 1280), (3001, 600)]
)
@pytest.mark.parametrize("shape", SHAPES[:4])
def test_a_circle_stays_a_circle_in_the_middle(size: tuple[int, int], shape: Shape) -> None:
    frame = cover(circle(*size), shape)
    assert Shape.of(frame) == shape
    bright = frame.y > (int(frame.y.max()) + int(frame.y.min())) / 2
    scale = max(shape.width / size[0], shape.height / size[1])
    diameter = scale * min(size) * 2 / 5
    across, down = bright.any(axis=0).sum(), bright.any(axis=1).sum()
    for seen, side in ((across, shape.width), (down, shape.height)):
        assert abs(seen - min(diameter, side)) <= 2 + scale
    if diameter < min(shape.width, shape.height):
        rows, columns = np.nonzero(bright)
        assert abs(rows.mean() - (shape.height - 1) / 2) <= 1 + scale
        assert abs(columns.mean() - (shape.width - 1) / 2) <= 1 + scale


@settings(max_examples=80, deadline=None)
@given(
    st.integers(1, 90), st.integers(1, 90), st.integers(1, 90), st.integers(1, 90), st.booleans()
)
def test_any_size_covers_any_size(
    width: int, height: int, wide: int, high: int, same: bool
) -> None:
    picture = frame_from_array(np.full((height, width, 3), 200, np.uint8), PixelFormat.BGR24)
    matrix = Matrix.BT601 if same else Matrix.BT709
    frame = cover(picture, Shape(wide, high, matrix, Range.LIMITED))
    assert frame.y.shape == (high, wide)
    assert np.abs(rgb(frame) - 200).max() <= 2


def test_a_picture_of_that_shape_is_not_touched() -> None:
    picture = circle(640, 360)
    assert cover(picture, Shape.of(picture)) is picture


def black(width: int = 320, height: int = 180) -> Frame:
    return frame_from_array(np.zeros((height, width, 3), np.uint8), PixelFormat.BGR24)


def mean(frame: Frame) -> list[int]:
    return [round(float(channel)) for channel in rgb(frame).mean((0, 1))]


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "picture.png"
    Image.fromarray(np.full((90, 160, 3), 200, np.uint8)).save(path)
    return path


def test_the_same_picture_is_the_same_object() -> None:
    play = PlayBackground("#336699")
    frames = [play(black(), "#336699") for _ in range(3)]
    assert frames[0] is frames[1] is frames[2]
    assert play(black(640, 360), "#336699").y.shape == (360, 640)


def test_a_colour_is_there_with_the_next_frame() -> None:
    play = PlayBackground("black")
    play(black(), "black", Pace.LIVE)
    assert mean(play(black(), "#646464", Pace.LIVE)) == [100, 100, 100]


def test_a_file_that_waits_gets_the_new_picture_at_once(picture: Path) -> None:
    play = PlayBackground("black")
    play(black(), "black")
    assert mean(play(black(), str(picture))) == [200, 200, 200]


def test_live_the_last_one_stays_until_the_new_one_is_ready(
    picture: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import threading

    from pullfx.nodes.backgrounds import loading

    may_go_on = threading.Event()

    def slow(text: str) -> object:
        may_go_on.wait(10)
        return open_background(text)

    monkeypatch.setattr(loading, "open_background", slow)
    play = PlayBackground("#646464")
    for _ in range(3):
        assert mean(play(black(), str(picture), Pace.LIVE)) == [100, 100, 100]
    may_go_on.set()
    assert mean(play(black(), str(picture), Pace.EXACT)) == [200, 200, 200]


def test_what_was_asked_for_last_is_shown(picture: Path) -> None:
    play = PlayBackground("black")
    play(black(), str(picture), Pace.LIVE)
    assert mean(play(black(), "#646464", Pace.LIVE)) == [100, 100, 100]
    assert mean(play(black(), "#646464", Pace.EXACT)) == [100, 100, 100]


@pytest.mark.parametrize("content", [None, b"", b"no picture"])
def test_one_that_cannot_be_shown_leaves_the_last_one_and_says_so_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, content: bytes | None
) -> None:
    broken = tmp_path / "broken.png"
    if content is not None:
        broken.write_bytes(content)
    play = PlayBackground("#646464")
    play(black(), "#646464")
    with caplog.at_level(logging.WARNING):
        for _ in range(5):
            assert mean(play(black(), str(broken))) == [100, 100, 100]
    (warning,) = [record for record in caplog.records if "stays as it was" in record.message]
    assert "broken.png" in warning.message
    assert "\n" not in warning.message


def test_a_reset_keeps_it_open(picture: Path) -> None:
    play = PlayBackground(str(picture))
    first = play(black(), str(picture))
    picture.unlink()
    play.reset()
    assert play(black(), str(picture)) is first
