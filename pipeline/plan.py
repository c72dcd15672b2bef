"""Traces back from the result which nodes one set of active effects needs, and in which order.

Calls that are the same once the switches are seen through are made once: what two effects find out
about the same picture, though one was wired to what an effect between them would make of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import networkx as nx

from pullfx.pipeline.chain import Chain, Selection, State
from pullfx.pipeline.fusion import Argument, Inputs, fuse, read_by
from pullfx.pipeline.graph import Constant, GraphNode, Kind, identity_of


@dataclass(frozen=True, slots=True)
class Step:
    """One call in a plan.

    Attributes:
        node: whose value it makes.
        function: whose function is called; another node than `node` where that is thin and runs
            within the one before it.
        arguments: where each argument of the function comes from, switches seen through, by name.
        releases: nodes whose values nobody reads after this step in this frame.
        ends_effect: the value is an effect's picture, and is checked to be one.
    """

    node: GraphNode
    function: GraphNode
    arguments: Mapping[str, Argument]
    releases: tuple[GraphNode, ...]
    ends_effect: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps for one state of all switches.

    Attributes:
        steps: in an order in which each value is there before it is read.
        result: the node whose value is the outgoing frame; the source itself when all is off.
        pulled: the part of the graph that the result depends on, as the switches stand.
        transient: nodes whose values die with the frame, since the next frame makes them anew.
    """

    steps: tuple[Step, ...]
    result: GraphNode
    pulled: nx.DiGraph[GraphNode]
    transient: tuple[GraphNode, ...]


def trace(
    chain: Chain,
    selection: Selection,
    standing: frozenset[GraphNode] = frozenset(),
    *,
    fused: bool = True,
) -> Plan:
    """Traces the plan.

    Args:
        chain: the recorded effects.
        selection: how the switches stand.
        standing: nodes whose last value stands in this frame, so that what only they need rests.
        fused: thin nodes run within the fat ones before them, see `fusion`.
    """
    branches = {switch: selection.states[name].value for name, switch in chain.switches.items()}
    for name, switch in chain.originals.items():
        moved = selection.states[name] is State.ON
        branches[switch] = (State.ON if moved else State.OFF).value
    branches |= dict.fromkeys(chain.graph.choices, selection.quality.value)
    structure = chain.graph.structure

    def is_pulled(producer: GraphNode, consumer: GraphNode) -> bool:
        if consumer in branches:
            return branches[consumer] in structure.edges[producer, consumer]["arguments"]
        return consumer not in standing

    # By hand, since each look through a filtered view of networkx asks for every edge again: a plan
    # is traced within a frame, the first one after a toggle.
    needed: nx.DiGraph[GraphNode] = nx.DiGraph()
    needed.add_node(chain.result)
    waiting = [chain.result]
    while waiting:
        consumer = waiting.pop()
        for producer in structure.predecessors(consumer):
            if is_pulled(producer, consumer):
                if producer not in needed:
                    waiting.append(producer)
                needed.add_edge(producer, consumer)

    same: dict[GraphNode, GraphNode] = {}

    def resolve(value: GraphNode | Constant) -> GraphNode | Constant:
        while isinstance(value, GraphNode) and value in branches:
            value = value.arguments[branches[value]]
        return same.get(value, value) if isinstance(value, GraphNode) else value

    rank = _side_by_side_rank(needed)
    order = nx.lexicographical_topological_sort(
        needed, key=lambda graph_node: (rank[graph_node], graph_node.index)
    )
    calls = [node for node in order if node.kind is Kind.CALL and node not in standing]
    inputs: Inputs = {}
    calls_seen: dict[object, GraphNode] = {}
    for call in calls:
        arguments: dict[str, Argument] = {
            name: resolve(value) for name, value in call.arguments.items()
        }
        first = call if _may_stand(call) else calls_seen.setdefault(_key(call, arguments), call)
        if first is call:
            inputs[call] = arguments
        else:
            same[call] = first
    ends = {resolve(switch) for switch in chain.switches.values() if switch in needed}
    result = resolve(chain.result)
    assert isinstance(result, GraphNode)
    functions = fuse(inputs, result) if fused else {}
    transient = _transient(chain, inputs)
    releases = _releases(inputs, transient - {result, chain.source})
    return Plan(
        steps=tuple(
            Step(call, functions.get(call, call), arguments, tuple(releases[call]), call in ends)
            for call, arguments in inputs.items()
        ),
        result=result,
        pulled=nx.freeze(needed),
        transient=tuple(sorted(transient, key=lambda graph_node: graph_node.index)),
    )


def _may_stand(call: GraphNode) -> bool:
    """Whether it may keep its value though what it reads has changed."""
    return call.every > 1 or call.remembers


def _key(call: GraphNode, arguments: Mapping[str, Argument]) -> object:
    """What makes two calls one, once the switches are seen through."""
    assert call.specification is not None
    return call.specification.function, *(
        (name, identity_of(value.value) if isinstance(value, Constant) else value)
        for name, value in arguments.items()
    )


def _transient(chain: Chain, inputs: Inputs) -> set[GraphNode]:
    """Nodes that the incoming frame alone makes run again, whatever else stands still.

    A node class may hold its version, and a node with a cadence does; what hangs only on those may
    be asked for its old value, which must then still be there.
    """
    transient = {chain.source}
    for call, arguments in inputs.items():
        if not _may_stand(call) and not transient.isdisjoint(read_by(arguments)):
            transient.add(call)
    return transient


def _releases(inputs: Inputs, releasable: set[GraphNode]) -> dict[GraphNode, list[GraphNode]]:
    """For each call the values that it is the last to read."""
    releases: dict[GraphNode, list[GraphNode]] = {call: [] for call in inputs}
    unread = set(releasable)
    for call, arguments in reversed(inputs.items()):
        for producer in dict.fromkeys(read_by(arguments)):
            if producer in unread:
                unread.discard(producer)
                releases[call].append(producer)
    return releases


def _side_by_side_rank(needed: nx.DiGraph[GraphNode]) -> dict[GraphNode, int]:
    """Heavy nodes and what they need first, then what can go beside them, then what waits."""
    heavy = {node for node in needed if node.specification is not None and node.specification.heavy}
    before: set[GraphNode] = set(heavy)
    after: set[GraphNode] = set()
    for node in heavy:
        before |= nx.ancestors(needed, node)
        after |= nx.descendants(needed, node)
    return {node: 0 if node in before else 2 if node in after else 1 for node in needed}
