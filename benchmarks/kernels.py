"""Each kernel on each instruction set against its numpy reference and the same done with OpenCV.

    python benchmarks/kernels.py [--size 1280x720] [--rounds 300] [--json FILE]

One thread, pinned where the system allows it. The competitors run in turns within one process, the
first rounds are discarded. "off by" is the largest difference of an output value from the kernel's
definition. Only ratios within one run carry over to another machine.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter_ns

import cv2
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from pullfx.kernels import isa, reference
from pullfx.kernels.colour import coefficients

Array = NDArray[np.uint8]

WARM_UP = 20
NETWORK = (256, 144)
SLOW_ROUNDS = 10  # of the reference, which takes a hundred times as long

cv2.setNumThreads(1)


@dataclass(frozen=True)
class Picture:
    """What the kernels are given; `i420` holds the foreground's planes, one after the other."""

    foreground: tuple[Array, Array, Array]
    background: tuple[Array, Array, Array]
    mask: Array
    i420: Array

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
        )


class OpenCV:
    """The same with OpenCV, as a careful person writes it: into memory that is kept."""

    def __init__(self, height: int, width: int) -> None:
        self.weight = np.empty((height, width), np.float32)
        self.rest = np.empty((height, width), np.float32)
        self.small_mask = np.empty((height, width), np.uint8)
        self.out = np.empty((height, width), np.uint8)
        self.rgb = np.empty((height, width, 3), np.uint8)
        self.small_rgb = np.empty((NETWORK[1], NETWORK[0], 3), np.uint8)

    def blend(self, foreground: Array, background: Array, mask: Array) -> Array:
        """`cv2.blendLinear`, which wants the weights as float32."""
        np.multiply(mask, np.float32(1 / 255), out=self.weight)
        np.subtract(np.float32(1), self.weight, out=self.rest)
        cv2.blendLinear(foreground, background, self.weight, self.rest, self.out)
        return self.out

    def blend_half(self, foreground: Array, background: Array, mask: Array) -> Array:
        """The mask halved by area, then as above."""
        size = self.small_mask.shape[::-1]
        cv2.resize(mask, size, self.small_mask, interpolation=cv2.INTER_AREA)
        return self.blend(foreground, background, self.small_mask)

    def downscale_rgb(self, i420: Array) -> Array:
        """RGB at full size, then made small by area."""
        cv2.cvtColor(i420, cv2.COLOR_YUV2RGB_I420, self.rgb)
        cv2.resize(self.rgb, NETWORK, self.small_rgb, interpolation=cv2.INTER_AREA)
        return self.small_rgb


def competitors(picture: Picture) -> dict[str, dict[str, Callable[[], Array]]]:
    """Per kernel: the name of each way of doing it, and a call that does it."""
    y, u, v = picture.foreground
    back, back_u, _ = picture.background
    mask = picture.mask
    out, out_half = np.empty_like(y), np.empty_like(u)
    small = np.empty((NETWORK[1], NETWORK[0], 3), np.uint8)
    bt601 = coefficients("bt601", False)

    def blend(variant: isa.Implementation) -> Array:
        variant.blend(y, back, mask, out)
        return out

    def blend_half(variant: isa.Implementation) -> Array:
        variant.blend_half(u, back_u, mask, out_half)
        return out_half

    def downscale_rgb(variant: isa.Implementation) -> Array:
        variant.downscale_rgb(y, u, v, small, bt601)
        return small

    ours: dict[str, Callable[[isa.Implementation], Array]] = {
        "blend": blend,
        "blend_half": blend_half,
        "downscale_rgb": downscale_rgb,
    }
    arms: dict[str, dict[str, Callable[[], Array]]] = {
        kernel: {
            name: lambda run=run, variant=variant: run(variant)  # type: ignore[misc]
            for name, variant in isa.implementations().items()
        }
        for kernel, run in ours.items()
    }
    whole, half = OpenCV(*y.shape), OpenCV(*u.shape)
    arms["blend"]["opencv"] = lambda: whole.blend(y, back, mask)
    arms["blend_half"]["opencv"] = lambda: half.blend_half(u, back_u, mask)
    arms["downscale_rgb"]["opencv"] = lambda: whole.downscale_rgb(picture.i420)
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
            faster = f"{rows['opencv']['p50'] / row['p50']:.1f}"
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
