"""`Pace`: whether frames may wait."""

import enum


class Pace(enum.Enum):
    """What counts more when something that a frame needs is not ready yet.

    An argument of a node that is annotated so is filled by the engine. Files go at EXACT, live
    sources at LIVE: it is what `strict` says in `Pipeline.process`.
    """

    EXACT = "exact"
    """The frame waits: the same input gives the same output."""

    LIVE = "live"
    """The frame does not wait: what was there before is used once more."""
