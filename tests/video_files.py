"""What tests of sources, sinks and runs share: looking into video files, and making small ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import av
import numpy as np
from numpy.typing import NDArray

from pullfx.pipeline.frame import Frame, Matrix, Range
from pullfx.pipeline.sinks import EncoderOptions, Outcome, Sink
from pullfx.pipeline.sources import SourceInfo

Array = NDArray[np.uint8]

QUICK = EncoderOptions(preset="ultrafast", crf=35)
LOSSLESS = EncoderOptions(preset="ultrafast", crf=0)
RATE = Fraction(25)
INFO = SourceInfo("noise", 64, 48, frame_rate=RATE)

DESK = "video/lp_s18_desk_1280x720.mp4"


class SoundPacket(NamedTuple):
    """One packet of sound with its times in seconds."""

    pts: Fraction
    dts: Fraction
    data: bytes


class Identity:
    """Stands in for a pipeline, and does as it is told at some frame."""

    def __init__(self, at: int = -1, act: Callable[[], None] = lambda: None) -> None:
        self.frames: list[Frame] = []
        self.strict: list[bool] = []
        self._at = at
        self._act = act
        self.count = 0

    def reset(self) -> None:
        """Nothing is remembered."""

    def process(self, frame: Frame, /, *, strict: bool = False) -> Frame:
        self.strict.append(strict)
        if self.count == self._at:
            self._act()
        self.count += 1
        return frame


def times(path: Path) -> list[Fraction | None]:
    """Presentation times of all frames of a file in seconds."""
    with av.open(str(path)) as container:
        base = container.streams.video[0].time_base or Fraction(1)
        return [
            None if picture.pts is None else picture.pts * base
            for picture in container.decode(video=0)
        ]


def sound(path: Path) -> list[SoundPacket]:
    """All packets of sound of a file."""
    with av.open(str(path)) as container:
        return [
            SoundPacket(
                (packet.pts or 0) * packet.time_base, packet.dts * packet.time_base, bytes(packet)
            )
            for stream in container.streams.audio
            for packet in container.demux(stream)
            if packet.dts is not None
        ]


def pictures(path: Path) -> list[Array]:
    """The planes of all frames of a file, as FFmpeg stacks them."""
    with av.open(str(path)) as container:
        return [np.asarray(p.to_ndarray(), np.uint8) for p in container.decode(video=0)]


def frames(
    count: int,
    width: int = 64,
    height: int = 48,
    *,
    matrix: Matrix = Matrix.BT601,
    range: Range = Range.LIMITED,
    start: int = 0,
) -> Iterator[Frame]:
    """Frames of noise that differ from each other, 25 a second."""
    random = np.random.default_rng(start)
    chroma = ((height + 1) // 2, (width + 1) // 2)
    for pts in np.arange(start, start + count).tolist():
        yield Frame(
            random.integers(0, 256, (height, width), np.uint8),
            random.integers(0, 256, chroma, np.uint8),
            random.integers(0, 256, chroma, np.uint8),
            matrix,
            range,
            pts,
            1 / RATE,
        )


def packet_places(path: Path) -> list[tuple[int, int, int]]:
    """Position and size in the file, and time in ticks, of each packet of the picture."""
    with av.open(str(path)) as container:
        return [
            (packet.pos, packet.size, packet.pts)
            for packet in container.demux(video=0)
            if packet.size and packet.pos is not None and packet.pts is not None
        ]


def copy_with_zeros(path: Path, copy: Path, number: int) -> int:
    """Copies a file with all of a packet of the picture but its head zeroed; its time in ticks."""
    position, size, pts = packet_places(path)[number]
    data = bytearray(path.read_bytes())
    data[position + 4 : position + size] = bytes(size - 4)
    copy.write_bytes(data)
    return pts


def write(
    sink: Sink,
    pictures: Iterable[Frame],
    info: SourceInfo = INFO,
    outcome: Outcome = Outcome.COMPLETE,
) -> Path | None:
    """Takes frames through a sink's whole life."""
    sink.open(info, None)
    for picture in pictures:
        sink.write(picture)
    return sink.close(outcome)


def stacked(frame: Frame) -> Array:
    """The planes one below the other, as FFmpeg's yuv420p array has them."""
    return np.concatenate([plane.reshape(-1, frame.width) for plane in frame.planes])
