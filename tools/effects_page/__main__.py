"""Writes docs/effects.md: `python -m tools.effects_page [--pictures]`."""

from __future__ import annotations

from typing import Annotated

import typer

from pullfx import effects
from tools.effects_page import page, pictures


def main(
    pictures_too: Annotated[
        bool, typer.Option("--pictures", help="Make the pictures anew, which takes a minute.")
    ] = False,
) -> None:
    """Write the page of the effects."""
    page.PAGE.write_text(page.text(), encoding="utf-8")
    if pictures_too:
        pictures.write(effects.names())


if __name__ == "__main__":
    typer.run(main)
