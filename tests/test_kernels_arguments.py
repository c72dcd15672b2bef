"""Wrong calls of kernels: a line that says what is wrong, and never a crash."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pullfx import kernels
from pullfx.errors import KernelError
from pullfx.kernels import composite, isa, reference
from pullfx.kernels.colour import coefficients, plane_coefficients

PLANE = np.zeros((4, 6), np.uint8)
SMALL = np.zeros((2, 3), np.uint8)
RGB = np.zeros((3, 5, 3), np.uint8)
READ_ONLY = np.broadcast_to(np.uint8(1), (4, 6))
ROOM = np.zeros(60, np.uint8)
TABLE = np.zeros(256, np.uint8)
PAIR_TABLE = np.zeros(65536, np.uint8)
PAIRS = np.zeros((4, 12), np.uint8)
PIXELS = np.zeros((4, 6, 3), np.uint8)
LONG = np.zeros((1, 32768), np.uint8)
OTHER = [np.zeros((4, 6), np.uint8) for _ in range(2)]
MIXED = [np.zeros((4, 6), np.uint8) for _ in range(3)]

BAD: dict[str, list[tuple[tuple[Any, ...], str]]] = {
    "blend": [
        ((PLANE, PLANE, PLANE, None), "out must be a numpy array, but is NoneType"),
        (([[1]], PLANE, PLANE, PLANE), "foreground must be a numpy array, but is list"),
        ((PLANE.astype(float), PLANE, PLANE, PLANE), "foreground must be uint8, but is float64"),
        ((PLANE, PLANE, PLANE.astype(bool), PLANE), "mask must be uint8, but is bool"),
        (
            (PLANE, PLANE[:3], PLANE, PLANE),
            r"background must have shape \(4, 6\), but has \(3, 6\)",
        ),
        ((PLANE, PLANE, PLANE, PLANE[:, :5]), r"out must have shape \(4, 6\)"),
        ((PLANE[:0],) * 4, r"foreground must be \[height, width\] and not empty"),
        ((PLANE[:, :0],) * 4, r"foreground must be \[height, width\] and not empty"),
        ((RGB,) * 4, r"foreground must be \[height, width\]"),
        ((PLANE[0],) * 4, r"foreground must be \[height, width\]"),
        ((PLANE.T,) * 4, "foreground must lie side by side"),
        ((PLANE[:, ::-1], PLANE, PLANE, PLANE), "foreground must lie side by side"),
        ((PLANE, np.repeat(PLANE, 2, 1)[:, ::2], PLANE, PLANE), "background must lie side by side"),
        ((READ_ONLY, PLANE, PLANE, PLANE), "foreground must lie side by side"),
        ((PLANE, PLANE, PLANE, np.frombuffer(bytes(24), np.uint8).reshape(4, 6)), "read-only"),
        (
            (ROOM[:24].reshape(4, 6), PLANE, PLANE, ROOM[1:25].reshape(4, 6)),
            "out overlaps foreground",
        ),
        ((PLANE, PLANE[::-1], PLANE, PLANE), "out overlaps background"),
    ],
    "blend_half": [
        ((SMALL, SMALL, None, SMALL), "mask must be a numpy array"),
        ((PLANE, PLANE, PLANE, PLANE), r"foreground must have shape \(2, 3\), but has \(4, 6\)"),
        ((SMALL, SMALL[:1], PLANE, SMALL), r"background must have shape \(2, 3\)"),
        ((SMALL, SMALL, PLANE, SMALL[:, :2]), r"out must have shape \(2, 3\)"),
        ((SMALL, SMALL, PLANE, PLANE[:2, :3]), "out overlaps mask"),
    ],
    "downscale_rgb": [
        ((PLANE, SMALL, SMALL, RGB, "bt2021", True), "bt601, bt709, bt2020, but is 'bt2021'"),
        (
            (PLANE, SMALL, PLANE, RGB, "bt601", True),
            r"v must have shape \(2, 3\), but has \(4, 6\)",
        ),
        ((PLANE, SMALL, SMALL, PLANE, "bt601", True), r"out must be \[height, width, 3\]"),
        (
            (PLANE, SMALL, SMALL, RGB[:0], "bt601", True),
            r"out must be \[height, width, 3\] and not",
        ),
        ((PLANE, SMALL, SMALL, RGB[:, ::2], "bt601", True), "out must be C-contiguous"),
        ((PLANE, SMALL, SMALL, RGB.astype(int), "bt601", True), "out must be uint8, but is int64"),
        ((PLANE, SMALL, SMALL, "rgb", "bt601", True), "out must be a numpy array, but is str"),
        (
            (
                np.zeros((1, 32768), np.uint8),
                np.zeros((1, 16384), np.uint8),
                np.zeros((1, 16384), np.uint8),
                RGB,
                "bt601",
                True,
            ),
            "no side may be longer than 32767",
        ),
        (
            (ROOM[:24].reshape(4, 6), SMALL, SMALL, ROOM[15:].reshape(3, 5, 3), "bt601", True),
            "out overlaps y",
        ),
    ],
    "mean_3x3": [
        ((PLANE, PLANE[:3]), r"out must have shape \(4, 6\)"),
        ((PLANE.T, PLANE), "plane must lie side by side"),
        ((PLANE, PLANE), "out overlaps plane"),
    ],
    "box_mean": [
        ((PLANE, PLANE, -1), "radius must be 0 to 1023, but is -1"),
        ((PLANE, PLANE, 1024), "radius must be 0 to 1023, but is 1024"),
        ((PLANE, SMALL, 1), r"out must have shape \(4, 6\)"),
        ((LONG, LONG, 1), "no side may be longer than 32767"),
        ((PLANE, PLANE[::-1], 1), "out overlaps plane"),
    ],
    "gaussian_blur": [
        ((PLANE, PLANE, -0.1), "sigma must be 0 to 1000, but is -0.1"),
        ((PLANE, PLANE, float("nan")), "sigma must be 0 to 1000, but is nan"),
        ((PLANE, SMALL, 1.0), r"out must have shape \(4, 6\)"),
    ],
    "upsample_2x": [
        ((SMALL, PLANE[:, :5]), r"out must have shape \(4, 6\), but has \(4, 5\)"),
        ((PLANE[:2, :3], PLANE), "out overlaps plane"),
    ],
    "resize_bilinear": [
        ((PLANE, LONG), "no side may be longer than 32767"),
        ((LONG, PLANE), "no side may be longer than 32767"),
        ((PLANE, PLANE[:0]), "out must be .* and not empty"),
        ((PLANE, PLANE[:2]), "out overlaps plane"),
    ],
    "crop_bilinear": [
        ((PLANE, LONG, 0, 0, 6, 4), "no side may be longer than 32767"),
        ((PLANE, SMALL, -0.1, 0, 5, 4), "left and width .* within 0 to 6, but are -0.1 and 5"),
        ((PLANE, SMALL, 1, 0, 5.1, 4), "left and width .* within 0 to 6, but are 1 and 5.1"),
        ((PLANE, SMALL, 0, 3.5, 6, 0.6), "top and height .* within 0 to 4, but are 3.5 and 0.6"),
        ((PLANE, SMALL, 0, 0, 6, 0), "top and height .* within 0 to 4, but are 0 and 0"),
        ((PLANE, SMALL, 0, 0, float("inf"), 4), "left and width .* but are 0 and inf"),
        ((PLANE, SMALL, float("nan"), 0, 6, 4), "left and width .* but are nan and 6"),
        ((PLANE, PLANE[:2], 0, 0, 6, 4), "out overlaps plane"),
    ],
    "resize_area": [
        ((PLANE, LONG), "no side may be longer than 32767"),
        ((LONG, PLANE), "no side may be longer than 32767"),
        ((PLANE, None), "out must be a numpy array"),
        ((PLANE, PLANE[:2]), "out overlaps plane"),
    ],
    "i420_to_rgb": [
        ((PLANE, SMALL, SMALL, PIXELS, "bt2021", True), "bt601, bt709, bt2020, but is 'bt2021'"),
        ((PLANE, SMALL, SMALL, RGB, "bt601", True), r"out must have shape \(4, 6, 3\)"),
        ((PLANE, PLANE, SMALL, PIXELS, "bt601", True), r"u must have shape \(2, 3\)"),
        ((PLANE, SMALL, SMALL, PIXELS[..., ::-1], "bt601", True), "out must lie side by side"),
        (
            (PLANE, SMALL, SMALL, np.zeros((4, 12, 3), np.uint8)[:, ::2], "bt601", True),
            "out must lie side by side",
        ),
        ((PLANE, SMALL, SMALL, PIXELS[..., :2], "bt601", True), r"\[height, width, 3\]"),
    ],
    "rgb_to_i420": [
        ((PIXELS, PLANE, SMALL, SMALL.copy(), "bt2021", True), "but is 'bt2021'"),
        ((PIXELS, SMALL, SMALL, SMALL, "bt601", True), r"y must have shape \(4, 6\)"),
        ((PIXELS, PLANE, SMALL, PLANE, "bt601", True), r"v must have shape \(2, 3\)"),
        ((PIXELS, PLANE, SMALL, SMALL, "bt601", True), "u overlaps v"),
        ((PIXELS[::2, ::2], SMALL, SMALL[:1, :2], SMALL[1:, :2], "bt601", True), "side by side"),
        ((PIXELS.astype(float), PLANE, SMALL, SMALL, "bt601", True), "but is float64"),
    ],
    "split_pairs": [
        ((PAIRS, PLANE, SMALL), r"second must have shape \(4, 6\)"),
        ((PLANE, PLANE, PLANE), r"pairs must have shape \(4, 12\)"),
        ((PAIRS, PLANE, PLANE), "first overlaps second"),
        ((PAIRS, PLANE, PAIRS[:, 6:]), "second overlaps pairs"),
    ],
    "merge_pairs": [
        ((PLANE, SMALL, PAIRS), r"second must have shape \(4, 6\)"),
        ((PLANE, PLANE, PLANE), r"pairs must have shape \(4, 12\)"),
        ((PLANE, PAIRS[:, :6], PAIRS), "pairs overlaps second"),
    ],
    "yuyv_to_i420": [
        ((PAIRS[:, :10], PLANE[:, :5], SMALL, SMALL), "even number of pixels"),
        ((PAIRS, SMALL, SMALL, SMALL), r"y must have shape \(4, 6\)"),
        ((PAIRS, PLANE, SMALL, SMALL), "u overlaps v"),
    ],
    "i420_to_yuyv": [
        ((PLANE[:, :5], SMALL, SMALL, PAIRS[:, :10]), "even number of pixels"),
        ((PLANE, SMALL, PLANE, PAIRS), r"v must have shape \(2, 3\)"),
        ((PAIRS[:, :6], SMALL, SMALL, PAIRS), "yuyv overlaps y"),
    ],
    "apply_table": [
        ((PLANE, TABLE[:255], PLANE), r"table must be uint8 of shape \(256,\)"),
        ((PLANE, TABLE.astype(int), PLANE), "table must be uint8 of shape"),
        ((PLANE, np.zeros(512, np.uint8)[::2], PLANE), "table must be C-contiguous"),
        ((PLANE, [0] * 256, PLANE), "table must be a numpy array, but is list"),
        ((PLANE, TABLE, SMALL), r"out must have shape \(4, 6\)"),
        ((PLANE, TABLE, TABLE[:24].reshape(4, 6)), "out overlaps table"),
    ],
    "apply_pair_table": [
        ((PLANE, OTHER[0], TABLE, PLANE), r"table must be uint8 of shape \(65536,\)"),
        ((PLANE, SMALL, PAIR_TABLE, PLANE), r"second must have shape \(4, 6\)"),
        ((PLANE, OTHER[0], PAIR_TABLE, PAIR_TABLE[:24].reshape(4, 6)), "out overlaps table"),
    ],
    "saturate": [
        ((PLANE, OTHER[0], PLANE, OTHER[0], 4.0), "factor must be 0 to 3.99, but is 4.0"),
        ((PLANE, OTHER[0], PLANE, OTHER[0], -1.0), "factor must be 0 to 3.99, but is -1.0"),
        ((PLANE, SMALL, PLANE, SMALL, 1.0), r"v must have shape \(4, 6\)"),
        ((PLANE, OTHER[0], OTHER[1], OTHER[1], 1.0), "out_u overlaps out_v"),
        ((PLANE, OTHER[0], OTHER[0], PLANE, 1.0), "out_u overlaps v"),
    ],
    "mix_chroma": [
        ((*MIXED[:3], *OTHER, 16, (0.0,) * 5), "factors must be 6 numbers, -3.99 to 3.99"),
        ((*MIXED[:3], *OTHER, 16, (0.0,) * 5 + (4.0,)), "factors must be 6 numbers"),
        ((*MIXED[:3], *OTHER, 256, (0.0,) * 6), "black must be 0 to 255, but is 256"),
        ((PLANE, SMALL, MIXED[2], *OTHER, 16, (0.0,) * 6), r"u must have shape \(4, 6\)"),
        ((*MIXED, MIXED[1], MIXED[1], 16, (0.0,) * 6), "out_u overlaps out_v"),
        ((*MIXED, MIXED[0], OTHER[1], 16, (0.0,) * 6), "out_u overlaps luma"),
        ((*MIXED, MIXED[2], OTHER[1], 16, (0.0,) * 6), "out_u overlaps v"),
    ],
}
HALF = np.zeros((2, 3), np.uint8)
CELL = np.zeros((1, 2), np.uint8)
FRAME = (PLANE, SMALL, SMALL)
GRID = (CELL, CELL, CELL)
ROOMS = tuple(np.zeros((1, 2), np.uint8) for _ in range(3))
HALVES = tuple(np.zeros((2, 3), np.uint8) for _ in range(3))
OUT = tuple(np.zeros(plane.shape, np.uint8) for plane in FRAME)
NUMBERS = composite.Guiding(10.0, 1.0, 1.0, 0.2, 0.3)
GUIDE = (PLANE, GRID, (SMALL, SMALL, SMALL), 2, 5, 1, NUMBERS, HALF)

BAD_COMPOSITES: dict[str, list[tuple[tuple[Any, ...], str]]] = {
    "reduce": [
        ((FRAME, HALF, ROOMS, 0), "shift must be 1 to 4, but is 0"),
        ((FRAME, HALF, ROOMS, 5), "shift must be 1 to 4, but is 5"),
        ((PLANE, HALF, ROOMS, 2), "frame must be a tuple of three planes, but is ndarray"),
        ((FRAME[:2], HALF, ROOMS, 2), "frame must be a tuple of three planes"),
        (((PLANE, PLANE, SMALL), HALF, ROOMS, 2), r"frame\[1\] must have shape \(2, 3\)"),
        ((FRAME, PLANE, ROOMS, 2), r"half must have shape \(2, 3\)"),
        ((FRAME, HALF, HALVES, 2), r"grid\[0\] must have shape \(1, 2\)"),
        ((FRAME, SMALL, ROOMS, 2), r"half overlaps frame\[1\]"),
        ((FRAME, HALF, GRID, 2), r"grid\[1\] overlaps grid\[0\]"),
        (
            (
                (np.zeros((1, 32768), np.uint8), *(np.zeros((1, 16384), np.uint8),) * 2),
                HALF,
                GRID,
                2,
            ),
            "no side may be longer than 32767",
        ),
    ],
    "guide": [
        ((*GUIDE[:3], 5, *GUIDE[4:]), "shift must be 1 to 4, but is 5"),
        ((*GUIDE[:4], 4, *GUIDE[5:]), "window must be 3, 5 or 7, but is 4"),
        ((*GUIDE[:5], 3, *GUIDE[6:]), "reach must be 1 to 2, but is 3"),
        ((*GUIDE[:6], NUMBERS._replace(edge=np.nan), HALF), "numbers must be finite"),
        ((*GUIDE[:6], NUMBERS._replace(flatness=0.0), HALF), "flatness must be above 0"),
        ((*GUIDE[:6], NUMBERS._replace(doubt_to=0.2), HALF), "doubt_to above doubt_from"),
        ((PLANE[:0], *GUIDE[1:]), "mask must be"),
        ((PLANE, HALVES, *GUIDE[2:]), r"grid\[0\] must have shape \(1, 2\)"),
        ((*GUIDE[:2], FRAME, *GUIDE[3:]), r"guide\[1\] must have shape \(4, 6\)"),
        ((*GUIDE[:7], PLANE), r"out must have shape \(2, 3\)"),
        ((*GUIDE[:7], SMALL), r"out overlaps guide\[0\]"),
    ],
    "blur": [
        ((GRID, HALF, 0, 0, [1.0], HALVES), "shift must be 1 to 7, but is 0"),
        ((GRID, HALF, 2, 6, [1.0], HALVES), "halvings must be 0 to 5, but is 6"),
        ((GRID, HALF, 2, 0, [], HALVES), "taps must be 1 to 65 finite numbers"),
        ((GRID, HALF, 2, 0, [np.inf], HALVES), "taps must be 1 to 65 finite numbers"),
        ((GRID, HALF, 2, 0, [1.0] * 66, HALVES), "taps must be 1 to 65 finite numbers"),
        ((GRID, PLANE, 2, 0, [1.0], HALVES), "mask has shape"),
        ((GRID, HALF, 2, 0, [1.0], OUT), r"out\[1\] must have shape"),
        ((GRID, HALF, 2, 1, [1.0], (PLANE, PLANE, PLANE)), "out has shape"),
        ((GRID, HALF, 2, 0, [1.0], (HALF, *HALVES[1:])), r"out\[0\] overlaps mask"),
        ((GRID, HALF, 2, 0, [1.0], (HALVES[0],) * 3), r"out\[1\] overlaps out\[0\]"),
    ],
    "lay": [
        ((FRAME, GRID, HALF, 7, OUT), "shift must be 0 to 6, but is 7"),
        ((FRAME, GRID, PLANE, 2, OUT), r"mask must have shape \(2, 3\)"),
        ((FRAME, HALVES, HALF, 2, OUT), r"background\[0\] must have shape \(1, 2\)"),
        ((FRAME, GRID, HALF, 0, OUT), r"background\[0\] must have shape \(4, 6\)"),
        ((FRAME, GRID, HALF, 2, (PLANE, SMALL, SMALL)), r"out\[0\] overlaps foreground\[0\]"),
        ((FRAME, GRID, HALF, 2, (OUT[0], OUT[1], OUT[1])), r"out\[2\] overlaps out\[1\]"),
        ((FRAME, GRID, HALF, 2, (OUT[0], OUT[1], None)), r"out\[2\] must be a numpy array"),
        ((FRAME, GRID, HALF, 2, OUT, TABLE), r"tables must be \[height, width\]"),
        ((FRAME, GRID, HALF, 2, OUT, np.zeros((3, 255), np.uint8)), r"have shape \(3, 256\)"),
        (
            (FRAME, GRID, HALF, 2, OUT, np.zeros((3, 512), np.uint8)[:, :256]),
            "tables must be C-contiguous",
        ),
    ],
}
BAD |= BAD_COMPOSITES
WRONG_CALLS = [
    pytest.param(name, arguments, message, id=f"{name}-{number}")
    for name, calls in BAD.items()
    for number, (arguments, message) in enumerate(calls)
]


@pytest.mark.parametrize(("name", "arguments", "message"), WRONG_CALLS)
def test_wrong_calls_are_refused(name: str, arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(KernelError, match=message):
        getattr(composite if name in BAD_COMPOSITES else kernels, name)(*arguments)


# Kernels whose public function is made of others.
COMPOSED = ("gaussian_blur", "saturate", "mix_chroma")
COEFFICIENTS = {
    "downscale_rgb": (coefficients("bt601", True),),
    "i420_to_rgb": (coefficients("bt601", True), False),
    "rgb_to_i420": (plane_coefficients("bt601", True), False),
}


@pytest.mark.parametrize(
    "variant", [name for name in kernels.available_isas() if name != reference.name]
)
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        (name, arguments)
        for name, calls in BAD.items()
        for arguments, message in calls
        if "overlaps" not in message and "bt2021" not in message  # harmless to memory
        if name not in COMPOSED
    ],
)
def test_compiled_code_defends_itself(name: str, arguments: tuple[Any, ...], variant: str) -> None:
    """Past the checks in Python, what could reach foreign memory is refused once more."""
    if name in COEFFICIENTS:
        arguments = (*arguments[:-2], *COEFFICIENTS[name])
    with pytest.raises((TypeError, ValueError)):
        getattr(isa.implementations()[variant], name)(*arguments)


def test_planes_that_alternate_in_memory_do_not_overlap() -> None:
    """U and V side by side in one buffer, as some cameras lay them out."""
    room = np.arange(48, dtype=np.uint8).reshape(4, 12)
    u, v = room[:, :6], room[:, 6:]
    before = v.copy()
    kernels.blend(v, v, np.zeros((4, 6), np.uint8), u)
    np.testing.assert_array_equal(u, before)
    np.testing.assert_array_equal(v, before)
