"""`@node`: makes a plain function, or a class that remembers, a step of a graph.

Called with values a node just runs. Called with a `Port` among its arguments it joins the graph
that the port belongs to, and returns the port of its own value. To a type checker both are the
same call, so mypy checks the wiring of a pipeline.
"""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import (
    TYPE_CHECKING,
    Any,
    Final,
    NoReturn,
    ParamSpec,
    TypeAlias,
    TypeVar,
    overload,
)

from pullfx.errors import GraphError
from pullfx.pipeline.pace import Pace
from pullfx.pipeline.pool import Pool

if TYPE_CHECKING:
    from pullfx.pipeline.graph import Graph, GraphNode

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
Class = TypeVar("Class", bound=type)


class _Unchanged:
    def __repr__(self) -> str:
        return "UNCHANGED"


UNCHANGED: Final[Any] = _Unchanged()
"""What a remembering node returns to say: my last value, and its version, still stand."""


Following: TypeAlias = tuple[T, ...]
"""What a fat node does to its pixels as it writes them, one after the other.

An argument annotated so, with the default (), lets the plan run thin nodes within the fat one.
"""


@dataclass(frozen=True, slots=True, eq=False)
class NodeSpecification:
    """What `@node` knows about a function or class.

    Attributes:
        name: the function's name, or the class's in snake case.
        function: what computes the value; for a class its undecorated `__call__`, which takes the
            instance first.
        every: the node runs at most at every n-th frame.
        heavy: worth a thread of its own where `Pipeline(threads=...)` allows it.
        owner: the class, or None for a function.
        thin: changes its first argument pixel by pixel, as its second says.
        pool_argument: name of the argument that takes the engine's `Pool`, or None.
        pace_argument: name of the argument that takes the `Pace` of the frame, or None.
        following_argument: name of the argument that takes what thin nodes do, or None.
    """

    name: str
    function: Callable[..., Any]
    every: int
    heavy: bool
    owner: type | None
    thin: bool
    pool_argument: str | None
    pace_argument: str | None
    following_argument: str | None
    signature: inspect.Signature
    _hints: dict[str, Any] = field(default_factory=dict)

    @property
    def remembers(self) -> bool:
        """True for a class: the node may keep state between frames."""
        return self.owner is not None

    def hints(self) -> Mapping[str, Any]:
        """Resolved annotations of the arguments and of `return`; Any where there is none.

        Raises:
            GraphError: an annotation names something that does not exist at run time.
        """
        if not self._hints:
            try:
                hints = typing.get_type_hints(self.function)
            except NameError as error:
                raise GraphError(
                    f"node '{self.name}': annotation cannot be resolved ({error}); "
                    "import the type outside of TYPE_CHECKING"
                ) from error
            for argument in self.signature.parameters:
                hints.setdefault(argument, Any)
            hints.setdefault("return", Any)
            self._hints.update(hints)
        return self._hints


class Port:
    """The promise of a value, handed around while a graph is being recorded.

    It stands for the value in calls of nodes and in nothing else: looking inside it is an error,
    since there is no frame yet.
    """

    __slots__ = ("graph", "source")

    def __init__(self, graph: Graph, source: GraphNode) -> None:
        object.__setattr__(self, "graph", graph)
        object.__setattr__(self, "source", source)

    graph: Graph
    source: GraphNode

    def __repr__(self) -> str:
        return f"<Port of '{self.source.name}'>"

    def _no_value(self, *_: object, **__: object) -> NoReturn:
        raise GraphError(
            f"the value of node '{self.source.name}' is not known while the graph is being "
            "recorded; move the code that looks at it into a function under @node"
        )

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # protocol look-ups of the interpreter, copy and the like
            raise AttributeError(name)
        self._no_value()

    __bool__ = __iter__ = __len__ = __getitem__ = __call__ = __float__ = __int__ = _no_value
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _no_value
    __rtruediv__ = __floordiv__ = __mod__ = __pow__ = __neg__ = __lt__ = __le__ = _no_value
    __gt__ = __ge__ = __and__ = __or__ = __invert__ = __array__ = __index__ = _no_value


