"""Hooks of MkDocs: what the site takes from elsewhere in the repository, and what it may not load.

`<!-- README: Title -->` in a page stands for that section of README, `<!-- models -->` for a table
of the models, whose cards become pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from pullfx import models

README = Path(__file__).parents[1] / "README.md"

_FROM_ELSEWHERE = re.compile(r"""<(?:script|link|img|iframe)\b[^>]*["']((?:https?:)?//[^"']+)""")


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Adds a page for each model."""
    for name in models.names():
        card = models.path(name).with_suffix(".md").read_text(encoding="utf-8")
        _, _, body = card.removeprefix("---\n").partition("\n---\n")
        files.append(File.generated(config, f"models/{name}.md", content=body))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Puts in what the comments stand for."""
    markdown = markdown.replace("<!-- models -->", "\n".join(model_table()))
    return re.sub(r"<!-- README: (.+) -->", lambda match: readme_section(match[1]), markdown)


def on_post_page(output: str, *, page: Page, config: MkDocsConfig) -> str:
    """Refuses a page that would load something from elsewhere: who reads it is nobody's business.

    Raises:
        PluginError: it would.
    """
    if found := _FROM_ELSEWHERE.search(output):
        raise PluginError(f"{page.file.src_uri} loads {found[1]}; bring it along or leave it out")
    return output


def readme_section(title: str) -> str:
    """README's section of that title, without the title.

    Raises:
        PluginError: there is none.
    """
    sections = re.split(r"^## (.+)\n", README.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = dict(zip(sections[1::2], sections[2::2], strict=True))
    if title not in found:
        raise PluginError(f"README has no section '{title}'; it has {', '.join(found)}")
    return found[title].strip()


def model_table() -> Iterator[str]:
    """The lines of the table: of each model what its card says for code."""
    yield "| model | licence | weights | multiply-adds | made from | differs from that by at most |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for name in models.names():
        card = models.card(name)
        cells = (
            f"[{name}](models/{name}.md)",
            card.licence,
            f"{card.parameters:,}",
            f"{card.multiply_adds:,}",
            f"`{card.origin.rpartition('/')[2]}`",
            f"{card.max_difference:g}, on {card.compared_on}",
        )
        yield f"| {' | '.join(cells)} |"
