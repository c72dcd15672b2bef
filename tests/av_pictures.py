"""Pictures as PyAV decodes them, made by hand, and looked into."""

from __future__ import annotations

from fractions import Fraction
from io import BytesIO
from pathlib import Path

import av
import numpy as np
from av.filter import Graph
from numpy.typing import NDArray

from pullfx.pipeline.frame import Frame

Array = NDArray[np.uint8]

SIZES = [(64, 48), (853, 479), (641, 481), (64, 47), (2, 2), (1, 1)]
LIMITED, FULL = 1, 2  # AVColorRange


def first_picture(file: Path | BytesIO) -> av.VideoFrame:
    with av.open(file, "r") as container:
        return next(container.decode(video=0))


def rows_of(picture: av.VideoFrame, index: int) -> Array:
    plane = picture.planes[index]
    return np.frombuffer(memoryview(plane), np.uint8).reshape(plane.height, -1)


def random_picture(width: int, height: int, format: str, seed: int = 3) -> av.VideoFrame:
    picture = av.VideoFrame(width, height, format)
    generator = np.random.default_rng(seed)
    for index in range(len(picture.planes)):
        rows = rows_of(picture, index)
        rows[...] = generator.integers(0, 256, rows.shape, np.uint8)
    picture.pts = 5
    picture.time_base = Fraction(1, 25)
    return picture


def filtered(picture: av.VideoFrame, name: str, options: str | None = None) -> av.VideoFrame:
    graph = Graph()
    source = graph.add_buffer(
        width=picture.width,
        height=picture.height,
        format=picture.format,
        time_base=picture.time_base or Fraction(1, 25),
    )
    graph.link_nodes(source, graph.add(name, options), graph.add("buffersink")).configure()
    graph.push(picture)
    return graph.vpull()


def flat_picture(width: int, height: int, format: str, planes: tuple[int, ...]) -> av.VideoFrame:
    picture = av.VideoFrame(width, height, format)
    for index, value in enumerate(planes):
        memory = memoryview(picture.planes[index])
        np.frombuffer(memory, np.uint16 if format.endswith("10le") else np.uint8)[:] = value
    return picture


def assert_planes(frame: Frame, *expected: NDArray[np.generic], within: float = 0) -> None:
    for plane, exact in zip(frame.planes, expected, strict=True):
        assert plane.shape == exact.shape
        assert np.abs(plane - exact.astype(np.float64)).max() <= within
