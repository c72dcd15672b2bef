"""Faces: where they are, and where they go."""

from pullfx.nodes.faces.detect import DetectFaces
from pullfx.nodes.faces.detect_meshes import DetectMeshes, MeshSighting, MeshSightings
from pullfx.nodes.faces.finding import find_faces, find_meshes
from pullfx.nodes.faces.one_euro import OneEuroFilter
from pullfx.nodes.faces.sightings import Sighting, Sightings
from pullfx.nodes.faces.smooth_faces import SmoothFaces
from pullfx.nodes.faces.smooth_meshes import SmoothMeshes

__all__ = [
    "DetectFaces",
    "DetectMeshes",
    "MeshSighting",
    "MeshSightings",
    "OneEuroFilter",
    "Sighting",
    "Sightings",
    "SmoothFaces",
    "SmoothMeshes",
    "find_faces",
    "find_meshes",
]
