"""`Pipeline`: effects, the plans for their active sets, and the state of one stream of frames."""

from __future__ import annotations

import functools
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter_ns
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from pullfx.errors import NodeError, ParameterError
from pullfx.pipeline import graph_picture, graph_text
from pullfx.pipeline.chain import Selection, State, record
from pullfx.pipeline.effect import Effect
from pullfx.pipeline.executor import Executor, StepError
from pullfx.pipeline.failures import Failures
from pullfx.pipeline.formats import Picture, PixelFormat, enter, leave
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.graph import GraphNode
from pullfx.pipeline.pace import Pace
from pullfx.pipeline.parallel import ParallelExecutor
from pullfx.pipeline.place import KEPT_TIMES
from pullfx.pipeline.pool import Pool
from pullfx.pipeline.quality import Quality
from pullfx.pipeline.stats import Stats, of_place, percentiles
from pullfx.pipeline.trace import Trace

AnyPicture = TypeVar("AnyPicture", bound=Picture)

_MOST_SELECTIONS = 128


@dataclass(frozen=True, slots=True)
class _Settings:
    """What other threads may change; replaced as a whole, read once per frame."""

    active: frozenset[str]
    quality: Quality
    values: Mapping[tuple[str, str], Any]


class Pipeline:
    """A chain of effects over one stream of frames.

    Everything is recorded, loaded and initialised here, so that a toggle takes effect on the next
    frame and costs nothing on the others; an effect that is off costs nothing.

    `enable`, `disable`, `toggle`, `set`, `stats` and `graph` may be called from any thread. Frames
    pass one at a time.

    Args:
        effects: the effects, first to last.
        active: names of the effects that are on at the start; None means all.
        quality: how much work a picture is worth, see `Quality`; may be changed while running.
        threads: with 2 or more, heavy nodes that do not need each other run side by side. The
            result does not depend on it.
        on_error: called once when an effect begins to fail, with the `NodeError`; it is called
            again only after the effect has recovered.

    Raises:
        GraphError: an effect is wired wrongly.
        ParameterError: two effects have one name, `active` names one that is not there, or there
            is no such quality.
        ModelError: a network cannot be loaded.
    """

    def __init__(
        self,
        effects: Iterable[Effect],
        *,
        active: Iterable[str] | None = None,
        quality: Quality | str = Quality.HIGH,
        threads: int = 1,
        on_error: Callable[[NodeError], None] | None = None,
    ) -> None:
        if threads < 1:
            raise ParameterError(f"threads must be 1 or more, but is {threads}")
        self._chain = record(effects)
        self._threads = threads
        self._on_error = on_error
        self._pool = Pool()
        self._executor = (
            Executor(self._chain, self._pool)
            if threads == 1
            else ParallelExecutor(self._chain, self._pool, threads)
        )
        self._settings_lock = threading.Lock()
        self._frame_lock = threading.Lock()
        self._selection = functools.lru_cache(maxsize=_MOST_SELECTIONS)(self._make_selection)
        self._applied: _Settings | None = None
        self._failures = Failures(self._chain, on_error)
        self._frames = 0
        self._times: deque[int] = deque(maxlen=KEPT_TIMES)
        names = frozenset(self._chain.effects if active is None else active)
        self._settings = _Settings(
            frozenset(self._known(name) for name in names),
            _quality(quality),
            {
                (effect, name): getattr(self._chain.effects[effect], name)
                for effect, name in self._chain.parameters
            },
        )
        self._apply(self._settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends threads and frees cameras and files of nodes; the pipeline takes no more frames."""
        self._executor.close()

    def session(self) -> Pipeline:
        """A pipeline for another stream, with the same effects as they are set now.

        What does not change, above all the weights of networks, is there once for all streams;
        what is remembered, switched or set is each stream's own. Streams run side by side in
        threads of their own.

        Returns:
            A new pipeline; close it when its stream ends.
        """
        settings = self._settings
        other = Pipeline(
            self.effects,
            active=settings.active,
            quality=settings.quality,
            threads=self._threads,
            on_error=self._on_error,
        )
        other._settings = replace(other._settings, values=settings.values)
        return other

    # -- frames ---------------------------------------------------------------------------------

    def process(
        self,
        picture: AnyPicture,
        *,
        format: PixelFormat = PixelFormat.BGR24,
        strict: bool = False,
    ) -> AnyPicture:
        """The picture with all active effects in it, of the kind that was given.

        With no effect on, the very same object comes back.

        Args:
            picture: a `Frame`, an `av.VideoFrame`, or a uint8 array in `format`.
            format: how to read an array; the default is what OpenCV has.
            strict: an error of a node is raised, and the frame waits for what it needs, such as a
                frame of a background video. Otherwise an effect that hides something shows its
                fallback, any other is skipped, and the picture goes on without delay.

        Raises:
            FrameError: this is no picture.
            NodeError: with `strict`, a node failed; without, not even a grey picture could be made.
        """
        with self._frame_lock:
            settings = self._settings
            if settings is not self._applied:
                self._apply(settings)
            self._frames += 1
            if not settings.active:
                return picture
            begun = perf_counter_ns()
            frame = enter(picture, format, self._pool)
            result = self._pull(frame, self._selection_of(settings), strict)
            if result is frame:
                return picture
            out: Any = leave(result, picture, format, self._pool)
            self._times.append(perf_counter_ns() - begun)
            return out  # type: ignore[no-any-return]

    def reset(self) -> None:
        """Forgets all earlier frames: the next one is the first of a new stream."""
        with self._frame_lock:
            self._executor.reset()

    # -- settings -------------------------------------------------------------------------------

    @property
    def effects(self) -> tuple[Effect, ...]:
        """The effects, first to last, with the values that they were made with."""
        return tuple(self._chain.effects.values())

    @property
    def active(self) -> frozenset[str]:
        """Names of the effects that are on."""
        return self._settings.active

    def enable(self, *names: str) -> None:
        """Switches effects on from the next frame.

        Raises:
            ParameterError: there is no such effect.
        """
        self._change_active(lambda active: active | {self._known(name) for name in names})

    def disable(self, *names: str) -> None:
        """Switches effects off from the next frame.

        Raises:
            ParameterError: there is no such effect.
        """
        self._change_active(lambda active: active - {self._known(name) for name in names})

    def toggle(self, *names: str) -> None:
        """Switches effects over from the next frame.

        Raises:
            ParameterError: there is no such effect.
        """
        self._change_active(lambda active: active ^ {self._known(name) for name in names})

    @property
    def quality(self) -> Quality:
        """How much work a picture is worth; a new one takes effect with the next frame.

        Raises:
            ParameterError: when set to what is no quality.
        """
        return self._settings.quality

    @quality.setter
    def quality(self, quality: Quality | str) -> None:
        chosen = _quality(quality)
        with self._settings_lock:
            self._settings = replace(self._settings, quality=chosen)

    def set(self, effect: str, /, **values: Any) -> None:
        """Gives parameters of an effect new values, all together, from the next frame.

        Raises:
            ParameterError: no such effect or parameter, or a value that it does not allow; then
                none is changed.
        """
        declared = self._chain.effects[self._known(effect)]
        checked = {(effect, name): declared.check(name, value) for name, value in values.items()}
        with self._settings_lock:
            merged = {**self._settings.values, **checked}
            self._settings = replace(self._settings, values=merged)

    def get(self, effect: str) -> dict[str, Any]:
        """The live parameters of an effect, as the next frame will see them.

        Raises:
            ParameterError: there is no such effect.
        """
        self._known(effect)
        values = self._settings.values
        return {name: value for (owner, name), value in values.items() if owner == effect}

    # -- what it does ---------------------------------------------------------------------------

    def stats(self) -> Stats:
        """Runs, cached runs and times per node, failures, memory."""
        pulled = self._pulled()
        p50, p95 = percentiles(tuple(self._times))
        pool = self._pool.stats()
        return Stats(
            frames=self._frames,
            p50=p50,
            p95=p95,
            nodes=tuple(
                of_place(place, node in pulled)
                for node, place in self._executor.places.items()
                if place.runs
            ),
            failures=self._failures.counts,
            buffers=pool.buffers,
            bytes=pool.bytes,
            allocations=pool.allocations,
        )

    def graph(self, format: Literal["mermaid", "dot"] = "mermaid") -> str:
        """The graph as text to draw: active nodes black with their times, the others grey.

        Args:
            format: "mermaid" or "dot" (Graphviz).

        Raises:
            ParameterError: another format.
        """
        draw = {"mermaid": graph_text.mermaid, "dot": graph_text.dot}.get(format)
        if draw is None:
            raise ParameterError(f"graph format must be mermaid or dot, but is '{format}'")
        return draw(self._chain.graph.structure, self._pulled(), self._median_times())

    def graph_picture(self) -> NDArray[np.uint8]:
        """The graph as a BGR picture, uint8 [height, width, 3]; colours as in `graph`."""
        return graph_picture.picture(
            self._chain.graph.structure, self._pulled(), self._median_times()
        )

    @contextmanager
    def trace(self, path: str | Path) -> Iterator[Trace]:
        """Notes each run of a node in the block and writes a timeline for Chrome or Perfetto.

        Raises:
            SinkError: the file cannot be written.
        """
        timeline = Trace()
        self._executor.trace = timeline
        try:
            yield timeline
        finally:
            self._executor.trace = None
            timeline.save(path)

    # -- inside ---------------------------------------------------------------------------------

    def _known(self, name: str) -> str:
        if name not in self._chain.effects:
            raise ParameterError(
                f"there is no effect '{name}' in this pipeline; "
                f"it has {', '.join(self._chain.effects) or 'none'}"
            )
        return name

    def _change_active(self, change: Callable[[frozenset[str]], frozenset[str]]) -> None:
        with self._settings_lock:
            self._settings = replace(self._settings, active=change(self._settings.active))

    def _selection_of(self, settings: _Settings) -> Selection:
        return self._selection(settings.active, settings.quality)

    def _make_selection(self, active: frozenset[str], quality: Quality) -> Selection:
        states = {name: State.ON if name in active else State.OFF for name in self._chain.effects}
        return Selection(states, quality)

    def _apply(self, settings: _Settings) -> None:
        for key, node in self._chain.parameters.items():
            self._executor.set_parameter(node, settings.values[key])
        if not settings.active:
            self._executor.rest()
        self._applied = settings

    def _pulled(self) -> nx.DiGraph[GraphNode]:
        return self._executor.plan(self._selection_of(self._settings)).plan.pulled

    def _median_times(self) -> dict[GraphNode, float | None]:
        return {
            node: percentiles(tuple(place.times))[0]
            for node, place in self._executor.places.items()
        }

    def _pull(self, frame: Frame, asked: Selection, strict: bool) -> Frame:
        executor = self._executor
        executor.begin(frame, asked, Pace.EXACT if strict else Pace.LIVE)
        shown = asked
        try:
            while True:
                try:
                    result = executor.run(shown, again=shown is not asked)
                    break
                except StepError as failure:
                    shown = self._failures.degrade(shown, failure, strict=strict)
        finally:
            executor.end()
        self._failures.note(asked, shown)
        return result


def _quality(value: Quality | str) -> Quality:
    try:
        return Quality(value)
    except ValueError:
        raise ParameterError(
            f"quality must be one of {', '.join(Quality)}, but is {value!r}"
        ) from None
