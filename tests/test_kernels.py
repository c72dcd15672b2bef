"""Every kernel on every instruction set against its numpy reference, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pullfx import kernels
from pullfx.kernels import isa, reference
from pullfx.kernels.colour import coefficients

Array = NDArray[np.uint8]

VARIANTS = [name for name in kernels.available_isas() if name != reference.name]
EVERY_WIDTH = range(1, 71)


@dataclass(frozen=True)
class Kernel:
    """How a kernel is called: from the size of the picture come its inputs and its output."""

    name: str
    inputs: Callable[[int, int], list[tuple[int, ...]]]
    output: Callable[[int, int], tuple[int, ...]]
    arguments: tuple[Any, ...] = ()


def half(height: int, width: int) -> tuple[int, int]:
    return (height + 1) // 2, (width + 1) // 2


def i420(height: int, width: int) -> list[tuple[int, ...]]:
    return [(height, width), half(height, width), half(height, width)]


KERNELS = [
    Kernel("blend", lambda h, w: [(h, w)] * 3, lambda h, w: (h, w)),
    Kernel("blend_half", lambda h, w: [half(h, w), half(h, w), (h, w)], half),
    *(
        Kernel(
            "downscale_rgb",
            i420,
            lambda h, w, height=height, width=width: (height, width, 3),  # type: ignore[misc]
            (coefficients(matrix, full_range),),
        )
        for height, width, matrix, full_range in (
            (9, 16, "bt709", False),
            (13, 70, "bt601", True),
            (1, 1, "bt2020", False),
        )
    ),
    Kernel("downscale_rgb", i420, lambda h, w: (h, w, 3), (coefficients("bt2020", True),)),
]
CASES = [
    pytest.param(kernel, variant, id=f"{kernel.name}{number}-{variant}")
    for number, kernel in enumerate(KERNELS)
    for variant in VARIANTS
]
each_case = pytest.mark.parametrize(("kernel", "variant"), CASES)

Layout = Callable[[Array], Array]


def packed(values: Array) -> Array:
    return values


def padded(values: Array) -> Array:
    """In rows that are longer than the picture, at an odd address."""
    room = np.full((values.shape[0], values.shape[1] + 13), 99, np.uint8)
    view = room[:, 3 : 3 + values.shape[1]]
    view[:] = values
    return view


def upside_down(values: Array) -> Array:
    """With the last row first in memory."""
    return np.ascontiguousarray(values[::-1])[::-1]


def check(
    kernel: Kernel,
    variant: str,
    inputs: list[Array],
    out_shape: tuple[int, ...],
    layout: Layout = packed,
) -> None:
    expected = np.zeros(out_shape, np.uint8)
    getattr(reference, kernel.name)(*inputs, expected, *kernel.arguments)
    out = np.full(out_shape, 7, np.uint8)
    if out.ndim == 2:
        out = layout(out)
    views = [layout(values) for values in inputs]
    getattr(isa.implementations()[variant], kernel.name)(*views, out, *kernel.arguments)
    np.testing.assert_array_equal(out, expected)
    for view, values in zip(views, inputs, strict=True):
        np.testing.assert_array_equal(view, values)


def noise(shape: tuple[int, ...], seed: int) -> Array:
    return np.random.default_rng(seed).integers(0, 256, shape, np.uint8)


def test_a_variant_was_found() -> None:
    assert "portable" in VARIANTS


@pytest.mark.parametrize("layout", [packed, padded, upside_down])
@each_case
def test_sizes_around_every_vector(kernel: Kernel, variant: str, layout: Layout) -> None:
    for width in EVERY_WIDTH:
        height = 1 + width % 5
        inputs = [noise(shape, width) for shape in kernel.inputs(height, width)]
        check(kernel, variant, inputs, kernel.output(height, width), layout)


@each_case
def test_saturated(kernel: Kernel, variant: str) -> None:
    for values in np.ndindex(2, 2, 2):
        inputs = [
            np.full(shape, 255 * value, np.uint8)
            for shape, value in zip(kernel.inputs(33, 65), values, strict=True)
        ]
        check(kernel, variant, inputs, kernel.output(33, 65))


@each_case
@given(height=st.integers(1, 90), width=st.integers(1, 300), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=15, deadline=None, derandomize=True)
def test_random(kernel: Kernel, variant: str, height: int, width: int, seed: int) -> None:
    inputs = [noise(shape, seed) for shape in kernel.inputs(height, width)]
    check(kernel, variant, inputs, kernel.output(height, width))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    ("height", "width", "target"),
    [
        (720, 1280, (144, 256)),
        (1080, 1920, (256, 256)),
        (479, 853, (144, 256)),  # no common divisor: sums of 32 bits
        (257, 127, (2, 3)),  # the largest box whose sums have 16 bits
        (258, 3, (1, 1)),  # the smallest whose sums do not
        (181, 181, (1, 2)),  # its area is just below 2**15
        (182, 181, (1, 2)),  # and just above
        (2, 32767, (1, 2)),
        (32767, 1, (3, 1)),
        (31, 47, (479, 853)),
    ],
)
def test_downscale_of_every_kind_of_box(
    height: int, width: int, target: tuple[int, int], variant: str
) -> None:
    kernel = Kernel("downscale_rgb", i420, half, (coefficients("bt709", False),))
    inputs = [noise(shape, 11) for shape in i420(height, width)]
    check(kernel, variant, inputs, (*target, 3))
    for values in inputs:
        values[:] = 255
    check(kernel, variant, inputs, (*target, 3))


@pytest.mark.parametrize("variant", [*VARIANTS, reference.name])
@pytest.mark.parametrize(
    ("name", "replaced"),
    [("blend", 0), ("blend", 1), ("blend", 2), ("blend_half", 0), ("blend_half", 1)],
)
def test_in_place(name: str, replaced: int, variant: str) -> None:
    kernel = next(kernel for kernel in KERNELS if kernel.name == name)
    for width in EVERY_WIDTH:
        inputs = [noise(shape, 3 + n) for n, shape in enumerate(kernel.inputs(5, width))]
        expected = np.empty(kernel.output(5, width), np.uint8)
        getattr(reference, name)(*inputs, expected)
        getattr(isa.implementations()[variant], name)(*inputs, inputs[replaced])
        np.testing.assert_array_equal(inputs[replaced], expected)
