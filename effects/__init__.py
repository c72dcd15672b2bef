"""What a person switches on."""

from pullfx.effects.auto_framing import AutoFraming
from pullfx.effects.background_blur import BackgroundBlur
from pullfx.effects.background_replacement import BackgroundReplacement
from pullfx.effects.beautify import Beautify
from pullfx.effects.denoise import Denoise
from pullfx.effects.lighting import Lighting
from pullfx.effects.lookup_table import LookupTable
from pullfx.effects.mirror import Mirror
from pullfx.effects.overlay import Overlay
from pullfx.effects.person import PersonEffect
from pullfx.effects.portrait_mode import PortraitMode
from pullfx.effects.registry import Registry
from pullfx.effects.sharpen import Sharpen
from pullfx.effects.show_faces import ShowFaces
from pullfx.effects.show_mask import ShowMask

__all__ = [
    "AutoFraming",
    "BackgroundBlur",
    "BackgroundReplacement",
    "Beautify",
    "Denoise",
    "Lighting",
    "LookupTable",
    "Mirror",
    "Overlay",
    "PersonEffect",
    "PortraitMode",
    "Sharpen",
    "ShowFaces",
    "ShowMask",
    "by_name",
    "names",
]

_registry = Registry(
    (
        BackgroundBlur,
        PortraitMode,
        BackgroundReplacement,
        Beautify,
        Lighting,
        AutoFraming,
        Mirror,
        Sharpen,
        Denoise,
        LookupTable,
        Overlay,
        ShowMask,
        ShowFaces,
    )
)

by_name = _registry.by_name
names = _registry.names
