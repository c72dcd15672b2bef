"""What one stream keeps for each node: its value, its version, its state and its times."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from pullfx.pipeline.graph import Constant, GraphNode
from pullfx.pipeline.pool import Pool

KEPT_TIMES = 512
"""Durations kept per node; percentiles are over the last so many runs."""

CONSTANT_VERSION = -1


class _Released:
    def __repr__(self) -> str:
        return "RELEASED"


RELEASED: Final[Any] = _Released()
"""Stands where a value was that its last reader in this frame has read."""


class Cell:
    """A value and its version. Versions grow with every new value anywhere in the stream."""

    __slots__ = ("value", "version")

    def __init__(self, value: Any = None, version: int = 0) -> None:
        self.value = value
        self.version = version


class Cells:
    """Several cells as one, for an argument that takes several values."""

    __slots__ = ("cells",)

    def __init__(self, cells: tuple[Cell, ...]) -> None:
        self.cells = cells

    @property
    def value(self) -> tuple[Any, ...]:
        """The values, in order."""
        return tuple(cell.value for cell in self.cells)


AnyCell: TypeAlias = Cell | Cells


class Place:
    """The running side of one node in one stream.

    Attributes:
        node: what stands here.
        cell: the value that the node last made.
        ran_at: version counter of the stream when it last ran; below 0, it must run.
        ran_on: number of the frame in which it last ran.
        wiring: the cells that it last read.
        runs, cached: how often it ran, and how often its last value stood.
        times: nanoseconds of its last runs.
    """

    __slots__ = (
        "cached",
        "cell",
        "function",
        "instance",
        "node",
        "ran_at",
        "ran_on",
        "runs",
        "times",
        "wiring",
    )

    def __init__(self, node: GraphNode) -> None:
        self.node = node
        self.cell = Cell()
        self.ran_at = -1
        self.ran_on = 0
        self.wiring: tuple[Cell, ...] = ()
        self.runs = 0
        self.cached = 0
        self.times: deque[int] = deque(maxlen=KEPT_TIMES)
        self.instance = node.instance
        self.function: Callable[..., Any] = _no_function
        if node.specification is not None:
            function = node.specification.function
            self.function = function if self.instance is None else function.__get__(self.instance)

    def reset(self) -> None:
        """Forgets the past: state, value and version."""
        if self.instance is not None:
            self.instance.reset()
        self.cell.value = None
        self.ran_at = -1

    def is_stale(self) -> bool:
        """True when it must run: never ran, or something that it read has a new version."""
        return self.ran_at < 0 or any(cell.version > self.ran_at for cell in self.wiring)


class BoundStep:
    """A step of a plan, bound to the cells of one stream; made once, walked every frame.

    Attributes:
        place: where the value goes.
        function: what runs: that of the place, or that of a fat node with the thin ones after it.
        fused: it is the latter.
        arguments, keywords: the cells that its arguments are read from.
        watched: those of them whose versions can change.
        producers: the places behind those.
        releases: places whose values nobody reads after this step in this frame.
        ends_effect: the value must be a picture of the frame's size.
    """

    __slots__ = (
        "arguments",
        "ends_effect",
        "function",
        "fused",
        "keywords",
        "place",
        "producers",
        "releases",
        "watched",
    )

    def __init__(
        self,
        place: Place,
        fat: Place,
        arguments: tuple[AnyCell, ...],
        keywords: dict[str, AnyCell],
        producers: tuple[Place, ...],
        releases: tuple[Place, ...],
        ends_effect: bool,
    ) -> None:
        self.place = place
        self.function = fat.function
        self.fused = fat is not place
        self.arguments = arguments
        self.keywords = keywords
        read = itertools.chain.from_iterable(
            cell.cells if isinstance(cell, Cells) else (cell,)
            for cell in (*arguments, *keywords.values())
        )
        self.watched = tuple(cell for cell in read if cell.version != CONSTANT_VERSION)
        self.producers = producers
        self.releases = releases
        self.ends_effect = ends_effect


def constant_cell(constant: Constant, argument: str, node: GraphNode, pool: Pool) -> Cell:
    """The cell of an argument that never changes; that of a `Pool` argument holds the stream's."""
    assert node.specification is not None
    is_pool = argument == node.specification.pool_argument
    return Cell(pool if is_pool else constant.value, CONSTANT_VERSION)


def _no_function(*_: Any) -> Any:
    raise AssertionError("only calls are run")
