"""What benchmarks share: how to take turns, and what to make of the times.

A session is many rounds of a few turns each; in a turn every arm runs once, so that whatever
happens to the machine happens to all. On a machine that others use too, the system takes the CPU
away now and then, the more surely the longer an arm runs, which would flatter the short ones: such
runs are counted ("disturbed"), and then left out of all other figures. Percentiles are over the
runs that remain.

Ratios are taken within each round, between the medians of two arms. The spread is how far apart the
middle half of an arm's medians lies, as a part of their median, after what all arms have in common
is divided out: the pace of the machine, which is the same for both sides of a ratio. An arm is void
above `LARGEST_SPREAD`, or where fewer than `FEWEST_ROUNDS` have an undisturbed run.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from time import perf_counter_ns, process_time_ns, sleep

import numpy as np
from numpy.typing import NDArray

LARGEST_SPREAD = 0.15
FEWEST_ROUNDS = 5
FEWEST_ARMS = 3  # that tell the pace of the machine
TURNS = 10  # in a round


@dataclass(frozen=True)
class Times:
    """What an arm took.

    Args:
        taken: milliseconds, [rounds, turns].
        lost: where the CPU was taken away, [rounds, turns].
        pace: how long everything took, [rounds], 1 where as usual.
    """

    taken: NDArray[np.float64]
    lost: NDArray[np.bool_]
    pace: NDArray[np.float64] | float = 1.0

    @property
    def _is_lost(self) -> bool:
        return int(np.count_nonzero(~self.lost.all(axis=1))) < FEWEST_ROUNDS

    @cached_property
    def _kept(self) -> NDArray[np.float64]:
        """What counts: all runs, where too few were left alone."""
        return self.taken if self._is_lost else np.where(self.lost, np.nan, self.taken)

    @cached_property
    def medians(self) -> NDArray[np.float64]:
        """Of each round, NaN where nothing counts; the fastest run, where few were left alone."""
        if self._is_lost:
            return np.asarray(self.taken.min(axis=1))
        turns = [kept[~np.isnan(kept)] for kept in self._kept]
        return np.array([np.median(kept) if len(kept) else np.nan for kept in turns])

    def percentile(self, percent: float) -> float:
        """Over all turns of all rounds that count."""
        return float(np.nanpercentile(self._kept, percent))

    @property
    def mean(self) -> float:
        """Over all turns of all rounds that count."""
        return float(np.nanmean(self._kept))

    @property
    def disturbed(self) -> float:
        """The part of the runs during which the CPU was taken away."""
        return float(self.lost.mean())

    @property
    def spread(self) -> float:
        """Of the rounds' medians, each at the usual pace."""
        p25, p50, p75 = np.nanpercentile(self.medians / self.pace, [25, 50, 75])
        return float((p75 - p25) / p50)

    @property
    def is_void(self) -> bool:
        """Whether it says nothing."""
        return self._is_lost or self.spread > LARGEST_SPREAD

    def faster_than(self, other: Times) -> float:
        """How many times: the median of the ratios within each round."""
        ratios = other.medians / self.medians
        if np.isnan(ratios).all():
            return other.percentile(10) / self.percentile(10)
        return float(np.nanmedian(ratios))

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            **{f"p{percent}": self.percentile(percent) for percent in (10, 50, 95)},
            "spread": self.spread,
            "disturbed": self.disturbed,
            "void": self.is_void,
        }


def losses_of_the_cpu() -> int:
    """How often a thread of this process had to stop for others, where the system counts it."""
    if sys.platform == "win32":
        return 0
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw


def in_turns(
    arms: Mapping[str, Callable[[], object]],
    rounds: int,
    pause: float = 0.0,
    losses_of: Callable[[], int] = losses_of_the_cpu,
) -> dict[str, Times]:
    """Runs all arms in turns; the first rounds do not count.

    Args:
        arms: by name. One that gives an int has measured itself, in nanoseconds.
        rounds: that count.
        pause: seconds between two arms, for the threads of the last one to go to sleep.
        losses_of: how often the CPU has been taken away, where arms have processes of their own.
    """
    warm_up = max(2, rounds // 10)
    taken = np.empty((len(arms), warm_up + rounds, TURNS))
    lost = np.empty(taken.shape, np.bool_)
    for round_number, turn in np.ndindex(warm_up + rounds, TURNS):
        for arm, run in enumerate(arms.values()):
            if pause:
                sleep(pause)
            losses, worked = losses_of(), process_time_ns()
            begun = perf_counter_ns()
            result = run()
            nanoseconds = perf_counter_ns() - begun
            busy = (process_time_ns() - worked) / nanoseconds
            # Switches between an arm's own threads, of which always one runs, are no losses.
            one_at_a_time = 0.98 < busy < 1.1
            lost[arm, round_number, turn] = losses_of() > losses and not one_at_a_time
            if isinstance(result, int):
                nanoseconds = result
            taken[arm, round_number, turn] = nanoseconds / 1e6
    alone = {
        name: Times(taken[arm, warm_up:], lost[arm, warm_up:]) for arm, name in enumerate(arms)
    }
    pace = pace_of(alone.values())
    return {name: replace(times, pace=pace) for name, times in alone.items()}


def pace_of(arms: Collection[Times]) -> NDArray[np.float64] | float:
    """What arms have in common, [rounds]: the median of how long each took, 1 as usual.

    Two arms have too little in common to tell it from their own.
    """
    if len(arms) < FEWEST_ARMS:
        return 1.0
    relative = np.array([times.medians / np.nanmedian(times.medians) for times in arms])
    missing = np.isnan(relative).all(axis=0)
    relative[:, missing] = 1
    return np.asarray(np.nanmedian(relative, axis=0))


HEADINGS = ("p10", "p50", "p95", "spread", "disturbed")


def columns_of(times: Times) -> Sequence[str]:
    """The cells under `HEADINGS`."""
    figures = (f"{times.percentile(percent):.3f}" for percent in (10, 50, 95))
    void = " void" if times.is_void else ""
    return (*figures, f"{times.spread:.0%}{void}", f"{times.disturbed:.0%}")


def pin(threads: int) -> None:
    """Keeps this process, from here on, on as many CPUs, where the system allows it."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-threads:])


def processor() -> str:
    """The CPU's name."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
