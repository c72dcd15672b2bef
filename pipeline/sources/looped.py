"""`LoopedSource`: a clip that begins again when it ends."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

from pullfx.pipeline.frame import Frame
from pullfx.pipeline.sources.source import Source


class LoopedSource(Source):
    """Plays a source over and over, without its sound; times go on from round to round.

    Args:
        open: opens the source anew for each round.

    Raises:
        SourceError: the source gives nothing.
    """

    def __init__(self, open: Callable[[], Source]) -> None:
        super().__init__()
        self._open = open
        self._source = open()
        self.info = dataclasses.replace(self._source.info, frame_count=None, duration=None)

    def frames(self) -> Iterator[Frame]:
        """Every frame of every round, until `stop`."""
        shift = 0
        while True:
            last: int | None = None
            step = 1
            for frame in self._source.frames():
                if self._stopped.is_set():
                    return
                assert frame.pts is not None  # every source gives times
                step = step if last is None else frame.pts - last
                last = frame.pts
                yield dataclasses.replace(frame, pts=frame.pts + shift)
            self.damaged += self._source.damaged
            self._source.close()
            if self._stopped.is_set():
                return
            shift += (last or 0) + step
            self._source = self._open()

    def close(self) -> None:
        """Closes the round at hand."""
        self._source.close()
