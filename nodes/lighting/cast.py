"""The colour of the light: what it makes of things that are grey."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pullfx.nodes.lighting.codes import Codes
from pullfx.nodes.median import median
from pullfx.nodes.types import Face, Faces, Reduced

Floats = NDArray[np.float32]

# Of the grid, every third cell in both directions.
_STEP: Final = 3
# Luma of the cells that tell: colours of darker ones are noise, those of lighter ones clipped.
_DARKEST: Final = 0.15
_LIGHTEST: Final = 0.95
# So much around a face's box belongs to it: hair and neck.
_AROUND: Final = 0.2
# Colours this near to the face's own are taken for skin where a person's arms may be: so far from
# the face, in its own size.
_SKIN: Final = 0.06
_REACH: Final = 1.5
_BODY: Final = 5.0
# Between these, Cb and Cr of skin of every tone lie in white light, each by luma.
_SKIN_U: Final = (-0.2, 0.03)
_SKIN_V: Final = (0.1, 0.24)
# The part of the cells that may be less coloured than the light is.
_LESS: Final = 0.2
# With fewer cells than this part of all, nothing can be told.
_FEWEST: Final = 0.08


class Chroma(NamedTuple):
    """Cb and Cr of a colour, each by its luma: from -0.5 to 0.5 where luma is 1; 0 is grey."""

    u: float
    v: float


GREY: Final = Chroma(0.0, 0.0)


def measure_cast(reduced: Reduced, faces: Faces, codes: Codes) -> Chroma:
    """The colour that the light gives to what is grey.

    A room has things of many colours, and some that are grey or coloured the other way. So the
    light is taken to be coloured only as far as nearly everything is: in the direction of the
    median colour, the distance from grey that four fifths of the picture exceed. A wooden wall, a
    green shirt or a face make no cast, since what is beside them is grey.

    Faces and what has their colour do not count, since skin is never grey. But no light is assumed
    that the skin of the largest face could not have come from: a face that has the colour of skin
    beside a wall of wood is in white light.

    Args:
        reduced: the picture in small.
        faces: its faces.
        codes: the meaning of its codes.

    Returns:
        The colour; grey where nothing can be told.
    """
    cell = 2**reduced.shift * _STEP
    some = [plane[::_STEP, ::_STEP].astype(np.float32) for plane in reduced.grid]
    luma = (some[0] - codes.black) / codes.luma
    telling = (luma > _DARKEST) & (luma < _LIGHTEST)
    least = telling.size * _FEWEST
    u, v = ((plane - 128) / codes.chroma / np.maximum(luma, _DARKEST) for plane in some[1:])
    skin = None
    for face in faces:
        telling[_box(face, -_AROUND, cell)] = False
        inner = _box(face, _AROUND, cell)
        if u[inner].size:
            own = Chroma(float(median(u[inner].ravel())), float(median(v[inner].ravel())))
            body = _span(face.top, _BODY * face.height, 0, cell), _box(face, -_REACH, cell)[1]
            telling[body] &= np.hypot(u[body] - own.u, v[body] - own.v) > _SKIN
            skin = skin or own
    u, v = u[telling], v[telling]
    if u.size <= least:
        return GREY
    across, down = float(median(u)), float(median(v))
    length = math.hypot(across, down)
    if length == 0:
        return GREY
    along = (u * across + v * down) / length
    place = int(_LESS * along.size)
    amount = max(float(np.partition(along, place)[place]), 0.0)
    cast = Chroma(across / length * amount, down / length * amount)
    return cast if skin is None else _possible(cast, skin)


def _possible(cast: Chroma, skin: Chroma) -> Chroma:
    """As much of a cast as skin can be under that looks like this."""
    part = min(_part(cast.u, skin.u, _SKIN_U), _part(cast.v, skin.v, _SKIN_V))
    return Chroma(cast.u * part, cast.v * part)


def _part(cast: float, skin: float, limits: tuple[float, float]) -> float:
    """How much of a cast can be taken from skin, 0 to 1, until that lies at a limit."""
    if cast == 0:
        return 1.0
    room = skin - limits[0] if cast > 0 else skin - limits[1]
    return min(max(room / cast, 0.0), 1.0)


def _box(face: Face, inset: float, cell: int) -> tuple[slice, slice]:
    """A face's box on a grid, made smaller on all sides by a part of its size."""
    return _span(face.top, face.height, inset, cell), _span(face.left, face.width, inset, cell)


def _span(start: float, length: float, inset: float, cell: int) -> slice:
    first, last = start + inset * length, start + (1 - inset) * length
    return slice(max(int(first / cell), 0), max(math.ceil(last / cell), 0))
