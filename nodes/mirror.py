"""Pictures turned left to right."""

from __future__ import annotations

import cv2

from pullfx.pipeline.frame import Frame
from pullfx.pipeline.node import node
from pullfx.pipeline.pool import HEAP, Pool


@node
def mirror(frame: Frame, pool: Pool = HEAP) -> Frame:
    """The picture as in a mirror.

    Where the width is odd, colours move half a pixel of theirs: the column that they share with no
    other is then the first.

    Args:
        frame: the picture.
        pool: where the result comes from.

    Returns:
        A frame of the same size.
    """
    out = pool.frame(frame)
    for plane, target in zip(frame.planes, out.planes, strict=True):
        cv2.flip(plane, 1, dst=target)
    return out
