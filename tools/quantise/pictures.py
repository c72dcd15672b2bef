"""Pictures and clips from disk, RGB uint8."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import av
import cv2
import numpy as np
import numpy.typing as npt

from tools.quantise.errors import QuantisationError

Picture = npt.NDArray[np.uint8]
"""[height, width, 3], RGB."""


def read_picture(path: Path) -> Picture:
    """A picture file."""
    picture = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if picture is None:
        raise QuantisationError(f"{path} is not a picture")
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB), np.uint8)


def read_gray(path: Path) -> npt.NDArray[np.uint8]:
    """A mask file, [height, width]."""
    picture = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
    if picture is None:
        raise QuantisationError(f"{path} is not a picture")
    return np.asarray(picture, np.uint8)


def read_clip(path: Path, every: int = 1, most: int | None = None) -> Iterator[Picture]:
    """Every `every`-th frame of a clip, `most` at most."""
    with av.open(path) as container:
        frames = islice(container.decode(video=0), 0, None, every)
        for frame in islice(frames, most):
            yield np.asarray(frame.to_ndarray(format="rgb24"), np.uint8)


def scale(picture: Picture, size: tuple[int, int]) -> Picture:
    """The picture at a network's input size, (height, width), without letterboxing."""
    height, width = size
    smaller = picture.shape[0] >= height and picture.shape[1] >= width
    method = cv2.INTER_AREA if smaller else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(picture, (width, height), interpolation=method), np.uint8)


def fit(picture: Picture, size: tuple[int, int]) -> Picture:
    """The picture within a network's input, (height, width), its shape kept, the rest black."""
    height, width = size
    factor = min(height / picture.shape[0], width / picture.shape[1])
    inner = scale(picture, (round(picture.shape[0] * factor), round(picture.shape[1] * factor)))
    result = np.zeros((height, width, 3), np.uint8)
    top, left = (height - inner.shape[0]) // 2, (width - inner.shape[1]) // 2
    result[top : top + inner.shape[0], left : left + inner.shape[1]] = inner
    return result
