"""Every kernel on every instruction set against its numpy reference, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from pullfx import kernels
from pullfx.kernels import isa, reference
from pullfx.kernels.colour import Mixing, coefficients, plane_coefficients

Array = NDArray[np.uint8]

VARIANTS = [name for name in kernels.available_isas() if name != reference.name]
# Around the vectors of 16, 32 and 64.
EVERY_WIDTH = [*range(1, 38), 47, 48, 49, *range(62, 68), 95, 96, 97, 98, 127, 128, 129, 130]


@dataclass(frozen=True)
class Kernel:
    """How a kernel is called: from the size of the picture come its inputs and its outputs."""

    name: str
    inputs: Callable[[int, int], list[tuple[int, ...]]]
    outputs: Callable[[int, int], list[tuple[int, ...]]]
    arguments: tuple[Any, ...] = ()


def half(height: int, width: int) -> tuple[int, int]:
    return (height + 1) // 2, (width + 1) // 2


def i420(height: int, width: int) -> list[tuple[int, ...]]:
    return [(height, width), half(height, width), half(height, width)]


def plane(height: int, width: int) -> list[tuple[int, ...]]:
    return [(height, width)]


def pixels(height: int, width: int) -> list[tuple[int, ...]]:
    return [(height, width, 3)]


def yuyv(height: int, width: int) -> list[tuple[int, ...]]:
    return [(height, 2 * (width + width % 2))]


def even_i420(height: int, width: int) -> list[tuple[int, ...]]:
    return i420(height, width + width % 2)


def always(*shape: int) -> Callable[[int, int], list[tuple[int, ...]]]:
    return lambda height, width: [shape]


def more(height: int, width: int) -> list[tuple[int, ...]]:
    return [(height + 3, 2 * width + 1)]


def fewer(height: int, width: int) -> list[tuple[int, ...]]:
    return [(2 * height // 3 + 1, width // 2 + 1)]


COLOURS = [
    (matrix, full_range) for matrix in ("bt601", "bt709", "bt2020") for full_range in (False, True)
]
KERNELS = [
    Kernel("blend", lambda h, w: [(h, w)] * 3, plane),
    Kernel("blend_half", lambda h, w: [half(h, w), half(h, w), (h, w)], lambda h, w: [half(h, w)]),
    *(
        Kernel("downscale_rgb", i420, always(*size, 3), (coefficients(matrix, full_range),))
        for size, matrix, full_range in (
            ((9, 16), "bt709", False),
            ((13, 70), "bt601", True),
            ((1, 1), "bt2020", False),
        )
    ),
    Kernel("downscale_rgb", i420, pixels, (coefficients("bt2020", True),)),
    *(
        Kernel("downscale_rgb", lambda h, w: [(h, w)] * 3, sizes, (coefficients("bt709", False),))
        for sizes in (pixels, always(9, 16, 3))
    ),
    Kernel("mean_3x3", plane, plane),
    *(Kernel("box_mean", plane, plane, (radius,)) for radius in (0, 1, 7, 128, 129)),
    Kernel("upsample_2x", plane, lambda h, w: [(2 * h, 2 * w)]),
    *(
        Kernel(name, plane, sizes)
        for name in ("resize_area", "resize_bilinear")
        for sizes in (plane, always(3, 5), more, fewer)
    ),
    *(
        Kernel("crop_bilinear", plane, sizes, (window,))
        for sizes in (plane, always(3, 5), more)
        for window in ((0, 0, 32768, 32768), (1, 16000, 32767, 1), (0, 0, 12345, 32768))
    ),
    *(
        Kernel("i420_to_rgb", i420, pixels, (coefficients(*colours), bgr))
        for colours, bgr in zip(COLOURS, [False, True] * 3, strict=True)
    ),
    *(
        Kernel("rgb_to_i420", pixels, i420, (plane_coefficients(*colours), bgr))
        for colours, bgr in zip(COLOURS, [False, True] * 3, strict=True)
    ),
    Kernel("split_pairs", lambda h, w: [(h, 2 * w)], lambda h, w: [(h, w)] * 2),
    Kernel("merge_pairs", lambda h, w: [(h, w)] * 2, lambda h, w: [(h, 2 * w)]),
    Kernel("yuyv_to_i420", yuyv, even_i420),
    Kernel("i420_to_yuyv", even_i420, yuyv),
    Kernel("apply_table", lambda h, w: [(h, w), (256,)], plane),
    Kernel("apply_pair_table", lambda h, w: [(h, w), (h, w), (65536,)], plane),
    *(Kernel("scale_chroma", plane, plane, (factor,)) for factor in (0, 8192, 11111, 32767)),
    *(
        Kernel("mix_chroma", lambda h, w: [(h, w)] * 3, lambda h, w: [(h, w)] * 2, (factors,))
        for factors in (
            (16, 700, 8192, -300, -1200, 250, 9000),
            (0, 32767, 32767, 32767, -32767, -32767, -32767),
        )
    ),
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
    room = np.full((values.shape[0], values.shape[1] + 13, *values.shape[2:]), 99, np.uint8)
    view = room[:, 3 : 3 + values.shape[1]]
    view[:] = values
    return view


def upside_down(values: Array) -> Array:
    """With the last row first in memory."""
    return np.ascontiguousarray(values[::-1])[::-1]


def laid_out(values: Array, layout: Layout, kernel: Kernel) -> Array:
    """Tables are packed always, and so is what a network reads."""
    rows = values.ndim == 2 or (values.ndim == 3 and kernel.name != "downscale_rgb")
    return layout(values) if rows else values


def check(
    kernel: Kernel,
    variant: str,
    inputs: list[Array],
    shapes: list[tuple[int, ...]],
    layout: Layout = packed,
) -> None:
    expected = [np.zeros(shape, np.uint8) for shape in shapes]
    getattr(reference, kernel.name)(*inputs, *expected, *kernel.arguments)
    outputs = [laid_out(np.full(shape, 7, np.uint8), layout, kernel) for shape in shapes]
    views = [laid_out(values, layout, kernel) for values in inputs]
    getattr(isa.implementations()[variant], kernel.name)(*views, *outputs, *kernel.arguments)
    for output, values in zip(outputs, expected, strict=True):
        np.testing.assert_array_equal(output, values)
        if layout is padded and output.base is not None:
            assert (around(output) == 99).all()
    for view, values in zip(views, inputs, strict=True):
        np.testing.assert_array_equal(view, values)


def around(view: Array) -> Array:
    """What lies beside the picture in the memory that `padded` gave it."""
    room = view.base
    assert room is not None
    return np.concatenate((room[:, :3], room[:, 3 + view.shape[1] :]), axis=1)


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
        check(kernel, variant, inputs, kernel.outputs(height, width), layout)


@each_case
def test_saturated(kernel: Kernel, variant: str) -> None:
    for values in np.ndindex((2,) * len(kernel.inputs(33, 65))):
        inputs = [
            np.full(shape, 255 * value, np.uint8)
            for shape, value in zip(kernel.inputs(33, 65), values, strict=True)
        ]
        check(kernel, variant, inputs, kernel.outputs(33, 65))


@each_case
@given(height=st.integers(1, 90), width=st.integers(1, 300), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=15, deadline=None, derandomize=True)
def test_random(kernel: Kernel, variant: str, height: int, width: int, seed: int) -> None:
    inputs = [noise(shape, seed) for shape in kernel.inputs(height, width)]
    check(kernel, variant, inputs, kernel.outputs(height, width))


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
    kernel = Kernel("downscale_rgb", i420, pixels, (coefficients("bt709", False),))
    inputs = [noise(shape, 11) for shape in i420(height, width)]
    check(kernel, variant, inputs, [(*target, 3)])
    for values in inputs:
        values[:] = 255
    check(kernel, variant, inputs, [(*target, 3)])


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    ("height", "width", "radius"),
    [(70, 40, 1023), (3, 1300, 700), (1300, 3, 700), (5, 5, 400), (300, 300, 128), (300, 300, 129)],
)
def test_box_mean_with_more_border_than_picture(
    height: int, width: int, radius: int, variant: str
) -> None:
    kernel = Kernel("box_mean", plane, plane, (radius,))
    for values in (noise((height, width), 2), np.full((height, width), 255, np.uint8)):
        check(kernel, variant, [values], [(height, width)])


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(("size", "target"), [((2, 32767), (3, 2)), ((1, 7), (2, 32767))])
@pytest.mark.parametrize("name", ["resize_area", "resize_bilinear"])
def test_resize_of_the_longest_rows(
    name: str, size: tuple[int, int], target: tuple[int, int], variant: str
) -> None:
    check(Kernel(name, plane, plane), variant, [noise(size, 8)], [target])


@pytest.mark.parametrize("variant", [*VARIANTS, reference.name])
@pytest.mark.parametrize(
    ("name", "replaced"),
    [
        ("blend", 0),
        ("blend", 1),
        ("blend", 2),
        ("blend_half", 0),
        ("blend_half", 1),
        ("box_mean", 0),
        ("apply_table", 0),
        ("apply_pair_table", 0),
        ("apply_pair_table", 1),
        ("scale_chroma", 0),
    ],
)
def test_in_place(name: str, replaced: int, variant: str) -> None:
    for kernel in (kernel for kernel in KERNELS if kernel.name == name):
        for width in EVERY_WIDTH:
            inputs = [noise(shape, 3 + n) for n, shape in enumerate(kernel.inputs(5, width))]
            expected = np.empty(kernel.outputs(5, width)[0], np.uint8)
            getattr(reference, name)(*inputs, expected, *kernel.arguments)
            run = getattr(isa.implementations()[variant], name)
            run(*inputs, inputs[replaced], *kernel.arguments)
            np.testing.assert_array_equal(inputs[replaced], expected)


@pytest.mark.parametrize("variant", [*VARIANTS, reference.name])
def test_chroma_mixed_in_place(variant: str) -> None:
    factors = Mixing(16, 700, 8192, -300, -1200, 250, 9000)
    for width in EVERY_WIDTH:
        luma, u, v = (noise((5, width), seed) for seed in range(3))
        expected_u, expected_v = np.empty_like(u), np.empty_like(v)
        reference.mix_chroma(luma, u, v, expected_u, expected_v, factors)
        isa.implementations()[variant].mix_chroma(luma, u, v, u, v, factors)
        np.testing.assert_array_equal(u, expected_u)
        np.testing.assert_array_equal(v, expected_v)
