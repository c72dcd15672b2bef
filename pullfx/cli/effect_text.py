"""Effects as a person types them: `background_blur:strength=0.6,feather=-0.2`."""

from __future__ import annotations

import re

import pullfx
from pullfx.errors import ParameterError

# A comma that no further `name=` follows belongs to a value, such as the name of a file.
_SETTINGS = re.compile(r",(?=\s*\w+\s*=)")


def parse_effect(text: str) -> pullfx.Effect:
    """Makes the effect that the text describes.

    Args:
        text: the effect's name, then optionally a colon and `name=value` pairs between commas.

    Raises:
        ParameterError: no such effect or parameter, or a value that it does not allow.
    """
    name, _, settings = text.partition(":")
    kind = pullfx.effects.by_name(name.strip())
    declared = kind.parameters()
    values = {}
    for setting in filter(None, map(str.strip, _SETTINGS.split(settings))):
        key, equals, value = setting.partition("=")
        if not equals:
            raise ParameterError(
                f"'{setting}' in '{text}' is no setting; write it as {name}:parameter=value"
            )
        if key not in declared:
            raise ParameterError(
                f"{name} has no parameter '{key}'; it has {', '.join(declared) or 'none'}"
            )
        values[key] = declared[key].parse(name, value)
    return kind(**values)
