"""Frames and masks made up for the tests of nodes and effects."""

from __future__ import annotations

from fractions import Fraction

import cv2
import numpy as np
from numpy.typing import NDArray

from pullfx.nodes import Backdrop, Mask, Matte, composite
from pullfx.pipeline.frame import Frame

Plane = NDArray[np.uint8]

SIZES = [(2, 2), (16, 16), (176, 144), (641, 481), (853, 479), (1280, 90), (90, 1280), (1280, 720)]


def chroma_shape(width: int, height: int) -> tuple[int, int]:
    return (height + 1) // 2, (width + 1) // 2


def frame_of(y: Plane, u: int | Plane = 128, v: int | Plane = 128) -> Frame:
    shape = chroma_shape(y.shape[1], y.shape[0])
    u, v = (np.full(shape, c, np.uint8) if isinstance(c, int) else c for c in (u, v))
    return Frame(y, u, v, pts=7, time_base=Fraction(1, 30))


def noise(width: int, height: int, seed: int = 0) -> Frame:
    random = np.random.default_rng(seed)
    shapes = ((height, width), chroma_shape(width, height), chroma_shape(width, height))
    y, u, v = (random.integers(0, 256, shape, dtype=np.uint8) for shape in shapes)
    return frame_of(y, u, v)


def filled(width: int, height: int, value: int) -> Mask:
    return Mask(np.full((height, width), value, np.uint8))


def disc(width: int, height: int, radius: float = 0.3) -> Plane:
    """1 in a disc in the middle, 0 elsewhere; `radius` is in heights."""
    rows, columns = np.indices((height, width))
    distance = np.hypot(rows - (height - 1) / 2, columns - (width - 1) / 2)
    return np.asarray(distance < radius * height, np.uint8)


def network_mask(shape: Plane) -> Mask:
    """What a network would make of it: small, and soft at the edge."""
    height, width = shape.shape
    size = (256, 144) if width > height else (256, 256)
    small = cv2.resize(shape * np.uint8(255), size, interpolation=cv2.INTER_AREA)
    return Mask(np.asarray(cv2.GaussianBlur(small, (0, 0), 1.5), np.uint8))


def matte_of(shape: Plane) -> Matte:
    """The matte of what is 1 at full size."""
    height, width = shape.shape
    half = cv2.resize(
        shape * np.uint8(255), chroma_shape(width, height)[::-1], interpolation=cv2.INTER_AREA
    )
    return Matte(np.asarray(half, np.uint8).reshape(chroma_shape(width, height)))


def enlarged(matte: Matte, width: int, height: int) -> Plane:
    """The matte at the frame's size, as it is when people are laid over a background."""
    white = frame_of(np.full((height, width), 255, np.uint8))
    black = frame_of(np.zeros((height, width), np.uint8))
    return composite(white, Backdrop(black.planes, 0), matte).y


def shown(backdrop: Backdrop, frame: Frame) -> Frame:
    """A backdrop with nobody before it."""
    return composite(frame, backdrop, Matte(np.zeros_like(frame.u)))
