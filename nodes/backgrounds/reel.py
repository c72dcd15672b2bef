"""`Reel`: the frames of a source, decoded and fitted ahead of their time by a thread."""

from __future__ import annotations

import itertools
import logging
import math
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple

from pullfx.nodes.backgrounds.background import Moment
from pullfx.nodes.backgrounds.cover import cover
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.pace import Pace
from pullfx.pipeline.pool import Pool
from pullfx.pipeline.shape import Shape
from pullfx.pipeline.sources import Source

logger = logging.getLogger(__name__)

# Frames ready ahead of time: enough to open a file anew when a round ends.
_AHEAD = 8
# Seconds that a frame may be early, so that equal rates keep step on clocks of 1 ms.
_EARLY = 0.002
# Seconds that the clock may be ahead of what is decoded until it is put back.
_LATE = 0.5
# Seconds without being asked after which a camera is given back, and between two looks since.
_UNWATCHED = 3.0
_LOOK = 0.25


class _Ready(NamedTuple):
    take: int
    seconds: float
    frame: Frame


class Reel:
    """What the thread of a moving background and that of the frames share.

    A clip begins again when it ends, without a gap. Of a camera only the newest frame is kept.

    They share no lock, since whoever loses the CPU while it holds one stops the other: for 2 ms a
    frame on a busy machine. The ends of a deque may be used at once, and attributes are whole.

    Args:
        source: the source of the first round, which is closed here.
        open: opens it anew, for each further round and for a camera that is asked for again.

    Attributes:
        first: the first frame, as it came.
        shape: what frames are to be fitted to; set before the thread starts.
    """

    def __init__(self, source: Source, open: Callable[[], Source]) -> None:
        self._source = source
        self._open = open
        self._pool = Pool()
        self._live = source.info.live
        self._ready: deque[_Ready] = deque(maxlen=1 if self._live else None)
        self._room: queue.SimpleQueue[None] = queue.SimpleQueue()  # something may go on
        self._news = threading.Event()  # something came, or nothing will
        self._asked = time.monotonic()
        self._take = 0  # how often it was rewound
        self._shown = 0.0  # time of the last frame that was taken
        self._behind = 0.0  # seconds that the clock was put back
        self._ended = self._stopped = False
        self.shape: Shape | None = None
        frames = source.frames()
        self.first = next(frames)
        self._opened: Iterator[Frame] | None = itertools.chain((self.first,), frames)

    @property
    def is_over(self) -> bool:
        """True when nothing more will come, unless it is rewound."""
        return self._ended or self._stopped

    # -- the frames' thread ---------------------------------------------------------------------

    def due(self, moment: Moment) -> Frame | None:
        """The frame that is due; None where none became due since the last one."""
        self._asked = time.monotonic()
        waits = moment.pace is Pace.EXACT and not self._live
        found: Frame | None = None
        while True:
            self._news.clear()
            found = self._newest(moment.seconds - self._behind + _EARLY) or found
            if self._ready or self.is_over or not waits:
                break
            self._news.wait()
        late = moment.seconds - self._behind - self._shown
        if not (self._ready or waits or self._live) and late > _LATE:
            # To hurry after the clock would only take the CPU from the frames in front.
            self._behind += late
        return found

    def rewind(self) -> None:
        """Has a clip begin anew, and a source that ended be tried again."""
        self._ended = False
        if not self._live:
            self._take += 1
            self._shown = self._behind = 0.0
            self._room.put(None)

    def stop(self) -> None:
        """Ends the thread soon."""
        self._stopped = True
        self._room.put(None)
        self._source.stop()

    def _newest(self, now: float) -> Frame | None:
        """Takes out the frames that are due, and those from before it was rewound."""
        found: Frame | None = None
        while self._ready:
            take, seconds, _ = self._ready[0]
            if take == self._take and seconds > now:
                break
            ready = self._ready.popleft()
            self._room.put(None)
            if ready.take == self._take:
                self._shown, found = ready.seconds, ready.frame
        return found

    # -- the thread of the background -----------------------------------------------------------

    def run(self) -> None:
        """Decodes until `stop`, or until the source gives no more; the thread's work."""
        try:
            while self._is_wanted():
                self._play(self._take)
        except Exception as error:  # whatever it is: the picture goes on
            logger.warning("the background's last picture stays: %s", error)
        finally:
            self._source.close()
            self._ended = True
            self._news.set()

    def _is_wanted(self) -> bool:
        """Waits until somebody asks; False when nobody will."""
        while self._is_unwatched() and not self.is_over:
            self._source.close()
            time.sleep(_LOOK)
        return not self.is_over

    def _is_unwatched(self) -> bool:
        return self._live and time.monotonic() - self._asked > _UNWATCHED

    def _play(self, take: int) -> None:
        """From the first frame until it is rewound, unwatched or over."""
        for seconds, frame in self._rounds():
            assert self.shape is not None
            fitted = cover(frame, self.shape, self._pool)
            del frame  # while there is enough ahead, nobody holds it
            while len(self._ready) >= _AHEAD and not self._is_over_for(take):
                self._room.get()
            if self._is_over_for(take) or self._is_unwatched():
                return
            self._ready.append(_Ready(take, seconds, fitted))
            self._news.set()
        self._ended = True

    def _is_over_for(self, take: int) -> bool:
        return self._stopped or take != self._take

    def _rounds(self) -> Iterator[tuple[float, Frame]]:
        """All frames of all rounds and their times, which go on from one to the next."""
        begin = 0.0
        while True:
            start = last = step = 0.0
            for index, frame in enumerate(self._frames()):
                assert frame.seconds is not None  # every source gives times
                start, step = (frame.seconds, 0.0) if index == 0 else (start, frame.seconds - last)
                last = frame.seconds
                yield -math.inf if self._live else begin + last - start, frame
                del frame
            if self._live or step == 0:  # a stream that ended, a clip of one frame
                return
            begin += last - start + step

    def _frames(self) -> Iterator[Frame]:
        """The frames of the source that is open at first, and then of one that is opened anew."""
        opened, self._opened = self._opened, None
        if opened is None:
            self._source.close()
            self._source = self._open()
            opened = self._source.frames()
        return opened
