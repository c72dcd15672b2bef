"""What a person switches on."""

from __future__ import annotations

from pullfx.effects.background_blur import BackgroundBlur
from pullfx.effects.person import PersonEffect
from pullfx.effects.show_mask import ShowMask
from pullfx.errors import ParameterError
from pullfx.pipeline.effect import Effect

__all__ = ["BackgroundBlur", "PersonEffect", "ShowMask", "by_name", "names"]

_EFFECTS: dict[str, type[Effect]] = {
    effect.default_name: effect for effect in (BackgroundBlur, ShowMask)
}


def names() -> tuple[str, ...]:
    """The names of all effects, in the order in which a person would look for them."""
    return tuple(_EFFECTS)


def by_name(name: str) -> type[Effect]:
    """The effect of this name.

    Args:
        name: in snake case, such as "background_blur".

    Raises:
        ParameterError: there is none; the message names those there are.
    """
    try:
        return _EFFECTS[name]
    except KeyError:
        raise ParameterError(f"no effect '{name}'; there are {', '.join(_EFFECTS)}") from None
