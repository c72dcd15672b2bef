"""`Effect`: a named, parameterised function from `Frame` to `Frame`, built of nodes."""

from __future__ import annotations

import dataclasses
import math
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, dataclass_transform

from pullfx.errors import ParameterError
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.node import snake_case

_LARGEST: Final = 2**63


@dataclass(frozen=True, slots=True)
class Parameter:
    """One thing about an effect that a person can set.

    Attributes:
        name: as in the effect's definition.
        type: type of the value: float, int, bool, str or Path; of `str | Path` it is str.
        default: value when nothing else is said.
        minimum, maximum: inclusive bounds of a number, or None.
        choices: the values allowed, or empty where any is.
        live: True when it may change while the pipeline runs.
        description: one line for a person, in units where there are some.
    """

    name: str
    type: type
    default: Any
    minimum: float | None
    maximum: float | None
    choices: tuple[Any, ...]
    live: bool
    description: str

    def check(self, effect: str, value: object) -> Any:
        """The value in this parameter's type.

        Raises:
            ParameterError: another type, outside the bounds, or none of the choices.
        """
        where = f"{effect}: parameter '{self.name}'"
        if isinstance(value, int) and abs(value) > _LARGEST:  # no float holds it, nor can be shown
            raise ParameterError(f"{where} must be a number of usual size")
        if isinstance(value, str | Path) and "\0" in str(value):
            raise ParameterError(f"{where} must have no zero bytes")
        if self.type is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if self.type is Path and isinstance(value, str):
            value = Path(value)
        if self.type is str and isinstance(value, Path):
            value = str(value.absolute())  # which no name of something else can be mistaken for
        if not isinstance(value, self.type) or (isinstance(value, bool) and self.type is not bool):
            raise ParameterError(f"{where} must be {self.type.__name__}, but is {value!r}")
        if self.choices and value not in self.choices:
            allowed = ", ".join(map(str, self.choices))
            raise ParameterError(f"{where} must be one of {allowed}, but is {value!r}")
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            low = -math.inf if self.minimum is None else self.minimum
            high = math.inf if self.maximum is None else self.maximum
            if not low <= value <= high:  # false for NaN too
                raise ParameterError(f"{where} must be {low:g} to {high:g}, but is {value:g}")
        return value

    def parse(self, effect: str, text: str) -> Any:
        """The value that a person typed, checked.

        Raises:
            ParameterError: the text is no such value.
        """
        try:
            if self.type is bool:
                value: object = {
                    "on": True,
                    "true": True,
                    "1": True,
                    "yes": True,
                    "off": False,
                    "false": False,
                    "0": False,
                    "no": False,
                }[text.lower()]
            else:
                value = self.type(text)
        except (ValueError, KeyError):
            raise ParameterError(
                f"{effect}: parameter '{self.name}' must be {self.type.__name__}, but is '{text}'"
            ) from None
        return self.check(effect, value)


def parameter(
    *,
    default: Any,
    minimum: float | None = None,
    maximum: float | None = None,
    choices: tuple[Any, ...] = (),
    live: bool = True,
    description: str = "",
) -> Any:
    """Declares a field of an `Effect` as a parameter.

    Args:
        default: value when nothing else is said.
        minimum, maximum: inclusive bounds of a number.
        choices: the values allowed; empty allows any.
        live: False for what can only be chosen when the effect is made, such as a model.
        description: one line for a person.
    """
    return dataclasses.field(
        default=default,
        metadata={
            "minimum": minimum,
            "maximum": maximum,
            "choices": choices,
            "live": live,
            "description": description,
        },
    )


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(parameter,))
@dataclass(kw_only=True, eq=False)
class Effect:
    """Base of all effects. A subclass lists its parameters and wires nodes in `build`.

    ```python
    class Tint(Effect):
        strength: float = parameter(default=0.5, minimum=0.0, maximum=1.0)

        def build(self, frame: Frame, original: Frame) -> Frame:
            return tint(frame, self.strength)
    ```

    While a graph is recorded each live parameter reads as a `Port`, so that changing it reruns what
    depends on it and nothing else.

    Attributes:
        name: unique in a pipeline; the class's name in snake case unless given.
        fails_closed: True for effects that hide something. Until their result is there, or when a
            node of theirs fails, `fallback` is shown and never the frame as it came. When False, an
            effect that fails is skipped.
        moves_pixels: True for effects that show things in other places than they came in. The
            effects after one get for `original` what it makes of that, so that masks and faces lie
            where the picture has them.
    """

    fails_closed: ClassVar[bool] = False
    moves_pixels: ClassVar[bool] = False
    default_name: ClassVar[str]
    name: str = ""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.default_name = snake_case(cls.__name__)
        dataclass(kw_only=True, eq=False)(cls)

    def __post_init__(self) -> None:
        self.name = self.name or self.default_name
        for declared in self.parameters().values():
            setattr(self, declared.name, declared.check(self.name, getattr(self, declared.name)))

    def build(self, frame: Frame, original: Frame) -> Frame:
        """Wires the effect.

        Args:
            frame: the picture so far, with the effects before this one in it: paint from this.
            original: the picture as it came, but for effects that `moves_pixels`: look for people
                and faces here, so that effects share what they find. An effect after one that hides
                something must not paint from it.
        """
        raise NotImplementedError

    def fallback(self, frame: Frame) -> Frame:
        """Wires what stands in for an effect that `fails_closed`; must hide everything.

        The default hands back `frame`, and the engine then shows a plain grey picture instead.
        """
        return frame

    @classmethod
    def parameters(cls) -> Mapping[str, Parameter]:
        """What can be set, by name; an effect's own parameters before those that it inherits."""
        hints = typing.get_type_hints(cls)
        declared = {field.name: field for field in dataclasses.fields(cls) if field.metadata}
        order = [name for owner in cls.__mro__ for name in vars(owner).get("__annotations__", {})]
        return {
            name: Parameter(
                name=name,
                type=_kept_as(hints[name]),
                default=declared[name].default,
                **declared[name].metadata,
            )
            for name in order
            if name in declared
        }

    def check(self, name: str, value: object) -> Any:
        """The value for parameter `name`, checked for use while running.

        Raises:
            ParameterError: no such parameter, not one that may change live, or a wrong value.
        """
        parameters = self.parameters()
        if name not in parameters:
            raise ParameterError(
                f"{self.name} has no parameter '{name}'; it has {', '.join(parameters) or 'none'}"
            )
        if not parameters[name].live:
            raise ParameterError(
                f"{self.name}: parameter '{name}' is chosen when the effect is made; "
                "make a new pipeline to change it"
            )
        return parameters[name].check(self.name, value)


def _kept_as(annotation: Any) -> Any:
    """What a value is checked to be: of several types that are taken, the first."""
    return typing.get_args(annotation)[0] if typing.get_args(annotation) else annotation
