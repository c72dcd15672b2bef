"""docs/write_an_effect.md is true: its examples run, and so does an installed package with one."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from made_frames import disc, enlarged, frame_of, matte_of, noise

from pullfx import Effect, Pipeline, effects
from pullfx.cli import main
from pullfx.effects import BackgroundBlur, registry
from pullfx.errors import FrameError, ParameterError
from pullfx.nodes import enlarge, from_rgb, to_rgb
from pullfx.pipeline.sources import open_source

PAGE = Path(__file__).parents[1] / "docs" / "write_an_effect.md"


def python_blocks() -> list[str]:
    """The page's examples."""
    blocks = PAGE.read_text("utf-8").split("```python\n")[1:]
    return [block.partition("```")[0] for block in blocks]


@pytest.fixture(scope="module")
def page() -> Iterator[ModuleType]:
    """A module with all that the page writes, one example after the other."""
    module = ModuleType("written_by_a_reader")
    module.__file__ = str(PAGE)
    sys.modules[module.__name__] = module  # annotations are looked up there
    for block in python_blocks():
        exec(compile(block, str(PAGE), "exec"), module.__dict__)
    yield module
    del sys.modules[module.__name__]


@pytest.mark.parametrize("name", ["Sepia", "ColourPop", "LightTrails"])
def test_an_example_changes_the_picture_and_nothing_fails(page: ModuleType, name: str) -> None:
    with open_source("sample") as source:
        frames = [frame for frame, _ in zip(source.frames(), range(3), strict=False)]
    pipe = Pipeline([getattr(page, name)()])
    outs = [pipe.process(frame, strict=True) for frame in frames]
    for frame, out in zip(frames[1:], outs[1:], strict=True):
        assert any((a != b).any() for a, b in zip(frame.planes, out.planes, strict=True))
        assert out.pts == frame.pts


def test_the_first_example_is_ten_lines() -> None:
    code = [line for line in python_blocks()[0].splitlines() if line and "import" not in line]
    assert len(code) <= 10


def test_the_mask_is_shared_with_background_blur(page: ModuleType) -> None:
    pipe = Pipeline([BackgroundBlur(), page.ColourPop()])
    pipe.process(noise(320, 180), strict=True)
    assert [n.runs for n in pipe.stats().nodes if n.name.startswith("segment")] == [1]


def test_rgb_and_back_is_the_same_picture() -> None:
    frame = noise(46, 33)
    grey = frame_of(frame.y)  # every code of it is one of RGB in full range too
    again = from_rgb(to_rgb(grey), grey)
    assert np.abs(again.y.astype(int) - np.clip(grey.y, 16, 235)).max() <= 1
    assert np.abs(again.u.astype(int) - 128).max() <= 1


def test_an_rgb_node_that_returns_floats_is_told_so() -> None:
    frame = noise(32, 32)
    with pytest.raises(FrameError, match="must be uint8, but is float64"):
        from_rgb(np.zeros((32, 32, 3)), frame)  # type: ignore[arg-type]


@pytest.mark.parametrize(("width", "height"), [(64, 48), (65, 47)])
def test_an_enlarged_matte_is_what_people_are_painted_with(width: int, height: int) -> None:
    matte = matte_of(disc(width, height))
    alpha = enlarge(matte, noise(width, height))
    np.testing.assert_array_equal(alpha, enlarged(matte, width, height))


PLUGIN = """
from pullfx import Effect, Frame
from pullfx.nodes import from_rgb, to_rgb

class Same(Effect):
    '''Changes nothing that one would see.'''

    def build(self, frame: Frame, original: Frame) -> Frame:
        return from_rgb(to_rgb(frame), frame)

not_an_effect = 3
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed package with one effect that works and three names that lead nowhere."""
    (tmp_path / "strange_effects.py").write_text(PLUGIN, "utf-8")
    information = tmp_path / "strange_effects-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Name: strange-effects\nVersion: 1.0\n", "utf-8")
    (information / "entry_points.txt").write_text(
        "[pullfx.effects]\n"
        "same = strange_effects:Same\n"
        "number = strange_effects:not_an_effect\n"
        "gone = strange_effects_gone:Gone\n"
        "background_blur = strange_effects:Same\n",
        "utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    registry._entry_points.cache_clear()
    yield
    registry._entry_points.cache_clear()
    sys.modules.pop("strange_effects", None)


@pytest.mark.usefixtures("package")
def test_an_installed_package_adds_effects() -> None:
    assert effects.names()[-3:] == ("gone", "number", "same")
    same = effects.by_name("same")
    assert issubclass(same, Effect)
    frame = noise(64, 48)
    out = Pipeline([same()]).process(frame, strict=True)
    assert out.y.shape == frame.y.shape
    assert effects.by_name("background_blur") is BackgroundBlur


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gone", "effect 'gone' of strange-effects cannot be loaded: No module named"),
        ("number", "'number' of strange-effects: strange_effects:not_an_effect is no subclass"),
    ],
)
def test_one_that_cannot_be_loaded_is_named_with_its_package(name: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        effects.by_name(name)


@pytest.mark.usefixtures("package")
def test_the_command_line_lists_them_and_what_is_wrong_with_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["pullfx", "effects"])
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    printed = capsys.readouterr().out
    assert "Changes nothing that one would see." in printed
    assert "cannot be loaded" in printed
