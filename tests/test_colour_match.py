"""The person's colours nearer to the background's: gently, steadily, and only where asked."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from made_frames import disc, frame_of, matte_of

from pullfx.effects import BackgroundReplacement, ShowMask
from pullfx.nodes import Colours, SteadyColours, matching_tables, tighten, tone
from pullfx.nodes.tone import Table, Tables
from pullfx.pipeline.frame import Frame, Range
from pullfx.pipeline.node import UNCHANGED
from pullfx.pipeline.pipeline import Pipeline
from pullfx.pipeline.sources import open_source

CODES = np.arange(256)
GREY = Colours((120.0, 128.0, 128.0), 40.0, Range.LIMITED)
colours = st.builds(
    lambda y, u, v, deviation: Colours((y, u, v), deviation, Range.FULL),
    *(st.floats(0, 255) for _ in range(3)),
    st.floats(0, 128),
)


def exact(table: Table | None) -> np.typing.NDArray[np.int64]:
    assert table is not None
    return table.astype(np.int64)


def picture(y: int, u: int = 128, v: int = 128) -> Frame:
    luma = np.full((180, 320), y, np.uint8)
    luma[::2] += 20
    return frame_of(luma, u, v)


def test_no_amount_is_no_table() -> None:
    assert matching_tables(GREY, Colours((20.0, 150.0, 90.0), 9.0, Range.LIMITED), 0.0) == Tables()


@given(colours, colours, st.floats(0.01, 1))
def test_light_and_colours_keep_their_order_and_their_bounds(
    seen: Colours, behind: Colours, amount: float
) -> None:
    y, u, v = map(exact, matching_tables(seen, behind, amount))
    assert (np.diff(y) >= 0).all()
    assert np.abs(y - CODES).max() <= 75 * amount + 1
    for table in (u, v):
        assert np.abs(table - CODES).max() <= round(10 * amount) + 1
        assert len(set((table - CODES)[20:236])) == 1


@given(colours, st.floats(0.01, 1))
def test_among_their_like_people_stay_as_they_are(seen: Colours, amount: float) -> None:
    for table in matching_tables(seen, seen, amount):
        np.testing.assert_array_equal(exact(table), CODES)


def test_limited_range_is_kept() -> None:
    bright = Colours((200.0, 128.0, 128.0), 90.0, Range.LIMITED)
    y = exact(matching_tables(GREY, bright, 1.0).y)
    assert (y[16], y[235]) == (16, 235)


@pytest.mark.parametrize(
    ("behind", "expected"),
    [((40, 128, 128), (-1, 0, 0)), ((210, 128, 128), (1, 0, 0)), ((120, 150, 110), (0, 1, -1))],
)
def test_each_moves_towards_the_background(
    behind: tuple[int, int, int], expected: tuple[int, int, int]
) -> None:
    frame = picture(120)
    seen, there = SteadyColours()(frame, 0.5), SteadyColours()(picture(*behind), 0.5)
    out = tone(frame, matching_tables(seen, there, 0.5))
    for before, after, sign in zip(frame.planes, out.planes, expected, strict=True):
        change = float(after.mean()) - float(before.mean())
        assert np.sign(np.round(change / 2)) == sign


def test_colours_are_steady() -> None:
    steady = SteadyColours()
    first = steady(picture(120), 1.0)
    # A little noise in the light changes nothing at all.
    assert SteadyColours.__call__.__wrapped__(steady, picture(120, 128, 128), 1.0) is UNCHANGED  # type: ignore[attr-defined]
    path = [first.means[0], *(steady(picture(180), 1.0).means[0] for _ in range(90))]
    steps = np.diff(path)
    assert (steps >= 0).all()
    assert steps.max() < 5
    assert path[10] > path[0] + 25
    assert abs(path[-1] - 190) <= 1


def test_after_a_rest_colours_are_there_at_once() -> None:
    steady = SteadyColours()
    steady(picture(40), 1.0)
    steady.reset()
    assert steady(picture(200), 1.0).means[0] == 210


def test_without_an_amount_nothing_is_looked_at() -> None:
    steady = SteadyColours()
    assert steady(picture(40), 0.0) == steady(picture(200), 0.0)


def test_the_person_changes_and_the_background_does_not(media: object) -> None:
    with open_source(f"{media}/video/lp_s18_desk_1280x720.mp4") as source:
        frame = next(source.frames())
    mask = Pipeline([ShowMask()]).process(frame, strict=True).y
    outs = {}
    for background in ("#0a0a20", "green"):
        for amount in (0.0, 0.5):
            pipe = Pipeline([BackgroundReplacement(background=background, colour_match=amount)])
            outs[background, amount] = pipe.process(frame, strict=True).y.astype(int)
    change = outs["#0a0a20", 0.5] - outs["#0a0a20", 0.0]
    assert -30 < change[mask == 235].mean() < -8
    assert change[mask == 16].any() == 0
    np.testing.assert_array_equal(outs["green", 0.5], outs["green", 0.0])


@pytest.mark.parametrize("kind", ["light_wrap", "colour_match"])
def test_a_green_screen_takes_no_light(kind: str) -> None:
    shape = disc(320, 180)
    frame = frame_of(np.where(shape == 1, 40, 200).astype(np.uint8))
    plain, lit = (
        Pipeline([BackgroundReplacement(background="#0f0", **{kind: amount})])  # type: ignore[arg-type]
        for amount in (0.0, 1.0)
    )
    np.testing.assert_array_equal(plain.process(frame).y, lit.process(frame).y)


def test_tightening_takes_haze_and_nothing_of_the_person() -> None:
    matte = matte_of(disc(320, 180))
    np.testing.assert_array_equal(tighten(matte)[matte == 255], 255)
    ramp = np.arange(256, dtype=np.uint8).reshape(16, 16)
    tight = tighten(ramp)  # type: ignore[arg-type]
    assert (tight <= ramp).all()
    assert (tight[ramp <= 50] == 0).all()
    assert (np.diff(tight.reshape(-1).astype(int)) >= 0).all()
    assert tight[-1, -1] == 255
