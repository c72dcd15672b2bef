"""Tables on the planes of a picture."""

from __future__ import annotations

import numpy as np
import pytest
from engine_nodes import make_frame

from pullfx.effects import BackgroundBlur
from pullfx.nodes.tone import Tables, composed, tone
from pullfx.pipeline.effect import Effect
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.node import node
from pullfx.pipeline.pipeline import Pipeline

INVERTED = np.arange(255, -1, -1, dtype=np.uint8)
DARKER = (np.arange(256) * 2 // 3).astype(np.uint8)


@pytest.mark.parametrize(
    ("several", "code", "expected"),
    [
        ((Tables(y=DARKER),), 90, 60),
        ((Tables(y=DARKER), Tables(y=INVERTED)), 90, 195),
        ((Tables(y=INVERTED), Tables(y=DARKER)), 90, 110),
        ((Tables(y=DARKER), Tables(u=INVERTED), Tables(y=DARKER)), 90, 40),
        ((Tables(u=INVERTED),), 90, 90),
    ],
)
def test_tables_one_after_the_other(several: tuple[Tables, ...], code: int, expected: int) -> None:
    frame = make_frame(code)
    first, *following = several
    out = tone(frame, first, tuple(following))
    assert out.y[1, 0] == expected
    assert (out.v == frame.v).all()
    assert out.y is not frame.y


def test_planes_have_tables_of_their_own() -> None:
    frame = make_frame(90)
    out = tone(frame, Tables(None, INVERTED, DARKER))
    np.testing.assert_array_equal(out.y, frame.y)
    np.testing.assert_array_equal(out.u, 255 - frame.u)
    np.testing.assert_array_equal(out.v, DARKER[frame.v])


def test_no_tables_change_nothing() -> None:
    assert composed(()) == Tables()


def test_behind_a_composite_it_costs_no_pass_of_its_own() -> None:
    class Darker(Effect):
        def build(self, frame: Frame, original: Frame) -> Frame:
            return tone(frame, dark_tables(True))

    frame = make_frame(90, 128, 96)
    both = Pipeline([BackgroundBlur(), Darker()])
    apart = tone(Pipeline([BackgroundBlur()]).process(frame), Tables(y=DARKER))
    for got, expected in zip(both.process(frame).planes, apart.planes, strict=True):
        np.testing.assert_array_equal(got, expected)
    assert both.stats().node("composite").runs == 0
    assert both.stats().node("tone").runs == 1


@node
def dark_tables(dark: bool) -> Tables:
    return Tables(y=DARKER) if dark else Tables()
