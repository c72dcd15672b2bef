"""Codes of a picture as parts of what lies between black and white."""

from __future__ import annotations

from typing import Final, NamedTuple

from pullfx.pipeline.frame import Range


class Codes(NamedTuple):
    """Where a range has its black, and how many codes there are from it to white.

    Attributes:
        black: code of black in Y.
        luma: codes from black to white.
        chroma: codes from one end of Cb or Cr to the other.
    """

    black: int
    luma: int
    chroma: int


CODES: Final = {Range.LIMITED: Codes(16, 219, 224), Range.FULL: Codes(0, 255, 255)}
