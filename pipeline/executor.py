"""Walks a plan for one frame: runs what is stale, lets stand what is not."""

from __future__ import annotations

import functools
import inspect
import logging
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any

import networkx as nx

from pullfx.errors import FrameError, GraphError
from pullfx.pipeline.assignable import name_of
from pullfx.pipeline.chain import Chain, Selection, State
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.fusion import Argument, Single, read_by
from pullfx.pipeline.graph import Constant, GraphNode
from pullfx.pipeline.node import UNCHANGED
from pullfx.pipeline.pace import Pace
from pullfx.pipeline.place import (
    CONSTANT_VERSION,
    RELEASED,
    AnyCell,
    BoundStep,
    Cell,
    Cells,
    Place,
    constant_cell,
)
from pullfx.pipeline.plan import Plan, Step, trace
from pullfx.pipeline.pool import Pool
from pullfx.pipeline.quality import Quality
from pullfx.pipeline.trace import Trace

logger = logging.getLogger(__name__)

_MOST_PLANS = 128


class StepError(Exception):
    """A node raised; `place` says which, the cause is chained.

    Attributes:
        place: where the value was to go.
        fused: several nodes ran as one, so which of them raised is not known.
    """

    def __init__(self, step: BoundStep) -> None:
        super().__init__(step.place.node.name)
        self.place = step.place
        self.fused = step.fused


@dataclass(frozen=True, slots=True)
class BoundPlan:
    """A plan whose steps are bound to the places of one stream."""

    plan: Plan
    steps: tuple[BoundStep, ...]
    result: Place
    transient: tuple[Place, ...]
    standing: tuple[Place, ...]


