"""`Pipeline`: toggles and parameters from any thread, failures, threads, memory, statistics."""

from __future__ import annotations

import json
import logging
import random
import threading
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from engine_nodes import Brighten, Decorate, Hide, Invert, Summed, broken, calls, make_frame

from pullfx.errors import FrameError, GraphError, NodeError, ParameterError
from pullfx.pipeline.effect import Effect, parameter
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.node import node
from pullfx.pipeline.pipeline import Pipeline

RAW, HIDDEN, GREY = 100, 7, 128


@pytest.fixture(autouse=True)
def healthy() -> Iterator[None]:
    calls.clear()
    broken.clear()
    yield
    broken.clear()


def pixels(frame: Frame) -> bytes:
    return b"".join(plane.tobytes() for plane in frame.planes)


def test_random_toggles_from_a_second_thread_change_no_pixel() -> None:
    names = ("brighten", "invert")
    frames = [make_frame(value) for value in (10, 100, 200)]
    subsets = [set(chosen) for size in range(3) for chosen in combinations(names, size)]
    expected = {
        (index, frozenset(chosen)): pixels(
            Pipeline([Brighten(), Invert()], active=chosen).process(frame)
        )
        for index, frame in enumerate(frames)
        for chosen in subsets
    }
    pipe = Pipeline([Brighten(), Invert()])
    choose = random.Random(1)
    toggle, toggled = threading.Semaphore(0), threading.Semaphore(0)

    def second_thread() -> None:
        for _ in range(10_000):
            toggle.acquire()
            pipe.toggle(*choose.sample(names, choose.randint(1, 2)))
            toggled.release()

    thread = threading.Thread(target=second_thread)
    thread.start()
    for step in range(10_000):
        toggle.release()
        toggled.acquire()
        index = step % len(frames)
        assert pixels(pipe.process(frames[index])) == expected[index, pipe.active]
    thread.join()
    assert pipe.stats().failures == {}


def test_toggles_that_race_with_frames_give_one_set_or_another() -> None:
    frame = make_frame(100)
    subsets = [
        set(chosen) for size in range(3) for chosen in combinations(("brighten", "invert"), size)
    ]
    allowed = {
        pixels(Pipeline([Brighten(), Invert()], active=chosen).process(frame)) for chosen in subsets
    }
    pipe = Pipeline([Brighten(), Invert()])
    stop = threading.Event()

    def second_thread() -> None:
        while not stop.is_set():
            pipe.toggle("brighten")
            pipe.toggle("invert")
            pipe.stats()

    thread = threading.Thread(target=second_thread)
    thread.start()
    try:
        assert {pixels(pipe.process(frame)) for _ in range(2000)} <= allowed
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_no_pixel(threads: int) -> None:
    effects = [Brighten(), Summed(), Invert()]
    with Pipeline(effects) as alone, Pipeline(effects, threads=threads) as side_by_side:
        for step in range(50):
            if step % 7 == 3:
                alone.toggle("summed")
                side_by_side.toggle("summed")
            frame = make_frame(step)
            assert pixels(side_by_side.process(frame)) == pixels(alone.process(frame))


def test_heavy_nodes_run_side_by_side() -> None:
    meet = threading.Barrier(2, timeout=5)

    @node(heavy=True)
    def left(frame: Frame) -> int:
        meet.wait()
        return 1

    @node(heavy=True)
    def right(frame: Frame) -> int:
        meet.wait()
        return 2

    @node
    def join(frame: Frame, first: int, second: int) -> Frame:
        return frame

    class Both(Effect):
        def build(self, frame: Frame, original: Frame) -> Frame:
            return join(frame, left(original), right(original))

    with Pipeline([Both()], threads=3) as pipe:
        pipe.process(make_frame(), strict=True)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_effect_that_hides_fails_closed(threads: int) -> None:
    errors: list[NodeError] = []
    with Pipeline([Hide()], on_error=errors.append, threads=threads) as pipe:
        broken.add("fragile")
        for _ in range(3):
            assert (pipe.process(make_frame(RAW)).y == HIDDEN).all()
        broken.add("fragile_fallback")
        assert (pipe.process(make_frame(RAW)).y == GREY).all()
        broken.clear()
        assert (pipe.process(make_frame(RAW)).y == HIDDEN).all()
        assert pipe.stats().failures == {"hide": 4}
    assert [error.node for error in errors] == ["fragile"]
    assert errors[0].effects == ("hide",)
    assert "out of luck" in str(errors[0])


