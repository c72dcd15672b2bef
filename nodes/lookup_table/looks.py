"""The colours of a picture by a lookup table, straight on its planes."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Final, NewType

import numpy as np
from numpy.typing import NDArray

from pullfx import kernels
from pullfx.kernels.colour import FRACTION_BITS, coefficients
from pullfx.nodes.lookup_table.cube import Cube, read_cube
from pullfx.pipeline.frame import Frame, Matrix, Range
from pullfx.pipeline.node import UNCHANGED, node
from pullfx.pipeline.pool import HEAP, Pool

Floats = NDArray[np.float64]

Looks = NewType("Looks", NDArray[np.int16])
"""The tables of `pullfx.kernels.map_colours`; empty where no colour changes."""

_NONE: Final = Looks(np.empty(0, np.int16))
# Entries along a side: the fewer, the more of the table stays in the nearest caches.
_FEW: Final = 33
_MANY: Final = 65
# Units of the tables in a code.
_UNITS: Final = 64


@node
class ColourTables:
    """The table of a file as a table of Y', Cb and Cr, for the colours of the frames that come.

    Args:
        file: a .cube file, or "" for none.

    Raises:
        ParameterError: the file cannot be read or is no .cube file.
    """

    def __init__(self, file: str) -> None:
        self._cube = read_cube(Path(file)) if file else None
        self._made_for: tuple[Matrix, Range, float] | None = None

    def __call__(self, frame: Frame, strength: float) -> Looks:
        """The tables, made when they are first asked for and when something changes.

        Args:
            frame: says what the codes mean; none of its pixels is read.
            strength: 0 for the picture as it came to 1 for the colours of the table.

        Returns:
            The tables, or `UNCHANGED`.
        """
        asked = frame.matrix, frame.range, strength
        if asked == self._made_for:
            return UNCHANGED  # type: ignore[no-any-return]  # stands for the value before
        self._made_for = asked
        if self._cube is None or strength == 0:
            return _NONE
        return _tables(self._cube, *asked)

    def reset(self) -> None:
        """Lets the tables be made again."""
        self._made_for = None


@node
def look_up_colours(frame: Frame, looks: Looks, pool: Pool = HEAP) -> Frame:
    """The picture in the colours of a table.

    Args:
        frame: the picture.
        looks: from `ColourTables`.
        pool: where the result comes from.

    Returns:
        A frame of the same size; `frame` itself where no colour changes.
    """
    if not looks.size:
        return frame
    out = pool.frame(frame)
    kernels.map_colours(*frame.planes, looks, *out.planes)
    return out


def _tables(cube: Cube, matrix: Matrix, range: Range, strength: float) -> Looks:
    """Entries at every fourth or eighth code, found through R'G'B' in floating point.

    Many codes of Y', Cb and Cr stand for no colour. Such an entry is that of the nearest one that
    does, and as far beyond; so what lies between two entries, of which one is no colour, is right.
    """
    length = _FEW if cube.values.shape[0] <= _FEW and cube.values.ndim == 4 else _MANY
    to_rgb, from_rgb, black = _matrices(matrix, range)
    codes = np.linspace(0, 256, length)
    u, v, y = np.meshgrid(codes, codes, codes, indexing="ij")
    before = np.stack((y - black, u - 128, v - 128), axis=-1)
    rgb = before @ to_rgb.T / 255
    inside = rgb.clip(0, 1)
    changed = inside + strength * (_looked_up(cube, inside) - inside) + rgb - inside
    after = 255 * changed @ from_rgb.T + (black, 128, 128)
    units = np.rint(after * _UNITS).clip(-(2**15), 2**15 - 1).astype(np.int16)
    return Looks(np.ascontiguousarray(np.moveaxis(units, -1, 0)))


def _looked_up(cube: Cube, rgb: Floats) -> Floats:
    """What a table has for R'G'B' of 0..1."""
    size = cube.values.shape[0]
    places = ((rgb - cube.low) / (cube.high - cube.low)).clip(0, 1) * (size - 1)
    if cube.values.ndim == 2:
        entries = np.arange(size)
        colours = [np.interp(places[..., n], entries, cube.values[:, n]) for n in (0, 1, 2)]
        return np.stack(colours, axis=-1)
    return _tetrahedral(cube.values, places)


def _tetrahedral(values: Floats, places: Floats) -> Floats:
    """Between the four entries of the tetrahedron that a place lies in.

    From the nearest entry below, the steps to the next ones are taken one colour after the other,
    the one with the largest part first (Kasson et al., "Performing color space conversions with
    three-dimensional linear interpolation", JEI 1995). Greys stay between greys.
    """
    first = np.minimum(places.astype(np.int64), len(values) - 2)
    parts = places - first
    order = np.argsort(-parts, axis=-1, kind="stable")
    sorted_parts = np.take_along_axis(parts, order, axis=-1)
    entry = first.copy()
    at = values[entry[..., 2], entry[..., 1], entry[..., 0]]
    result = at
    for step in (0, 1, 2):
        np.put_along_axis(
            entry,
            order[..., step : step + 1],
            np.take_along_axis(entry, order[..., step : step + 1], axis=-1) + 1,
            axis=-1,
        )
        following = values[entry[..., 2], entry[..., 1], entry[..., 0]]
        result = result + sorted_parts[..., step : step + 1] * (following - at)
        at = following
    return np.asarray(result)


@functools.cache
def _matrices(matrix: Matrix, range: Range) -> tuple[Floats, Floats, int]:
    """From Y', Cb and Cr without their zero to R'G'B' of 0..255, back, and the code of black."""
    full = range is Range.FULL
    c = coefficients(matrix.value, full)
    to_rgb = np.array(
        [[c.luma, 0, c.red_v], [c.luma, c.green_u, c.green_v], [c.luma, c.blue_u, 0]]
    ) / (2**FRACTION_BITS)
    return to_rgb, np.linalg.inv(to_rgb), c.black
