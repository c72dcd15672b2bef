"""The nodes that find faces, wired in one way for all effects, so that these share them."""

from __future__ import annotations

from pullfx.nodes.faces.detect import DetectFaces
from pullfx.nodes.faces.detect_meshes import DetectMeshes
from pullfx.nodes.faces.smooth_faces import SmoothFaces
from pullfx.nodes.faces.smooth_meshes import SmoothMeshes
from pullfx.nodes.reduce import reduce
from pullfx.nodes.types import Faces, Meshes
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


def find_meshes(original: Frame) -> Meshes:
    """Wires `find_faces`, `DetectMeshes` and `SmoothMeshes`; not a node itself.

    However many effects of a pipeline call it, meshes are made once.

    Args:
        original: the picture as it came.

    Returns:
        The meshes of each frame, in the order of `find_faces`; they are made in every fourth frame
        and smoothed in time.

    Raises:
        ModelError: a network cannot be loaded.
    """
    faces = find_faces(original)
    sightings = DetectMeshes()(original, reduce(original), faces)
    return SmoothMeshes()(original, sightings, faces)
