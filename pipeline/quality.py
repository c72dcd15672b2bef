"""How much work a picture is worth: a ladder whose steps are chosen when a plan is traced.

What a step does not ask for is not in the plan, so a lower step costs less from the next frame on.
"""

from __future__ import annotations

import enum
from typing import Any, TypeVar

from pullfx.errors import GraphError
from pullfx.pipeline.node import Port

T = TypeVar("T")


class Quality(enum.StrEnum):
    """The steps of the ladder, lowest first; each has all that those below it have."""

    LOW = "low"
    BALANCED = "balanced"
    HIGH = "high"
    BEST = "best"

    def step(self, by: int) -> Quality:
        """The quality so many steps up, or down where negative; the end of the ladder beyond it."""
        ladder = list(Quality)
        return ladder[min(max(ladder.index(self) + by, 0), len(ladder) - 1)]


def by_quality(
    *, low: T, balanced: T | None = None, high: T | None = None, best: T | None = None
) -> T:
    """One of several values, by the quality of the pipeline; for use in `Effect.build`.

    Args:
        low: the value at the lowest step.
        balanced, high, best: the values from that step on; None means that of the step below.

    Returns:
        A port of the value that the pipeline's quality chooses. What only the others need does not
        run. Called with values rather than ports, the value of `Quality.HIGH`.

    Raises:
        GraphError: some are ports and some are not, or of different types or graphs.
    """
    values: dict[str, Any] = {}
    last: Any = low
    for quality, value in zip(Quality, (low, balanced, high, best), strict=True):
        last = values[quality.value] = last if value is None else value
    ports = {name: value for name, value in values.items() if isinstance(value, Port)}
    if ports and len(ports) < len(values):
        raise GraphError("by_quality chooses between values of nodes; make each a node")
    chosen: Any = values["low"].graph.choice(ports) if ports else values["high"]
    return chosen  # type: ignore[no-any-return]
