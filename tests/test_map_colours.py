"""`map_colours` on every instruction set against its numpy reference, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from pullfx import kernels
from pullfx.errors import KernelError
from pullfx.kernels import isa, reference

Plane = NDArray[np.uint8]
VARIANTS = [name for name in kernels.available_isas() if name != reference.name]


def identity(length: int) -> NDArray[np.int16]:
    """Tables that change nothing."""
    codes = (np.arange(length) * (256 // (length - 1)) * 64).astype(np.int16)
    u, v, y = np.meshgrid(codes, codes, codes, indexing="ij")
    return np.ascontiguousarray(np.stack((y, u, v)))


def picture(height: int, width: int, seed: int = 0) -> tuple[Plane, Plane, Plane]:
    random = np.random.default_rng(seed)
    half = (height + 1) // 2, (width + 1) // 2
    y, u, v = (random.integers(0, 256, shape, np.uint8) for shape in ((height, width), half, half))
    return y, u, v


def mapped(variant: str, planes: Any, tables: NDArray[np.int16]) -> list[Plane]:
    outs = [np.full(plane.shape, 7, np.uint8) for plane in planes]
    y, u, v = planes
    isa.implementations()[variant].map_colours(y, u, v, tables, outs[0], outs[1], outs[2])
    return outs


@pytest.mark.parametrize("variant", VARIANTS)
@given(
    height=st.integers(1, 40),
    width=st.integers(1, 70),
    length=st.sampled_from([9, 17, 33, 65]),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=25, deadline=None, derandomize=True)
def test_as_the_reference(variant: str, height: int, width: int, length: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    tables = random.integers(-32768, 32768, (3, length, length, length), np.int16)
    planes = picture(height, width, seed)
    for one, other in zip(
        mapped(variant, planes, tables), mapped("reference", planes, tables), strict=True
    ):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("variant", [*VARIANTS, reference.name])
@pytest.mark.parametrize("length", [9, 17, 33, 65])
def test_tables_of_what_is_change_nothing(variant: str, length: int) -> None:
    planes = picture(33, 47)
    for one, other in zip(mapped(variant, planes, identity(length)), planes, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("variant", VARIANTS)
def test_rows_of_any_layout(variant: str) -> None:
    planes = picture(20, 30)
    upside_down = [np.ascontiguousarray(plane[::-1])[::-1] for plane in planes]
    tables = np.random.default_rng(1).integers(0, 16320, (3, 33, 33, 33), np.int16)
    for one, other in zip(
        mapped(variant, upside_down, tables), mapped(variant, planes, tables), strict=True
    ):
        np.testing.assert_array_equal(one, other)


TABLES = identity(9)
Y, U, V = picture(4, 6)
OUT = [np.zeros_like(plane) for plane in (Y, U, V)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((Y, U, V, TABLES.astype(np.uint8), *OUT), "tables must be .* but are uint8"),
        ((Y, U, V, TABLES[:2], *OUT), r"but are int16 \(2, 9, 9, 9\)"),
        ((Y, U, V, TABLES[..., ::-1], *OUT), "C-contiguous"),
        ((Y, U, V, None, *OUT), "but are NoneType"),
        ((Y, Y, V, TABLES, *OUT), r"frame\[1\] must have shape \(2, 3\)"),
        ((Y, U, V, TABLES, OUT[1], *OUT[1:]), r"out\[0\] must have shape \(4, 6\)"),
        ((Y, U, V, TABLES, Y, *OUT[1:]), "out_y overlaps y"),
        ((Y, U, V, TABLES, OUT[0], OUT[1], OUT[1]), "out_u overlaps out_v"),
    ],
)
def test_wrong_calls_are_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(KernelError, match=message):
        kernels.map_colours(*arguments)
    if "overlaps" not in message:
        for variant in VARIANTS:
            with pytest.raises((TypeError, ValueError)):
                isa.implementations()[variant].map_colours(*arguments)
