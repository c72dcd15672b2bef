"""The graph that recorded calls leave behind, kept as a `networkx.DiGraph`.

Edges point from the node that makes a value to the node that takes it. Two identical calls are one
node, so whatever several effects need is there once.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import networkx as nx

from pullfx.errors import GraphError
from pullfx.pipeline.assignable import assignable, bind_type_variables, holds, name_of
from pullfx.pipeline.node import NodeSpecification, Port


class Kind(enum.Enum):
    """What makes the value of a node."""

    INPUT = "input"
    PARAMETER = "parameter"
    CALL = "call"
    SWITCH = "switch"


@dataclass(frozen=True, slots=True)
class Constant:
    """An argument whose value was known when the call was recorded."""

    value: Any


@dataclass(eq=False, slots=True)
class GraphNode:
    """One value that a graph can be asked for.

    Attributes:
        name: unique in the graph.
        kind: what makes the value.
        type: annotated type of the value.
        index: order of recording.
        specification: the function or class behind a call.
        instance: the remembering object behind a call of a node class.
        arguments: where each argument comes from.
    """

    name: str
    kind: Kind
    type: Any
    index: int
    specification: NodeSpecification | None = None
    instance: Any = None
    arguments: dict[str, GraphNode | Constant] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<{self.kind.value} '{self.name}'>"

    @property
    def producers(self) -> Iterator[GraphNode]:
        """The nodes among the arguments."""
        return (value for value in self.arguments.values() if isinstance(value, GraphNode))

    @property
    def remembers(self) -> bool:
        """True where state may pass from frame to frame."""
        return self.specification is not None and self.specification.remembers

    @property
    def every(self) -> int:
        """Cadence: the node runs at most at every n-th frame."""
        return 1 if self.specification is None else self.specification.every


class Graph:
    """Records calls as nodes.

    Attributes:
        structure: the `networkx.DiGraph` of `GraphNode`s; each edge carries in `arguments` the
            names of the arguments that it feeds.
        choices: the nodes that hand on one of several values, by the quality of the pipeline.
    """

    def __init__(self) -> None:
        self.structure: nx.DiGraph[GraphNode] = nx.DiGraph()
        self.choices: list[GraphNode] = []
        self._calls: dict[tuple[object, ...], GraphNode] = {}
        self._names: Counter[str] = Counter()

    def input(self, name: str, type: Any) -> Port:
        """A value that is handed in with every frame."""
        return Port(self, self._add(name, Kind.INPUT, type))

    def parameter(self, name: str, type: Any) -> Port:
        """A value that is set from outside now and then."""
        return Port(self, self._add(name, Kind.PARAMETER, type))

    def switch(self, name: str, type: Any, branches: Mapping[str, Port]) -> Port:
        """A value that is one of several, chosen when a plan is traced.

        Raises:
            GraphError: a branch is of another type or of another graph.
        """
        switch = self._add(name, Kind.SWITCH, type)
        for branch, port in branches.items():
            self._check_port(switch.name, branch, port, type)
            self.connect(port.source, switch, branch)
        return Port(self, switch)

    def choice(self, branches: Mapping[str, Port]) -> Port:
        """A value that is one of several by the pipeline's quality; see `by_quality`.

        Raises:
            GraphError: the branches are of different types or graphs.
        """
        sources = tuple(port.source for port in branches.values())
        if len(set(sources)) == 1:
            return Port(self, sources[0])
        key = ("choice", *sources)
        node = self._calls.get(key)
        if node is None:
            switch = self.switch("quality", sources[0].type, branches)
            node = self._calls[key] = switch.source
            self.choices.append(node)
        return Port(self, node)

    def record(
        self,
        specification: NodeSpecification,
        instance: Any,
        args: tuple[Any, ...],
        kwargs: Mapping[str, Any],
    ) -> Port:
        """Adds a call, or finds the identical one, and returns the port of its value.

        Raises:
            GraphError: an argument is missing, unknown, or of the wrong type.
        """
        name = specification.name
        try:
            bound = specification.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise GraphError(f"node '{name}': {error}") from error
        bound.apply_defaults()
        hints = specification.hints()
        bindings: dict[Any, Any] = {}
        for argument, value in bound.arguments.items():
            wanted = hints[argument]
            if isinstance(value, Port):
                self._check_port(name, argument, value, wanted)
                bindings.setdefault(wanted, value.source.type) if _hashable(wanted) else None
            elif not holds(value, wanted):
                raise GraphError(
                    f"node '{name}': argument '{argument}' takes {name_of(wanted)}, "
                    f"but was given {value!r}"
                )
        key = (
            specification.function,
            _construction_key(instance),
            *((argument, identity_of(value)) for argument, value in bound.arguments.items()),
        )
        node = self._calls.get(key)
        if node is None:
            result = bind_type_variables(hints["return"], bindings)
            node = self._add(name, Kind.CALL, result, specification, _adopt(instance))
            self._calls[key] = node
            for argument, value in bound.arguments.items():
                if isinstance(value, Port):
                    self.connect(value.source, node, argument)
                else:
                    node.arguments[argument] = Constant(value)
        return Port(self, node)

    def connect(self, producer: GraphNode, consumer: GraphNode, argument: str) -> None:
        """Feeds an argument from a node, in place of what fed it before.

        Raises:
            GraphError: the connection closes a cycle.
        """
        before = consumer.arguments.get(argument)
        if producer is consumer or (
            consumer in self.structure
            and producer in self.structure
            and nx.has_path(self.structure, consumer, producer)
        ):
            raise GraphError(
                f"node '{consumer.name}': argument '{argument}' cannot come from "
                f"'{producer.name}', which itself depends on '{consumer.name}' (a cycle); "
                "keep the previous frame's value in a node class instead"
            )
        if isinstance(before, GraphNode):
            self._disconnect(before, consumer, argument)
        consumer.arguments[argument] = producer
        if self.structure.has_edge(producer, consumer):
            self.structure.edges[producer, consumer]["arguments"].add(argument)
        else:
            self.structure.add_edge(producer, consumer, arguments={argument})

    def _disconnect(self, producer: GraphNode, consumer: GraphNode, argument: str) -> None:
        feeds: set[str] = self.structure.edges[producer, consumer]["arguments"]
        feeds.discard(argument)
        if not feeds:
            self.structure.remove_edge(producer, consumer)

    def _add(
        self,
        name: str,
        kind: Kind,
        type: Any,
        specification: NodeSpecification | None = None,
        instance: Any = None,
    ) -> GraphNode:
        self._names[name] += 1
        if self._names[name] > 1:
            name = f"{name}#{self._names[name]}"
        node = GraphNode(name, kind, type, len(self.structure), specification, instance)
        self.structure.add_node(node)
        return node

    def _check_port(self, node: str, argument: str, port: Port, wanted: Any) -> None:
        if port.graph is not self:
            raise GraphError(
                f"node '{node}': argument '{argument}' comes from another graph; "
                "build each pipeline from its own effects"
            )
        if not assignable(port.source.type, wanted):
            raise GraphError(
                f"node '{node}': argument '{argument}' takes {name_of(wanted)}, but "
                f"'{port.source.name}' gives {name_of(port.source.type)}"
            )


def _adopt(template: Any) -> Any:
    """One instance per place: the object that was called, or a fresh one if it has a place."""
    if template is None:
        return None
    if template.__dict__.setdefault("_adopted", False):
        args, kwargs = template.__dict__["_construction"]
        template = type(template)(*args, **kwargs)
    template.__dict__["_adopted"] = True
    return template


def _construction_key(instance: Any) -> object:
    if instance is None:
        return None
    args, kwargs = instance.__dict__["_construction"]
    return tuple(map(identity_of, args)), tuple(
        (name, identity_of(kwargs[name])) for name in sorted(kwargs)
    )


def identity_of(value: Any) -> object:
    """What makes two arguments the same: the node, an equal value of the same type, or identity."""
    if isinstance(value, Port):
        return value.source
    if _hashable(value):
        return type(value), value
    return _Same(value)


@dataclass(frozen=True, slots=True)
class _Same:
    """Key of an unhashable value; holds it, so that its identity is not given to another."""

    value: Any

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.value is self.value


def _hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
