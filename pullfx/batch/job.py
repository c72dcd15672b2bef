"""`Job`, one file of a batch, and `Workbench`, which does one after the other in a process."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pullfx.errors import PullfxError, SourceError
from pullfx.pipeline.effect import Effect
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.pipeline import Pipeline
from pullfx.pipeline.quality import Quality
from pullfx.pipeline.run import run
from pullfx.pipeline.sinks import EncoderOptions


@dataclass(frozen=True, slots=True)
class Recipe:
    """What is done to every file; sent to each worker once.

    Attributes:
        effects: first to last.
        quality, threads: those of the pipeline.
        encoder, sound: those of `pullfx.run`.
        folder: where the names of files begin; a worker on another machine goes there.
    """

    effects: tuple[Effect, ...]
    quality: Quality | str
    threads: int
    encoder: EncoderOptions
    sound: bool
    folder: Path


@dataclass(frozen=True, slots=True)
class Job:
    """One file: where it is, and where the result belongs."""

    source: Path
    output: Path


class FileState(StrEnum):
    """What became of a file."""

    DONE = "done"
    SKIPPED = "skipped"
    """Its output was whole already."""
    FAILED = "failed"
    UNFINISHED = "unfinished"
    """The batch was broken off before; nothing of it was written."""


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of one file of a batch.

    Attributes:
        source: the file.
        output: where the result is, or would be.
        state: what became of it.
        frames: frames written.
        damaged: frames that the source lost, or gave with visible damage.
        error: one line that says why it failed; empty otherwise.
    """

    source: Path
    output: Path
    state: FileState
    frames: int = 0
    damaged: int = 0
    error: str = ""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A file's report from a worker, with the warnings that came up on the way."""

    report: FileReport
    warnings: tuple[str, ...] = ()


class Workbench:
    """A worker's pipeline, loaded with the first file and kept for all."""

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._pipeline: Pipeline | None = None

    def do(self, job: Job, given_up: Callable[[], bool]) -> Attempt:
        """Works a file through; every error is a report.

        Args:
            job: the file.
            given_up: asked before each frame is written; True leaves no file, not even in part.
        """

        def check(before: Frame, after: Frame) -> None:
            if given_up():
                raise _GivenUpError

        with _Warnings() as warnings:
            try:
                done = run(
                    job.source,
                    job.output,
                    self._ready(),
                    sound=self._recipe.sound,
                    encoder=self._recipe.encoder,
                    on_frame=check,
                )
                report = FileReport(
                    job.source, job.output, FileState.DONE, done.frames, done.damaged
                )
            except _GivenUpError:
                report = FileReport(job.source, job.output, FileState.UNFINISHED)
            except Exception as error:
                report = FileReport(job.source, job.output, FileState.FAILED, error=one_line(error))
        return Attempt(report, tuple(warnings.lines))

    def _ready(self) -> Pipeline:
        if self._pipeline is None:
            recipe = self._recipe
            try:
                os.chdir(recipe.folder)
            except OSError as error:
                raise SourceError(
                    f"{machine()} has no folder {recipe.folder}; a cluster's machines must see "
                    "files under the same names"
                ) from error
            self._pipeline = Pipeline(
                recipe.effects, quality=recipe.quality, threads=recipe.threads
            )
        return self._pipeline


def machine() -> str:
    """The name of the machine that this runs on."""
    return socket.gethostname()


def one_line(error: BaseException) -> str:
    """An error as one line for a person."""
    text = " ".join(str(error).split())
    if isinstance(error, PullfxError):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


class _GivenUpError(Exception):
    """The batch has been broken off."""


class _Warnings(logging.Handler):
    """Keeps what is logged from being printed by a process that nobody looks at."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []
        self._logger = logging.getLogger("pullfx")

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())

    def __enter__(self) -> _Warnings:
        self._logger.addHandler(self)
        self._logger.propagate = False
        return self

    def __exit__(self, *_: object) -> None:
        self._logger.propagate = True
        self._logger.removeHandler(self)