def test_a_cosmetic_effect_that_fails_is_skipped_and_reported_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    pipe = Pipeline([Brighten(), Decorate(), Invert()])
    expected = pixels(Pipeline([Brighten(), Invert()]).process(make_frame(RAW)))
    broken.add("fragile")
    with caplog.at_level(logging.INFO, "pullfx"):
        for _ in range(3):
            assert pixels(pipe.process(make_frame(RAW))) == expected
        broken.clear()
        pipe.process(make_frame(RAW))
    messages = [record.getMessage() for record in caplog.records]
    assert messages == [
        "node 'fragile' of decorate failed: out of luck",
        "effect 'decorate' works again",
    ]
    assert pipe.stats().failures == {"decorate": 3}


def test_after_a_failure_what_has_run_is_not_run_again() -> None:
    pipe = Pipeline([Summed(), Decorate()])
    broken.add("fragile")
    for _ in range(3):
        pipe.process(make_frame(RAW))
    assert calls["mean_luma"] == calls["running_sum"] == calls["add"] == 3


def test_a_shared_node_that_fails_takes_all_its_effects_with_it() -> None:
    class HideToo(Hide):
        """A second effect that needs the same node."""

    pipe = Pipeline([Hide(), HideToo()])
    broken.add("fragile")
    out = pipe.process(make_frame(RAW))
    assert (out.y == HIDDEN).all()
    assert pipe.stats().failures["hide"] == 1


def test_strict_raises_and_names_the_node() -> None:
    pipe = Pipeline([Brighten(), Hide()])
    broken.add("fragile")
    with pytest.raises(NodeError, match="node 'fragile' of hide failed: out of luck") as caught:
        pipe.process(make_frame(RAW), strict=True)
    assert isinstance(caught.value.__cause__, RuntimeError)
    broken.clear()
    assert (pipe.process(make_frame(RAW), strict=True).y == HIDDEN).all()


