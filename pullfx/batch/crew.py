"""`Crew`: where the files of a batch are worked on. Whoever has processes somewhere can be one."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Protocol

from pullfx.batch.job import Attempt, Job, Recipe


class Worker(Protocol):
    """One process with a pipeline; it does one file at a time."""

    def begin(self) -> Future[str]:
        """Comes true with the machine's name when the process is there; asked for first, once."""

    def submit(self, job: Job) -> Future[Attempt]:
        """Begins a file. The future raises only where the process itself is lost."""

    def give_up(self) -> None:
        """Asks it to leave its file, now and from now on; does not wait."""

    def stop(self) -> None:
        """Ends the process, which has nothing to do or is lost."""

    def kill(self) -> None:
        """Ends the process, whatever it does."""


class Crew(Protocol):
    """Workers as they are needed.

    Attributes:
        size: how many workers to have side by side.
    """

    size: int

    def hire(self, recipe: Recipe) -> Worker:
        """One more worker; does not wait for it."""

    def close(self) -> None:
        """Lets go of what the workers came from, after each has been stopped or killed."""
