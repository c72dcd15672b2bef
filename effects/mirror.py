"""The picture as in a mirror."""

from __future__ import annotations

from typing import ClassVar

from pullfx.nodes.mirror import mirror
from pullfx.pipeline.effect import Effect
from pullfx.pipeline.frame import Frame


class Mirror(Effect):
    """Turns the picture left to right.

    Effects after it work on the turned picture, masks and faces included, so that a text which is
    laid on top can be read. Effects before it are turned with the picture.
    """

    moves_pixels: ClassVar[bool] = True

    def build(self, frame: Frame, original: Frame) -> Frame:
        """Wires the turned picture."""
        return mirror(frame)
