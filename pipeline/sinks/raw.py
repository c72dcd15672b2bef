"""`RawVideoSink`: uncompressed pictures for another program, through a pipe or a file."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from pullfx.errors import SinkError
from pullfx.pipeline.formats import PixelFormat, frame_to_array, over_black
from pullfx.pipeline.frame import Frame, Range
from pullfx.pipeline.pool import Pool
from pullfx.pipeline.shape import Shape
from pullfx.pipeline.sinks.fit import fit, pad_to_even
from pullfx.pipeline.sinks.pending import PendingOutput
from pullfx.pipeline.sinks.sink import Outcome, Sink
from pullfx.pipeline.sources.other_streams import OtherStreams
from pullfx.pipeline.sources.source import SourceInfo

logger = logging.getLogger(__name__)

RAW_SUFFIXES = (".y4m", ".yuv")
"""Endings of files with raw pictures: with and without a head that names size and rate."""

_DEFAULT_RATE = "30:1"
_OF_EVEN_SIZE = (PixelFormat.NV12, PixelFormat.YUYV422)


class RawVideoSink(Sink):
    """Writes pictures: bare, or in I420 as YUV4MPEG2 with a head that says what they are.

    The format has one frame rate and no times, so the frames of a source whose rate varies lose
    theirs; size and colour are those of the first frame, and later ones are fitted to it. What is
    transparent is black. A picture that was written can be read at once. A pipe whose reader goes
    away is no error: that is logged, and the sink is then `done`.

    Args:
        target: a path ending in .y4m or .yuv, `-` for standard output (YUV4MPEG2), or a stream that
            bytes can be written to; that stays open.
        y4m: whether to write heads; None goes by the path's ending and `pixel_format`, and takes
            True for a stream.
        pixel_format: of bare pictures; None takes I420.

    Raises:
        SinkError: no folder to write in, standard output is a terminal, or YUV4MPEG2 cannot have
            that pixel format.
    """

    def __init__(
        self,
        target: str | Path | BinaryIO,
        *,
        y4m: bool | None = None,
        pixel_format: PixelFormat | None = None,
    ) -> None:
        self._pending: PendingOutput | None = None
        self._stream: BinaryIO | None = None
        if target == "-":
            if sys.stdout.isatty():
                raise SinkError(
                    "raw video in a terminal helps nobody; pipe it to a program, as in "
                    "'pullfx run in.mp4 - | ffplay -', or name a file"
                )
            self._stream = sys.stdout.buffer
        elif isinstance(target, (str, Path)):
            self.path = Path(target)
            self._pending = PendingOutput(self.path)
            y4m = self.path.suffix.lower() == ".y4m" if y4m is None else y4m
        else:
            self._stream = target
        self._format = pixel_format or PixelFormat.I420
        self._y4m = pixel_format is None if y4m is None else y4m
        if self._y4m and self._format is not PixelFormat.I420:
            raise SinkError(
                f"YUV4MPEG2 is written in yuv420p, not {self._format.value}; name a .yuv file for "
                "bare pictures"
            )
        self._pool = Pool()
        self._shape: Shape | None = None
        self._reader_gone = False

    @property
    def done(self) -> bool:
        """True when the reader of the pipe went away."""
        return self._reader_gone

    def open(self, info: SourceInfo, other_streams: OtherStreams | None) -> None:
        """Keeps the rate for the head; sound is not carried."""
        self._info = info

    def write(self, frame: Frame) -> None:
        """Writes one picture."""
        if self._reader_gone:
            return
        try:
            if self._stream is None and self._pending is not None:
                self._stream = self._pending.temporary.open("wb")
            if self._shape is None:
                self._shape = Shape.of(frame)
                if self._y4m:
                    self._write(self._head(frame))
            frame = fit(over_black(frame, self._pool), self._shape, self._pool)
            if self._y4m:
                self._write(b"FRAME\n")
            self._write(self._packed(frame).data)
            self._flush()
        except BrokenPipeError:
            self._note_reader_gone()
        except OSError as error:
            raise SinkError(f"cannot write {self._name}: {error.strerror}") from error

    def close(self, outcome: Outcome) -> Path | None:
        """Ends the file; a stream is left open for its owner."""
        try:
            if self._pending is None:
                self._quieten()
                return None
            if self._stream is not None:
                self._stream.close()
        except OSError as error:
            if self._pending is not None:
                self._pending.finish(Outcome.FAILED)
            raise SinkError(f"cannot write {self._name}: {error.strerror}") from error
        return self._pending.finish(outcome)

    def _write(self, data: bytes | memoryview) -> None:
        rest = memoryview(data)
        while rest and self._stream is not None:
            rest = rest[self._stream.write(rest) :]  # an unbuffered stream may take a part only

    def _flush(self) -> None:
        # What a buffer would hold back of a picture, the reader would see a picture too late.
        if self._pending is None and self._stream is not None:
            self._stream.flush()

    def _note_reader_gone(self) -> None:
        self._reader_gone = True
        logger.warning("the program that reads the pipe has gone away; no more is written")

    def _quieten(self) -> None:
        if self._reader_gone and self._stream is sys.stdout.buffer:
            # Python flushes it once more at its end, and would complain then.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)

    @property
    def _name(self) -> str:
        return "to the pipe" if self.path is None else str(self.path)

    def _packed(self, frame: Frame) -> NDArray[np.uint8]:
        """The picture without gaps between rows; I420 of any size, as y4m has it."""
        if self._format is not PixelFormat.I420:
            even = pad_to_even(frame, self._pool) if self._format in _OF_EVEN_SIZE else frame
            return frame_to_array(even, self._format, pool=self._pool)
        packed: NDArray[np.uint8] = self._pool.array((sum(plane.size for plane in frame.planes),))
        start = 0
        for plane in frame.planes:
            packed[start : start + plane.size].reshape(plane.shape)[...] = plane
            start += plane.size
        return packed

    def _head(self, frame: Frame) -> bytes:
        # The fields of yuv4mpeg(5) of mjpegtools, and FFmpeg's for the range; Ip: whole pictures.
        rate, aspect = self._info.frame_rate, self._info.sample_aspect_ratio
        fields = (
            "YUV4MPEG2",
            f"W{frame.width}",
            f"H{frame.height}",
            f"F{rate.numerator}:{rate.denominator}" if rate is not None else f"F{_DEFAULT_RATE}",
            "Ip",
            f"A{aspect.numerator}:{aspect.denominator}",
            "C420jpeg",
            f"XCOLORRANGE={'FULL' if frame.range is Range.FULL else 'LIMITED'}",
        )
        return (" ".join(fields) + "\n").encode("ascii")
