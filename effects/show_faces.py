"""The faces themselves, to see what the effects see."""

from __future__ import annotations

from pullfx.nodes import find_faces, find_meshes, show_faces
from pullfx.nodes.types import Meshes
from pullfx.pipeline.effect import Effect, parameter
from pullfx.pipeline.frame import Frame


class ShowFaces(Effect):
    """Draws the box, the six points and the mesh of each face onto the picture."""

    mesh: bool = parameter(
        default=True,
        live=False,
        description="draw the 468 points of the mesh too",
    )

    def build(self, frame: Frame, original: Frame) -> Frame:
        """Wires the faces, their meshes and the picture of them."""
        faces = find_faces(original)
        return show_faces(frame, faces, find_meshes(original) if self.mesh else Meshes(()))
