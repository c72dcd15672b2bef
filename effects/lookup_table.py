"""The look of a film, from a file."""

from __future__ import annotations

from pathlib import Path

from pullfx.nodes.lookup_table import ColourTables, look_up_colours
from pullfx.pipeline.effect import Effect, parameter
from pullfx.pipeline.frame import Frame


class LookupTable(Effect):
    """Changes colours by a .cube file of one or three dimensions, as grading programs write them.

    Raises:
        ParameterError: the file cannot be read or is no .cube file.
    """

    file: str | Path = parameter(
        default="", live=False, description="a .cube file of up to 65 entries along a side"
    )
    strength: float = parameter(
        default=1.0, minimum=0.0, maximum=1.0, description="how much of the change"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self._tables = ColourTables(str(self.file))

    def build(self, frame: Frame, original: Frame) -> Frame:
        """Wires the tables, which are made once, and the picture through them."""
        return look_up_colours(frame, self._tables(frame, self.strength))
