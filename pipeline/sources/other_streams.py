"""Sound and subtitles on their way from a source to a sink, packet by packet and untouched."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Iterator
from typing import NamedTuple

from av.packet import Packet
from av.stream import Stream


class OtherPacket(NamedTuple):
    """A packet, and what has to be known about it when its file may be closed already.

    Attributes:
        stream_index: of its stream in the source.
        seconds: its time, or minus infinity where it has none.
        packet: as it came.
    """

    stream_index: int
    seconds: float
    packet: Packet[Stream]


class OtherStreams:
    """The streams of a file beside its picture.

    The source puts in what it meets while it looks for the picture's packets; the sink selects the
    streams that it can carry when it is opened, and takes their packets after each frame. One
    thread may put while another takes.

    Args:
        streams: the streams on offer.
    """

    def __init__(self, streams: tuple[Stream, ...]) -> None:
        self.streams = streams
        self._packets: deque[OtherPacket] = deque()
        self._selected = frozenset(stream.index for stream in streams)
        self._settled = False
        self._end = math.inf

    def select(self, streams: Collection[Stream]) -> None:
        """Says which streams the sink carries; called before the source's first frame is taken."""
        self._selected = frozenset(stream.index for stream in streams)
        self._settled = True

    def settle(self) -> None:
        """Called by the source when frames begin to flow: what nobody selected is let go."""
        if not self._settled:
            self.select(())
            self._packets.clear()

    def end_at(self, seconds: float) -> None:
        """Leaves out what begins at or after this time of the source's clock."""
        self._end = seconds

    def put(self, packet: Packet[Stream]) -> None:
        """Takes a packet in, if its stream is carried."""
        index = packet.stream.index
        if index in self._selected:
            time = packet.pts if packet.pts is not None else packet.dts
            seconds = -math.inf if time is None else float(time * packet.time_base)
            self._packets.append(OtherPacket(index, seconds, packet))

    def take(self) -> Iterator[OtherPacket]:
        """The packets that came since the last call, in the order of the file."""
        while self._packets:
            packet = self._packets.popleft()
            if packet.stream_index in self._selected and packet.seconds < self._end:
                yield packet
