"""A background of one colour."""

from __future__ import annotations

import functools
import re
from typing import Final

import av
import numpy as np
from av.filter import Graph
from numpy.typing import NDArray

from pullfx.errors import ParameterError
from pullfx.nodes.backgrounds.background import Background, Moment
from pullfx.pipeline.formats import PixelFormat, frame_from_array
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.shape import Shape

Colour = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""

GREEN_SCREEN: Final = "green"
"""The name of the colour that programs key out; the dark green of CSS and FFmpeg is #008000."""

TRANSPARENT: Final = "transparent"
"""The name of no colour at all: what is behind people is left out of the picture."""

_BLACK: Final = (0, 0, 0)
_OF_THE_SCREEN: Final = (0, 255, 0)


@functools.lru_cache(maxsize=64)
def colour_of(text: str) -> Colour | None:
    """The colour that a person means.

    Args:
        text: `#rrggbb`, `#rgb`, `green` for a green screen, or another name that FFmpeg and CSS
            know, such as `navy`; capitals do not matter.

    Returns:
        None where the text is no colour.

    Raises:
        ParameterError: it begins as one, but is none.
    """
    if text.startswith("#"):
        digits = text[1:]
        if re.fullmatch(r"[0-9a-fA-F]{3}|[0-9a-fA-F]{6}", digits) is None:
            raise ParameterError(f"'{text}' is no colour; write it as #rrggbb, such as #336699")
        pairs = re.findall("..", digits if len(digits) == 6 else "".join(2 * d for d in digits))
        red, green, blue = (int(pair, 16) for pair in pairs)
        return red, green, blue
    name = text.lower()
    if name == GREEN_SCREEN:
        return _OF_THE_SCREEN
    return _named(name) if re.fullmatch("[a-z]+", name) and name != "random" else None


def is_transparent(text: str) -> bool:
    """True for the name of no colour at all."""
    return text.lower() == TRANSPARENT


def is_keyed(text: str) -> bool:
    """True for what nobody is to see: a green screen, however it is written, and transparency."""
    return is_transparent(text) or colour_of(text) == _OF_THE_SCREEN


def _named(name: str) -> Colour | None:
    """The colour of a name, by FFmpeg's list."""
    graph = Graph()
    try:
        steps = (
            graph.add("color", f"color={name}:size=16x16"),
            graph.add("format", "pix_fmts=rgb24"),
            graph.add("buffersink"),
        )
        graph.link_nodes(*steps).configure()
        pixel = graph.vpull().to_ndarray()[0, 0]
    except (av.FFmpegError, ValueError):
        return None
    red, green, blue = pixel.tolist()
    return red, green, blue


class ColourBackground(Background):
    """One colour, or none.

    Args:
        colour: red, green and blue, 0 to 255; None for black that is transparent.
    """

    def __init__(self, colour: Colour | None) -> None:
        self._transparent = colour is None
        colour = colour or _BLACK
        self._pixel: NDArray[np.uint8] = np.array([[colour]], np.uint8)
        self._shape: Shape | None = None

    def at(self, moment: Moment) -> Frame:
        """The colour, made once for each shape."""
        if moment.shape != self._shape:
            self._shape = moment.shape
            self._frame = self._filled(moment.shape)
        return self._frame

    def _filled(self, shape: Shape) -> Frame:
        pixel = frame_from_array(
            self._pixel, PixelFormat.RGB24, matrix=shape.matrix, range=shape.range
        )
        half = (shape.height + 1) // 2, (shape.width + 1) // 2
        sizes = ((shape.height, shape.width), half, half)
        y, u, v = (
            np.full(size, plane[0, 0], np.uint8)
            for size, plane in zip(sizes, pixel.planes, strict=True)
        )
        alpha = np.zeros((shape.height, shape.width), np.uint8) if self._transparent else None
        return Frame(y, u, v, shape.matrix, shape.range, alpha=alpha)
