"""`Source`: where frames come from, and what every kind of source promises."""

from __future__ import annotations

import abc
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Self

from pullfx.pipeline.frame import Frame
from pullfx.pipeline.sources.other_streams import OtherStreams

UNSPECIFIED_COLOUR = 2
"""Code of ITU-T H.273 for colour primaries or a transfer curve that nobody named."""


@dataclass(frozen=True, slots=True)
class SourceInfo:
    """What is known about a source before its first frame is taken.

    Attributes:
        description: what a person would call it, such as the file's name.
        width, height: size of the first frame in pixels, upright; later frames may differ.
        live: True where frames come in real time and are lost when nobody takes them.
        frame_rate: frames a second, an average where the rate varies; None where unknown.
        frame_count: how many frames there will be, an estimate; None where unknown.
        duration: length in seconds, an estimate; None where unknown or endless.
        sample_aspect_ratio: width of a pixel divided by its height, upright.
        colour_primaries, colour_transfer: codes of ITU-T H.273.
        metadata: title, artist and the like, as the file has them.
        names: file names of the frames, where each is a file of its own.
        path: local file or folder that is read, so that nothing is written over it.
    """

    description: str
    width: int
    height: int
    live: bool = False
    frame_rate: Fraction | None = None
    frame_count: int | None = None
    duration: float | None = None
    sample_aspect_ratio: Fraction = Fraction(1)
    colour_primaries: int = UNSPECIFIED_COLOUR
    colour_transfer: int = UNSPECIFIED_COLOUR
    metadata: Mapping[str, str] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    path: Path | None = None


class Source(abc.ABC):
    """Gives frames, once, in the order of their time.

    The contract:

    * The constructor opens the source and takes the first frame, so whatever gives no frame at all
      raises `SourceError` there, before anybody has made an output for it.
    * `frames` is called once. Each frame carries `pts` and `time_base`, and `pts` strictly grows.
      What is lost on the way is counted in `damaged` and logged; it does not raise.
    * The planes of a frame belong to the source: read, never written. They stay as they are for as
      long as somebody holds the frame.
    * `stop` may be called from any thread; `frames` then ends soon.
    * `close` frees file or device, may be called again, and is called from the thread that takes
      the frames or when that thread is done.

    Attributes:
        info: what is known beforehand.
        other_streams: sound and subtitles that travel with the picture; None where there are none.
        damaged: frames lost, or shown with visible damage, so far.
    """

    info: SourceInfo
    other_streams: OtherStreams | None = None

    def __init__(self) -> None:
        self.damaged = 0
        self._stopped = threading.Event()

    @property
    def paused(self) -> bool:
        """True while no frame comes because somebody has asked for that."""
        return False

    @abc.abstractmethod
    def frames(self) -> Iterator[Frame]:
        """Every frame, in order of time."""

    @abc.abstractmethod
    def close(self) -> None:
        """Frees what the source holds."""

    def stop(self) -> None:
        """Asks `frames` to end soon; may be called from any thread."""
        self._stopped.set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
