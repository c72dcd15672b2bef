"""Thin nodes run within the fat node before them where nobody reads the picture between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NewType

import numpy as np
import pytest
from engine_nodes import make_frame, mean_luma
from numpy.typing import NDArray

from pullfx.errors import GraphError, NodeError
from pullfx.pipeline.effect import Effect, parameter
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.node import Following, node
from pullfx.pipeline.pipeline import Pipeline
from pullfx.pipeline.pool import HEAP, Pool

Table = NewType("Table", NDArray[np.uint8])
calls: Counter[str] = Counter()
broken: set[str] = set()


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    calls.clear()
    broken.clear()
    yield
    broken.clear()


def note(name: str) -> None:
    calls[name] += 1
    if name in broken:
        raise RuntimeError(f"{name} is broken by the test")


def copied(frame: Frame, pool: Pool) -> Frame:
    out = pool.frame(frame)
    for target, plane in zip(out.planes, frame.planes, strict=True):
        target[...] = plane
    return out


@node
def table_of(amount: int) -> Table:
    return Table(((np.arange(256) * 3 + amount) % 256).astype(np.uint8))


@node
def halved(frame: Frame, following: Following[Table] = (), pool: Pool = HEAP) -> Frame:
    """Fat: luma halved."""
    note("halved")
    out = copied(frame, pool)
    out.y[...] = frame.y // 2
    for table in following:
        note("within")
        out.y[...] = table[out.y]
    return out


@node(thin=True)
def tone(frame: Frame, table: Table, following: Following[Table] = (), pool: Pool = HEAP) -> Frame:
    """Thin: luma through a table."""
    note("tone")
    out = copied(frame, pool)
    for each in (table, *following):
        out.y[...] = each[out.y]
    return out


@node(thin=True)
def brighten(frame: Frame, amount: int, pool: Pool = HEAP) -> Frame:
    """Thin, but what it does is no table."""
    note("brighten")
    out = copied(frame, pool)
    out.y[...] += np.uint8(amount)
    return out


@node
def mixed(frame: Frame, other: Frame, pool: Pool = HEAP) -> Frame:
    """Reads two pictures."""
    out = pool.frame(frame)
    out.y[...] = frame.y // 2 + other.y // 2
    return out


class Fat(Effect):
    def build(self, frame: Frame, original: Frame) -> Frame:
        return halved(frame)


class Tone(Effect):
    amount: int = parameter(default=7, minimum=0, maximum=255)

    def build(self, frame: Frame, original: Frame) -> Frame:
        return tone(frame, table_of(self.amount))


class Brighten(Effect):
    def build(self, frame: Frame, original: Frame) -> Frame:
        return brighten(frame, 5)


class Mixed(Effect):
    def build(self, frame: Frame, original: Frame) -> Frame:
        return mixed(tone(frame, table_of(1)), frame)


def expected(frame: Frame, *amounts: int) -> NDArray[np.uint8]:
    luma = frame.y // 2
    for amount in amounts:
        luma = np.asarray(table_of(amount))[luma]
    return luma


@pytest.mark.parametrize("threads", [1, 2])
def test_one_pass_for_a_fat_and_any_number_of_thin_ones(threads: int) -> None:
    frame = make_frame()
    with Pipeline([Fat(), Tone(), Tone(name="again", amount=90)], threads=threads) as pipe:
        for _ in range(3):
            np.testing.assert_array_equal(pipe.process(frame).y, expected(frame, 7, 90))
    assert calls == {"halved": 3, "within": 6}


def test_thin_ones_alone_are_one_pass_too() -> None:
    frame = make_frame()
    pipe = Pipeline([Tone(), Tone(name="again", amount=90)])
    table = np.asarray(table_of(90))[np.asarray(table_of(7))]
    np.testing.assert_array_equal(pipe.process(frame).y, table[frame.y])
    assert calls == {"tone": 1}


def test_switches_and_parameters_work_as_ever() -> None:
    frame = make_frame()
    pipe = Pipeline([Fat(), Tone()])
    np.testing.assert_array_equal(pipe.process(frame).y, expected(frame, 7))
    pipe.set("tone", amount=90)
    np.testing.assert_array_equal(pipe.process(frame).y, expected(frame, 90))
    pipe.disable("tone")
    np.testing.assert_array_equal(pipe.process(frame).y, expected(frame))
    pipe.enable("tone")
    pipe.disable("fat")
    np.testing.assert_array_equal(pipe.process(frame).y, np.asarray(table_of(90))[frame.y])
    pipe.enable("fat")
    np.testing.assert_array_equal(pipe.process(frame).y, expected(frame, 90))
    assert calls == {"halved": 4, "within": 3, "tone": 1}


@pytest.mark.parametrize(
    ("effects", "counted"),
    [
        ([Fat(), Brighten()], {"halved": 1, "brighten": 1}),  # takes no such change
        ([Fat(), Mixed()], {"halved": 1, "tone": 1}),  # the picture between is read twice
        ([Mixed(), Tone()], {"tone": 2}),  # what is before is neither fat nor thin
    ],
)
def test_apart_where_it_has_to_be(effects: list[Effect], counted: dict[str, int]) -> None:
    Pipeline(effects).process(make_frame())
    assert calls == counted


def test_one_that_fails_is_told_from_the_other(caplog: pytest.LogCaptureFixture) -> None:
    frame = make_frame()
    errors: list[NodeError] = []
    pipe = Pipeline([Fat(), Tone()], on_error=errors.append)
    broken.update({"within", "tone"})
    np.testing.assert_array_equal(pipe.process(frame).y, expected(frame))
    assert [error.node for error in errors] == ["tone"]
    assert "no longer runs within the node before it" in caplog.text


def test_when_only_the_pass_for_both_fails_both_go_on() -> None:
    frame = make_frame()
    errors: list[NodeError] = []
    pipe = Pipeline([Fat(), Tone()], on_error=errors.append)
    broken.add("within")
    for _ in range(2):
        np.testing.assert_array_equal(pipe.process(frame).y, expected(frame, 7))
    assert not errors
    assert calls == {"halved": 3, "within": 1, "tone": 2}


def test_the_fat_one_that_fails_is_told_too() -> None:
    frame = make_frame()
    errors: list[NodeError] = []
    pipe = Pipeline([Fat(), Tone()], on_error=errors.append)
    broken.add("halved")
    np.testing.assert_array_equal(pipe.process(frame).y, np.asarray(table_of(7))[frame.y])
    assert [error.node for error in errors] == ["halved"]


def test_a_thin_node_that_cannot_be_one_is_refused() -> None:
    with pytest.raises(GraphError, match="a thin node runs at every frame and takes a picture"):
        node(thin=True)(lambda frame: frame)
    with pytest.raises(GraphError, match="cannot be thin; use a function"):

        @node(thin=True)
        class Remembering:
            def __call__(self, frame: Frame, table: Table) -> Frame:
                return frame

            def reset(self) -> None:
                pass


def test_a_heavy_node_that_makes_the_change_is_waited_for() -> None:
    @node
    def table_from(mean: float) -> Table:
        return table_of(int(mean) % 7)

    class Measured(Effect):
        def build(self, frame: Frame, original: Frame) -> Frame:
            return tone(frame, table_from(mean_luma(original)))

    frame = make_frame(50)
    with Pipeline([Fat(), Measured()], threads=2) as pipe:
        for _ in range(5):
            amount = int(frame.y.mean()) % 7
            np.testing.assert_array_equal(pipe.process(frame).y, expected(frame, amount))
