"""Records a chain of effects as one graph, with a switch at the end of each effect.

All effects are in the graph from the start. Which of them a frame passes through is only a matter
of how the switches are read, so a toggle builds nothing.
"""

from __future__ import annotations

import copy
import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import networkx as nx

from pullfx.errors import GraphError, ParameterError
from pullfx.pipeline.effect import Effect
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.graph import Graph, GraphNode
from pullfx.pipeline.node import Port
from pullfx.pipeline.quality import Quality
from pullfx.pipeline.withhold import withhold


class State(enum.Enum):
    """Which branch of its switch an effect shows."""

    ON = "on"
    OFF = "off"
    FALLBACK = "fallback"
    WITHHELD = "withheld"


@dataclass(frozen=True, slots=True)
class Selection:
    """How all switches of a chain stand.

    Attributes:
        states: the branch that each effect shows, by name, in order.
        quality: what `by_quality` chooses.
    """

    states: Mapping[str, State]
    quality: Quality = Quality.HIGH


@dataclass(frozen=True)
class Chain:
    """A recorded chain.

    Attributes:
        graph: everything that any of the effects can ask for.
        effects: the effects by name, in order.
        source: the frame as it came.
        result: the frame after the last effect.
        switches: the end of each effect, by the effect's name.
        originals: what the effects after one that moves pixels look at, by that one's name.
        parameters: live parameters, by effect and name.
    """

    graph: Graph
    effects: Mapping[str, Effect]
    source: GraphNode
    result: GraphNode
    switches: Mapping[str, GraphNode]
    originals: Mapping[str, GraphNode]
    parameters: Mapping[tuple[str, str], GraphNode]

    @cached_property
    def users(self) -> Mapping[GraphNode, frozenset[tuple[str, State]]]:
        """For each node the effects, and branches of theirs, that are made of it.

        The picture that one effect hands on to the next does not count: a node of the first is no
        business of the second.
        """
        ends = (*self.switches.items(), *self.originals.items())
        switches = {switch for _, switch in ends}
        structure = self.graph.structure
        within = nx.subgraph_view(structure, filter_node=lambda node: node not in switches)
        users: dict[GraphNode, set[tuple[str, State]]] = {node: set() for node in structure}
        for name, switch in ends:
            for branch, end in switch.arguments.items():
                if branch == State.OFF.value or not isinstance(end, GraphNode) or end in switches:
                    continue
                for node in {end} | nx.ancestors(within, end):
                    users[node].add((name, State(branch)))
        return {node: frozenset(branches) for node, branches in users.items()}


def record(effects: Iterable[Effect]) -> Chain:
    """Records the effects one after the other.

    Raises:
        GraphError: an effect is wired wrongly; the message names node and argument.
        ParameterError: two effects have the same name.
    """
    graph = Graph()
    original = graph.input("frame", Frame)
    frame, source = original, original.source
    by_name: dict[str, Effect] = {}
    switches: dict[str, GraphNode] = {}
    originals: dict[str, GraphNode] = {}
    parameters: dict[tuple[str, str], GraphNode] = {}
    for effect in effects:
        if not isinstance(effect, Effect):
            raise GraphError(
                f"a pipeline is made of effects such as BackgroundBlur(), not of {effect!r}"
            )
        if effect.name in by_name:
            raise ParameterError(
                f"two effects are called '{effect.name}'; give one of them another name="
            )
        by_name[effect.name] = effect
        recorded = _with_ports(effect, graph, parameters)
        branches = {State.OFF: frame, State.ON: recorded.build(frame, original)}
        if effect.fails_closed:
            branches[State.WITHHELD] = withhold(frame)  # type: ignore[arg-type]
            fallback: Any = recorded.fallback(frame)
            hides = isinstance(fallback, Port) and fallback.source is not frame.source
            branches[State.FALLBACK] = fallback if hides else branches[State.WITHHELD]
        for state, port in branches.items():
            if not isinstance(port, Port):
                raise GraphError(
                    f"effect '{effect.name}' must return a frame made by nodes, "
                    f"but its {state.value} branch returned {port!r}"
                )
        frame = graph.switch(
            f"switch {effect.name}", Frame, {state.value: port for state, port in branches.items()}
        )
        switches[effect.name] = frame.source
        if effect.moves_pixels:
            original = graph.switch(
                f"switch {effect.name} (original)",
                Frame,
                {State.ON.value: recorded.build(original, original), State.OFF.value: original},
            )
            originals[effect.name] = original.source
    return Chain(graph, by_name, source, frame.source, switches, originals, parameters)


def _with_ports(effect: Effect, graph: Graph, parameters: dict[tuple[str, str], GraphNode]) -> Any:
    """A copy of the effect whose live parameters are ports."""
    recorded = copy.copy(effect)
    for declared in effect.parameters().values():
        if declared.live:
            port = graph.parameter(f"{effect.name}.{declared.name}", declared.type)
            parameters[effect.name, declared.name] = port.source
            setattr(recorded, declared.name, port)
    return recorded
