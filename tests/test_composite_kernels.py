"""The composite kernels on every instruction set against their numpy references, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from pullfx import kernels
from pullfx.kernels import isa, reference
from pullfx.kernels.composite import LARGEST_SHIFT, Guiding, grid_shape

Plane = NDArray[np.uint8]
Planes = tuple[Plane, Plane, Plane]
Layout = Callable[[Plane], Plane]

VARIANTS = [name for name in kernels.available_isas() if name != reference.name]
TAPS = [0.3, 0.2, 0.1, 0.05, 0.01]

each_variant = pytest.mark.parametrize("variant", VARIANTS)


def packed(plane: Plane) -> Plane:
    return plane


def padded(plane: Plane) -> Plane:
    """In rows that are longer than the picture, at an odd address."""
    room = np.full((plane.shape[0], plane.shape[1] + 13), 99, np.uint8)
    view = room[:, 3 : 3 + plane.shape[1]]
    view[:] = plane
    return view


def upside_down(plane: Plane) -> Plane:
    """With the last row first in memory."""
    return np.ascontiguousarray(plane[::-1])[::-1]


TABLES = np.random.default_rng(5).integers(0, 256, (3, 256), np.uint8)
each_layout = pytest.mark.parametrize("layout", [packed, padded, upside_down])


class Pictures:
    """Planes of a frame of one size, from noise or smooth."""

    def __init__(self, height: int, width: int, seed: int, *, smooth: bool = True) -> None:
        self.random = np.random.default_rng(seed)
        self.smooth = smooth
        self.height, self.width = height, width
        self.half = grid_shape((height, width), 1)

    def plane(self, shape: tuple[int, int]) -> Plane:
        if not self.smooth:
            return np.asarray(self.random.integers(0, 256, shape), np.uint8)
        coarse = self.random.integers(0, 256, (shape[0] // 9 + 1, shape[1] // 9 + 1), np.uint8)
        resized = cv2.resize(coarse, shape[::-1], interpolation=cv2.INTER_CUBIC)
        return np.asarray(resized, np.uint8).reshape(shape)

    def frame(self) -> Planes:
        return self.plane((self.height, self.width)), self.plane(self.half), self.plane(self.half)

    def grid(self, shift: int) -> Planes:
        shape = grid_shape((self.height, self.width), shift)
        return self.plane(shape), self.plane(shape), self.plane(shape)

    def mask(self, shape: tuple[int, int]) -> Plane:
        """Solid here, empty there, soft between, as masks are."""
        values = (self.plane(shape).astype(int) - 128) * 6 + 128
        return np.asarray(np.clip(values, 0, 255), np.uint8)


def laid_out(value: Any, layout: Layout) -> Any:
    if isinstance(value, tuple) and not isinstance(value, Guiding):
        return tuple(layout(plane) for plane in value)
    return layout(value) if isinstance(value, np.ndarray) else value


def check(
    name: str,
    variant: str,
    arguments: dict[str, Any],
    outputs: dict[str, tuple[int, ...] | tuple[tuple[int, ...], ...]],
    layout: Layout = packed,
) -> dict[str, Any]:
    """Runs a kernel both ways; returns what the reference makes."""

    def made(shapes: Any, value: int) -> Any:
        if isinstance(shapes[0], tuple):
            return tuple(np.full(shape, value, np.uint8) for shape in shapes)
        return np.full(shapes, value, np.uint8)

    expected = {key: made(shapes, 0) for key, shapes in outputs.items()}
    getattr(reference, name)(**arguments, **expected)
    got = {key: laid_out(made(shapes, 7), layout) for key, shapes in outputs.items()}
    given = {key: laid_out(value, layout) for key, value in arguments.items()}
    getattr(isa.implementations()[variant], name)(**given, **got)
    for results, wanted in ((got, expected), (given, arguments)):
        for key, value in wanted.items():
            if isinstance(value, np.ndarray):
                np.testing.assert_array_equal(results[key], value, err_msg=key)
            elif isinstance(value, tuple) and not isinstance(value, Guiding):
                for one, other in zip(results[key], value, strict=True):
                    np.testing.assert_array_equal(one, other, err_msg=key)
    return expected


def check_all(
    pictures: Pictures, variant: str, shift: int, halvings: int, layout: Layout = packed
) -> None:
    """The kernels one after the other, each fed with what the one before made."""
    frame = pictures.frame()
    grid_size = grid_shape((pictures.height, pictures.width), shift)
    reduced = check(
        "reduce",
        variant,
        {"frame": frame, "shift": shift},
        {"half": pictures.half, "grid": (grid_size,) * 3},
        layout,
    )
    window, reach = 3 + 2 * (halvings % 3), 1 + halvings % 2
    matte = check(
        "guide",
        variant,
        {
            "mask": pictures.mask((37 + window, 61 + reach)),
            "grid": reduced["grid"],
            "guide": (reduced["half"], frame[1], frame[2]),
            "shift": shift,
            "window": window,
            "reach": reach,
            "numbers": Guiding(10.0, 0.9, 1.0, 0.2, 0.3),
        },
        {"out": pictures.half},
        layout,
    )["out"]
    level = shift + halvings
    behind = max(level - 1, 1)
    blurred = check(
        "blur",
        variant,
        {
            "grid": reduced["grid"],
            "mask": None if halvings == 2 else matte,
            "shift": shift,
            "halvings": halvings,
            "taps": TAPS[: 1 + level % len(TAPS)],
        },
        {"out": (grid_shape((pictures.height, pictures.width), behind),) * 3},
        layout,
    )["out"]
    for background, at in ((blurred, behind), (pictures.frame(), 0)):
        check(
            "lay",
            variant,
            {"foreground": frame, "background": background, "mask": matte, "shift": at}
            | {"tables": TABLES if layout is packed and level % 2 else None},
            {"out": tuple(plane.shape for plane in frame)},
            layout,
        )


@each_layout
@each_variant
def test_sizes_around_every_vector(variant: str, layout: Layout) -> None:
    for width in range(1, 140, 3):
        shift, halvings = 1 + width % 4, width % 3
        check_all(Pictures(1 + width % 37, width, width), variant, shift, halvings, layout)


@each_variant
@given(
    height=st.integers(1, 200),
    width=st.integers(1, 400),
    shift=st.integers(1, 4),
    halvings=st.integers(0, 3),
    smooth=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=25, deadline=None, derandomize=True)
def test_random(
    variant: str, height: int, width: int, shift: int, halvings: int, smooth: bool, seed: int
) -> None:
    check_all(Pictures(height, width, seed, smooth=smooth), variant, shift, halvings)


@each_variant
@pytest.mark.parametrize("shift", range(LARGEST_SHIFT))
def test_background_of_every_size(variant: str, shift: int) -> None:
    pictures = Pictures(131, 277, 3, smooth=False)
    frame = pictures.frame()
    check(
        "lay",
        variant,
        {
            "foreground": frame,
            "background": pictures.grid(shift) if shift else pictures.frame(),
            "mask": pictures.mask(pictures.half),
            "shift": shift,
        },
        {"out": tuple(plane.shape for plane in frame)},
    )


@each_variant
@pytest.mark.parametrize("value", [0, 255])
def test_one_value_all_over(variant: str, value: int) -> None:
    """Nothing overflows, and no sum of a window is too large."""
    pictures = Pictures(96, 256, 1)
    pictures.plane = lambda shape: np.full(shape, value, np.uint8)  # type: ignore[method-assign]
    for halvings in range(3):
        check_all(pictures, variant, 3, halvings)
        check_all(pictures, variant, 4, halvings)


@each_variant
def test_the_steepest_edges(variant: str) -> None:
    """Black beside white in all planes at once: the largest covariances there can be."""
    pictures = Pictures(180, 320, 1)

    def halves(shape: tuple[int, int]) -> Plane:
        plane = np.zeros(shape, np.uint8)
        plane[:, shape[1] // 2 :] = 255
        return plane

    pictures.plane = halves  # type: ignore[method-assign]
    for halvings in range(3):
        check_all(pictures, variant, 1, halvings)


@each_variant
@pytest.mark.parametrize("size", [(1024, 768), (9, 1), (1, 33), (853, 479)])
def test_masks_of_every_size(variant: str, size: tuple[int, int]) -> None:
    pictures = Pictures(240, 322, 4)
    check(
        "guide",
        variant,
        {
            "mask": pictures.mask(size),
            "grid": pictures.grid(2),
            "guide": (pictures.plane(pictures.half),) * 3,
            "shift": 2,
            "window": 5,
            "reach": 2,
            "numbers": Guiding(0.5, 1.0, 3.0, 0.2, 0.3),
        },
        {"out": pictures.half},
    )


@each_variant
@pytest.mark.parametrize("value", [0, 255])
@pytest.mark.parametrize("width", [66, 128, 199])
def test_one_other_pixel_in_the_matte(variant: str, value: int, width: int) -> None:
    """Blocks of one kind are not blended; next to one that has another pixel they are."""
    pictures = Pictures(6, width, 6, smooth=False)
    frame, background = pictures.frame(), pictures.grid(3)
    height, across = pictures.half
    for place in (0, 1, 30, 31, 32, 33, 63, 64, 65, 95, 96, across - 1):
        mask = np.full((height, across), value, np.uint8)
        mask[place % height, min(place, across - 1)] = 255 - value if place % 2 else 128
        check(
            "lay",
            variant,
            {"foreground": frame, "background": background, "mask": mask, "shift": 3},
            {"out": tuple(plane.shape for plane in frame)},
        )
