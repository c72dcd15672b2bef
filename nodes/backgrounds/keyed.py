"""What is not done where another program takes the background out."""

from __future__ import annotations

from pullfx.nodes.backgrounds.colour import is_keyed
from pullfx.pipeline.node import node


@node
def unless_keyed(background: str, amount: float) -> float:
    """An amount of light or colour from the background; 0 from one that nobody is to see.

    Args:
        background: see `open_background`.
        amount: what was asked for.
    """
    return 0.0 if is_keyed(background) else amount
