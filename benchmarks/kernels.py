"""Each kernel on each instruction set against its numpy reference and the same done with OpenCV.

    python benchmarks/kernels.py [--size 1280x720] [--rounds 300] [--json FILE]

One thread, pinned where the system allows it. The competitors run in turns within one process, the
first rounds are discarded. "off by" is the largest difference of an output value from the kernel's
definition. Only ratios within one run carry over to another machine.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import platform
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter_ns
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from pullfx.kernels import isa, reference
from pullfx.kernels.colour import Mixing, coefficients, plane_coefficients
from pullfx.kernels.composite import Guiding, grid_shape
from pullfx.kernels.filter import gaussian_radii

Array = NDArray[np.uint8]
Floats = NDArray[np.float32]
Calls = dict[str, tuple[Callable[[isa.Implementation], None], Array]]

WARM_UP = 20
NETWORK = (256, 144)
RADIUS = 10  # of the box, and deviation of the blur
SHIFT = 3  # of the grid: 160x90 for 1280x720
FACE = (160, 112)  # of a picture in which a face is worked on
FACE_SHIFT = 2
SIGMA = 1.46  # of the composite's blur at the strength that is the default
SLOW_ROUNDS = 10  # of the reference, which takes a hundred times as long

cv2.setNumThreads(1)


@dataclass(frozen=True)
class Picture:
    """What the kernels are given.

    `i420` holds the foreground's planes, one after the other; `bgr` is the same picture, `small`
    its luma at the network's size, `table` a gamma.
    """

    foreground: tuple[Array, Array, Array]
    background: tuple[Array, Array, Array]
    mask: Array
    i420: Array
    bgr: Array
    small: Array
    table: Array

    @staticmethod
    def of_size(width: int, height: int) -> Picture:
        """Slow waves of pale colour with some noise, and a mask that is sure nearly everywhere."""
        random = np.random.default_rng(1)
        i420 = np.empty(width * height * 3 // 2, np.uint8)
        y, u, v = np.split(i420, [width * height, width * height * 5 // 4])
        half = (height // 2, width // 2)
        foreground = (y.reshape(height, width), u.reshape(half), v.reshape(half))
        for plane, swing in zip(foreground, (30, 8, 8), strict=True):
            waves = random.normal(128, swing, (9, 16)).clip(128 - 2 * swing, 128 + 2 * swing)
            smooth = cv2.resize(waves, plane.shape[::-1], interpolation=cv2.INTER_CUBIC)
            plane[:] = np.clip(smooth + random.normal(0, 2, plane.shape), 0, 255)
        blurred = [np.asarray(cv2.blur(plane, (31, 31)), np.uint8) for plane in foreground]
        mask = np.zeros((height, width), np.uint8)
        cv2.ellipse(mask, (width // 2, height), (width // 4, height), 0, 0, 360, 255, -1)
        mask = np.asarray(cv2.blur(mask, (9, 9)), np.uint8)
        return Picture(
            foreground,
            (blurred[0], blurred[1], blurred[2]),
            mask,
            i420.reshape(height * 3 // 2, width),
            np.asarray(cv2.cvtColor(i420.reshape(-1, width), cv2.COLOR_YUV2BGR_I420), np.uint8),
            np.asarray(cv2.resize(foreground[0], NETWORK), np.uint8),
            np.rint(255 * np.linspace(0, 1, 256) ** 0.7).astype(np.uint8),
        )


class OpenCV:
    """The same with OpenCV, as a careful person writes it: into memory that is kept.

    Methods are named as the kernels are; what is not here OpenCV does not have.
    """

    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        self.y, self.u, self.v = picture.foreground
        height, width = self.y.shape
        self.pairs = np.stack((self.u, self.v), axis=-1)
        self.out, self.out_half, self.out_other = (
            np.empty_like(plane) for plane in (self.y, self.u, self.v)
        )
        self.weights = [np.empty((height, width), np.float32) for _ in range(2)]
        self.half_weights = [np.empty(self.u.shape, np.float32) for _ in range(2)]
        self.rgb = np.empty((height, width, 3), np.uint8)
        self.i420 = np.empty_like(picture.i420)
        self.small = np.empty((NETWORK[1], NETWORK[0]), np.uint8)
        self.cells = grid_shape(self.y.shape, SHIFT)[::-1]
        self.grid = [cv2.resize(plane, self.cells) for plane in picture.background]
        self.small_rgb = np.empty((NETWORK[1], NETWORK[0], 3), np.uint8)

    def blend(self) -> Array:
        """`cv2.blendLinear`, which wants the weights as float32."""
        return self._blended(
            self.y, self.picture.background[0], self.picture.mask, self.weights, self.out
        )

    def blend_half(self) -> Array:
        """The mask halved by area, then as above."""
        cv2.resize(
            self.picture.mask, self.u.shape[::-1], self.out_half, interpolation=cv2.INTER_AREA
        )
        back = self.picture.background[1]
        return self._blended(self.u, back, self.out_half, self.half_weights, self.out_other)

    def downscale_rgb(self) -> Array:
        """RGB at full size, then made small by area."""
        cv2.cvtColor(self.picture.i420, cv2.COLOR_YUV2RGB_I420, self.rgb)
        cv2.resize(self.rgb, NETWORK, self.small_rgb, interpolation=cv2.INTER_AREA)
        return self.small_rgb

    def mean_3x3(self) -> Array:
        """Rounded to nearest, so a ninth of all differs by one."""
        cv2.blur(self.y, (3, 3), self.out, borderType=cv2.BORDER_REPLICATE)
        return self.out

    def box_mean(self) -> Array:
        """With the border mirrored as the kernel does it."""
        side = 2 * RADIUS + 1
        cv2.blur(self.y, (side, side), self.out, borderType=cv2.BORDER_REFLECT)
        return self.out

    def gaussian_blur(self) -> Array:
        """A true Gaussian, as wide as OpenCV itself finds right for bytes."""
        cv2.GaussianBlur(self.y, (0, 0), RADIUS, self.out, borderType=cv2.BORDER_REFLECT)
        return self.out

    def upsample_2x(self) -> Array:
        """Bilinear."""
        cv2.resize(self.u, self.y.shape[::-1], self.out, interpolation=cv2.INTER_LINEAR)
        return self.out

    def resize_bilinear(self) -> Array:
        """From the network's size."""
        cv2.resize(self.picture.small, self.y.shape[::-1], self.out, interpolation=cv2.INTER_LINEAR)
        return self.out

    def resize_area(self) -> Array:
        """To the network's size."""
        cv2.resize(self.y, NETWORK, self.small, interpolation=cv2.INTER_AREA)
        return self.small

    def i420_to_rgb(self) -> Array:
        """One step, which only BT.601 in limited range has."""
        cv2.cvtColor(self.picture.i420, cv2.COLOR_YUV2BGR_I420, self.rgb)
        return self.rgb

    def rgb_to_i420(self) -> Array:
        """One step, only for BT.601 in limited range, with the chroma of one pixel in four."""
        cv2.cvtColor(self.picture.bgr, cv2.COLOR_BGR2YUV_I420, self.i420)
        return self.i420[: self.y.shape[0]]

    def split_pairs(self) -> Array:
        """`cv2.split`."""
        cv2.split(self.pairs, (self.out_half, self.out_other))
        return self.out_half

    def apply_table(self) -> Array:
        """`cv2.LUT`."""
        cv2.LUT(self.y, self.picture.table, self.out)
        return self.out

    def reduce(self) -> Array:
        """Every plane made small by area, and luma halved."""
        cv2.resize(self.y, self.u.shape[::-1], self.out_half, interpolation=cv2.INTER_AREA)
        size = grid_shape(self.y.shape, SHIFT)[::-1]
        small = [
            cv2.resize(p, size, interpolation=cv2.INTER_AREA) for p in (self.y, self.u, self.v)
        ]
        return np.asarray(small[0], np.uint8)

    def blur(self) -> Array:
        """A normalised convolution in float32, at the size of the grid."""
        small = cv2.resize(self.picture.mask, self.cells, interpolation=cv2.INTER_AREA)
        weight = 1 - np.asarray(small, np.float32) / np.float32(256)
        total = cv2.GaussianBlur(weight, (0, 0), 2 * SIGMA)
        blurred = [
            cv2.GaussianBlur(plane * weight, (0, 0), 2 * SIGMA) / total for plane in self.grid
        ]
        return np.asarray(np.rint(blurred[0]), np.uint8)

    def lay(self) -> Array:
        """Mask and background at full size, then as `blend`."""
        height, width = self.y.shape
        mask = cv2.resize(cv2.resize(self.picture.mask, (width // 2, height // 2)), (width, height))
        behind = np.asarray(cv2.resize(self.grid[0], (width, height)), np.uint8)
        for _ in ("u", "v"):
            self.blend_half()
        return self._blended(self.y, behind, np.asarray(mask, np.uint8), self.weights, self.out)

    @staticmethod
    def _blended(
        foreground: Array, background: Array, mask: Array, weights: list[Floats], out: Array
    ) -> Array:
        np.multiply(mask, np.float32(1 / 255), out=weights[0])
        np.subtract(np.float32(1), weights[0], out=weights[1])
        cv2.blendLinear(foreground, background, weights[0], weights[1], out)
        return out


def composite_calls(picture: Picture) -> Calls:
    """The kernels of the composite, one fed with what the one before makes."""
    frame = picture.foreground
    y, u, v = frame
    cells = grid_shape(y.shape, SHIFT)
    grid, backdrop = (
        (np.empty(cells, np.uint8), np.empty(cells, np.uint8), np.empty(cells, np.uint8))
        for _ in range(2)
    )
    half, matte = np.empty_like(u), np.empty_like(u)
    out = (np.empty_like(y), np.empty_like(u), np.empty_like(v))
    reference.reduce(frame, half, grid, SHIFT)
    mask = np.asarray(cv2.resize(picture.mask, NETWORK, interpolation=cv2.INTER_AREA), np.uint8)
    soft = np.asarray(
        cv2.resize(picture.mask, u.shape[::-1], interpolation=cv2.INTER_AREA), np.uint8
    )
    taps = np.exp(-0.5 * (np.arange(6) / SIGMA) ** 2).astype(np.float32).tolist()
    numbers = Guiding(10.0, 1.0, 1.0, 0.2, 0.3)
    return {
        "reduce": (lambda kernel: kernel.reduce(frame, half, grid, SHIFT), grid[0]),
        "guide": (
            lambda kernel: kernel.guide(mask, grid, (half, u, v), SHIFT, 5, 1, numbers, matte),
            matte,
        ),
        "blur": (lambda kernel: kernel.blur(grid, soft, SHIFT, 1, taps, backdrop), backdrop[0]),
        "lay": (lambda kernel: kernel.lay(frame, backdrop, soft, SHIFT, out), out[0]),
    }


def skin_calls(picture: Picture) -> Calls:
    """The kernels of skin, on a face as large as in a usual call: 350 pixels high."""
    y, u, v = picture.foreground
    part = (slice(0, FACE[0] << FACE_SHIFT), slice(0, FACE[1] << FACE_SHIFT))
    half = grid_shape(FACE, 1)
    base, weight = (
        np.asarray(cv2.resize(plane[part], FACE[::-1], interpolation=cv2.INTER_AREA), np.uint8)
        for plane in (y, picture.mask)
    )
    changes = np.empty(FACE, np.uint8)
    reference.soften(base, weight, changes, 3, 120.0, 8, 0.75)
    colour = np.full(half, 132, np.uint8)
    frame = (y.copy(), u.copy(), v.copy())

    def retouch(kernel: isa.Implementation) -> None:
        np.copyto(frame[0][part], y[part])  # it changes the frame in place
        kernel.retouch((changes, colour, colour), base, weight, frame, 0, 0, FACE_SHIFT, 8000, 10)

    return {
        "soften": (
            lambda kernel: kernel.soften(base, weight, changes, 3, 120.0, 8, 0.75),
            changes,
        ),
        "retouch": (retouch, frame[0]),
    }


def kernel_calls(picture: Picture) -> dict[str, Callable[[isa.Implementation], Array]]:
    """Per kernel: what runs it on an instruction set, and gives (the first of) what it wrote."""
    y, u, v = picture.foreground
    back, back_u, _ = picture.background
    mask, i420, bgr = picture.mask, picture.foreground, picture.bgr
    out, out_half, out_other = (np.empty_like(plane) for plane in (y, u, v))
    pixels = np.empty_like(bgr)
    pairs = np.stack((u, v), axis=-1).reshape(u.shape[0], -1)
    yuyv = np.empty((y.shape[0], 2 * y.shape[1]), np.uint8)
    small = np.empty((NETWORK[1], NETWORK[0]), np.uint8)
    small_rgb = np.empty((NETWORK[1], NETWORK[0], 3), np.uint8)
    planes = out, out_half, out_other
    to_rgb, to_planes = coefficients("bt601", False), plane_coefficients("bt601", False)

    fixed = 3_286_631, 1_661_338, 31_457_280, 17_694_720  # 960x540 in 1/32768 of a pixel
    mixing = Mixing(16, 700, 8192, -300, -1200, 250, 9000)
    looks = np.random.default_rng(1).integers(0, 64 * 255, (3, 33, 33, 33), np.int16)

    def gaussian_blur(kernel: isa.Implementation) -> None:
        source = y
        for radius in gaussian_radii(RADIUS):
            kernel.box_mean(source, out, radius)
            source = out

    calls: Calls = {
        "blend": (lambda kernel: kernel.blend(y, back, mask, out), out),
        "blend_half": (lambda kernel: kernel.blend_half(u, back_u, mask, out_half), out_half),
        "downscale_rgb": (
            lambda kernel: kernel.downscale_rgb(*i420, small_rgb, to_rgb),
            small_rgb,
        ),
        "mean_3x3": (lambda kernel: kernel.mean_3x3(y, out), out),
        "box_mean": (lambda kernel: kernel.box_mean(y, out, RADIUS), out),
        "gaussian_blur": (gaussian_blur, out),
        "upsample_2x": (lambda kernel: kernel.upsample_2x(u, out), out),
        "resize_bilinear": (lambda kernel: kernel.resize_bilinear(picture.small, out), out),
        "crop_bilinear": (lambda kernel: kernel.crop_bilinear(y, out, fixed), out),
        "resize_area": (lambda kernel: kernel.resize_area(y, small), small),
        "i420_to_rgb": (lambda kernel: kernel.i420_to_rgb(*i420, pixels, to_rgb, True), pixels),
        "rgb_to_i420": (lambda kernel: kernel.rgb_to_i420(bgr, *planes, to_planes, True), out),
        "split_pairs": (lambda kernel: kernel.split_pairs(pairs, out_half, out_other), out_half),
        "yuyv_to_i420": (lambda kernel: kernel.yuyv_to_i420(yuyv, *planes), out),
        "i420_to_yuyv": (lambda kernel: kernel.i420_to_yuyv(*i420, yuyv), yuyv),
        "apply_table": (lambda kernel: kernel.apply_table(y, picture.table, out), out),
        "scale_chroma": (lambda kernel: kernel.scale_chroma(u, out_half, 10000), out_half),
        "mix_chroma": (
            lambda kernel: kernel.mix_chroma(u, u, v, out_half, out_other, mixing),
            out_half,
        ),
        "map_colours": (lambda kernel: kernel.map_colours(*i420, looks, *planes), out),
        **composite_calls(picture),
        **skin_calls(picture),
    }

    def call(run: Callable[[isa.Implementation], None], made: Array) -> Any:
        def with_result(kernel: isa.Implementation) -> Array:
            run(kernel)
            return made

        return with_result

    return {name: call(*ours) for name, ours in calls.items()}


def competitors(picture: Picture) -> dict[str, dict[str, Callable[[], Array]]]:
    """Per kernel: the name of each way of doing it, and a call that does it."""
    opencv = OpenCV(picture)
    arms: dict[str, dict[str, Callable[[], Array]]] = {}
    for kernel, run in kernel_calls(picture).items():
        arms[kernel] = {
            name: functools.partial(run, variant) for name, variant in isa.implementations().items()
        }
        if hasattr(opencv, kernel):
            arms[kernel]["opencv"] = getattr(opencv, kernel)
    return arms


def measure(arms: dict[str, Callable[[], Array]], rounds: int) -> dict[str, dict[str, float]]:
    """Microseconds (p10, p50, p95) of each arm, and how far its values are off the reference."""
    times: dict[str, list[int]] = {name: [] for name in arms}
    for number in range(WARM_UP + rounds):
        for name, run in arms.items():
            if name == reference.name and number >= WARM_UP + SLOW_ROUNDS:
                continue
            begun = perf_counter_ns()
            run()
            ended = perf_counter_ns()
            if number >= WARM_UP:
                times[name].append(ended - begun)
    expected = arms[reference.name]().astype(int).copy()
    result = {}
    for name, run in arms.items():
        p10, p50, p95 = np.percentile(np.array(times[name]) / 1000, [10, 50, 95])
        off = np.abs(run().astype(int) - expected).max()
        result[name] = {"p10": p10, "p50": p50, "p95": p95, "off_by": float(off)}
    return result


def main() -> None:
    """Runs the benchmark and prints it."""
    parser = argparse.ArgumentParser(description="What each kernel costs.")
    parser.add_argument("--size", default="1280x720", help="of the picture, even on both sides")
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    width, height = map(int, options.size.split("x"))
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

    results = {
        kernel: measure(arms, options.rounds)
        for kernel, arms in competitors(Picture.of_size(width, height)).items()
    }
    table = Table(title=f"{options.size}, microseconds, one thread")
    for column in ("kernel", "how", "p10", "p50", "p95", "times opencv", "off by"):
        table.add_column(column, justify="left" if column in ("kernel", "how") else "right")
    for kernel, rows in results.items():
        for name, row in rows.items():
            figures = [f"{row[column]:.0f}" for column in ("p10", "p50", "p95")]
            faster = f"{rows['opencv']['p50'] / row['p50']:.1f}" if "opencv" in rows else ""
            table.add_row(kernel, name, *figures, faster, f"{row['off_by']:.0f}")
        table.add_section()
    Console().print(table)
    if options.json:
        report = {
            "size": options.size,
            "rounds": options.rounds,
            "processor": platform.processor() or platform.machine(),
            "python": platform.python_version(),
            "opencv": cv2.__version__,
            "microseconds": results,
        }
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
