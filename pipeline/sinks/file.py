"""`VideoFileSink`: an encoded video file, with the sound of the source in it."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
from fractions import Fraction
from pathlib import Path
from typing import cast

import av
from av.packet import Packet
from av.stream import Stream
from av.video.stream import VideoStream

from pullfx.errors import SinkError
from pullfx.pipeline.formats import frame_to_av, over_black
from pullfx.pipeline.formats.libav import converted
from pullfx.pipeline.frame import Frame, Matrix, Range
from pullfx.pipeline.pool import Pool
from pullfx.pipeline.shape import Shape
from pullfx.pipeline.sinks.encoder import MUXERS, EncoderOptions, choose_encoder, for_alpha
from pullfx.pipeline.sinks.fit import fit, pad_to_even
from pullfx.pipeline.sinks.pending import PendingOutput
from pullfx.pipeline.sinks.sink import Outcome, Sink
from pullfx.pipeline.sources.other_streams import OtherStreams
from pullfx.pipeline.sources.source import SourceInfo

logger = logging.getLogger(__name__)

_DEFAULT_RATE = Fraction(30)
_MATRIX_CODES = {Matrix.BT601: 6, Matrix.BT709: 1, Matrix.BT2020: 9}  # ITU-T H.273, table 4
_RANGE_CODES = {Range.LIMITED: 1, Range.FULL: 2}  # AVColorRange


class VideoFileSink(Sink):
    """Writes .mp4, .m4v, .mov, .mkv (H.264 by default) or .webm (VP9).

    * Times of the frames are kept to the tick of the source's clock, varying rate and start offset
      included; .mkv and .webm have a clock of 1 ms.
    * Colour matrix and range are those of the first frame, and tagged so; frames that are marked
      otherwise later are converted. Shape of the pixels is kept. Frames come upright, and no
      rotation is written.
    * Sound and subtitles are copied packet by packet. Sound that the container cannot hold is an
      error before anything is written; subtitles that it cannot hold are left out with a warning.
    * Where the first frame has alpha, it is kept. An encoder that cannot, as that of .mp4, is an
      error; that of .webm can, and prores_ks in .mov.
    * H.264 as every player shows it has even sides. Of an odd picture the last row or column is
      repeated, so no pixel is lost and none is scaled; a warning says so.
    * Where the size changes in mid-stream, pictures are scaled to the first one's size with their
      proportions kept, on black; a warning says so.
    * The file gets its name when it is whole, and replaces a file of that name only then. What was
      written until somebody broke off is `<stem>.partial<suffix>`.

    Args:
        path: file to write.
        options: how to encode.

    Raises:
        SinkError: unknown ending, no folder to write in, or no encoder.
    """

    def __init__(self, path: str | Path, options: EncoderOptions | None = None) -> None:
        self.path: Path = Path(path)
        self._options = options or EncoderOptions()
        suffix = self.path.suffix.lower()
        if suffix not in MUXERS:
            raise SinkError(
                f"{self.path.name}: video is written to {', '.join(MUXERS)}; choose one of these"
            )
        if self.path.is_dir():
            raise SinkError(f"{self.path} is a folder; name a file")
        self._muxer = MUXERS[suffix]
        self._encoder = choose_encoder(suffix, self._options.codec)
        self._pending = PendingOutput(self.path)
        self._pool = Pool()
        self._opened = False
        self._alpha_format: str | None = None  # for the encoder, where pictures have alpha
        self._shape: Shape | None = None  # of the pictures, once the file has begun
        self._copies: dict[int, Stream] = {}
        self._others: OtherStreams | None = None
        self._told_of_change = False

    def open(self, info: SourceInfo, other_streams: OtherStreams | None) -> None:
        """Sets the file up; it is made with the first frame."""
        self._info = info
        options = {"avoid_negative_ts": "disabled"} if self._muxer in ("matroska", "webm") else {}
        try:
            self._container = av.open(
                f"file:{self._pending.temporary}",
                "w",
                format=self._muxer,
                container_options=options,
            )
            self._container.metadata.update(info.metadata)
            self._opened = True
            self._stream = cast(
                VideoStream,
                self._container.add_stream(self._encoder, info.frame_rate or _DEFAULT_RATE),
            )
        except (av.FFmpegError, ValueError) as error:
            raise self._failure(error) from error
        if other_streams is not None:
            self._carry(other_streams)

    def write(self, frame: Frame) -> None:
        """Encodes one frame."""
        if frame.pts is None or frame.time_base is None:
            raise SinkError(f"{self.path.name}: a frame without a time cannot be written")
        shape = self._shape or self._start(frame)
        if Shape.of(frame) != shape:
            self._tell_of_change(frame, shape)
        frame = pad_to_even(fit(frame, shape, self._pool), self._pool)
        try:
            self._mux(self._stream.encode(self._picture(frame)))
        except (av.FFmpegError, ValueError) as error:
            raise self._failure(error) from error

    def close(self, outcome: Outcome) -> Path | None:
        """Writes what the encoder still holds, and names the file by the outcome."""
        try:
            if self._opened and outcome is not Outcome.FAILED:
                if self._shape is not None:
                    self._mux(self._stream.encode(None))
                self._container.close()
        except (av.FFmpegError, ValueError) as error:
            self._discard()
            raise self._failure(error) from error
        except BaseException:  # broken off a second time
            self._discard()
            raise
        if outcome is Outcome.FAILED:
            self._discard()
            return None
        return self._pending.finish(outcome)

    def _discard(self) -> None:
        if self._opened:
            with contextlib.suppress(av.FFmpegError, ValueError):
                self._container.close()
        self._pending.finish(Outcome.FAILED)

    def _carry(self, others: OtherStreams) -> None:
        carried = []
        for template in others.streams:
            try:
                copy = self._container.add_stream_from_template(template)
            except ValueError as error:
                codec = template.codec_context.name
                if template.type == "audio":
                    raise SinkError(
                        f"{self.path.name} cannot hold the sound of {self._info.description} "
                        f"({codec}); write {self.path.stem}.mkv, or leave the sound out"
                    ) from error
                logger.warning(
                    "%s cannot hold the subtitles (%s) and goes without", self.path.name, codec
                )
                continue
            copy.metadata.update(template.metadata)
            self._copies[template.index] = copy
            carried.append(template)
        others.select(carried)
        self._others = others

    def _start(self, first: Frame) -> Shape:
        """Writes the head of the file for frames such as this one."""
        shape = Shape.of(first)
        width, height = shape.width + shape.width % 2, shape.height + shape.height % 2
        if (width, height) != (shape.width, shape.height):
            logger.warning(
                "%s: %dx%d is written as %dx%d, with the last row or column repeated, since many "
                "players cannot show odd sizes",
                self.path.name,
                shape.width,
                shape.height,
                width,
                height,
            )
        context = self._stream.codec_context
        context.width, context.height = width, height
        context.time_base = first.time_base or 1 / _DEFAULT_RATE
        context.sample_aspect_ratio = self._info.sample_aspect_ratio
        further: dict[str, str] = {}
        if first.alpha is not None:
            self._alpha_format, further = for_alpha(self._encoder)
            context.pix_fmt = self._alpha_format
        context.colorspace = _MATRIX_CODES[shape.matrix]
        context.color_range = _RANGE_CODES[shape.range]
        context.color_primaries = self._info.colour_primaries
        context.color_trc = self._info.colour_transfer
        rate = self._info.frame_rate or _DEFAULT_RATE
        options, bit_rate = self._options.settings(self._encoder, width, height, rate)
        context.options = options = further | options
        context.bit_rate = bit_rate
        if self._muxer in ("mp4", "mov"):
            # The clock of the edit list, which holds the start offset; by default 1 ms.
            self._container.container_options["movie_timescale"] = str(
                context.time_base.denominator
            )
        try:
            self._container.start_encoding()
        except (av.FFmpegError, ValueError) as error:
            raise SinkError(
                f"cannot begin {self.path} ({self._encoder}, {width}x{height}, "
                f"{', '.join(f'{key}={value}' for key, value in options.items())}): "
                f"{_reason(error)}"
            ) from error
        self._shape = shape
        return shape

    def _picture(self, frame: Frame) -> av.VideoFrame:
        """The frame for the encoder: without a copy, but for two cases."""
        if self._alpha_format is not None:
            return self._picture_with_alpha(frame, self._alpha_format)
        picture = frame_to_av(over_black(frame, self._pool))
        if picture.format.name == "yuv420p":
            return picture
        # yuvj420p names the very same pixels, but PyAV would squeeze them into limited range.
        same = self._pool.frame(like=frame)
        for target, plane in zip(same.planes, frame.planes, strict=True):
            target[...] = plane
        return frame_to_av(same)

    def _picture_with_alpha(self, frame: Frame, format: str) -> av.VideoFrame:
        if frame.alpha is None:
            opaque = self._pool.array(frame.y.shape)
            opaque.fill(255)
            frame = dataclasses.replace(frame, alpha=opaque)
        picture = frame_to_av(frame)
        if picture.format.name == format:
            return picture
        other = converted(picture, format, frame.matrix, frame.range)
        other.pts, other.time_base = picture.pts, picture.time_base
        return other

    def _mux(self, packets: list[Packet[VideoStream]]) -> None:
        for packet in packets:
            self._container.mux(packet)
        for other in self._others.take() if self._others is not None else ():
            other.packet.stream = self._copies[other.stream_index]
            self._container.mux(other.packet)

    def _tell_of_change(self, frame: Frame, shape: Shape) -> None:
        if not self._told_of_change:
            self._told_of_change = True
            logger.warning(
                "%s: pictures change in mid-stream (%dx%d %s %s after %dx%d %s %s) and are fitted "
                "to the first",
                self.path.name,
                *(frame.width, frame.height, frame.matrix.value, frame.range.value),
                *(shape.width, shape.height, shape.matrix.value, shape.range.value),
            )

    def _failure(self, error: Exception) -> SinkError:
        return SinkError(f"cannot write {self.path}: {_reason(error)}")


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
