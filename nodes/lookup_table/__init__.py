"""Colours by the lookup tables of .cube files."""

from pullfx.nodes.lookup_table.cube import Cube, read_cube
from pullfx.nodes.lookup_table.looks import ColourTables, look_up_colours

__all__ = ["ColourTables", "Cube", "look_up_colours", "read_cube"]
