"""The table of operators: which function converts which operator, in which versions."""

from collections.abc import Callable
from dataclasses import dataclass

from tools.convert_tflite.errors import ConversionError
from tools.convert_tflite.graph import GraphBuilder
from tools.convert_tflite.reader import Operator

ConvertFunction = Callable[[GraphBuilder, Operator], None]


@dataclass(frozen=True)
class Entry:
    """One row of the table."""

    function: ConvertFunction
    versions: tuple[int, ...]


OPERATORS: dict[str, Entry] = {}
"""Filled by `converts` when the modules with the functions are imported."""


def converts(
    kind: str, *, versions: tuple[int, ...] = (1,)
) -> Callable[[ConvertFunction], ConvertFunction]:
    """Decorator: this function converts operators of `kind`, in these versions of the schema.

    A version is a promise about what an operator may contain, so a new one is looked at before it
    is added here.
    """

    def register(function: ConvertFunction) -> ConvertFunction:
        OPERATORS[kind] = Entry(function, versions)
        return function

    return register


def convert_operator(graph: GraphBuilder, operator: Operator) -> None:
    """Add what one operator computes to the graph.

    Raises ConversionError, naming kind, version and tensor, where the table has no function for it.
    """
    place = f"(it computes tensor {graph.name(operator.outputs[0])})"
    entry = OPERATORS.get(operator.kind)
    if entry is None:
        raise ConversionError(f"operator {operator.kind} is not supported {place}")
    if operator.version not in entry.versions:
        known = ", ".join(str(version) for version in entry.versions)
        raise ConversionError(
            f"operator {operator.kind} version {operator.version} is not supported, "
            f"only {known} {place}"
        )
    try:
        entry.function(graph, operator)
    except ConversionError as error:
        raise ConversionError(f"operator {operator.kind}: {error} {place}") from error
