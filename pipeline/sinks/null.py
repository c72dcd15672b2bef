"""`NullSink`: takes frames and keeps none, for measurements and for those who use `on_frame`."""

from __future__ import annotations

from pathlib import Path

from pullfx.pipeline.frame import Frame
from pullfx.pipeline.sinks.sink import Outcome, Sink
from pullfx.pipeline.sources.other_streams import OtherStreams
from pullfx.pipeline.sources.source import SourceInfo


class NullSink(Sink):
    """Takes every frame and does nothing with it."""

    def open(self, info: SourceInfo, other_streams: OtherStreams | None) -> None:
        """Takes any source."""

    def write(self, frame: Frame) -> None:
        """Lets the frame go."""

    def close(self, outcome: Outcome) -> Path | None:
        """Has nothing to end."""
        return None
