"""Faces made visible."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from pullfx.nodes.types import Faces, Meshes
from pullfx.pipeline.frame import Frame, Plane
from pullfx.pipeline.node import node
from pullfx.pipeline.pool import HEAP, Pool

# Luma that both ranges have for what is drawn, and for its outline.
_BRIGHT: Final = 235
_DARK: Final = 16
# Height of a mesh in pixels from which on there is room between its points.
_ROOMY: Final = 150
# OpenCV takes places as whole numbers of sixteenths of a pixel.
_FRACTION_BITS: Final = 4


@node
def show_faces(frame: Frame, faces: Faces, meshes: Meshes, pool: Pool = HEAP) -> Frame:
    """The frame with the box, the score and the points of each face drawn on its luma.

    Args:
        frame: the picture.
        faces: in pixels of the frame.
        meshes: of those faces; empty draws none.
        pool: where the result comes from.
    """
    out = pool.frame(frame)
    for target, plane in zip(out.planes, frame.planes, strict=True):
        np.copyto(target, plane)
    width = max(round(frame.height / 360), 1)
    for face in faces:
        left, top = round(face.left), round(face.top)
        right, bottom = round(face.left + face.width), round(face.top + face.height)
        for luma, line in ((_DARK, 3 * width), (_BRIGHT, width)):
            cv2.rectangle(out.y, (left, top), (right, bottom), (luma,), line)
            cv2.putText(
                out.y,
                f"{face.score:.2f}",
                (left, top - 3 * width),
                cv2.FONT_HERSHEY_SIMPLEX,
                width / 2,
                (luma,),
                line,
            )
        _dots(out.y, face.points, 1.5 * width)
    for mesh in meshes:
        if len(mesh):
            _dots(out.y, mesh, 0.5 * width, outline=bool(np.ptp(mesh[:, 1]) >= _ROOMY))
    return out


def _dots(luma: Plane, points: NDArray[np.float32], radius: float, *, outline: bool = True) -> None:
    unit = 1 << _FRACTION_BITS
    rings = ((_DARK, radius + 1), (_BRIGHT, radius)) if outline else ((_BRIGHT, 0.0),)
    for x, y in np.rint(points * unit).astype(int).tolist():
        for value, size in rings:
            cv2.circle(luma, (x, y), round(size * unit), (value,), cv2.FILLED, shift=_FRACTION_BITS)
