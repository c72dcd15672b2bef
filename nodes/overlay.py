"""A picture or a text drawn on top of a frame."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from pullfx import kernels
from pullfx.errors import ParameterError, SourceError
from pullfx.pipeline.formats import PixelFormat, decode_layer, frame_from_array
from pullfx.pipeline.frame import Frame, Plane
from pullfx.pipeline.node import UNCHANGED, node
from pullfx.pipeline.pool import HEAP, Pool
from pullfx.pipeline.shape import Shape

logger = logging.getLogger("pullfx")

PLACES: Final = tuple(
    f"{row} {column}"
    for row in ("top", "middle", "bottom")
    for column in ("left", "centre", "right")
)
"""Where an overlay can lie."""

# Of the frame's shorter side, between the overlay and the frame's border.
_MARGIN: Final = 0.03
# Pixels in height at which text is drawn before it is fitted, and the width of its dark outline,
# which keeps it readable on any ground.
_TEXT_HEIGHT: Final = 96
_OUTLINE: Final = 9
_SEMIBOLD: Final = 600

Pixels = NDArray[np.uint8]


class Layer(NamedTuple):
    """A rectangle to be laid on a frame.

    Attributes:
        left, top: its corner in the frame; even, as its sides are.
        planes: Y, U, V of the rectangle.
        alpha: uint8 of the size of Y; empty where there is nothing to lay.
    """

    left: int
    top: int
    planes: tuple[Plane, Plane, Plane]
    alpha: Plane


_EMPTY: Final = np.empty((0, 0), np.uint8)
_NOTHING: Final = Layer(0, 0, (_EMPTY, _EMPTY, _EMPTY), _EMPTY)


@node
class DrawOverlay:
    """The layer for frames of a shape; drawn once, and again when something changes.

    Args:
        picture: a file to begin with, or "".
        text: the same.

    Raises:
        SourceError: the file is no picture.
        ParameterError: text cannot be drawn by this OpenCV.
    """

    def __init__(self, picture: str, text: str) -> None:
        self._drawn: tuple[str, str] = picture, text
        self._pixels = _pixels(picture, text)
        self._last: object = None

    def __call__(self, frame: Frame, picture: str, text: str, place: str, size: float) -> Layer:
        """The layer.

        Args:
            frame: gives shape; none of its pixels is read.
            picture: a file that is drawn, or "". One that cannot be read leaves what was there, and
                is logged.
            text: what is written where there is no picture, or "".
            place: one of `PLACES`.
            size: its height as a part of the frame's, 0 to 1; less where it would be too wide.
        """
        if (picture, text) != self._drawn:
            self._drawn = picture, text
            try:
                self._pixels = _pixels(picture, text)
            except (SourceError, ParameterError) as error:
                logger.warning("the overlay stays as it was: %s", error)
        asked = (self._drawn, place, size, Shape.of(frame))
        if asked == self._last:
            return UNCHANGED  # type: ignore[no-any-return]  # stands for the value before
        self._last = asked
        if self._pixels is None:
            return _NOTHING
        return _fitted(self._pixels, place, size, Shape.of(frame))

    def reset(self) -> None:
        """The layer is handed out again; what is drawn stays."""
        self._last = None


@node
def lay_over(frame: Frame, layer: Layer, opacity: float, pool: Pool = HEAP) -> Frame:
    """The frame with a layer on top.

    Args:
        frame: the picture.
        layer: of a frame of that shape.
        opacity: 0 to 1; times the layer's alpha.
        pool: where the result comes from.

    Returns:
        `frame` itself where there is nothing to lay on it.
    """
    if layer.alpha.size == 0 or opacity == 0:
        return frame
    out = pool.frame(frame)
    for plane, target in zip(frame.planes, out.planes, strict=True):
        np.copyto(target, plane)
    height, width = layer.alpha.shape
    alpha = layer.alpha
    if opacity < 1:
        alpha = pool.array(alpha.shape)
        kernels.apply_table(layer.alpha, np.rint(np.arange(256) * opacity).astype(np.uint8), alpha)
    luma = out.y[layer.top : layer.top + height, layer.left : layer.left + width]
    kernels.blend(layer.planes[0], luma, alpha, luma)
    top, left = layer.top // 2, layer.left // 2
    for plane, target in zip(layer.planes[1:], (out.u, out.v), strict=True):
        rows, columns = plane.shape
        place = target[top : top + rows, left : left + columns]
        kernels.blend_half(plane, place, alpha, place)
    return out


def _pixels(picture: str, text: str) -> Pixels | None:
    """BGRA of what is to be drawn; None where that is nothing."""
    if picture:
        return _read(Path(picture).expanduser())
    return _written(text) if text.strip() else None


def _read(path: Path) -> Pixels:
    try:
        pixels = decode_layer(np.fromfile(path, np.uint8))
    except OSError as error:
        reason = error.strerror or error
        raise SourceError(f"the overlay's picture '{path}' cannot be read: {reason}") from None
    if pixels is None:
        raise SourceError(f"'{path}' is no picture; give a PNG, JPEG or WebP file")
    if pixels.shape[2] == 4:
        return pixels
    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2BGRA), np.uint8)


def _written(text: str) -> Pixels:
    """White with a dark outline; lines are broken where the text is."""
    if not hasattr(cv2, "FontFace"):
        raise ParameterError(
            "text needs OpenCV 5; `pip install -U 'opencv-python>=5'`, or a picture"
        )
    font = cv2.FontFace("sans")
    lines = text.split("\n")
    boxes = [cv2.getTextSize((0, 0), line, (0, 0), font, _TEXT_HEIGHT, _SEMIBOLD) for line in lines]
    step = round(1.25 * _TEXT_HEIGHT)
    width = max(box[2] for box in boxes) + 4 * _OUTLINE
    letters = np.zeros((step * len(lines) + 2 * _OUTLINE, max(width, 1)), np.uint8)
    for number, line in enumerate(lines):
        corner = (2 * _OUTLINE, _OUTLINE + step * number + _TEXT_HEIGHT)
        cv2.putText(letters, line, corner, (255,), font, _TEXT_HEIGHT, _SEMIBOLD)
    brush = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (_OUTLINE, _OUTLINE))
    alpha = np.asarray(cv2.dilate(letters, brush), np.uint8)
    return np.dstack([letters, letters, letters, alpha])


def _fitted(pixels: Pixels, place: str, size: float, shape: Shape) -> Layer:
    """The drawing at its size and place in frames of a shape."""
    margin = round(_MARGIN * min(shape.width, shape.height)) // 2 * 2
    room = shape.width - 2 * margin, shape.height - 2 * margin
    height, width = pixels.shape[:2]
    scale = min(size * shape.height / height, room[0] / width, room[1] / height)
    width, height = round(width * scale / 2) * 2, round(height * scale / 2) * 2
    if width < 2 or height < 2:
        return _NOTHING
    # Weighted, since colours under alpha 0 must not run into those that are seen.
    weighted = pixels.astype(np.float32)
    weighted[..., :3] *= weighted[..., 3:] / 255
    interpolation = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    weighted = np.asarray(cv2.resize(weighted, (width, height), interpolation=interpolation))
    alpha = weighted[..., 3]
    colours = np.clip(np.rint(weighted[..., :3] * (255 / np.maximum(alpha, 1))[..., None]), 0, 255)
    picture = frame_from_array(
        colours.astype(np.uint8), PixelFormat.BGR24, matrix=shape.matrix, range=shape.range
    )
    row, column = place.split()
    ends = {"left": 0.0, "top": 0.0, "centre": 0.5, "middle": 0.5, "right": 1.0, "bottom": 1.0}
    left = margin + int((room[0] - width) * ends[column]) // 2 * 2
    top = margin + int((room[1] - height) * ends[row]) // 2 * 2
    return Layer(left, top, picture.planes, np.rint(alpha).astype(np.uint8))
