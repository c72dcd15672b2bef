"""How far a command is."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from pullfx.cli.console import messages


@contextlib.contextmanager
def progress_bar(things: str, quiet: bool) -> Iterator[Callable[[int, int | None], None] | None]:
    """A bar for as long as the block runs; None where nobody would see it.

    Args:
        things: what is counted.
        quiet: True shows none.

    Yields:
        What is to be told how many are done, and of how many, where that is known.
    """
    if quiet or not messages.is_terminal:
        yield None
        return
    columns = (
        TextColumn(things),
        MofNCompleteColumn(),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=messages, transient=True) as bar:
        task = bar.add_task(things, total=None)

        def progress(done: int, total: int | None) -> None:
            bar.update(task, completed=done, total=total)

        yield progress
