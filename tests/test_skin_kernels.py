"""The skin kernels on every instruction set against their numpy references, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from pullfx import kernels
from pullfx.errors import KernelError
from pullfx.kernels import isa, reference, skin
from pullfx.kernels.composite import grid_shape

Plane = NDArray[np.uint8]

VARIANTS = [name for name in kernels.available_isas() if name != reference.name]
SIZES = [(1, 1), (1, 40), (5, 3), (16, 16), (17, 31), (33, 48), (40, 65)]

each_variant = pytest.mark.parametrize("variant", VARIANTS)


def noise(shape: tuple[int, ...], seed: int) -> Plane:
    return np.random.default_rng(seed).integers(0, 256, shape, np.uint8)


def islands(shape: tuple[int, ...], seed: int) -> Plane:
    """Weights that are nothing in places, all in others, and anything between."""
    values = 3 * noise(shape, seed).astype(int) - 255
    return values.clip(0, 255).astype(np.uint8)


def padded(plane: Plane) -> Plane:
    """In rows that are longer than the picture, at an odd address."""
    room = np.full((plane.shape[0], plane.shape[1] + 13), 99, np.uint8)
    room[:, 3 : 3 + plane.shape[1]] = plane
    return room[:, 3 : 3 + plane.shape[1]]


def check_soften(variant: str, plane: Plane, weight: Plane, *numbers: Any) -> None:
    expected = np.zeros_like(plane)
    reference.soften(plane, weight, expected, *numbers)
    got = padded(np.full_like(plane, 7))
    isa.implementations()[variant].soften(padded(plane), padded(weight), got, *numbers)
    np.testing.assert_array_equal(got, expected)


@each_variant
@pytest.mark.parametrize("radius", [1, 2, 3, 4, 7, 10])
@pytest.mark.parametrize("size", SIZES)
def test_soften(variant: str, size: tuple[int, int], radius: int) -> None:
    check_soften(variant, noise(size, 1), islands(size, 2), radius, 60.0, 8, 0.8)


@each_variant
@pytest.mark.parametrize("code", [0, 255])
@pytest.mark.parametrize("weight", [0, 1, 255])
def test_soften_at_the_ends_of_all_ranges(variant: str, code: int, weight: int) -> None:
    plane = np.full((30, 30), code, np.uint8)
    plane[::7] = 255 - code
    check_soften(variant, plane, np.full_like(plane, weight), 10, 1e-3, 31, 1.0)
    check_soften(variant, plane, np.full_like(plane, weight), 10, 1e9, 31, 1.0)


@each_variant
@settings(max_examples=40, deadline=None)
@given(
    height=st.integers(1, 40),
    width=st.integers(1, 70),
    radius=st.integers(1, skin.LARGEST_RADIUS),
    flatness=st.floats(0.0625, 1e6, width=32),
    limit=st.integers(1, skin.LARGEST_LIMIT),
    strength=st.floats(0, 1, width=32),
    seed=st.integers(0, 1000),
)
def test_soften_of_any_shape(
    variant: str,
    height: int,
    width: int,
    radius: int,
    flatness: float,
    limit: int,
    strength: float,
    seed: int,
) -> None:
    shape = (height, width)
    check_soften(
        variant, noise(shape, seed), islands(shape, seed), radius, flatness, limit, strength
    )


def check_retouch(
    variant: str, size: tuple[int, int], small: tuple[int, int], seed: int, *numbers: int
) -> None:
    half = grid_shape(small, 1)
    changes = tuple(noise(shape, seed + n) for n, shape in enumerate((small, half, half)))
    base, weight = noise(small, seed + 3), islands(small, seed + 4)
    chroma = grid_shape(size, 1)
    frame = tuple(noise(shape, seed + 5 + n) for n, shape in enumerate((size, chroma, chroma)))
    expected = tuple(plane.copy() for plane in frame)
    reference.retouch(changes, base, weight, expected, *numbers)  # type: ignore[arg-type]
    got = tuple(map(padded, frame))
    isa.implementations()[variant].retouch(
        tuple(map(padded, changes)),  # type: ignore[arg-type]
        padded(base),
        padded(weight),
        got,  # type: ignore[arg-type]
        *numbers,
    )
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_array_equal(one, other)
        assert one.base is not None
        outside = one.base[:, [0, 1, 2, -1]]
        assert (outside == 99).all()  # not a byte beyond the rows


@each_variant
@pytest.mark.parametrize("shift", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("small", [(1, 1), (2, 3), (5, 17), (9, 33)])
def test_retouch(variant: str, small: tuple[int, int], shift: int) -> None:
    check_retouch(variant, (83, 141), small, 1, 10, 6, shift, 20000, 12)


@each_variant
@settings(max_examples=40, deadline=None)
@given(
    size=st.tuples(st.integers(1, 60), st.integers(1, 90)),
    small=st.tuples(st.integers(1, 20), st.integers(1, 40)),
    place=st.tuples(st.floats(0, 0.99), st.floats(0, 0.99)),
    shift=st.integers(1, skin.LARGEST_SHIFT),
    detail=st.integers(0, skin.FINEST),
    limit=st.integers(1, skin.LARGEST_LIMIT),
    seed=st.integers(0, 1000),
)
def test_retouch_of_any_shape_at_any_place(
    variant: str,
    size: tuple[int, int],
    small: tuple[int, int],
    place: tuple[float, float],
    shift: int,
    detail: int,
    limit: int,
    seed: int,
) -> None:
    top, left = (int(part * side) // 2 * 2 for part, side in zip(place, size, strict=True))
    check_retouch(variant, size, small, seed, top, left, shift, detail, limit)


# -- what they mean -------------------------------------------------------------------------------


def test_what_has_no_weight_is_not_changed_and_changes_nothing() -> None:
    plane = noise((40, 40), 1)
    weight = np.zeros_like(plane)
    weight[:, :20] = 255
    plane[:, :20] //= 16  # nearly flat
    other = plane.copy()
    other[:, 20:] = 255 - other[:, 20:]
    changes, changes_of_other = np.zeros_like(plane), np.zeros_like(plane)
    skin.soften(plane, weight, changes, 5, 100.0, 31, 1.0)
    skin.soften(other, weight, changes_of_other, 5, 100.0, 31, 1.0)
    np.testing.assert_array_equal(changes, changes_of_other)
    assert (changes[:, 20:] == skin.NO_CHANGE).all()
    assert (changes[:, :20] != skin.NO_CHANGE).any()


@pytest.mark.parametrize(("height", "least_left", "most_left"), [(4, 0, 1.5), (120, 115, 125)])
def test_ripples_go_and_edges_stay(height: int, least_left: float, most_left: float) -> None:
    plane = np.full((40, 40), 100, np.uint8)
    plane[:, 20:] += np.uint8(height)
    changes = np.zeros_like(plane)
    skin.soften(plane, np.full_like(plane, 255), changes, 3, 100.0, 31, 1.0)
    left = plane + (changes.astype(float) - skin.NO_CHANGE) / 4
    assert least_left <= left[20, 20] - left[20, 19] <= most_left


def test_of_what_differs_by_more_than_the_limit_less_is_taken() -> None:
    plane = np.full((40, 40), 100, np.uint8)
    plane[10, 10], plane[30, 30] = 90, 60  # a spot, and a mole
    changes = np.zeros_like(plane)
    skin.soften(plane, np.full_like(plane, 255), changes, 4, 300.0, 8, 1.0)
    assert changes[10, 10] >= skin.NO_CHANGE + 4 * 6
    assert changes[30, 30] <= skin.NO_CHANGE + 4 * 3


def test_a_pixel_without_weight_or_change_keeps_its_value() -> None:
    frame = (noise((64, 64), 1), noise((32, 32), 2), noise((32, 32), 3))
    before = tuple(plane.copy() for plane in frame)
    none = np.full((8, 8), skin.NO_CHANGE, np.uint8), np.full((4, 4), skin.NO_CHANGE, np.uint8)
    skin.retouch(
        (none[0], none[1], none[1]),
        noise((8, 8), 4),
        np.zeros((8, 8), np.uint8),
        frame,
        0,
        0,
        3,
        skin.FINEST,
        12,
    )
    for one, other in zip(frame, before, strict=True):
        np.testing.assert_array_equal(one, other)


def test_changes_are_quarters_of_a_code() -> None:
    frame = (np.full((32, 32), 100, np.uint8),) + (np.full((16, 16), 90, np.uint8),) * 2
    frame = (frame[0], frame[1].copy(), frame[2].copy())
    changes = (
        np.full((8, 8), 128 + 40, np.uint8),
        np.full((4, 4), 128 - 4, np.uint8),
        np.full((4, 4), 128 + 2, np.uint8),
    )
    flat = np.zeros((8, 8), np.uint8)
    skin.retouch(changes, flat, flat, frame, 0, 0, 2, 0, 12)
    assert [set(plane.ravel().tolist()) for plane in frame] == [{110}, {89}, {91}]


# -- what is refused ------------------------------------------------------------------------------

FLAT = np.zeros((16, 16), np.uint8)
HALF = np.zeros((8, 8), np.uint8)
READ_ONLY = FLAT.copy()
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"plane": FLAT.astype(np.int8)}, "plane must be uint8, but is int8"),
        ({"weight": HALF}, "weight must have shape"),
        ({"out": HALF.copy()}, "out must have shape"),
        ({"out": FLAT}, "out overlaps plane"),
        ({"out": READ_ONLY}, "out is read-only"),
        ({"radius": 0}, "radius must be 1 to 10, but is 0"),
        ({"radius": 11}, "radius must be 1 to 10, but is 11"),
        ({"flatness": 0.0}, "flatness must be above 0"),
        ({"flatness": float("nan")}, "flatness must be above 0"),
        ({"limit": 0}, "limit must be 1 to 31"),
        ({"strength": 1.1}, "strength must be 0 to 1"),
        ({"strength": float("nan")}, "strength must be 0 to 1"),
    ],
)
def test_what_soften_refuses(changed: dict[str, Any], words: str) -> None:
    right = {
        "plane": FLAT,
        "weight": FLAT,
        "out": FLAT.copy(),
        "radius": 3,
        "flatness": 60.0,
        "limit": 8,
        "strength": 1.0,
    }
    skin.soften(**right)  # type: ignore[arg-type]
    with pytest.raises(KernelError, match=words):
        skin.soften(**{**right, **changed})


def fresh_frame() -> tuple[Plane, Plane, Plane]:
    return FLAT.copy(), HALF.copy(), HALF.copy()


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"changes": (FLAT, FLAT, HALF)}, "changes.1. must have shape"),
        ({"changes": FLAT}, "changes must be a tuple of three planes"),
        ({"base": HALF}, "base must have shape"),
        ({"weight": HALF}, "weight must have shape"),
        ({"frame": (FLAT.copy(), FLAT.copy(), HALF)}, "frame.1. must have shape"),
        ({"frame": (FLAT, HALF.copy(), HALF.copy())}, "frame.0. overlaps"),
        ({"frame": (READ_ONLY, HALF.copy(), HALF.copy())}, "frame.0. is read-only"),
        ({"top": 16}, "top must be 0 to 15, but is 16"),
        ({"top": -2}, "top must be 0 to 15, but is -2"),
        ({"left": 3}, "left must be even, but is 3"),
        ({"shift": 0}, "shift must be 1 to 6, but is 0"),
        ({"shift": 7}, "shift must be 1 to 6, but is 7"),
        ({"detail": 32768}, "detail must be 0 to 32767"),
        ({"limit": 0}, "limit must be 1 to 31"),
        ({"limit": 32}, "limit must be 1 to 31"),
    ],
)
def test_what_retouch_refuses(changed: dict[str, Any], words: str) -> None:
    right = {
        "changes": (FLAT, HALF, HALF),
        "base": FLAT,
        "weight": FLAT,
        "frame": fresh_frame(),
        "top": 0,
        "left": 0,
        "shift": 2,
        "detail": 100,
        "limit": 12,
    }
    skin.retouch(**right)  # type: ignore[arg-type]
    with pytest.raises(KernelError, match=words):
        skin.retouch(**{**right, **changed})
