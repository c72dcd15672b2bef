"""The nodes that find faces, wired in one way for all effects, so that these share them."""

from __future__ import annotations

from pullfx.nodes.faces.detect import DetectFaces
from pullfx.nodes.faces.smooth_faces import SmoothFaces
from pullfx.nodes.reduce import reduce
from pullfx.nodes.types import Faces
from pullfx.pipeline.frame import Frame


def find_faces(original: Frame) -> Faces:
    """Wires `DetectFaces` and `SmoothFaces`; not a node itself.

    However many effects of a pipeline call it, faces are looked for once.

    Args:
        original: the picture as it came.

    Returns:
        The faces of each frame; they are looked for in every third and smoothed in time.

    Raises:
        ModelError: the network cannot be loaded.
    """
    return SmoothFaces()(original, DetectFaces()(original, reduce(original)))
