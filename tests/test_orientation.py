"""Display matrices: read in full, and pictures turned as they say."""

from __future__ import annotations

import io
import logging
import struct
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from av_pictures import assert_planes, first_picture, random_picture, rows_of
from exact_colour import spread, square_means
from numpy.typing import NDArray
from PIL import Image

from pullfx.pipeline.formats import (
    Orientation,
    frame_from_av,
    frame_to_av,
    orientation_of,
    upright,
)
from pullfx.pipeline.formats.reporting import warn_once
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.pool import Pool

ONE = 1 << 16

# The four numbers a, b, c, d of a display matrix, whether the picture is mirrored left to right
# first, and how many quarter turns clockwise follow.
EIGHT = {
    Orientation.UPRIGHT: ((1, 0, 0, 1), False, 0),
    Orientation.ROTATED_90: ((0, 1, -1, 0), False, 1),
    Orientation.ROTATED_180: ((-1, 0, 0, -1), False, 2),
    Orientation.ROTATED_270: ((0, -1, 1, 0), False, 3),
    Orientation.MIRRORED: ((-1, 0, 0, 1), True, 0),
    Orientation.MIRRORED_ROTATED_90: ((0, -1, -1, 0), True, 1),
    Orientation.MIRRORED_ROTATED_180: ((1, 0, 0, -1), True, 2),
    Orientation.MIRRORED_ROTATED_270: ((0, 1, 1, 0), True, 3),
}
SIZES = [(64, 48), (63, 48), (64, 47), (63, 47), (2, 2), (1, 1), (3, 1), (1, 3)]


@pytest.fixture(autouse=True)
def fresh_warnings() -> Iterator[None]:
    """Lets each test meet the warnings that a process gives once."""
    warn_once.cache_clear()
    yield
    warn_once.cache_clear()


def display_matrix(a: float, b: float, c: float, d: float) -> list[int]:
    linear = [round(ONE * number) for number in (a, b, c, d)]
    return [linear[0], linear[1], 0, linear[2], linear[3], 0, 640 * ONE, 360 * ONE, 1 << 30]


def turned(plane: NDArray[np.uint8], orientation: Orientation) -> NDArray[np.uint8]:
    _, mirrored, quarters = EIGHT[orientation]
    return np.rot90(np.fliplr(plane) if mirrored else plane, -quarters)


@pytest.mark.parametrize("orientation", Orientation)
@pytest.mark.parametrize("scale", [1, 0.5, 3])
def test_matrices_of_right_angles(
    orientation: Orientation, scale: float, caplog: pytest.LogCaptureFixture
) -> None:
    a, b, c, d = EIGHT[orientation][0]
    matrix = display_matrix(a * scale, b * scale, c * scale, d * scale)
    with caplog.at_level(logging.WARNING):
        assert Orientation.from_matrix(matrix) is orientation
    assert not caplog.records


@pytest.mark.parametrize("orientation", Orientation)
def test_a_picture_that_is_also_stretched(
    orientation: Orientation, caplog: pytest.LogCaptureFixture
) -> None:
    a, b, c, d = EIGHT[orientation][0]
    with caplog.at_level(logging.WARNING):
        assert Orientation.from_matrix(display_matrix(2 * a, 2 * b, c, d)) is orientation
    assert not caplog.records


@pytest.mark.parametrize(
    ("degrees", "expected"),
    [
        (-30, Orientation.UPRIGHT),
        (1, Orientation.UPRIGHT),
        (44, Orientation.UPRIGHT),
        (46, Orientation.ROTATED_90),
        (170, Orientation.ROTATED_180),
        (280, Orientation.ROTATED_270),
    ],
)
def test_a_tilted_matrix_means_the_nearest_right_angle(
    degrees: float, expected: Orientation, caplog: pytest.LogCaptureFixture
) -> None:
    cosine, sine = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    matrix = display_matrix(cosine, sine, -sine, cosine)
    with caplog.at_level(logging.WARNING):
        found = [Orientation.from_matrix(matrix) for _ in range(3)]
    assert found == [expected] * 3
    (record,) = caplog.records
    assert "does not turn it by right angles; the nearest right angle is used" in record.message


