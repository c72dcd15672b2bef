"""What a person switches on."""

from pullfx.effects.background_blur import BackgroundBlur
from pullfx.effects.background_replacement import BackgroundReplacement
from pullfx.effects.overlay import Overlay
from pullfx.effects.lighting import Lighting
from pullfx.effects.person import PersonEffect
from pullfx.effects.registry import Registry
from pullfx.effects.show_mask import ShowMask

__all__ = [
    "BackgroundBlur",
    "BackgroundReplacement",
    "Overlay",
    "PersonEffect",
    "ShowMask",
    "by_name",
    "names",
]

_registry = Registry(
    (
        BackgroundBlur,
        BackgroundReplacement,
        Overlay,
        ShowMask,
    )
)
__all__ = ["BackgroundBlur", "Lighting", "PersonEffect", "ShowMask", "by_name", "names"]

_EFFECTS: dict[str, type[Effect]] = {
    effect.default_name: effect for effect in (BackgroundBlur, Lighting, ShowMask)
}

by_name = _registry.by_name
names = _registry.names
