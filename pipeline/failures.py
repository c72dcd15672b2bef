"""What becomes of effects whose nodes fail, and who is told."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from pullfx.errors import NodeError
from pullfx.pipeline.chain import Chain, Selection, State
from pullfx.pipeline.executor import StepError

logger = logging.getLogger("pullfx")


class Failures:
    """Turns the failure of a node into effects that show less, and reports each story once.

    Args:
        chain: whose effects.
        on_error: called when an effect begins to fail.
    """

    def __init__(self, chain: Chain, on_error: Callable[[NodeError], None] | None) -> None:
        self._chain = chain
        self._on_error = on_error
        self._failing: set[str] = set()
        self._counts: Counter[str] = Counter()

    @property
    def counts(self) -> dict[str, int]:
        """Frames in which an effect failed, by its name."""
        return dict(self._counts)

    def degrade(self, shown: Selection, failure: StepError, *, strict: bool) -> Selection:
        """The same with the failed effects showing less than before; each failure shows less.

        Raises:
            NodeError: with `strict`; or there is nothing less to show.
        """
        cause = failure.__cause__
        node = failure.place.node
        affected = tuple(
            name for name, state in shown.states.items() if (name, state) in self._chain.users[node]
        )
        error = NodeError(
            f"node '{node.name}' of {', '.join(affected) or 'no effect'} failed: "
            f"{cause or type(cause).__name__}",
            node.name,
            affected,
        )
        error.__cause__ = cause
        lost = any(shown.states[name] is State.WITHHELD for name in affected) or not affected
        if strict or lost:
            raise error
        degraded = dict(shown.states)
        for name in affected:
            if shown.states[name] is State.ON:
                hides = self._chain.effects[name].fails_closed
                degraded[name] = State.FALLBACK if hides else State.OFF
                self._counts[name] += 1
            else:
                degraded[name] = State.WITHHELD
        self._report(error)
        return replace(shown, states=degraded)

    def note(self, asked: Selection, shown: Selection) -> None:
        """Notes what a frame showed in the end, so that effects that are well again are told of."""
        if not self._failing:
            return
        well = {name for name, state in asked.states.items() if state is shown.states[name]}
        for name in self._failing & well:
            logger.info("effect '%s' works again", name)
        self._failing -= well

    def _report(self, error: NodeError) -> None:
        if self._failing.issuperset(error.effects):
            return
        self._failing.update(error.effects)
        logger.error("%s", error, exc_info=error.__cause__)
        if self._on_error is not None:
            self._on_error(error)
