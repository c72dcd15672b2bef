"""`LocalCrew`: workers as processes of this machine."""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from typing import Protocol, TypeVar

from pullfx.batch.job import Attempt, Job, Recipe, Workbench, machine

_Result = TypeVar("_Result")

_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has only the latter


class LocalCrew:
    """Processes here.

    Args:
        size: how many; None takes as many as the CPUs that this process may use have room for.
        threads: of each.
    """

    def __init__(self, size: int | None, threads: int) -> None:
        self.size = size or max(1, _cpus() // threads)

    def hire(self, recipe: Recipe) -> _Process:
        """One more process."""
        return _Process(recipe)

    def close(self) -> None:
        """Processes leave nothing behind."""


class _Process:
    """A pool of one process: when it dies, it is known which file it had, and no other is lost."""

    def __init__(self, recipe: Recipe) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would inherit locks of threads
        self._flag = context.RawValue(ctypes.c_bool, False)
        self._pool = ProcessPoolExecutor(
            1, mp_context=context, initializer=_begin, initargs=(recipe, self._flag)
        )
        self._pid = self._pool.submit(os.getpid)

    def begin(self) -> Future[str]:
        return self._submit(machine)

    def submit(self, job: Job) -> Future[Attempt]:
        return self._submit(_do, job)

    def give_up(self) -> None:
        self._flag.value = True

    def stop(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def kill(self) -> None:
        if self._pid.done() and self._pid.exception() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid.result(), _KILL)
        self._pool.shutdown(cancel_futures=True)

    def _submit(self, call: Callable[..., _Result], *values: object) -> Future[_Result]:
        """A future in any case, that of a process that has died while it had nothing to do too."""
        try:
            return self._pool.submit(call, *values)
        except BrokenExecutor as error:
            lost: Future[_Result] = Future()
            lost.set_exception(error)
            return lost


class _Flag(Protocol):
    """A bool in memory that two processes share."""

    value: bool


class _Worker:
    """What the process has."""

    def __init__(self, recipe: Recipe, flag: _Flag) -> None:
        self.workbench = Workbench(recipe)
        self.flag = flag
        self.busy = threading.Lock()

    def end_with_parent(self) -> None:
        """Whoever ends the batch with force leaves no process, and no file in part, behind."""
        parent = multiprocessing.parent_process()
        if parent is not None:
            parent.join()
            self.flag.value = True
            with self.busy:
                os._exit(1)


_worker: _Worker | None = None  # of this process


def _begin(recipe: Recipe, flag: _Flag) -> None:
    global _worker  # noqa: PLW0603 - an executor's initializer has no other way
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # a terminal sends Ctrl-C to all; the batch decides
    _worker = _Worker(recipe, flag)
    threading.Thread(target=_worker.end_with_parent, daemon=True).start()


def _do(job: Job) -> Attempt:
    assert _worker is not None
    with _worker.busy:
        return _worker.workbench.do(job, lambda: bool(_worker.flag.value))


def _cpus() -> int:
    affinity = getattr(os, "sched_getaffinity", None)  # Linux
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1