@overload
def node(definition: Class, /) -> Class: ...
@overload
def node(definition: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def node(*, every: int = 1, heavy: bool = False, thin: bool = False) -> Callable[[R], R]: ...
def node(
    definition: Any = None, /, *, every: int = 1, heavy: bool = False, thin: bool = False
) -> Any:
    """Makes a function, or a class with `__call__` and `reset`, a node.

    A class may have `close`, which is called when the pipeline is closed.

    Every argument and the result should be annotated: the graph checks them when it is built. An
    argument annotated `Pool` or `Pace` is filled by the engine; give it the default `HEAP` or
    `Pace.EXACT` so that the node can be called directly.

    Args:
        definition: the function or class.
        every: run at most at every n-th frame; in between the last value stands.
        heavy: the node takes long enough to be worth a thread of its own.
        thin: the node changes each pixel of its first argument by itself, as its second says.
            Where nothing else reads that picture, a node that makes it and takes `Following` does
            both: `thin(fat(x, following=()), change)` is `fat(x, following=(change,))`.

    Raises:
        GraphError: `every` is below 1, a class has no `__call__` or no `reset`, or a thin node is a
            class, rests, or has not two arguments.
    """
    if every < 1:
        raise GraphError(f"every must be 1 or more, but is {every}")

    def decorate(target: Any) -> Any:
        if inspect.isclass(target):
            if thin:
                raise GraphError(f"node class '{target.__name__}' cannot be thin; use a function")
            return _decorate_class(target, every, heavy)
        return _decorate_function(target, every, heavy, thin)

    return decorate if definition is None else decorate(definition)


def _decorate_function(
    function: Callable[..., Any], every: int, heavy: bool, thin: bool
) -> Callable[..., Any]:
    specification = _specify(function.__name__, function, every, heavy, None, thin)
    if thin and (every > 1 or len(specification.signature.parameters) < 2):
        raise GraphError(
            f"node '{function.__name__}': a thin node runs at every frame and takes a picture and "
            "what is done to it"
        )

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        graph = _graph_of(args, kwargs)
        if graph is None:
            return function(*args, **kwargs)
        return graph.record(specification, None, args, kwargs)

    return call


def _decorate_class(owner: type, every: int, heavy: bool) -> type:
    for method in ("__call__", "reset"):
        # Not getattr: every class is itself callable, through its metaclass.
        if not any(method in base.__dict__ for base in owner.__mro__):
            raise GraphError(
                f"node class '{owner.__name__}' needs a method {method}; "
                "a node that remembers nothing is a function"
            )
    construct: Callable[..., None] = owner.__init__  # type: ignore[misc]
    function: Callable[..., Any] = owner.__call__
    specification = _specify(snake_case(owner.__name__), function, every, heavy, owner)

    @functools.wraps(construct)
    def initialise(self: Any, *args: Any, **kwargs: Any) -> None:
        if type(self) is owner:  # a subclass that is itself a node has recorded its own
            self.__dict__["_construction"] = (args, kwargs)
        construct(self, *args, **kwargs)

    @functools.wraps(function)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        graph = _graph_of(args, kwargs)
        if graph is not None:
            return graph.record(specification, self, args, kwargs)
        value = function(self, *args, **kwargs)
        if value is UNCHANGED:
            return self.__dict__["_last"]
        self.__dict__["_last"] = value
        return value

    owner.__init__ = initialise  # type: ignore[misc]
    owner.__call__ = call  # type: ignore[method-assign]
    return owner


def _specify(
    name: str,
    function: Callable[..., Any],
    every: int,
    heavy: bool,
    owner: type | None,
    thin: bool = False,
) -> NodeSpecification:
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())
    if owner is not None:
        parameters = parameters[1:]
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise GraphError(
                f"node '{name}': argument '*{parameter.name}' cannot be checked; name each argument"
            )
    pools = [p.name for p in parameters if p.annotation in (Pool, "Pool")]
    paces = [p.name for p in parameters if p.annotation in (Pace, "Pace")]
    following = [p.name for p in parameters if str(p.annotation).startswith("Following[")]
    return NodeSpecification(
        name=name,
        function=function,
        every=every,
        heavy=heavy,
        owner=owner,
        thin=thin,
        pool_argument=pools[0] if pools else None,
        pace_argument=paces[0] if paces else None,
        following_argument=following[0] if following else None,
        signature=signature.replace(parameters=parameters),
    )


def _graph_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Graph | None:
    for argument in args:
        if type(argument) is Port:
            return argument.graph
    for argument in kwargs.values():
        if type(argument) is Port:
            return argument.graph
    return None


def snake_case(name: str) -> str:
    """`SmoothMask` becomes `smooth_mask`, `LUT3D` becomes `lut3d`."""
    letters = []
    for index, letter in enumerate(name):
        starts_word = index > 0 and letter.isupper() and name[index - 1].islower()
        letters.append(f"_{letter.lower()}" if starts_word else letter.lower())
    return "".join(letters)
