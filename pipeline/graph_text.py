"""The graph as text to draw: what is pulled is black and carries its time, the rest is grey."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

import networkx as nx

from pullfx.pipeline.graph import GraphNode, Kind

Structure: TypeAlias = "nx.DiGraph[GraphNode]"
Times = Mapping[GraphNode, float | None]

_MERMAID_SHAPES = {
    Kind.INPUT: ('(["', '"])'),
    Kind.PARAMETER: ('>"', '"]'),
    Kind.CALL: ('["', '"]'),
    Kind.SWITCH: ('{{"', '"}}'),
}
_DOT_SHAPES = {
    Kind.INPUT: "oval",
    Kind.PARAMETER: "note",
    Kind.CALL: "box",
    Kind.SWITCH: "hexagon",
}


def mermaid(structure: Structure, pulled: Structure, times: Times) -> str:
    """A Mermaid flowchart.

    Args:
        structure: the whole graph.
        pulled: the part of it that the effects which are on need.
        times: milliseconds per node, where known.
    """
    lines = ["flowchart LR"]
    for node in structure:
        opening, closing = _MERMAID_SHAPES[node.kind]
        label = "<br>".join(label_of(node, node in pulled, times))
        style = "active" if node in pulled else "inactive"
        lines.append(f"  n{node.index}{opening}{label}{closing}:::{style}")
    for producer, consumer, label, is_active in _edges(structure, pulled):
        arrow = "-->" if is_active else "-.->"
        lines.append(f'  n{producer.index} {arrow}|"{label}"| n{consumer.index}')
    lines.append("  classDef active stroke:#000,color:#000,fill:#fff,stroke-width:2px")
    lines.append("  classDef inactive stroke:#bbb,color:#999,fill:#fafafa")
    return "\n".join(lines) + "\n"


def dot(structure: Structure, pulled: Structure, times: Times) -> str:
    """A Graphviz digraph; arguments as in `mermaid`."""
    lines = ["digraph pullfx {", "  rankdir=LR;", '  node [fontname="sans-serif"];']
    for node in structure:
        label = "\\n".join(label_of(node, node in pulled, times))
        colour = "black" if node in pulled else "grey"
        lines.append(
            f'  n{node.index} [label="{label}", shape={_DOT_SHAPES[node.kind]}, '
            f"color={colour}, fontcolor={colour}];"
        )
    for producer, consumer, label, is_active in _edges(structure, pulled):
        colour = "black" if is_active else "grey"
        lines.append(
            f'  n{producer.index} -> n{consumer.index} [label="{label}", '
            f"color={colour}, fontcolor={colour}];"
        )
    return "\n".join([*lines, "}"]) + "\n"


def label_of(node: GraphNode, is_active: bool, times: Times) -> Iterator[str]:
    """The lines of a node's label: name, median time while active, cadence."""
    yield node.name
    milliseconds = times.get(node)
    if is_active and milliseconds is not None:
        yield f"{milliseconds:.2f} ms"
    if node.every > 1:
        yield f"every {node.every}"


def _edges(
    structure: Structure, pulled: Structure
) -> Iterator[tuple[GraphNode, GraphNode, str, bool]]:
    for producer, consumer, data in structure.edges(data=True):
        label = ", ".join(sorted(data["arguments"]))
        yield producer, consumer, label, pulled.has_edge(producer, consumer)
