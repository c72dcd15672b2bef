"""Nodes that are told whether a frame may wait, and nodes that are closed with the pipeline."""

from __future__ import annotations

import pytest
from engine_nodes import make_frame

from pullfx.pipeline.effect import Effect
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.node import node
from pullfx.pipeline.pace import Pace
from pullfx.pipeline.pipeline import Pipeline

seen: list[Pace] = []
closed: list[str] = []


@node
def look(frame: Frame, pace: Pace = Pace.EXACT) -> Frame:
    seen.append(pace)
    return frame.replace()


@node
class Hold:
    def __call__(self, frame: Frame) -> Frame:
        return frame.replace()

    def reset(self) -> None:
        pass

    def close(self) -> None:
        closed.append("hold")


class Watch(Effect):
    def build(self, frame: Frame, original: Frame) -> Frame:
        return Hold()(look(frame))


@pytest.mark.parametrize("threads", [1, 2])
def test_files_wait_and_live_frames_do_not(threads: int) -> None:
    seen.clear()
    with Pipeline([Watch()], threads=threads) as pipe:
        for strict in (True, False, True):
            pipe.process(make_frame(), strict=strict)
    assert seen == [Pace.EXACT, Pace.LIVE, Pace.EXACT]


@pytest.mark.parametrize("threads", [1, 2])
def test_a_closed_pipeline_closes_its_nodes(threads: int) -> None:
    closed.clear()
    with Pipeline([Watch()], threads=threads) as pipe:
        pipe.process(make_frame())
        assert closed == []
    assert closed == ["hold"]


def test_called_directly_a_node_waits() -> None:
    seen.clear()
    look(make_frame())
    assert seen == [Pace.EXACT]
