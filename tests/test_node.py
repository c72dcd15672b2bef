"""`@node`: eager and recorded calls, sharing, and what is refused while recording."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from engine_nodes import RunningSum, WhenChanged, add, double, make_frame, mean_luma

from pullfx.errors import GraphError
from pullfx.nodes.types import Image, Mask
from pullfx.pipeline.assignable import assignable
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.graph import Graph
from pullfx.pipeline.node import Port, node, snake_case


@pytest.fixture
def graph() -> Graph:
    return Graph()


@pytest.fixture
def frame(graph: Graph) -> Any:
    return graph.input("frame", Frame)


def test_called_with_values_a_node_just_runs() -> None:
    frame = make_frame(100)
    assert mean_luma(frame) == frame.y.mean()
    assert add(frame, 0.0, 5).y[1, 0] == 105


def test_an_eager_node_class_keeps_its_value_when_it_says_unchanged() -> None:
    changed = WhenChanged()
    assert [changed(make_frame(value)) for value in (4, 4, 5, 5)] == [4, 4, 5, 5]


def test_identical_calls_are_one_node(graph: Graph, frame: Any) -> None:
    first: Any = add(frame, mean_luma(frame), 3)
    second: Any = add(frame, mean_luma(frame), 3)
    assert isinstance(first, Port)
    assert first.source is second.source
    assert len(graph.structure) == 3


@pytest.mark.parametrize("other", [3, 3.0])
def test_other_arguments_are_another_node(graph: Graph, frame: Any, other: Any) -> None:
    @node
    def scale(frame: Frame, by: float) -> Frame:
        return frame

    assert scale(frame, 2).source is not scale(frame, other).source  # type: ignore[attr-defined]


def test_equal_values_of_other_types_are_not_the_same(frame: Any) -> None:
    @node
    def scale(frame: Frame, by: float) -> Frame:
        return frame

    assert scale(frame, 1).source is not scale(frame, 1.0).source  # type: ignore[attr-defined]


def test_node_classes_are_shared_by_construction(frame: Any) -> None:
    mean = mean_luma(frame)
    first: Any = RunningSum()(mean)
    second: Any = RunningSum()(mean)
    other: Any = RunningSum(1.0)(mean)
    assert first.source is second.source
    assert first.source is not other.source


def test_an_instance_serves_one_graph_only() -> None:
    total = RunningSum()
    places = []
    for _ in range(2):
        graph = Graph()
        port: Any = total(mean_luma(graph.input("frame", Frame)))  # type: ignore[arg-type]
        places.append(port.source.instance)
    assert places[0] is not places[1]


def test_arrays_are_told_apart_by_identity(frame: Any) -> None:
    @node
    def shade(frame: Frame, table: np.ndarray[Any, Any]) -> Frame:
        return frame

    table = np.zeros(256, np.uint8)
    first: Any = shade(frame, table)
    second: Any = shade(frame, table)
    copy: Any = shade(frame, table.copy())
    assert first.source is second.source is not copy.source


def test_calls_without_ports_run_at_once(frame: Any) -> None:
    assert double(4) == 8


@pytest.mark.parametrize(
    ("wire", "message"),
    [
        (lambda frame: add(mean_luma(frame), 0.0, 1), "'add': argument 'frame' takes Frame"),  # type: ignore[arg-type]
        (lambda frame: add(frame, 0.0), "'add': missing a required argument: 'amount'"),  # type: ignore[call-arg]
        (
            lambda frame: add(frame, 0.0, "much"),  # type: ignore[arg-type]
            "argument 'amount' takes int, but was given 'much'",
        ),
        (lambda frame: add(frame, frame, 1), "'mean' takes float, but 'frame' gives Frame"),
        (lambda frame: mean_luma(frame, why=1), "unexpected keyword argument 'why'"),  # type: ignore[call-arg]
        (lambda frame: frame.y, "'frame' is not known while the graph is being recorded"),
        (bool, "not known while the graph is being recorded"),
        (lambda frame: mean_luma(frame) > 3, "'mean_luma' is not known"),
        (np.asarray, "not known while the graph is being recorded"),
        (lambda frame: add(Graph().input("x", Frame), mean_luma(frame), 1), "another graph"),  # type: ignore[arg-type]
    ],
)
def test_wrong_wiring_names_node_and_argument(
    frame: Any, wire: Callable[[Any], object], message: str
) -> None:
    with pytest.raises(GraphError) as caught:
        wire(frame)
    assert message in str(caught.value)


def test_a_cycle_names_node_and_argument(graph: Graph, frame: Any) -> None:
    mean: Any = mean_luma(frame)
    out: Any = add(frame, mean, 1)
    with pytest.raises(GraphError, match="'mean_luma': argument 'frame' cannot come from 'add'"):
        graph.connect(out.source, mean.source, "frame")


def test_connect_replaces_what_fed_the_argument(graph: Graph, frame: Any) -> None:
    mean: Any = mean_luma(frame)
    other: Any = graph.input("other", Frame)
    graph.connect(other.source, mean.source, "frame")
    assert list(graph.structure.predecessors(mean.source)) == [other.source]


@pytest.mark.parametrize(
    ("define", "message"),
    [
        (lambda: node(every=0), "every must be 1 or more"),
        (lambda: node(type("NoCall", (), {"reset": print})), "needs a method __call__"),
        (lambda: node(type("NoReset", (), {"__call__": print})), "needs a method reset"),
        (lambda: node(lambda *values: values), "argument '\\*values' cannot be checked"),
    ],
)
def test_what_cannot_be_a_node(define: Callable[[], object], message: str) -> None:
    with pytest.raises(GraphError, match=message):
        define()


def test_an_annotation_that_does_not_exist_is_named(frame: Any) -> None:
    @node
    def lost(frame: Nowhere) -> Frame:  # type: ignore[name-defined]  # noqa: F821
        raise NotImplementedError

    with pytest.raises(GraphError, match="'lost': annotation cannot be resolved"):
        lost(frame)


@pytest.mark.parametrize(
    ("given", "wanted", "expected"),
    [
        (int, float, True),
        (float, int, False),
        (bool, int, True),
        (Any, int, True),
        (Frame, Any, True),
        (Mask, Image, False),
        (Mask, Mask, True),
        (Mask, np.ndarray, True),
        (np.ndarray, Mask, False),
        (int, int | None, True),
        (int | None, int, False),
        (None, int | None, True),
        (list[int], list[int], True),
        (list[int], list[str], False),
        (list[int], list, True),
        (Frame, object, True),
    ],
)
def test_assignable(given: Any, wanted: Any, expected: bool) -> None:
    assert assignable(given, wanted) is expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [("SmoothMask", "smooth_mask"), ("LUT3D", "lut3d"), ("Blur", "blur"), ("already", "already")],
)
def test_snake_case(name: str, expected: str) -> None:
    assert snake_case(name) == expected
