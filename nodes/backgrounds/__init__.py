"""What is shown behind people in place of the room: colours, pictures, video."""

from pullfx.nodes.backgrounds.keyed import unless_keyed
from pullfx.nodes.backgrounds.open import check_background, open_background
from pullfx.nodes.backgrounds.play import PlayBackground

__all__ = ["PlayBackground", "check_background", "open_background", "unless_keyed"]
