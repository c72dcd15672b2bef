"""What pages and docstrings say is so: examples run, commands exist, the reference is complete."""

from __future__ import annotations

import asyncio
import contextlib
import re
import shlex
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import av
import numpy as np
import pytest
import typer
from made_frames import noise
from PIL import Image as PictureFile
from typer.testing import CliRunner

import pullfx
from pullfx.cli.application import application
from pullfx.effects import background_blur

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
MODULES = [
    module
    for folder in ("pullfx", "pipeline", "nodes", "effects", "kernels", "models")
    for module in sorted((ROOT / folder).rglob("*.py"))
]
# A person, the program at the other end of a pipe, or a cluster.
NOT_IN_A_TEST = {"camera", "window", "-", "ray://head:10001"}


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(page: Path, language: str) -> list[str]:
    """The examples of a page, or of a module's docstrings, in this language."""
    parts = page.read_text("utf-8").split(f"```{language}\n")[1:]
    return [textwrap.dedent(part.partition("```")[0]) for part in parts]


def commands() -> list[list[str]]:
    """All that a reader is told to type, as words; those of a pipe one by one."""
    shell = [block.replace("\\\n", " ") for page in PAGES for block in blocks(page, "sh")]
    parts = [part for block in shell for line in block.split("\n") for part in line.split(" | ")]
    return [words for part in parts if (words := shlex.split(part, comments=True))]


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that examples speak of."""
    monkeypatch.chdir(tmp_path)
    with av.open("in.mp4", "w") as container:
        stream = container.add_stream("libx264", rate=30)
        stream.width, stream.height, stream.pix_fmt = 128, 96, "yuv420p"
        for number in range(3):
            picture = np.full((96, 128, 3), 80 * number, np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, "bgr24")))
        container.mux(stream.encode(None))
    for name in ("beach.jpg", "office.png"):
        PictureFile.new("RGB", (64, 48), "navy").save(name)
    return tmp_path


@pytest.fixture
def reader() -> Iterator[ModuleType]:
    """A module with what a reader of an example has before it."""
    module = ModuleType("written_by_a_reader")
    module.__dict__.update(vars(background_blur), __name__=module.__name__)
    module.__dict__.update({name: getattr(pullfx, name) for name in pullfx.__all__})
    module.__dict__.update(pullfx=pullfx, frame=noise(128, 96))
    module.__dict__.update(pipe=pullfx.Pipeline([pullfx.Mirror()]))
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    with contextlib.suppress(ImportError):  # what an application of aiortc has
        from aiortc import RTCPeerConnection, VideoStreamTrack

        module.__dict__.update(connection=RTCPeerConnection(), track=VideoStreamTrack())
    sys.modules[module.__name__] = module  # annotations are looked up there
    yield module
    asyncio.set_event_loop(None)
    loop.close()
    del sys.modules[module.__name__]


@pytest.mark.parametrize(
    "page", [page for page in (*PAGES, *MODULES) if blocks(page, "python")], ids=name_of
)
@pytest.mark.usefixtures("workplace")
def test_the_examples_of_a_page_run_one_after_the_other(page: Path, reader: ModuleType) -> None:
    for block in blocks(page, "python"):
        for library in re.findall(r"pullfx\.integrations\.(\w+)", block):
            pytest.importorskip(library)
        exec(compile(block, str(page), "exec"), reader.__dict__)


def test_the_background_blur_of_the_readme_is_one(reader: ModuleType) -> None:
    (block,) = (b for b in blocks(ROOT / "README.md", "python") if "class BackgroundBlur" in b)
    exec(compile(block, "README.md", "exec"), reader.__dict__)
    for strength in (0.2, 0.9):
        outs = [
            pullfx.Pipeline([kind(strength=strength)]).process(reader.frame, strict=True)
            for kind in (reader.BackgroundBlur, pullfx.BackgroundBlur)
        ]
        np.testing.assert_array_equal(outs[0].y, outs[1].y)


@pytest.mark.parametrize(
    "words", [words for words in commands() if words[0] == "pullfx"], ids=" ".join
)
@pytest.mark.usefixtures("workplace")
def test_a_command_line_of_the_pages_works(words: list[str]) -> None:
    _, *arguments = words
    if NOT_IN_A_TEST & set(arguments):
        name, *options = arguments
        group = typer.main.get_command(application)
        group.commands[name].make_context(name, options)  # type: ignore[attr-defined]
    elif arguments == ["--install-completion"]:
        assert "--install-completion" in CliRunner().invoke(application, ["--help"]).stdout
    else:
        ended = CliRunner().invoke(application, arguments, catch_exceptions=False)
        assert ended.exit_code == 0


@pytest.mark.parametrize("target", sorted({words[1] for words in commands() if words[0] == "make"}))
def test_a_target_of_make_that_pages_name_is_there(target: str) -> None:
    assert re.search(rf"^{target}:.*## ", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text("utf-8")
    for target in re.findall(r"\]\(([^)#]+)", text):
        if "://" not in target and not target.startswith("models/"):  # the site's page of a card
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_files_that_a_page_names_are_there(page: Path) -> None:
    folders = "benchmarks|docs|effects|kernels|models|nodes|pipeline|pullfx|tests|tools"
    for named in re.findall(rf"`((?:{folders})/[\w./*]+)`", page.read_text("utf-8")):
        places = [ROOT, ROOT / "kernels"]  # docs/kernels.md speaks of `src/isa/`
        assert any(any(place.glob(named)) for place in places), named


def test_every_page_is_in_the_table_of_contents() -> None:
    pages = re.findall(r"(\S+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    assert sorted(pages) == sorted(str(p.relative_to(DOCS)) for p in DOCS.rglob("*.md"))


def test_sections_that_pages_take_from_the_readme_are_there() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    taken = [
        title
        for page in DOCS.rglob("*.md")
        for title in re.findall(r"<!-- README: (.+) -->", page.read_text("utf-8"))
    ]
    assert taken
    for title in taken:
        assert f"\n## {title}\n" in readme


def test_a_page_that_loads_from_elsewhere_is_refused() -> None:
    errors = pytest.importorskip("mkdocs.exceptions")
    from tools import documentation

    page: Any = SimpleNamespace(file=SimpleNamespace(src_uri="index.md"))
    fine = '<a href="https://a.example"><script src="assets/a.js">'
    assert documentation.on_post_page(fine, page=page, config=None) == fine
    for loads in ('<script src="https://a.example/a.js">', "<img alt='' src='//a.example/a.png'>"):
        with pytest.raises(errors.PluginError, match=r"index\.md loads .*//a\.example"):
            documentation.on_post_page(loads, page=page, config=None)


def test_every_promise_names_tests_that_are_there() -> None:
    """And a row without one is no promise."""
    promised, _, _ = (DOCS / "reliability.md").read_text("utf-8").partition("## Not held yet")
    rows = [line for line in promised.splitlines() if re.match(r"\| (?!promise|---)", line)]
    assert len(rows) > 50
    for row in rows:
        held_by = re.findall(r"`(test_\w+\.py)::(test_\w+)`", row)
        assert held_by, row
        for file, test in held_by:
            source = (ROOT / "tests" / file).read_text("utf-8")
            assert re.search(rf"^def {test}\(", source, re.MULTILINE), (file, test)


def test_the_reference_has_every_public_name() -> None:
    pages = (page.read_text("utf-8") for page in (DOCS / "reference").glob("*.md"))
    described = {name for page in pages for name in re.findall(r"^::: pullfx\.(\w+)", page, re.M)}
    assert described == set(pullfx.__all__) - {"__version__", "errors"} | {"integrations"}
