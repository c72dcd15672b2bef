"""An executor that runs heavy nodes beside each other; the values are those of the plain one."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from time import perf_counter_ns
from typing import Any

from pullfx.pipeline.chain import Chain
from pullfx.pipeline.executor import Executor, values_of
from pullfx.pipeline.place import BoundStep, Cell
from pullfx.pipeline.pool import Pool

_Run = tuple[Any, int, int, int]


class ParallelExecutor(Executor):
    """Hands heavy nodes to threads and waits for each value where it is first read.

    A plan puts heavy nodes and what they need first, so that the light steps that need none of
    them fill the waiting. Values, versions and order of versions are kept by the calling thread.
    """

    def __init__(self, chain: Chain, pool: Pool, threads: int) -> None:
        super().__init__(chain, pool)
        self._threads = ThreadPoolExecutor(threads - 1, thread_name_prefix="pullfx-node")

    def close(self) -> None:
        """Ends the threads."""
        self._threads.shutdown()
        super().close()

    def _walk(self, steps: Iterable[BoundStep]) -> None:
        pending: dict[Cell, tuple[BoundStep, Future[_Run]]] = {}
        try:
            for step in steps:
                for cell in step.watched:
                    if cell in pending:
                        self._collect(*pending.pop(cell))
                place = step.place
                if not place.is_stale():
                    place.cached += 1
                    continue
                # Arguments are read here: a later step may release them before the thread starts.
                arguments = [cell.value for cell in step.arguments]
                keywords = values_of(step.keywords)
                if place.node.specification is not None and place.node.specification.heavy:
                    future = self._threads.submit(_run, step, arguments, keywords)
                    pending[place.cell] = step, future
                else:
                    self._complete(step, _run, step, arguments, keywords)
        finally:
            failure: Exception | None = None
            for step, future in pending.values():
                try:
                    self._collect(step, future)
                except Exception as error:
                    failure = failure or error
        if failure is not None:
            raise failure

    def _collect(self, step: BoundStep, future: Future[_Run]) -> None:
        self._complete(step, future.result)

    def _complete(self, step: BoundStep, run: Any, *arguments: Any) -> None:
        try:
            value, begun, ended, thread = run(*arguments)
            self._finish(step, value)
        except Exception as error:
            self._fail(step, error)
        step.place.times.append(ended - begun)
        if self.trace is not None:
            self.trace.add(step.place.node.name, begun, ended, thread)


def _run(step: BoundStep, arguments: list[Any], keywords: dict[str, Any]) -> _Run:
    begun = perf_counter_ns()
    value = step.function(*arguments, **keywords)
    return value, begun, perf_counter_ns(), threading.get_ident()
