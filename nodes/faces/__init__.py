"""Faces: where they are, and where they go."""
