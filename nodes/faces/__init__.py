"""Faces: where they are, and where they go."""

from pullfx.nodes.faces.detect import DetectFaces
from pullfx.nodes.faces.finding import find_faces
from pullfx.nodes.faces.one_euro import OneEuroFilter
from pullfx.nodes.faces.sightings import Sighting, Sightings
from pullfx.nodes.faces.smooth_faces import SmoothFaces

__all__ = ["DetectFaces", "OneEuroFilter", "Sighting", "Sightings", "SmoothFaces", "find_faces"]
