"""Tables on the planes of a picture."""

from __future__ import annotations

import numpy as np
import pytest
from engine_nodes import make_frame

from pullfx.nodes.tone import Tables, composed, tone

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
