"""One fat node, any number of thin ones: pixels are touched once where nobody looks in between.

A thin node changes each pixel by itself, say through a table, and the fat node that makes the
picture can do that while it writes. So where a plan has a thin node as the only reader of a fat
one, the fat node's function makes the thin node's value, and the picture between them never exists.
"""

from __future__ import annotations

import typing
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from pullfx.pipeline.assignable import assignable
from pullfx.pipeline.graph import Constant, GraphNode

Single: TypeAlias = GraphNode | Constant
Argument: TypeAlias = Single | tuple[Single, ...]
Inputs: TypeAlias = dict[GraphNode, dict[str, Argument]]


def read_by(arguments: Mapping[str, Argument]) -> Iterator[GraphNode]:
    """The nodes whose values a call reads, in order."""
    for argument in arguments.values():
        for value in argument if isinstance(argument, tuple) else (argument,):
            if isinstance(value, GraphNode):
                yield value


def fuse(inputs: Inputs, result: GraphNode) -> dict[GraphNode, GraphNode]:
    """Takes out the fat nodes whose work the thin nodes after them include.

    Args:
        inputs: the arguments of all calls of a plan, in order; those of thin nodes that are fused
            become those of the fat node, and the fat node goes.
        result: the node whose value leaves the plan.

    Returns:
        For each thin node that is fused, the node whose function it calls.
    """
    readers = Counter(node for arguments in inputs.values() for node in read_by(arguments))
    readers[result] += 1
    functions: dict[GraphNode, GraphNode] = {}
    for thin in list(inputs):
        assert thin.specification is not None
        if not thin.specification.thin:
            continue
        own = inputs[thin]
        picture, change = list(own)[:2]
        before = own[picture]
        if not isinstance(before, GraphNode) or before not in inputs or readers[before] > 1:
            continue
        fat = functions.get(before, before)
        earlier, later = _following(fat, inputs[before]), _following(thin, own)
        if earlier is None or later is None or not _takes(fat, thin, change):
            continue
        assert fat.specification is not None
        assert fat.specification.following_argument is not None
        changes: tuple[Any, ...] = (*earlier, own[change], *later)
        inputs[thin] = {**inputs.pop(before), fat.specification.following_argument: changes}
        functions[thin] = fat
    return functions


def _following(node: GraphNode, arguments: Mapping[str, Argument]) -> tuple[Single, ...] | None:
    """What a node does to its pixels at the end; None where that is known only at run time."""
    assert node.specification is not None
    name = node.specification.following_argument
    if name is None:
        return ()
    argument = arguments[name]
    if isinstance(argument, Constant):
        return tuple(map(Constant, argument.value))
    return argument if isinstance(argument, tuple) else None


def _takes(fat: GraphNode, thin: GraphNode, change: str) -> bool:
    """Whether a node can do at its end what a thin node does."""
    made, wanted = thin.specification, fat.specification
    assert made is not None
    assert wanted is not None
    if wanted.following_argument is None or wanted.heavy or fat.remembers or fat.every > 1:
        return False
    element = typing.get_args(wanted.hints()[wanted.following_argument])[0]
    return assignable(made.hints()[change], element)