class Executor:
    """The values, versions and states of one stream of frames through a chain.

    The rule for all caching: a node runs only if it has never run, or something that it depends on
    has a new version, and its cadence allows it.

    Attributes:
        places: the running side of every node.
        trace: where each run is noted while someone records a trace, or None.
    """

    def __init__(self, chain: Chain, pool: Pool) -> None:
        self.places = {node: Place(node) for node in chain.graph.structure}
        self.trace: Trace | None = None
        self._chain = chain
        self._pool = pool
        self._version = 0
        self._frame_number = 0
        self._shape: tuple[int, ...] | None = None
        self._pace = Cell(Pace.EXACT, CONSTANT_VERSION)
        self._fused = True
        self._selection: Selection | None = None
        self._members: frozenset[GraphNode] = frozenset()
        self._moved: frozenset[GraphNode] = frozenset()
        # Every set of effects has a plan for each set of nodes that stand. Who switches for hours
        # sees more of them than memory should hold.
        self._plan = functools.lru_cache(maxsize=_MOST_PLANS)(self._make_plan)
        self._last: BoundPlan | None = None
        self._walked: list[BoundPlan] = []
        self._cadenced = [node for node in self.places if node.every > 1]

    def set_parameter(self, node: GraphNode, value: object) -> None:
        """Gives a parameter its value; a new version only if it is another value."""
        cell = self.places[node].cell
        if cell.version == 0 or cell.value != value:
            self._store(cell, value)

    def begin(self, frame: Frame, selection: Selection, pace: Pace) -> None:
        """Starts a frame: a new version of the source; what comes back from rest is reset."""
        self._frame_number += 1
        self._pace.value = pace
        if self._shape != frame.y.shape:
            if self._shape is not None:
                self.reset()
            self._shape = frame.y.shape
        self._store(self.places[self._chain.source].cell, frame)
        if selection is not self._selection:
            self._turn(selection)
            members = frozenset(self.plan(selection).plan.pulled)
            self._reset(members - self._members)
            self._selection = selection
            self._members = members

    def run(self, selection: Selection, *, again: bool = False) -> Frame:
        """The outgoing frame as the switches stand.

        Args:
            selection: how the switches stand.
            again: a walk of this frame has failed; what it has run stands, the rest is run now.

        Raises:
            StepError: a node raised.
        """
        if again:
            self._turn(selection)
        bound = self._due_plan(selection)
        if bound is not self._last:
            for step in bound.steps:
                if step.place.wiring != step.watched:
                    step.place.wiring = step.watched
                    step.place.ran_at = -1
            self._last = bound
        self._walked.append(bound)
        try:
            self._walk(self._unfinished(bound) if again else bound.steps)
        except StepError as error:
            if not error.fused:
                raise
            # Apart, the one that fails can be told, and the other goes on.
            logger.warning(
                "'%s' no longer runs within the node before it: it raised %r",
                error.place.node.name,
                error.__cause__,
            )
            self._fused = False
            return self.run(selection, again=True)
        result = bound.result.cell.value
        assert isinstance(result, Frame)
        return result

    def _turn(self, selection: Selection) -> None:
        """Resets what looks at the original where that is shown in other places than before."""
        moved = frozenset(
            switch
            for name, switch in self._chain.originals.items()
            if selection.states[name] is State.ON
        )
        for switch in moved ^ self._moved:
            self._reset(nx.descendants(self._chain.graph.structure, switch))
        self._moved = moved

    def end(self) -> None:
        """Ends a frame: drops what the next frame makes anew, the incoming frame with it."""
        for bound in self._walked:
            for place in bound.transient:
                place.cell.value = None
                place.ran_at = -1
        self._walked.clear()

    def rest(self) -> None:
        """Notes that nothing is asked for; whatever is asked for next comes back from rest."""
        self._selection = None
        self._members = frozenset()

    def reset(self) -> None:
        """Forgets all earlier frames, as when frames of another size begin a new story."""
        self._reset(self.places)
        self._pool.clear()

    def close(self) -> None:
        """Ends threads, if there are any, and closes the nodes that have something to close."""
        for place in self.places.values():
            if hasattr(place.instance, "close"):
                place.instance.close()

    def plan(self, selection: Selection, standing: frozenset[GraphNode] = frozenset()) -> BoundPlan:
        """The plan for this selection, traced on first use."""
        return self._plan(
            tuple(selection.states.values()), selection.quality, standing, self._fused
        )

    def _make_plan(
        self,
        states: tuple[State, ...],
        quality: Quality,
        standing: frozenset[GraphNode],
        fused: bool,
    ) -> BoundPlan:
        selection = Selection(dict(zip(self._chain.effects, states, strict=True)), quality)
        return self._bind(trace(self._chain, selection, standing, fused=fused), standing)

    def _due_plan(self, selection: Selection) -> BoundPlan:
        if not self._cadenced:
            return self.plan(selection)
        places = self.places
        standing = frozenset(
            node
            for node in self._cadenced
            if places[node].ran_at >= 0 and self._frame_number - places[node].ran_on < node.every
        )
        bound = self.plan(selection, standing)
        for place in bound.standing:
            place.cached += 1
        return bound

    def _walk(self, steps: Iterable[BoundStep]) -> None:
        # The inner loop of the library: attribute look-ups and calls are counted here.
        trace = self.trace
        step = None
        try:
            for step in steps:
                place = step.place
                ran_at = place.ran_at
                if ran_at >= 0:
                    for cell in step.watched:
                        if cell.version > ran_at:
                            break
                    else:
                        place.cached += 1
                        continue
                arguments = [cell.value for cell in step.arguments]
                begun = perf_counter_ns()
                if step.keywords:
                    value = step.function(*arguments, **values_of(step.keywords))
                else:
                    value = step.function(*arguments)
                ended = perf_counter_ns()
                self._finish(step, value)
                place.times.append(ended - begun)
                if trace is not None:
                    trace.add(place.node.name, begun, ended, threading.get_ident())
        except Exception as error:
            if step is None:
                raise
            self._fail(step, error)

    def _finish(self, step: BoundStep, value: Any) -> None:
        place = step.place
        cell = place.cell
        if step.ends_effect:
            self._check_picture(place, value)
        if value is UNCHANGED:
            if not place.node.remembers or cell.value is None:
                raise GraphError("UNCHANGED was returned, but there is no value that could stand")
        else:
            self._version = cell.version = self._version + 1
            cell.value = value
        place.ran_at = self._version
        place.ran_on = self._frame_number
        place.runs += 1
        for released in step.releases:
            released.cell.value = RELEASED

    def _fail(self, step: BoundStep, error: Exception) -> None:
        """What a failed node remembers is not to be trusted."""
        if step.place.node.remembers:
            step.place.reset()
        raise StepError(step) from error

    def _check_picture(self, place: Place, value: Any) -> None:
        if not isinstance(value, Frame):
            raise FrameError(f"an effect must end in a Frame, but this is {name_of(type(value))}")
        if value.y.shape != self._shape:
            raise FrameError(
                f"an effect must keep the frame's shape {self._shape}, but gave {value.y.shape}"
            )

    def _unfinished(self, bound: BoundPlan) -> list[BoundStep]:
        """The steps still to run in a frame whose first walk has failed.

        Those that are stale, and those whose value was released but is read once more by one that
        is. A remembering node that has run is not run again, since it would count the frame twice.
        """
        stale: set[Place] = set()
        for step in bound.steps:
            if step.place.is_stale() or not stale.isdisjoint(step.producers):
                stale.add(step.place)
        wanted = {bound.result}
        unfinished = []
        for step in reversed(bound.steps):
            place = step.place
            if place in stale or (place in wanted and place.cell.value is RELEASED):
                place.ran_at = -1
                wanted.update(step.producers)
                unfinished.append(step)
        return unfinished[::-1]

    def _store(self, cell: Cell, value: object) -> None:
        self._version = cell.version = self._version + 1
        cell.value = value

    def _reset(self, nodes: Iterable[GraphNode]) -> None:
        for node in nodes:
            if node.remembers or node.every > 1:
                self.places[node].reset()

    def _bind(self, plan: Plan, standing: frozenset[GraphNode]) -> BoundPlan:
        return BoundPlan(
            plan=plan,
            steps=tuple(map(self._bind_step, plan.steps)),
            result=self.places[plan.result],
            transient=tuple(self.places[node] for node in plan.transient),
            standing=tuple(self.places[node] for node in plan.pulled if node in standing),
        )

    def _bind_step(self, step: Step) -> BoundStep:
        specification = step.function.specification
        assert specification is not None
        arguments: list[AnyCell] = []
        keywords: dict[str, AnyCell] = {}
        for name, parameter in specification.signature.parameters.items():
            cell = self._cell_of(step.arguments[name], name, step.function)
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
                keywords[name] = cell
            else:
                arguments.append(cell)
        return BoundStep(
            place=self.places[step.node],
            fat=self.places[step.function],
            arguments=tuple(arguments),
            keywords=keywords,
            producers=tuple(self.places[source] for source in read_by(step.arguments)),
            releases=tuple(self.places[node] for node in step.releases),
            ends_effect=step.ends_effect,
        )

    def _cell_of(self, source: Argument, name: str, node: GraphNode) -> AnyCell:
        if isinstance(source, tuple):
            return Cells(tuple(self._single_cell(single, name, node) for single in source))
        return self._single_cell(source, name, node)

    def _single_cell(self, source: Single, name: str, node: GraphNode) -> Cell:
        if isinstance(source, Constant):
            assert node.specification is not None
            if name == node.specification.pace_argument:
                return self._pace
            return constant_cell(source, name, node, self._pool)
        return self.places[source].cell


def values_of(cells: Mapping[str, AnyCell]) -> dict[str, Any]:
    """The values of keyword arguments."""
    return {name: cell.value for name, cell in cells.items()}