@pytest.mark.parametrize(
    ("rubbish", "message"),
    [
        (None, "must end in a Frame"),
        (np.zeros((16, 32), np.uint8), "must end in a Frame"),
        (make_frame(width=30), "must keep the frame's shape"),
    ],
)
def test_rubbish_from_an_effect_never_gets_out(rubbish: Any, message: str) -> None:
    @node
    def rubbish_node(frame: Frame) -> Frame:
        return rubbish  # type: ignore[no-any-return]

    class Rubbish(Effect):
        fails_closed = True

        def build(self, frame: Frame, original: Frame) -> Frame:
            return rubbish_node(frame)

    errors: list[NodeError] = []
    out = Pipeline([Rubbish()], on_error=errors.append).process(make_frame(RAW))
    assert (out.y == GREY).all()
    assert message in str(errors[0])


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Pipeline([Brighten(), Brighten()]), ParameterError, "two effects are called"),
        (lambda: Pipeline([Brighten()], active=["blur"]), ParameterError, "it has brighten"),
        (lambda: Pipeline([Brighten()], threads=0), ParameterError, "threads must be 1 or more"),
        (lambda: Pipeline(["brighten"]), GraphError, "made of effects"),  # type: ignore[list-item]
        (lambda: Brighten(amount=51), ParameterError, "'amount' must be 0 to 50, but is 51"),
        (lambda: Brighten(amount="x"), ParameterError, "must be int, but is 'x'"),  # type: ignore[arg-type]
        (lambda: Brighten(amount=True), ParameterError, "must be int, but is True"),
    ],
)
def test_what_cannot_be_made(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize(
    ("effect", "values", "message"),
    [
        ("brighten", {"amount": 51}, "must be 0 to 50"),
        ("brighten", {"size": 1}, "has no parameter 'size'; it has amount"),
        ("blur", {"amount": 1}, "there is no effect 'blur'"),
        ("brighten", {"amount": 5, "size": 1}, "has no parameter 'size'"),
    ],
)
def test_a_refused_set_changes_nothing(effect: str, values: dict[str, Any], message: str) -> None:
    pipe = Pipeline([Brighten()])
    with pytest.raises(ParameterError, match=message):
        pipe.set(effect, **values)
    assert pipe.get("brighten") == {"amount": 10}


def test_an_option_is_chosen_when_the_effect_is_made() -> None:
    class WithModel(Effect):
        model: str = parameter(default="small", choices=("small", "large"), live=False)

        def build(self, frame: Frame, original: Frame) -> Frame:
            assert self.model == "large"
            return frame

    pipe = Pipeline([WithModel(model="large")])
    with pytest.raises(ParameterError, match="make a new pipeline"):
        pipe.set("with_model", model="small")
    with pytest.raises(ParameterError, match="must be one of small, large"):
        WithModel(model="huge")


@pytest.mark.parametrize(("text", "expected"), [("7", 7), ("50", 50)])
def test_parameters_are_parsed_from_text(text: str, expected: int) -> None:
    assert Brighten.parameters()["amount"].parse("brighten", text) == expected


@pytest.mark.parametrize("text", ["", "many", "1.5", "nan", "51"])
def test_text_that_is_no_value(text: str) -> None:
    with pytest.raises(ParameterError, match="brighten: parameter 'amount' must be"):
        Brighten.parameters()["amount"].parse("brighten", text)


def test_nan_is_out_of_every_range() -> None:
    class Level(Effect):
        level: float = parameter(default=0.5, minimum=0.0, maximum=1.0)

        def build(self, frame: Frame, original: Frame) -> Frame:
            return frame

    with pytest.raises(ParameterError, match="must be 0 to 1, but is nan"):
        Level(level=float("nan"))


def test_an_effect_must_return_what_nodes_made() -> None:
    class Careless(Effect):
        def build(self, frame: Frame, original: Frame) -> Frame:
            return make_frame()

    with pytest.raises(GraphError, match="effect 'careless' must return a frame made by nodes"):
        Pipeline([Careless()])


@pytest.mark.parametrize(
    "value", [None, "frame", 3, np.zeros((4, 4)), np.zeros((0, 4, 3), np.uint8)]
)
def test_what_is_no_picture(value: Any) -> None:
    with pytest.raises(FrameError):
        Pipeline([Brighten()]).process(value)


def test_out_comes_the_kind_that_went_in() -> None:
    pipe = Pipeline([Brighten()])
    array = np.full((16, 32, 3), 90, np.uint8)
    assert isinstance(pipe.process(array), np.ndarray)
    assert pipe.process(array).shape == array.shape
    assert isinstance(pipe.process(make_frame()), Frame)
    picture = av.VideoFrame(32, 16, "yuv420p")
    for plane in picture.planes:
        plane.update(bytes([90]) * plane.buffer_size)
    picture.pts = 5
    out = pipe.process(picture)
    assert isinstance(out, av.VideoFrame)
    assert out is not picture
    assert out.pts == 5


def test_steady_state_allocates_nothing() -> None:
    pipe = Pipeline([Brighten(), Invert()])
    frame = make_frame(width=640, height=360)
    for _ in range(10):
        pipe.process(frame)
    before = pipe.stats()
    for _ in range(200):
        pipe.process(frame)
    after = pipe.stats()
    assert after.allocations == before.allocations
    assert after.bytes == before.bytes


def test_a_frame_that_the_app_keeps_is_never_written_over() -> None:
    pipe = Pipeline([Brighten()])
    kept = [pipe.process(make_frame(value)) for value in range(40)]
    assert [int(frame.y[1, 0]) for frame in kept] == [value + 10 for value in range(40)]


def test_the_trace_opens_in_a_viewer(tmp_path: Path) -> None:
    pipe = Pipeline([Brighten()])
    with pipe.trace(tmp_path / "trace.json"):
        pipe.process(make_frame())
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert [event["name"] for event in events] == ["mean_luma", "add"]
    assert all(event["ph"] == "X" and event["dur"] >= 0 for event in events)
    assert events[1]["ts"] >= events[0]["ts"] + events[0]["dur"]


def test_the_picture_shows_what_is_pulled() -> None:
    pipe = Pipeline([Brighten(), Invert()], active=["brighten"])
    pipe.process(make_frame())
    mermaid, dot = pipe.graph(), pipe.graph("dot")
    assert ":::active" in next(line for line in mermaid.splitlines() if '"mean_luma' in line)
    assert ":::inactive" in next(line for line in mermaid.splitlines() if '["invert"]' in line)
    assert " ms" in next(line for line in dot.splitlines() if '"add' in line)
    assert "color=grey" in next(
        line for line in dot.splitlines() if 'label="invert", shape=box' in line
    )
    with pytest.raises(ParameterError, match="mermaid or dot"):
        pipe.graph("png")  # type: ignore[arg-type]


def test_stats_print_as_a_table() -> None:
    pipe = Pipeline([Brighten()])
    pipe.process(make_frame())
    text = str(pipe.stats())
    assert "mean_luma" in text
    assert "whole frame" in text
