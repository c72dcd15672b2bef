"""`run_batch`: many files through the same effects, one file per task."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pullfx.batch.crew import Crew, Worker
from pullfx.batch.files import is_whole, jobs_for
from pullfx.batch.job import Attempt, FileReport, FileState, Job, Recipe, one_line
from pullfx.batch.on_ray import RayCrew
from pullfx.batch.processes import LocalCrew
from pullfx.errors import ClusterError, ParameterError, SinkError
from pullfx.pipeline.effect import Effect
from pullfx.pipeline.interruption import Interruption
from pullfx.pipeline.pipeline import Pipeline
from pullfx.pipeline.quality import Quality
from pullfx.pipeline.sinks import EncoderOptions
from pullfx.pipeline.sinks.encoder import MUXERS, choose_encoder
from pullfx.pipeline.sinks.pending import remove_leftovers

logger = logging.getLogger(__name__)

HERE = "processes"
"""Where a batch runs if nothing else is said: processes of this machine."""

_POLL = 0.2  # seconds between two looks at what else might end a batch
_PATIENCE = 10.0  # seconds for workers to begin, or to leave their files, before it goes on without
_FAILED_BEGINNINGS = 3  # of workers one after the other, and the cluster is no good

BatchProgress = Callable[[int, int], None]
"""Called as files are finished with the number of those that are, and of all."""


@dataclass(frozen=True, slots=True)
class BatchReport:
    """What a batch did.

    Attributes:
        files: what became of each, in the order of the sources.
        seconds: how long it took.
        interrupted: True after Ctrl-C.
    """

    files: tuple[FileReport, ...]
    seconds: float
    interrupted: bool

    def count(self, state: FileState) -> int:
        """How many files became that."""
        return Counter(file.state for file in self.files)[state]


def run_batch(
    sources: Iterable[str | Path],
    folder: str | Path,
    effects: Iterable[Effect],
    *,
    on: str = HERE,
    jobs: int | None = None,
    again: bool = False,
    tries: int = 3,
    quality: Quality | str = Quality.HIGH,
    threads: int = 1,
    encoder: EncoderOptions | None = None,
    sound: bool = True,
    progress: BatchProgress | None = None,
    stop: threading.Event | None = None,
) -> BatchReport:
    """Takes many files through the same effects, several at a time, in processes here or elsewhere.

    Each process loads its pipeline once. A result is there under its name when it is whole, and a
    file whose result is there is skipped; so a batch that was broken off is gone on with by calling
    it again. A file that fails, or whose process dies, is logged and tried again after the others,
    on another machine if there is one, else in another process.

    Ctrl-C, and `stop`, leave what is whole, and nothing of the files that were in work.

    As for `multiprocessing`, a script that calls this does so under `if __name__ == "__main__":`.
    On a cluster all machines see the files under the same names, and have pullfx installed.

    Args:
        sources: files, or patterns such as `in/*.mp4`.
        folder: where the results go, under the names of their files; those whose ending is not
            written become .mp4. It is made if it is not there.
        effects: first to last; they are sent to the processes by pickle.
        on: `processes` of this machine; `ray://host:10001`, a Ray cluster; or `ray`, the one
            around or one for this batch.
        jobs: files at a time; None takes as many as the CPUs have room for.
        again: do all files anew, whatever is there.
        tries: how often a file is tried.
        quality: that of the pipelines.
        threads: of each pipeline.
        encoder: how video files are encoded.
        sound: False leaves sound and subtitles out.
        progress: told after each file that is finished.
        stop: ends the batch from another thread.

    Returns:
        What became of each file. That one failed is no exception.

    Raises:
        SourceError: a pattern matches no file.
        SinkError: the folder is none or cannot be made, two results would have one name, or one
            would replace its source.
        ParameterError: a setting has no possible value.
        ClusterError: the cluster cannot be reached, or no process begins.
    """
    for name, number in (("jobs", jobs), ("tries", tries)):
        if number is not None and number < 1:
            raise ParameterError(f"{name} must be 1 or more, but is {number}")
    recipe = Recipe(
        tuple(effects), quality, threads, encoder or EncoderOptions(), sound, Path.cwd()
    )
    start = time.monotonic()
    target = Path(folder).expanduser()
    todo = jobs_for(sources, target)
    done = {
        job: FileReport(job.source, job.output, FileState.SKIPPED)
        for job in todo
        if not again and is_whole(job.output)
    }
    missing = [job for job in todo if job not in done]
    work = _Work(recipe, tries, done, progress, len(todo), stop or threading.Event())
    if missing:
        _try_out(recipe, missing, on)
        crew = _open_crew(on, jobs, threads)
        try:
            _make(target)
            work.go_through(missing, crew)
        finally:
            crew.close()
    return BatchReport(
        files=tuple(
            done.get(job) or FileReport(job.source, job.output, FileState.UNFINISHED)
            for job in todo
        ),
        seconds=time.monotonic() - start,
        interrupted=work.interrupted,
    )


def _try_out(recipe: Recipe, jobs: Iterable[Job], on: str) -> None:
    """What would fail with every file is said once, and now."""
    with Pipeline(recipe.effects, quality=recipe.quality, threads=recipe.threads):
        pass
    if on == HERE:  # other machines may have other encoders
        for suffix in MUXERS.keys() & {job.output.suffix.lower() for job in jobs}:
            choose_encoder(suffix, recipe.encoder.codec)


def _open_crew(on: str, jobs: int | None, threads: int) -> Crew:
    if on == HERE:
        return LocalCrew(jobs, threads)
    if re.fullmatch(r"ray(://.+)?", on):
        return RayCrew(on, jobs, threads)
    raise ParameterError(f"a batch runs on {HERE}, ray or ray://host:10001, but not on '{on}'")


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SinkError(f"the folder {folder} cannot be made ({error.strerror})") from error


@dataclass(eq=False, slots=True)
class _Place:
    """A worker, and what it is about."""

    worker: Worker
    hired: float
    machine: str = ""
    job: Job | None = None


@dataclass(eq=False, slots=True)
class _History:
    """Where a file has failed."""

    tries: int = 0
    machines: set[str] = field(default_factory=set)
    places: set[_Place] = field(default_factory=set)

    def distance(self, place: _Place) -> int:
        """0 for a machine where it has not failed, 1 for another process there, 2 for the same."""
        return (place.machine in self.machines) + (place in self.places)


class _Work:
    """One batch: which worker has which file, and what is left to do."""

    def __init__(
        self,
        recipe: Recipe,
        tries: int,
        done: dict[Job, FileReport],
        progress: BatchProgress | None,
        total: int,
        stop: threading.Event,
    ) -> None:
        self.interrupted = False
        self._recipe = recipe
        self._tries = tries
        self._done = done
        self._progress = progress
        self._total = total
        self._stop = stop
        self._queue: deque[Job] = deque()
        self._histories: dict[Job, _History] = {}
        self._beginning: dict[Future[str], _Place] = {}
        self._working: dict[Future[Attempt], _Place] = {}
        self._idle: list[_Place] = []
        self._failed_beginnings = 0

    def go_through(self, jobs: list[Job], crew: Crew) -> None:
        """Every file until it is done or has failed for good."""
        self._queue.extend(jobs)
        self._histories = {job: _History() for job in jobs}
        self._tell()
        with Interruption() as interruption:
            try:
                for _ in range(min(crew.size, len(jobs))):
                    self._hire(crew)
                while self._queue or self._working:
                    if interruption.requested or self._stop.is_set():
                        self._leave()
                        break
                    self._hand_out()
                    self._collect(crew)
            except BaseException:  # Ctrl-C for the second time, or no worker
                self._end(kill=True)
                raise
        self._end(kill=False)
        self.interrupted = interruption.requested

    def _hire(self, crew: Crew) -> None:
        place = _Place(crew.hire(self._recipe), time.monotonic())
        self._beginning[place.worker.begin()] = place

    def _hand_out(self) -> None:
        """Files to workers with nothing to do; one that failed waits for a better place."""
        for place in list(self._idle):
            job = next((job for job in self._queue if self._suits(job, place)), None)
            if job is None:
                continue
            self._queue.remove(job)
            self._idle.remove(place)
            place.job = job
            self._working[place.worker.submit(job)] = place

    def _suits(self, job: Job, place: _Place) -> bool:
        """Whether no better place is there, or about to be."""
        recent = time.monotonic() - _PATIENCE
        soon = [place for place in self._beginning.values() if place.hired > recent]
        distance = self._histories[job].distance
        return distance(place) == min(map(distance, [*self._idle, *self._working.values(), *soon]))

    def _collect(self, crew: Crew) -> None:
        """Waits until something has happened."""
        futures: list[Future[Any]] = [*self._beginning, *self._working]
        for future in wait(futures, _POLL, FIRST_COMPLETED).done:
            if future in self._beginning:
                self._welcome(future, crew)
            else:
                self._take(future, crew)

    def _welcome(self, future: Future[str], crew: Crew) -> None:
        place = self._beginning.pop(future)
        error = future.exception()
        if error is None:
            self._failed_beginnings = 0
            place.machine = future.result()
            self._idle.append(place)
            return
        place.worker.kill()
        self._failed_beginnings += 1
        if self._failed_beginnings == _FAILED_BEGINNINGS:
            raise ClusterError(
                f"no process begins: {one_line(error)} Is pullfx installed there? A script calls "
                'run_batch under if __name__ == "__main__":'
            ) from error
        self._hire(crew)

    def _take(self, future: Future[Attempt], crew: Crew) -> None:
        place = self._working.pop(future)
        job, place.job = place.job, None
        assert job is not None
        error = future.exception()
        if error is None:
            self._idle.append(place)
            attempt = future.result()
            for line in attempt.warnings:
                logger.warning("%s", line)
            self._note(job, attempt.report, place)
            return
        place.worker.kill()
        remove_leftovers(job.output)
        line = f"the process that had {job.source} died ({one_line(error)})"
        self._note(job, FileReport(job.source, job.output, FileState.FAILED, error=line), place)
        self._hire(crew)

    def _note(self, job: Job, report: FileReport, place: _Place) -> None:
        history = self._histories[job]
        history.tries += 1
        if report.state is FileState.FAILED:
            history.machines.add(place.machine)
            history.places.add(place)
            again = history.tries < self._tries
            state = "will be tried again" if again else f"failed, tried {history.tries} times"
            logger.warning("%s %s: %s", job.source, state, report.error)
            if again:
                self._queue.append(job)
                return
        self._done[job] = report
        self._tell()

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress(len(self._done), self._total)

    def _leave(self) -> None:
        """Has all workers give their files up; those that do not in time are killed."""
        for place in self._working.values():
            place.worker.give_up()
        ended, late = wait(self._working, _PATIENCE)
        for future in ended:
            place = self._working.pop(future)
            lost = future.exception() is not None
            if (
                not lost
                and place.job is not None
                and future.result().report.state is FileState.DONE
            ):
                self._done[place.job] = future.result().report
            place.job = None
            self._idle.append(place)
        for future in late:
            self._kill(self._working.pop(future))

    def _kill(self, place: _Place) -> None:
        place.worker.kill()
        if place.job is not None:
            remove_leftovers(place.job.output)

    def _end(self, *, kill: bool) -> None:
        for place in [*self._working.values(), *self._beginning.values()]:
            self._kill(place)
        for place in self._idle:
            if kill:
                self._kill(place)
            else:
                place.worker.stop()
