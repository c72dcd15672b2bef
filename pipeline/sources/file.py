"""`FileSource`: video from a file, an address or a pipe, packet by packet."""

from __future__ import annotations

import itertools
import logging
import re
from collections.abc import Generator, Iterator
from fractions import Fraction
from pathlib import Path
from typing import cast

import av
from av.packet import Packet
from av.stream import Stream
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from pullfx.errors import SourceError
from pullfx.pipeline.formats import frame_from_av
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.pool import Pool
from pullfx.pipeline.sources.clock import FrameClock
from pullfx.pipeline.sources.completeness import missing_bytes
from pullfx.pipeline.sources.container import (
    describe,
    is_address,
    main_video_stream,
    open_container,
)
from pullfx.pipeline.sources.other_streams import OtherStreams
from pullfx.pipeline.sources.pipe import InputPipe
from pullfx.pipeline.sources.raw import RawVideo
from pullfx.pipeline.sources.source import Source, SourceInfo

logger = logging.getLogger(__name__)

_LIVE_PROTOCOLS = re.compile(r"(rtsps?|rtmps?|rtp|udp|srt|mms)://", re.IGNORECASE)
_PASSED_ON = ("audio", "subtitle")
_OF_THE_CONTAINER = frozenset({"major_brand", "minor_version", "compatible_brands", "encoder"})


