"""Real faces put where tests want them."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from pullfx.pipeline.formats import PixelFormat, frame_from_array
from pullfx.pipeline.frame import Frame

Picture = NDArray[np.uint8]

# Where the face is in a picture of calib: left, top, width, height.
FACES = {
    "easyportrait_03.png": (60, 108, 158, 158),
    "easyportrait_12.png": (79, 75, 141, 141),
    "easyportrait_20.png": (71, 125, 136, 136),
    "vmhuman_person-vlado.jpg": (515, 117, 171, 170),
    "vmhuman_stock-emotions-a-1.jpg": (241, 307, 492, 492),
}


def read(path: Path) -> Picture:
    """The picture as BGR."""
    return np.asarray(cv2.imread(str(path)), np.uint8)


def frame_of_picture(picture: Picture) -> Frame:
    """BGR as a frame."""
    return frame_from_array(np.ascontiguousarray(picture), PixelFormat.BGR24)


class Portrait:
    """A picture with one face, to be laid into a frame at any size and place."""

    def __init__(self, media: Path, name: str) -> None:
        self._picture = read(media / "calib" / name)
        self._face = FACES[name]

    def frame(
        self, part: float, x: float = 0.5, y: float = 0.5, width: int = 1280, height: int = 720
    ) -> tuple[Frame, NDArray[np.float64]]:
        """The face in a grey room.

        Args:
            part: height of the face as a part of the frame's.
            x, y: its middle, as parts of the frame's width and height.
            width, height: of the frame.

        Returns:
            The frame, and left, top, width and height of the face in it.
        """
        scale = part * height / self._face[3]
        box = scale * np.array(self._face, float)
        offset = np.array((x * width, y * height)) - box[:2] - box[2:] / 2
        size = (
            max(round(self._picture.shape[1] * scale), 1),
            max(round(self._picture.shape[0] * scale), 1),
        )
        way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        scaled = cv2.resize(self._picture, size, interpolation=way)
        room = np.full((height, width, 3), (110, 120, 115), np.uint8)
        moved = np.array([[1, 0, offset[0]], [0, 1, offset[1]]])
        cv2.warpAffine(scaled, moved, (width, height), dst=room, borderMode=cv2.BORDER_TRANSPARENT)
        return frame_of_picture(room), np.concatenate((box[:2] + offset, box[2:]))