@pytest.mark.parametrize("linear", [(0, 0, 0, 0), (1, 0, 0, 0), (1, 1, 1, 1)])
def test_a_matrix_that_flattens_is_reported(
    linear: tuple[int, int, int, int], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        Orientation.from_matrix(display_matrix(*linear))
    assert len(caplog.records) == 1


@pytest.mark.parametrize("orientation", Orientation)
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_planes_turn_as_their_pixels_do(width: int, height: int, orientation: Orientation) -> None:
    """Turning 4:2:0 gives what turning the pixels in full colour and then halving it gives."""
    frame = frame_from_av(random_picture(width, height, "yuv420p"))
    shape = frame.y.shape
    cb, cr = (turned(spread(plane, shape), orientation) for plane in (frame.u, frame.v))
    result = Frame(*upright(frame.planes, orientation))
    assert np.array_equal(result.y, turned(frame.y, orientation))
    rounded_twice = (
        width % 2 and height % 2 and orientation.flips_columns and orientation.flips_rows
    )
    error = 0.75 if rounded_twice else 0.5
    assert np.abs(result.u - square_means(cb.astype(float))).max() <= error
    assert np.abs(result.v - square_means(cr.astype(float))).max() <= error


@pytest.mark.parametrize("orientation", Orientation)
def test_padded_and_upward_rows_turn_too(orientation: Orientation) -> None:
    frame = frame_from_av(random_picture(62, 46, "yuv420p"))
    y, u, v = (plane[::-1] for plane in frame.planes)
    expected = upright((y.copy(), u.copy(), v.copy()), orientation)
    for ours, theirs in zip(upright((y, u, v), orientation), expected, strict=True):
        assert np.array_equal(ours, theirs)


def test_upright_planes_stay_where_they_are() -> None:
    planes = frame_from_av(random_picture(64, 48, "yuv420p")).planes
    assert upright(planes, Orientation.UPRIGHT) is planes


@pytest.mark.parametrize("orientation", Orientation)
def test_nothing_is_allocated_once_warm(orientation: Orientation) -> None:
    pool = Pool()
    planes = frame_from_av(random_picture(63, 47, "yuv420p")).planes
    upright(planes, orientation, pool)
    before = pool.stats().allocations
    for _ in range(3):
        upright(planes, orientation, pool)
    assert pool.stats().allocations == before


def mp4_with_matrix(picture: av.VideoFrame, matrix: list[int]) -> io.BytesIO:
    """A lossless file of one picture, its track header's matrix (ISO/IEC 14496-12 8.3.2) set."""
    file = io.BytesIO()
    with av.open(file, "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=25)
        stream.width, stream.height, stream.pix_fmt = picture.width, picture.height, "yuv420p"
        stream.options = {"qp": "0"}
        container.mux(stream.encode(picture))
        container.mux(stream.encode())
    content = bytearray(file.getvalue())
    start = content.index(b"tkhd") + 44
    content[start : start + 36] = struct.pack(">9i", *matrix)
    return io.BytesIO(content)


@pytest.mark.parametrize("orientation", Orientation)
def test_a_file_is_shown_as_its_matrix_says(orientation: Orientation) -> None:
    original = random_picture(62, 46, "yuv420p")
    file = mp4_with_matrix(original, display_matrix(*EIGHT[orientation][0]))
    picture = first_picture(file)
    assert orientation_of(picture) is orientation
    frame = frame_from_av(picture)
    assert_planes(frame, *upright(frame_from_av(original).planes, orientation))
    assert (frame.pts, frame.time_base) == (picture.pts, picture.time_base)


@pytest.mark.parametrize("orientation", [each for each in Orientation if each.transposes])
def test_a_turned_picture_is_not_turned_again(orientation: Orientation) -> None:
    original = random_picture(62, 46, "yuv420p")
    file = mp4_with_matrix(original, display_matrix(*EIGHT[orientation][0]))
    frame = frame_from_av(first_picture(file))
    again = frame_from_av(frame_to_av(frame))
    assert orientation_of(frame_to_av(frame)) is Orientation.UPRIGHT
    assert_planes(again, *frame.planes)


@pytest.mark.parametrize(
    ("name", "orientation"),
    [
        ("rot90.mp4", Orientation.ROTATED_90),
        ("rot180.mp4", Orientation.ROTATED_180),
        ("rot270.mp4", Orientation.ROTATED_270),
        ("one_frame.mp4", Orientation.UPRIGHT),
    ],
)
def test_files_of_the_media_folder(media: Path, name: str, orientation: Orientation) -> None:
    picture = first_picture(media / "edge" / name)
    assert orientation_of(picture) is orientation
    frame = frame_from_av(picture)
    assert np.array_equal(frame.y, turned(rows_of(picture, 0)[:, : picture.width], orientation))
    assert frame.time_base == Fraction(1, 12288)


@pytest.mark.parametrize(
    ("exif", "expected"),
    [
        (1, Orientation.UPRIGHT),
        (3, Orientation.ROTATED_180),
        (6, Orientation.ROTATED_90),
        (8, Orientation.ROTATED_270),
    ],
)
def test_pictures_with_exif_data(tmp_path: Path, exif: int, expected: Orientation) -> None:
    orientation = Image.Exif()
    orientation[0x0112] = exif
    Image.new("RGB", (64, 48), "navy").save(tmp_path / "picture.jpg", exif=orientation)
    picture = first_picture(tmp_path / "picture.jpg")
    assert orientation_of(picture) is expected
    frame = frame_from_av(picture)
    assert (frame.width, frame.height) == ((48, 64) if exif > 4 else (64, 48))
