"""Something else behind people: in a pipeline, on the command line, changed while it runs."""

from __future__ import annotations

import time
from pathlib import Path

import av
import numpy as np
import pytest
from made_frames import noise
from numpy.typing import NDArray
from PIL import Image

from pullfx import cli
from pullfx.cli.effect_text import parse_effect
from pullfx.effects import BackgroundReplacement, ShowMask
from pullfx.errors import ParameterError, SourceError
from pullfx.pipeline.formats import PixelFormat, frame_to_array
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.pipeline import Pipeline
from pullfx.pipeline.sources import open_source

DESK = "video/lp_s18_desk_1280x720.mp4"
CORNER = np.s_[:100, :300]  # where nobody is


@pytest.fixture(scope="module")
def desk(media: Path) -> list[Frame]:
    """A woman before a wall and plants, who is about a third of the picture."""
    with open_source(media / DESK) as source:
        return [frame for frame, _ in zip(source.frames(), range(4), strict=False)]


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    """Stripes of many colours, larger than the frames."""
    columns = np.indices((1500, 2600))[1]
    pixels = np.stack([columns % 256, columns // 13, 255 - columns % 256], -1).astype(np.uint8)
    path = tmp_path / "stripes, all of them.png"
    Image.fromarray(pixels).save(path)
    return path


def rgb(frame: Frame) -> NDArray[np.int16]:
    return frame_to_array(frame, PixelFormat.RGB24).astype(np.int16)


def masks(desk: list[Frame]) -> list[NDArray[np.uint8]]:
    shown = Pipeline([ShowMask()])
    return [shown.process(frame, strict=True).y for frame in desk]


def test_the_person_stays_and_all_else_is_the_background(desk: list[Frame]) -> None:
    pipe = Pipeline([BackgroundReplacement(background="#336699")])
    for frame, mask in zip(desk, masks(desk), strict=True):
        out = pipe.process(frame, strict=True)
        assert (out.matrix, out.range, out.pts) == (frame.matrix, frame.range, frame.pts)
        person, room = mask == 235, mask == 16
        assert 0.2 < person.mean() < 0.6
        assert room.mean() > 0.3
        np.testing.assert_array_equal(out.y[person], frame.y[person])
        assert np.abs(rgb(out)[room] - (0x33, 0x66, 0x99)).mean() < 1.5


def test_a_picture_is_scaled_once(desk: list[Frame], picture: Path) -> None:
    pipe = Pipeline([BackgroundReplacement(background=picture, blur=0.2)])
    for frame in desk:
        pipe.process(frame, strict=True)
    stats = pipe.stats()
    assert stats.node("play_background").runs == len(desk)
    assert stats.node("out_of_focus").runs == 1
    assert stats.node("segment").runs == len(desk)


def test_a_blurred_picture_is_softer(desk: list[Frame], picture: Path) -> None:
    sharp, soft = (
        Pipeline([BackgroundReplacement(background=str(picture), blur=blur)]).process(desk[0])
        for blur in (0.0, 0.5)
    )
    rows = np.s_[100:400, 50:400]
    detail = [float(np.abs(np.diff(out.y[rows].astype(int))).mean()) for out in (sharp, soft)]
    assert detail[1] < 0.3 * detail[0]


def test_another_background_while_it_runs(desk: list[Frame], picture: Path) -> None:
    pipe = Pipeline([BackgroundReplacement(background="black", smoothing=0.0)])
    before = pipe.process(desk[0], strict=True)
    pipe.set("background_replacement", background="#ffffff")
    white = pipe.process(desk[0], strict=True)
    assert white.y[0, 0] > 230 > 20 > before.y[0, 0]
    pipe.set("background_replacement", background=picture)
    striped = pipe.process(desk[0], strict=True)
    assert striped.y[CORNER].std() > 10
    assert pipe.get("background_replacement")["background"] == str(picture)


def test_live_no_frame_waits_for_a_large_picture(desk: list[Frame], picture: Path) -> None:
    pipe = Pipeline([BackgroundReplacement(background="black")])
    for frame in desk:
        pipe.process(frame)
    pipe.set("background_replacement", background=picture)
    deadline = time.monotonic() + 20
    before = 0
    while pipe.process(desk[0]).y[CORNER].std() < 5 and time.monotonic() < deadline:
        before += 1
    assert pipe.process(desk[0]).y[CORNER].std() > 10
    assert before >= 2  # to open it takes as long as many frames do


@pytest.mark.parametrize(
    ("background", "error", "message"),
    [
        ("#1234", ParameterError, "'#1234' is no colour"),
        ("", ParameterError, "must be a colour"),
        ("beach", SourceError, "'beach' is no colour and no file"),
        ("beach.jpg", SourceError, "no such file: beach.jpg"),
        (Path("/nowhere/beach.jpg"), SourceError, "no such file: /nowhere/beach.jpg"),
        (7, ParameterError, "'background' must be str, but is 7"),
    ],
)
def test_a_bad_background_is_refused_at_the_start(
    background: object, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        BackgroundReplacement(background=background)  # type: ignore[arg-type]


def test_a_broken_picture_is_refused_at_the_start(tmp_path: Path) -> None:
    broken = tmp_path / "broken.jpg"
    broken.write_bytes(b"no picture")
    with pytest.raises(SourceError, match=r"no picture in .*broken\.jpg can be read"):
        BackgroundReplacement(background=broken)


def test_a_colour_that_is_none_is_refused_while_it_runs(desk: list[Frame]) -> None:
    pipe = Pipeline([BackgroundReplacement(background="black")])
    with pytest.raises(ParameterError, match="'#12' is no colour"):
        pipe.set("background_replacement", background="#12", blur=0.5)
    assert pipe.get("background_replacement")["blur"] == 0.0


def test_one_effect_in_two_pipelines(desk: list[Frame], picture: Path) -> None:
    effect = BackgroundReplacement(background=picture)
    outs = [Pipeline([effect]).process(desk[0], strict=True) for _ in range(2)]
    np.testing.assert_array_equal(outs[0].y, outs[1].y)


def test_threads_make_no_difference(desk: list[Frame], picture: Path) -> None:
    effect = BackgroundReplacement(background=picture, light_wrap=0.3, colour_match=0.3)
    with Pipeline([effect]) as one, Pipeline([effect], threads=2) as two:
        for frame in desk:
            outs = [pipe.process(frame, strict=True) for pipe in (one, two)]
            np.testing.assert_array_equal(outs[0].y, outs[1].y)


def test_two_of_them_share_the_mask_and_have_backgrounds_of_their_own(desk: list[Frame]) -> None:
    pipe = Pipeline(
        [
            BackgroundReplacement(background="black"),
            BackgroundReplacement(background="white", name="second"),
        ]
    )
    out = pipe.process(desk[0], strict=True)
    assert out.y[0, 0] > 230
    assert pipe.stats().node("segment").runs == 1
    pipe.disable("second")
    assert pipe.process(desk[0], strict=True).y[0, 0] < 20


def test_in_steady_state_nothing_is_allocated(picture: Path) -> None:
    pipe = Pipeline([BackgroundReplacement(background=picture, light_wrap=0.5)])
    frames = [noise(640, 480, seed) for seed in range(3)]
    for frame in frames:
        pipe.process(frame, strict=True)
    before = pipe.stats().allocations
    for frame in frames * 4:
        pipe.process(frame, strict=True)
    assert pipe.stats().allocations == before


@pytest.mark.parametrize("path", ["beach.jpg", "a, b.jpg", "folder/a=b.jpg"])
def test_the_command_line_takes_paths(
    tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(path).parent.mkdir(exist_ok=True)
    Image.new("RGB", (64, 48), "navy").save(path)
    effect = parse_effect(f"background_replacement:background={path},blur=0.5")
    assert isinstance(effect, BackgroundReplacement)
    assert (effect.background, effect.blur) == (path, 0.5)


def test_the_command_line_replaces_the_background(
    tmp_path: Path, picture: Path, media: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out.mp4"
    effect = f"background_replacement:background={picture}"
    arguments = ["pullfx", "run", str(media / DESK), str(out), "--seconds", "0.2", "-e", effect]
    monkeypatch.setattr("sys.argv", arguments)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert not ended.value.code
    with av.open(str(out)) as container:
        frame = next(container.decode(video=0)).to_ndarray(format="gray")
    assert frame[CORNER].std() > 10
