"""Effects by name: those of pullfx, and those that installed packages bring."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from pullfx.errors import ParameterError
from pullfx.pipeline.effect import Effect

GROUP = "pullfx.effects"
"""The group of entry points under which a package names its effects."""


class Registry:
    """Effects by name.

    An installed package adds one by an entry point in the group `pullfx.effects`, whose name is the
    effect's and whose value is the place of the class, such as `my_package.effects:Sepia`. It is
    loaded when it is asked for. A name that pullfx has itself stays pullfx's.

    Args:
        own: pullfx's effects, in the order in which a person would look for them.
    """

    def __init__(self, own: Iterable[type[Effect]]) -> None:
        self._own = {effect.default_name: effect for effect in own}

    def names(self) -> tuple[str, ...]:
        """All names: pullfx's own, then those of packages by the alphabet."""
        return (*self._own, *sorted(set(_entry_points()) - set(self._own)))

    def by_name(self, name: str) -> type[Effect]:
        """The effect of this name.

        Args:
            name: in snake case, such as "background_blur".

        Raises:
            ParameterError: there is none, and the message names those there are; or a package
                brings it, and it cannot be loaded.
        """
        if name in self._own:
            return self._own[name]
        if name not in _entry_points():
            raise ParameterError(f"no effect '{name}'; there are {', '.join(self.names())}")
        return _loaded(_entry_points()[name])


@cache
def _entry_points() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def _loaded(point: EntryPoint) -> type[Effect]:
    package = point.dist.name if point.dist is not None else "a package"
    try:
        effect = point.load()
    except Exception as error:  # whatever a stranger's module raises as it is imported
        raise ParameterError(
            f"effect '{point.name}' of {package} cannot be loaded: {error}; "
            f"install {package} again or remove it"
        ) from error
    if not (isinstance(effect, type) and issubclass(effect, Effect)):
        raise ParameterError(
            f"effect '{point.name}' of {package}: {point.value} is no subclass of pullfx.Effect"
        )
    return effect
