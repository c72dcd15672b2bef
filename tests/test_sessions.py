"""Streams side by side: what does not change is shared, what a stream remembers is its own."""

from __future__ import annotations

import threading
from itertools import islice

import numpy as np
import pytest
from engine_nodes import Brighten, Invert, make_frame

from pullfx.effects import BackgroundBlur, Beautify
from pullfx.nodes import Segment
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.pipeline import Pipeline
from pullfx.pipeline.sources import open_source

FRAMES = 12


@pytest.fixture(scope="module")
def frames() -> list[Frame]:
    with open_source("sample") as source:
        return list(islice(source.frames(), FRAMES))


def shown(pipe: Pipeline, frames: list[Frame]) -> list[bytes]:
    out = (pipe.process(frame, strict=True) for frame in frames)
    return [b"".join(plane.tobytes() for plane in frame.planes) for frame in out]


def test_a_session_begins_as_the_pipeline_stands() -> None:
    pipe = Pipeline([Brighten(), Invert()], quality="low")
    pipe.disable("invert")
    pipe.set("brighten", amount=7)
    with pipe.session() as session:
        assert session.active == {"brighten"}
        assert session.quality == pipe.quality
        assert session.get("brighten") == {"amount": 7}
        assert session.process(make_frame(100)).y[1, 0] == 107


def test_what_is_switched_in_one_stays_in_the_others() -> None:
    pipe = Pipeline([Brighten(), Invert()], active=())
    one, other = pipe.session(), pipe.session()
    one.enable("brighten")
    one.set("brighten", amount=9)
    assert not pipe.active
    assert not other.active
    assert other.get("brighten") == pipe.get("brighten") != one.get("brighten")


def test_weights_are_loaded_once() -> None:
    pipe = Pipeline([BackgroundBlur()])
    segments = [
        place.instance
        for each in (pipe, pipe.session(), pipe.session().session())
        for place in each._executor.places.values()
        if isinstance(place.instance, Segment)
    ]
    assert len(set(map(id, segments))) == len(segments) >= 3
    assert len({id(network) for one in segments for network in one._networks.values()}) == len(
        segments[0]._networks
    )


def test_streams_side_by_side_are_as_each_alone(frames: list[Frame]) -> None:
    pipe = Pipeline([BackgroundBlur(), Beautify()])
    parts = [frames, frames[::-1], frames[4:] + frames[:4], [frames[3]] * FRAMES]
    alone = [shown(pipe.session(), part) for part in parts]
    together: list[list[bytes]] = [[] for _ in parts]

    def run(number: int) -> None:
        together[number] = shown(pipe.session(), parts[number])

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(parts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == alone


def test_a_closed_session_leaves_the_others_at_work(frames: list[Frame]) -> None:
    pipe = Pipeline([BackgroundBlur()])
    before = shown(pipe.session(), frames[:3])
    with pipe.session() as session:
        shown(session, frames[:3])
    assert shown(pipe, frames[:3]) == before
    assert np.any(pipe.process(frames[0]).y != frames[0].y)