class FileSource(Source):
    """Every frame of a video, in order, upright, with its own time.

    Packets are taken one by one, so that a damaged one costs its own frames and no others. The
    decoder may spread one picture over several threads but never works on several pictures at
    once: an error would then surface at another packet and take sound frames with it.

    Args:
        location: path, address or pipe.
        fps: frames a second of a stream without times of its own, such as raw H.264.
        raw: how the pictures lie, where they come without a head.
        live: whether frames come in real time; None takes that for true of addresses such as
            `rtsp://`. What comes too fast through a pipe waits in the program that writes.
        pool: where pictures that have to be converted go.

    Raises:
        SourceError: nothing there, no video, or not one frame that can be decoded.
    """

    def __init__(
        self,
        location: str | Path | InputPipe,
        *,
        fps: Fraction | None = None,
        raw: RawVideo | None = None,
        live: bool | None = None,
        pool: Pool | None = None,
    ) -> None:
        super().__init__()
        self._description = describe(location)
        self._pipe = location if isinstance(location, InputPipe) else None
        self._path = None
        if not isinstance(location, InputPipe) and not is_address(location):
            self._path = Path(location)
        self._raw = raw
        self._live = _LIVE_PROTOCOLS.match(str(location)) is not None if live is None else live
        self._pool = pool or Pool()
        self._container = open_container(
            location, {"framerate": str(fps)} if fps else None, raw=raw
        )
        try:
            self._video = main_video_stream(self._container, self._description)
            self._video.thread_type = "SLICE"
            self._prepare_other_streams()
            self._rotation = 0
            self._begun = self._warned = False
            self._delivered = 0
            self._end = 0  # of the last packet, in bytes
            self._pictures = self._decode()
            first = next(self._pictures, None)
            if first is None:
                raise SourceError(
                    f"not one frame of {self._description} can be decoded: it is damaged or cut "
                    "off; copy or download it again"
                )
        except BaseException:
            self._container.close()
            raise
        self._begun = True
        if self.damaged:
            logger.warning(
                "%s: %d packets before the first frame cannot be decoded",
                self._description,
                self.damaged,
            )
        self._first: Frame | None = first
        self.info = self._describe(first)

    def frames(self) -> Iterator[Frame]:
        """Every frame, in order of time."""
        if self.other_streams is not None:
            self.other_streams.settle()
        first, self._first = self._first, None  # held no longer than its user holds it
        if first is None:
            return
        pictures = itertools.chain((first,), self._pictures)
        del first
        for frame in pictures:
            if self._stopped.is_set():
                return
            yield frame

    def close(self) -> None:
        """Closes the file."""
        self._pictures.close()
        self._container.close()

    def _prepare_other_streams(self) -> None:
        others = tuple(
            stream
            for stream in self._container.streams
            if stream.type in _PASSED_ON and stream.codec_context is not None
        )
        if others:
            self.other_streams = OtherStreams(others)

    def _decode(self) -> Generator[Frame, None, None]:
        clock = FrameClock(
            self._time_base, self._video.guessed_rate or self._video.average_rate, self._description
        )
        for packet in self._video_packets():
            try:
                pictures = self._video.decode(cast("Packet[VideoStream] | None", packet))
            except av.FFmpegError as error:
                self._count_damage("a packet that cannot be decoded", error)
                continue
            for picture in pictures:
                self._delivered += 1
                if picture.is_corrupt:
                    self._count_damage("a frame that is decoded only in part", None)
                self._rotation = picture.rotation
                picture.pts = clock.stamp(_time_of(picture))
                picture.time_base = self._time_base
                yield frame_from_av(picture, self._pool)
        if self._pipe is not None:
            self._pipe.check()
        self._count_missing()

    def _video_packets(self) -> Iterator[Packet[Stream] | None]:
        """The picture's packets; None at the end, to have the decoder hand out what it holds."""
        others = self.other_streams.streams if self.other_streams is not None else ()
        packets = self._container.demux(self._video, *others)
        while True:
            try:
                packet: Packet[Stream] = next(packets)
            except StopIteration:
                return
            except av.FFmpegError as error:
                self._count_damage("an end before its time", error)
                yield None
                return
            if packet.stream is self._video:
                self._end = max(self._end, (packet.pos or 0) + packet.size)
                yield packet  # the one that ends the stream is empty, and drains the decoder
            elif self.other_streams is not None and packet.dts is not None:
                self.other_streams.put(packet)

    def _count_missing(self) -> None:
        """Reports a file that was cut off, for which FFmpeg sees just its end."""
        path = self._path
        if self._is_cut_in_a_picture():
            self._count_damage("a last picture that is cut off", None)
            return
        missing = missing_bytes(path) if path is not None and path.exists() else 0
        if not missing or not self._begun:
            return
        lost = max(1, (self.info.frame_count or 0) - self._delivered - self.damaged)
        self.damaged += lost
        logger.warning(
            "%s is cut off: %d bytes and about %d frames are missing at its end; copy or download "
            "it again",
            self._description,
            missing,
            lost,
        )

    def _is_cut_in_a_picture(self) -> bool:
        """Whether raw pictures with heads end within one, which FFmpeg leaves out unsaid."""
        if self._container.format.name != "yuv4mpegpipe":
            return False
        if self._pipe is not None:
            count = self._pipe.count
        elif self._path is not None and self._path.exists():
            count = self._path.stat().st_size
        else:
            return False
        return count > self._end

    def _count_damage(self, what: str, error: av.FFmpegError | None) -> None:
        self.damaged += 1
        # Once is enough; and of a file that gives nothing at all, the error will speak.
        level = logging.WARNING if self._begun and not self._warned else logging.DEBUG
        self._warned = self._warned or self._begun
        reason = f" ({error.strerror})" if error is not None else ""
        logger.log(level, "%s has %s%s; the rest goes on", self._description, what, reason)

    @property
    def _time_base(self) -> Fraction:
        return self._video.time_base or Fraction(1, 90_000)

    def _describe(self, first: Frame) -> SourceInfo:
        video, context = self._video, self._video.codec_context
        rate = video.average_rate or video.guessed_rate if self._raw is None else self._raw.rate
        duration = None
        if video.duration is not None:
            duration = float(video.duration * self._time_base)
        elif self._container.duration is not None:
            duration = self._container.duration / av.time_base
        count = video.frames or (round(duration * rate) if duration and rate else None)
        aspect = video.sample_aspect_ratio or context.sample_aspect_ratio or Fraction(1)
        if self._rotation % 180:
            aspect = 1 / aspect
        return SourceInfo(
            description=self._description,
            width=first.width,
            height=first.height,
            live=self._live,
            frame_rate=rate,
            frame_count=count,
            duration=duration,
            sample_aspect_ratio=aspect,
            colour_primaries=context.color_primaries,
            colour_transfer=context.color_trc,
            metadata={
                key: value
                for key, value in self._container.metadata.items()
                if key.lower() not in _OF_THE_CONTAINER
            },
            path=self._path,
        )


def _time_of(picture: VideoFrame) -> int | None:
    # Containers such as AVI have decoding times only; without reordering they are the same.
    return picture.pts if picture.pts is not None else picture.dts
