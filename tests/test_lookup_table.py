""".cube files: read strictly, and put on the planes of a picture as on its R'G'B'."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from made_frames import SIZES, noise
from numpy.typing import NDArray

from pullfx import Matrix, Pipeline, Range
from pullfx.effects import LookupTable
from pullfx.errors import ParameterError
from pullfx.nodes.lookup_table import read_cube
from pullfx.pipeline.formats import PixelFormat, frame_from_array, frame_to_array
from pullfx.pipeline.frame import Frame

Floats = NDArray[np.float64]
Look = Callable[[Floats], Floats]


def grid(size: int) -> Floats:
    """R'G'B' of all entries, red fastest, as they stand in a file."""
    steps = np.linspace(0, 1, size)
    blue, green, red = np.meshgrid(steps, steps, steps, indexing="ij")
    return np.stack((red, green, blue), axis=-1).reshape(-1, 3)


def written(path: Path, header: str, entries: Floats) -> Path:
    lines = "\n".join(" ".join(f"{value:.6f}" for value in entry) for entry in entries)
    path.write_text(f"{header}\n{lines}\n")
    return path


def cube_of(folder: Path, look: Look, size: int = 17) -> Path:
    return written(folder / "look.cube", f"LUT_3D_SIZE {size}", look(grid(size)))


def picture(media: Path) -> Frame:
    pixels = cv2.imread(str(media / "calib" / "vmhuman_person-tasia.jpg"))
    return frame_from_array(np.asarray(pixels, np.uint8), PixelFormat.BGR24)


def shown(frame: Frame, file: Path | str, strength: float = 1.0) -> Frame:
    return Pipeline([LookupTable(file=file, strength=strength)]).process(frame, strict=True)


def rgb(frame: Frame) -> Floats:
    bgr = np.asarray(frame_to_array(frame, PixelFormat.BGR24), np.float64)
    return bgr[..., ::-1] / 255


def warm(colours: Floats) -> Floats:
    return (colours * (1.05, 1.0, 0.85)).clip(0, 1)


def film(colours: Floats) -> Floats:
    """A curve, teal shadows and less colour: what such files are for."""
    grey = colours.mean(axis=-1, keepdims=True)
    curve = colours * colours * (3 - 2 * colours)
    looked: Floats = 0.8 * curve + 0.2 * grey + (1 - grey) * (-0.03, 0.01, 0.04)
    return looked.clip(0, 1)


def test_a_file_is_read_with_red_fastest(tmp_path: Path) -> None:
    cube = read_cube(cube_of(tmp_path, warm, 4))
    assert cube.values.shape == (4, 4, 4, 3)
    np.testing.assert_allclose(cube.values[0, 0, 3], (1.0, 0, 0), atol=1e-5)
    np.testing.assert_allclose(cube.values[3, 0, 0], (0, 0, 0.85), atol=1e-5)


def test_all_that_may_stand_in_a_file(tmp_path: Path) -> None:
    header = (
        '\ufeff# made by hand\n\nTITLE "a look"\n  LUT_1D_SIZE 2\n'
        "DOMAIN_MIN -0.5 0 0\nDOMAIN_MAX 2 1 1.5\n# entries"
    )
    cube = read_cube(written(tmp_path / "a.cube", header, np.array([[0, 0, 0], [1, 0.5, 1e-3]])))
    assert cube.low.tolist() == [-0.5, 0, 0]
    assert cube.high.tolist() == [2, 1, 1.5]
    assert cube.values.tolist() == [[0, 0, 0], [1, 0.5, 0.001]]


def test_ranges_as_resolve_writes_them(tmp_path: Path) -> None:
    header = "LUT_3D_SIZE 2\nLUT_3D_INPUT_RANGE 0.0 2.0"
    assert read_cube(written(tmp_path / "a.cube", header, grid(2))).high.tolist() == [2, 2, 2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 0: it has neither LUT_1D_SIZE nor LUT_3D_SIZE"),
        ("0 0 0\n", "line 1: neither LUT_1D_SIZE nor LUT_3D_SIZE stands before the first entry"),
        ("LUT_3D_SIZE 66\n", "line 1: LUT_3D_SIZE must be a whole number from 2 to 65, but is 66"),
        ("LUT_3D_SIZE 2.5\n", "must be a whole number from 2 to 65, but is 2.5"),
        ("LUT_1D_SIZE 1\n", "must be a whole number from 2 to 65536, but is 1"),
        ("LUT_3D_SIZE\n", "line 1: one number must stand there, but there is ''"),
        ("LUT_3D_SIZE many\n", "one number must stand there, but there is 'many'"),
        ("LUT_3D_SIZE 2\nLUT_3D_SIZE 2\n", "line 2: LUT_3D_SIZE is there twice"),
        ("LUT_1D_SIZE 2\nLUT_3D_SIZE 2\n", "tables of one and of three dimensions in one file"),
        ("LUT_2D_SIZE 2\n", "line 1: 'LUT_2D_SIZE' is no keyword of a .cube file"),
        ("LUT_1D_SIZE 2\n0 0 0\n", "line 2: it ends after 1 of the 2 entries that LUT_1D_SIZE 2"),
        ("LUT_1D_SIZE 2\n" + "0 0 0\n" * 3, "line 4: there are more than the 2 entries"),
        ("LUT_1D_SIZE 2\n0 0\n", "line 2: 3 numbers must stand there, but there is '0 0'"),
        ("LUT_1D_SIZE 2\n0 0 nan\n", "3 numbers must stand there, but there is '0 0 nan'"),
        ("LUT_1D_SIZE 2\n0 0 0\nTITLE x\n0 0 0\n", "line 3: TITLE stands after the first entry"),
        ("LUT_1D_SIZE 2\nDOMAIN_MAX 0 1 1\n" + "0 0 0\n" * 2, "the domain's end must lie above"),
        ("\x89PNG\r\n\x1a\n", "line 1: "),
    ],
)
def test_what_is_no_such_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "wrong.cube"
    path.write_text(text)
    with pytest.raises(ParameterError, match=r"the lookup table '.*wrong\.cube'") as caught:
        LookupTable(file=path)
    assert message in str(caught.value)


