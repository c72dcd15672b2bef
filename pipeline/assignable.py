"""Whether a value of one annotated type may be handed to an argument of another.

The same question that mypy answers for the source, asked again when the graph is built, for code
that no type checker has seen. Where run-time types cannot tell, the answer is yes.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from typing import Any, NewType, TypeVar


def assignable(given: Any, wanted: Any) -> bool:
    """True when a value of type `given` is allowed where `wanted` is annotated."""
    given, wanted = _plain(given), _plain(wanted)
    if given is wanted or Any in (given, wanted) or wanted is object:
        return True
    if isinstance(given, TypeVar) or isinstance(wanted, TypeVar):
        return True
    if _is_union(given):
        return all(assignable(member, wanted) for member in typing.get_args(given))
    if _is_union(wanted):
        return any(assignable(given, member) for member in typing.get_args(wanted))
    if isinstance(wanted, NewType):
        return isinstance(given, NewType) and assignable(given.__supertype__, wanted)
    if isinstance(given, NewType):
        return assignable(given.__supertype__, wanted)
    given_class, wanted_class = _class_of(given), _class_of(wanted)
    if given_class is None or wanted_class is None:
        return True
    if wanted_class is float and given_class is int:
        return True
    if not _is_subclass(given_class, wanted_class):
        return False
    given_arguments, wanted_arguments = typing.get_args(given), typing.get_args(wanted)
    if given_class is not wanted_class or len(given_arguments) != len(wanted_arguments):
        return True
    return all(map(assignable, given_arguments, wanted_arguments))


def holds(value: object, wanted: Any) -> bool:
    """True when the value itself is allowed where `wanted` is annotated."""
    wanted = _plain(wanted)
    if isinstance(wanted, NewType):
        return holds(value, wanted.__supertype__)
    if _is_union(wanted):
        return any(holds(value, member) for member in typing.get_args(wanted))
    if typing.get_origin(wanted) is typing.Literal:
        return value in typing.get_args(wanted)
    wanted_class = _class_of(wanted)
    if wanted is Any or wanted_class is None:
        return True
    if wanted_class is float and type(value) is int:
        return True
    try:
        return isinstance(value, wanted_class)
    except TypeError:  # a protocol that cannot be checked at run time
        return True


def bind_type_variables(hint: Any, bindings: Mapping[TypeVar, Any]) -> Any:
    """The result type of a generic node, `T` replaced by what its argument bound it to."""
    return bindings.get(hint, Any) if isinstance(hint, TypeVar) else hint


def name_of(hint: Any) -> str:
    """The type as a person would write it."""
    return getattr(hint, "__name__", None) or str(hint)


def _plain(hint: Any) -> Any:
    if hint is None:
        return types.NoneType
    return typing.get_args(hint)[0] if typing.get_origin(hint) is typing.Annotated else hint


def _is_union(hint: Any) -> bool:
    return typing.get_origin(hint) in (typing.Union, types.UnionType)


def _class_of(hint: Any) -> type | None:
    candidate = typing.get_origin(hint) or hint
    return candidate if isinstance(candidate, type) else None


def _is_subclass(given: type, wanted: type) -> bool:
    try:
        return issubclass(given, wanted)
    except TypeError:  # a protocol with data members
        return True
