"""`Shape`: what all pictures of one stream have in common."""

from __future__ import annotations

import dataclasses

from pullfx.pipeline.frame import Frame, Matrix, Range


@dataclasses.dataclass(frozen=True, slots=True)
class Shape:
    """What all pictures of one stream have in common: size in pixels and colour description."""

    width: int
    height: int
    matrix: Matrix
    range: Range

    @classmethod
    def of(cls, frame: Frame) -> Shape:
        """The shape of a frame."""
        return cls(frame.width, frame.height, frame.matrix, frame.range)