def test_a_missing_file_is_refused_when_the_effect_is_made(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"nowhere\.cube' cannot be read: No such file"):
        LookupTable(file=tmp_path / "nowhere.cube")


@pytest.mark.parametrize("size", [2, 17, 33, 65])
def test_a_table_that_changes_nothing_changes_nothing(tmp_path: Path, size: int) -> None:
    """On every colour, also on codes that stand for none."""
    frame = noise(320, 240)
    out = shown(frame, cube_of(tmp_path, lambda colours: colours, size))
    for before, after in zip(frame.planes, out.planes, strict=True):
        np.testing.assert_array_equal(after, before)


@pytest.mark.parametrize("matrix", Matrix)
@pytest.mark.parametrize("range", Range)
@pytest.mark.parametrize("look", [warm, film])
def test_colours_are_those_of_the_table(
    media: Path, tmp_path: Path, look: Look, matrix: Matrix, range: Range
) -> None:
    """Against the same in R'G'B' and floating point, pixel by pixel, where chroma is even."""
    came = picture(media)
    frame = Frame(came.y, came.u, came.v, matrix, range)
    out = shown(frame, cube_of(tmp_path, look, 33))
    wanted, got = look(rgb(frame)), rgb(out)
    u, v = (cv2.blur(plane, (5, 5)).astype(int) for plane in (frame.u, frame.v))
    even = (np.abs(u - frame.u) < 2) & (np.abs(v - frame.v) < 2)
    even = even.repeat(2, 0).repeat(2, 1)[: frame.height, : frame.width]
    inside = even & (rgb(frame).min(axis=-1) > 0.01) & (rgb(frame).max(axis=-1) < 0.99)
    assert inside.mean() > 0.3
    error = np.abs(wanted - got)[inside] * 255
    assert error.mean() < 1.5
    assert np.percentile(error, 99) < 6


def test_a_table_of_one_dimension(media: Path, tmp_path: Path) -> None:
    frame = picture(media)
    steps = np.linspace(0, 1, 64)[:, None] ** np.array([0.8, 1.0, 1.2])
    out = shown(frame, written(tmp_path / "a.cube", "LUT_1D_SIZE 64", steps))
    wanted = rgb(frame) ** (0.8, 1.0, 1.2)
    assert np.abs(wanted - rgb(out)).mean() * 255 < 2


def test_a_domain_is_what_the_ends_stand_for(media: Path, tmp_path: Path) -> None:
    frame = picture(media)
    header = "LUT_3D_SIZE 17\nDOMAIN_MIN 0 0 0\nDOMAIN_MAX 2 2 2"
    out = shown(frame, written(tmp_path / "a.cube", header, 2 * grid(17)))
    assert np.abs(rgb(out) - rgb(frame)).mean() * 255 < 0.5


def test_strength_is_how_much_of_it(media: Path, tmp_path: Path) -> None:
    frame, file = picture(media), cube_of(tmp_path, film)
    pipe = Pipeline([LookupTable(file=file, strength=0.0)])
    assert pipe.process(frame, strict=True) is frame
    means = []
    for strength in (0.0, 0.25, 0.5, 1.0):
        pipe.set("lookup_table", strength=strength)
        out = pipe.process(frame, strict=True)
        means.append(np.abs(out.y.astype(int) - frame.y).mean())
    assert means[0] == 0
    assert means[1] == pytest.approx(means[3] / 4, rel=0.15)
    assert means[2] == pytest.approx(means[3] / 2, rel=0.1)


def test_no_file_is_no_work() -> None:
    frame = noise(64, 48)
    assert Pipeline([LookupTable()]).process(frame, strict=True) is frame


def test_tables_are_made_once(media: Path, tmp_path: Path) -> None:
    pipe = Pipeline([LookupTable(file=cube_of(tmp_path, film))])
    for _ in range(5):
        pipe.process(picture(media), strict=True)
    (tables,) = [node for node in pipe.stats().nodes if node.name == "colour_tables"]
    assert tables.runs == 5
    assert tables.p50 is not None
    assert tables.p50 < 1


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_any_size(tmp_path: Path, width: int, height: int) -> None:
    out = shown(noise(width, height), cube_of(tmp_path, warm, 5))
    assert out.y.shape == (height, width)
