"""`Governor`: the quality that a machine can keep up with, found while running."""

from __future__ import annotations

import logging
from collections.abc import Callable
from statistics import median, quantiles
from time import perf_counter
from typing import Any, Final, Protocol, TypeVar

from pullfx.errors import ParameterError
from pullfx.pipeline.quality import Quality

logger = logging.getLogger("pullfx")

AnyPicture = TypeVar("AnyPicture")

# Parts of the time that a frame has. Between the two nothing changes.
_LATE: Final = 0.95
_ROOM: Final = 0.75
# Seconds over which frames are judged, that room has to last before a step up is tried, and within
# which a step down after it means that the trial has failed.
_JUDGED: Final = 1.0
_PATIENCE: Final = 5.0
_TRIAL: Final = 30.0
_LONGEST_PATIENCE: Final = 600.0
# How much more a step up costs, until that was seen.
_GUESS: Final = 1.6


class Adjustable(Protocol):
    """What is used of `Pipeline`."""

    quality: Any

    def process(self, picture: Any, /, *, strict: bool = False) -> Any:
        """The picture with the effects in it."""

    def reset(self) -> None:
        """Forgets the frames of an earlier run."""


class Governor:
    """Takes a pipeline's quality down when frames are late, and up when there is room.

    Use it in the pipeline's place, for `process` and for `run`. A step up is taken only if what it
    will cost fits, by what it cost when the pipeline last crossed that step; and the wait before
    the next trial doubles each time that one fails. So the quality settles and does not swing.

    Times are those that `process` takes, and seconds are counted in frames. Frames that must not
    be judged, those of files (`strict`), pass at the quality that is set.

    Args:
        pipeline: whose quality is governed.
        fps: frames a second to keep up with.
        lowest, highest: the part of the ladder that is used.
        clock: gives the time in seconds.

    Raises:
        ParameterError: `fps` is no positive number, or `lowest` is above `highest`.
    """

    def __init__(
        self,
        pipeline: Adjustable,
        fps: float = 30.0,
        *,
        lowest: Quality = Quality.LOW,
        highest: Quality = Quality.BEST,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        if not fps > 0:
            raise ParameterError(f"fps must be more than 0, but is {fps:g}")
        ladder = list(Quality)
        if ladder.index(lowest) > ladder.index(highest):
            raise ParameterError(f"lowest is {lowest}, which is above highest, {highest}")
        self.pipeline = pipeline
        self._fps = fps
        self._ladder = ladder[ladder.index(lowest) : ladder.index(highest) + 1]
        self._clock = clock
        self._window = max(4, round(_JUDGED * fps))
        self._times: list[float] = []  # of the frames that are judged next
        self._more = dict.fromkeys(self._ladder, _GUESS)  # from a step to the one above it
        self._left: tuple[Quality, float] | None = None  # the step before, and its median time
        self._roomy = 0  # frames with room, up to now
        self._since_up: int | None = None  # frames
        self._patience = _PATIENCE

    def process(self, picture: AnyPicture, /, *, strict: bool = False) -> AnyPicture:
        """See `Pipeline.process`."""
        begun = self._clock()
        result: AnyPicture = self.pipeline.process(picture, strict=strict)
        if not strict:
            self._judge(self._clock() - begun)
        return result

    def reset(self) -> None:
        """See `Pipeline.reset`."""
        self.pipeline.reset()
        self._times.clear()
        self._roomy = 0

    def _judge(self, seconds: float) -> None:
        self._times.append(seconds * self._fps)
        if len(self._times) == self._window:
            self._decide()
            self._times.clear()

    def _decide(self) -> None:
        quality = self._quality()
        self._learn(quality)
        if self._since_up is not None:
            self._since_up += self._window
        load = quantiles(self._times, n=10)[-1]
        has_room = load * self._more[quality] < _ROOM
        self._roomy = self._roomy + self._window if has_room else 0
        place = self._ladder.index(quality)
        if load > _LATE and place > 0:
            self._step(quality, self._ladder[place - 1], load)
        elif self._roomy >= self._patience * self._fps and place + 1 < len(self._ladder):
            self._step(quality, self._ladder[place + 1], load)

    def _quality(self) -> Quality:
        """The pipeline's, which others may set too, within the part of the ladder that is used."""
        quality = Quality(self.pipeline.quality)
        if quality not in self._ladder:
            beyond = list(Quality).index(quality) > list(Quality).index(self._ladder[-1])
            quality = self._ladder[-1 if beyond else 0]
            self.pipeline.quality = quality
        return quality

    def _learn(self, quality: Quality) -> None:
        """What the step that was just crossed costs, once there are times from both sides."""
        if self._left is None:
            return
        before, then = self._left
        self._left = None
        now = median(self._times)
        went_up = self._is_above(quality, before)
        ratio = now / then if went_up else then / now
        self._more[before if went_up else quality] = max(ratio, 1.0)

    def _step(self, quality: Quality, to: Quality, load: float) -> None:
        up = self._is_above(to, quality)
        if not up and self._since_up is not None and self._since_up < _TRIAL * self._fps:
            self._patience = min(2 * self._patience, _LONGEST_PATIENCE)
        logger.info("quality %s: frames take %.0f %% of their time at %s", to, 100 * load, quality)
        self._left = quality, median(self._times)
        self._roomy = 0
        self._since_up = 0 if up else None
        self.pipeline.quality = to

    def _is_above(self, one: Quality, other: Quality) -> bool:
        return self._ladder.index(one) > self._ladder.index(other)
