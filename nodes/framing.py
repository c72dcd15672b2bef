"""What of a frame is shown, and how it is shown at the frame's size."""

from __future__ import annotations

from typing import NamedTuple

from pullfx import kernels
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.node import node
from pullfx.pipeline.pool import HEAP, Pool


class Crop(NamedTuple):
    """A part of a frame of the frame's own shape, in pixels; its sides may lie within pixels."""

    left: float
    top: float
    width: float
    height: float


class Framing(NamedTuple):
    """How faces are to be shown.

    Attributes:
        size: height of a face as a part of the picture's.
        zoom: how much larger than in the frame they may be shown, 1 or more.
        speed: of the camera; 1 is an unhurried one.
        everyone: True shows all faces, False the largest.
    """

    size: float
    zoom: float
    speed: float
    everyone: bool


@node
def framing(size: float, zoom: float, speed: float, everyone: bool) -> Framing:
    """The wishes as one value; for arguments see `Framing`."""
    return Framing(size, zoom, speed, everyone)


@node
def reframe(frame: Frame, crop: Crop, pool: Pool = HEAP) -> Frame:
    """The crop at the size of the frame.

    Args:
        frame: the picture.
        crop: what of it, within it.
        pool: where the result comes from.

    Returns:
        `frame` itself where the crop is all of it.
    """
    if crop == whole(frame):
        return frame
    out = pool.frame(frame)
    kernels.crop_bilinear(frame.y, out.y, *crop)
    left, top = crop.left / 2, crop.top / 2
    height, width = frame.u.shape
    across, down = min(crop.width / 2, width - left), min(crop.height / 2, height - top)
    for plane, target in ((frame.u, out.u), (frame.v, out.v)):
        kernels.crop_bilinear(plane, target, left, top, across, down)
    return out


def whole(frame: Frame) -> Crop:
    """The crop that is all of the frame."""
    return Crop(0.0, 0.0, float(frame.width), float(frame.height))
