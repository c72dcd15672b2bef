"""Small nodes and effects that the tests of the engine wire together."""

from __future__ import annotations

import threading
from collections import Counter

import numpy as np

from pullfx.pipeline.effect import Effect, parameter
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.node import UNCHANGED, node
from pullfx.pipeline.pool import HEAP, Pool

calls: Counter[str] = Counter()
_lock = threading.Lock()


def count(name: str) -> None:
    """Notes one call; the tests read `calls`."""
    with _lock:
        calls[name] += 1


def make_frame(value: int = 100, width: int = 32, height: int = 16) -> Frame:
    """A frame of one luma, with a ramp in the first row so that rows differ."""
    y = np.full((height, width), value, np.uint8)
    y[0] = np.arange(width) % 256
    chroma = (height + 1) // 2, (width + 1) // 2
    return Frame(y, np.full(chroma, 90, np.uint8), np.full(chroma, 160, np.uint8))


@node(heavy=True)
def mean_luma(frame: Frame) -> float:
    """Stands in for the network: something costly that several effects need."""
    count("mean_luma")
    return float(frame.y.mean())


@node
def add(frame: Frame, mean: float, amount: int, pool: Pool = HEAP) -> Frame:
    """Luma plus `amount` plus a hundredth of the mean; stateless."""
    count("add")
    out = pool.frame(frame)
    np.add(frame.y, np.uint8((amount + int(mean) // 100) % 256), out=out.y)
    out.u[...] = frame.u
    out.v[...] = frame.v
    return out


@node
def invert(frame: Frame, mean: float, pool: Pool = HEAP) -> Frame:
    """Luma inverted about the mean; stateless."""
    count("invert")
    out = pool.frame(frame)
    np.subtract(np.uint8(int(mean) % 256), frame.y, out=out.y)
    out.u[...] = frame.v
    out.v[...] = frame.u
    return out


@node
def blank(frame: Frame, pool: Pool = HEAP) -> Frame:
    """Hides everything."""
    count("blank")
    out = pool.frame(frame)
    for plane in out.planes:
        plane[...] = 7
    return out


@node(every=3)
def slow_mean(frame: Frame) -> float:
    """Runs on every third frame."""
    count("slow_mean")
    return float(frame.y[1, 0])


@node
def halve(frame: Frame) -> Frame:
    """Only ever needed by `slow_mean` in these tests."""
    count("halve")
    return frame


@node
def double(amount: int) -> int:
    """Depends on a parameter only."""
    count("double")
    return amount * 2


@node
class RunningSum:
    """Remembers: the sum of the means since the last reset."""

    def __init__(self, start: float = 0.0) -> None:
        self.start = start
        self.total = start

    def __call__(self, mean: float) -> float:
        count("running_sum")
        self.total += mean
        return self.total

    def reset(self) -> None:
        count("running_sum.reset")
        self.total = self.start


@node
class WhenChanged:
    """Holds its version while the frame's second row stands still."""

    def __init__(self) -> None:
        self.last: int | None = None

    def __call__(self, frame: Frame) -> int:
        value = int(frame.y[1, 0])
        if value == self.last:
            return UNCHANGED  # type: ignore[no-any-return]
        self.last = value
        return value

    def reset(self) -> None:
        self.last = None


@node
def after_change(value: int) -> float:
    """Hangs on `WhenChanged`."""
    count("after_change")
    return float(value)


class Brighten(Effect):
    """Adds to the luma."""

    amount: int = parameter(default=10, minimum=0, maximum=50)

    def build(self, frame: Frame, original: Frame) -> Frame:
        return add(frame, mean_luma(original), self.amount)


class Invert(Effect):
    """Inverts the luma."""

    def build(self, frame: Frame, original: Frame) -> Frame:
        return invert(frame, mean_luma(original))


class Summed(Effect):
    """Adds a number that depends on all frames since it came on."""

    def build(self, frame: Frame, original: Frame) -> Frame:
        return add(frame, RunningSum()(mean_luma(original)), 0)


@node
def fragile(frame: Frame, pool: Pool = HEAP) -> Frame:
    """Fails while `broken` says so."""
    count("fragile")
    if "fragile" in broken:
        raise RuntimeError("out of luck")
    return blank(frame)


@node
def fragile_fallback(frame: Frame) -> Frame:
    """The fallback of `Hide`, which can be broken too."""
    if "fragile_fallback" in broken:
        raise RuntimeError("out of luck again")
    return blank(frame)


broken: set[str] = set()


class Hide(Effect):
    """Hides everything, and must fail closed."""

    fails_closed = True

    def build(self, frame: Frame, original: Frame) -> Frame:
        return fragile(frame)

    def fallback(self, frame: Frame) -> Frame:
        return fragile_fallback(frame)


class Decorate(Effect):
    """A cosmetic effect that can fail."""

    def build(self, frame: Frame, original: Frame) -> Frame:
        return fragile(frame)
