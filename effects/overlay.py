"""A picture or a text on top."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from pullfx.nodes.overlay import PLACES, DrawOverlay, lay_over
from pullfx.pipeline.effect import Effect, parameter
from pullfx.pipeline.frame import Frame


class Overlay(Effect):
    """Lays a picture, such as a logo with alpha, or a text over the frame.

    Raises:
        SourceError: the picture's file cannot be read.
        ParameterError: text is asked for, and OpenCV is older than 5.
    """

    picture: str | Path = parameter(
        default="", description="a PNG, JPEG or WebP file; its alpha is kept"
    )
    text: str = parameter(default="", description="what is written where there is no picture")
    place: str = parameter(
        default="bottom right", choices=PLACES, description="where in the frame it lies"
    )
    size: float = parameter(
        default=0.12, minimum=0.01, maximum=1.0, description="height as a part of the frame's"
    )
    opacity: float = parameter(
        default=1.0, minimum=0.0, maximum=1.0, description="0 is not seen, 1 hides what is below"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self._draw = DrawOverlay(str(self.picture), self.text)

    def build(self, frame: Frame, original: Frame) -> Frame:
        """Wires the layer, which is drawn once, and the frame under it."""
        picture = cast(str, self.picture)  # which a path has become
        layer = self._draw(frame, picture, self.text, self.place, self.size)
        return lay_over(frame, layer, self.opacity)
