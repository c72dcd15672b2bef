"""A background that moves: a clip that begins again when it ends, or a camera."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable

from pullfx.nodes.backgrounds.background import Background, Moment
from pullfx.nodes.backgrounds.cover import cover
from pullfx.nodes.backgrounds.reel import Reel
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.shape import Shape
from pullfx.pipeline.sources import Source

# Longer than a decoder takes for a picture; a camera may be away for longer.
_PATIENCE = 2.0


class MovingBackground(Background):
    """Shows the frames of a source by its own clock, whatever the rate of those in front.

    A thread decodes and fits them ahead of time, and rests while nobody asks. Where a frame may
    wait, it gets the very frame of its time, so that the same input gives the same output; else the
    last one stays until a later one is ready.

    Args:
        source: the source of the first round, which is closed here.
        open: opens it anew.
    """

    def __init__(self, source: Source, open: Callable[[], Source]) -> None:
        self._reel = Reel(source, open)
        self._picture = self._reel.first
        self._thread: threading.Thread | None = None
        self._finalize = weakref.finalize(self, self._reel.stop)

    def at(self, moment: Moment) -> Frame:
        """The frame of that time, or the last one that there is."""
        self._reel.shape = moment.shape
        if not self._reel.is_over and (self._thread is None or not self._thread.is_alive()):
            self._start()
        picture = self._reel.due(moment)
        if picture is not None:
            self._picture = picture
        if Shape.of(self._picture) != moment.shape:
            self._picture = cover(self._picture, moment.shape)
        return self._picture

    def rewind(self) -> None:
        """Begins at the first frame; a camera goes on."""
        self._reel.rewind()

    def close(self) -> None:
        """Ends the thread, and frees file or device."""
        self._finalize()
        if self._thread is not None:
            self._thread.join(_PATIENCE)

    def _start(self) -> None:
        # It must not keep this object alive, whose end ends it.
        self._thread = threading.Thread(
            target=self._reel.run, name="pullfx-background", daemon=True
        )
        self._thread.start()
