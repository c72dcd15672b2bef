"""What a pipeline says about its work: per node runs and times, frames, failures, memory."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from pullfx.pipeline.place import Place


@dataclass(frozen=True, slots=True)
class NodeStats:
    """One node.

    Attributes:
        name: as in the graph.
        runs: frames in which it ran.
        cached: frames in which it was needed and its last value stood.
        p50, p95: milliseconds of its last runs, or None if it never ran.
        active: the effects that are on need it.
    """

    name: str
    runs: int
    cached: int
    p50: float | None
    p95: float | None
    active: bool


@dataclass(frozen=True, slots=True)
class Stats:
    """A pipeline's work so far.

    Attributes:
        frames: frames processed.
        p50, p95: milliseconds per frame, all included, or None before the first.
        nodes: every node that has run, in order of the graph.
        failures: failed frames by effect.
        buffers, bytes: memory in the pool now.
        allocations: buffers allocated since the start; in steady state it stands still.
    """

    frames: int
    p50: float | None
    p95: float | None
    nodes: tuple[NodeStats, ...]
    failures: dict[str, int]
    buffers: int
    bytes: int
    allocations: int

    def node(self, name: str) -> NodeStats:
        """The node of this name; one that never ran has no runs.

        Returns:
            Its figures.
        """
        for node in self.nodes:
            if node.name == name:
                return node
        return NodeStats(name, 0, 0, None, None, False)

    def __str__(self) -> str:
        """A table for a person, widest times first in the order of the graph."""
        lines = [f"{'node':<28}{'runs':>8}{'cached':>8}{'p50 ms':>9}{'p95 ms':>9}"]
        lines += [
            f"{node.name:<28}{node.runs:>8}{node.cached:>8}{_ms(node.p50):>9}{_ms(node.p95):>9}"
            for node in self.nodes
        ]
        lines.append(
            f"{'whole frame':<28}{self.frames:>8}{'':>8}{_ms(self.p50):>9}{_ms(self.p95):>9}"
        )
        lines.append(
            f"memory: {self.buffers} buffers, {self.bytes / 1e6:.1f} MB, "
            f"{self.allocations} allocations"
        )
        lines += [f"failed: {name} in {count} frames" for name, count in self.failures.items()]
        return "\n".join(lines)


def of_place(place: Place, active: bool) -> NodeStats:
    """The figures of one place."""
    p50, p95 = percentiles(tuple(place.times))
    return NodeStats(place.node.name, place.runs, place.cached, p50, p95, active)


def percentiles(times: Sequence[int]) -> tuple[float | None, float | None]:
    """Median and 95th percentile, in milliseconds, of durations in nanoseconds."""
    if not times:
        return None, None
    if len(times) == 1:
        return times[0] / 1e6, times[0] / 1e6
    cuts = statistics.quantiles(times, n=20, method="inclusive")
    return statistics.median(times) / 1e6, cuts[-1] / 1e6


def _ms(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
