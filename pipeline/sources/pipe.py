"""`InputPipe`: what another program writes into ours."""

from __future__ import annotations

import errno
import io
import sys

from pullfx.errors import SourceError

_HEAD = 512


class InputPipe:
    """A stream of bytes that can be read once, as FFmpeg takes one.

    Args:
        stream: what to read, without a buffer of its own: to wait for all that was asked for would
            hold back the end of a picture until the next one comes. It stays open.
        description: what a person would call it.

    Attributes:
        count: bytes that came.
        head: the first of them, for those who want to say what they are.
    """

    def __init__(self, stream: io.RawIOBase | io.BytesIO, description: str) -> None:
        self.description = description
        self.count = 0
        self.head = b""
        self._stream = stream
        self._interruption: KeyboardInterrupt | None = None

    @classmethod
    def standard_input(cls) -> InputPipe:
        """What the program before us writes.

        Raises:
            SourceError: there is none: a person sits there, or nobody.
        """
        if sys.stdin is None or sys.stdin.closed or sys.stdin.isatty():
            raise SourceError(
                "no program writes into standard input; pipe one into it, as in "
                "'ffmpeg -i in.mp4 -f yuv4mpegpipe - | pullfx run - out.mp4', or name a file"
            )
        # Not sys.stdin.buffer: at the end Python waits for whoever reads that, for ever.
        return cls(io.FileIO(sys.stdin.fileno(), closefd=False), "standard input")

    def read(self, size: int) -> bytes:
        """What there is, at most `size` bytes; waits for the first, and is empty at the end.

        Raises:
            SourceError: the stream cannot be read.
        """
        if self._interruption is not None:
            return b""  # FFmpeg asks again at the end
        try:
            data = self._stream.read(size)
            if data is None:
                raise BlockingIOError(errno.EAGAIN, "it does not wait for bytes")
        except OSError as error:
            raise SourceError(f"{self.description} cannot be read: {error.strerror}") from error
        except KeyboardInterrupt as interruption:
            # It would be lost in FFmpeg, which asks for more then; so that sees the end instead.
            self._interruption = interruption
            return b""
        self.count += len(data)
        if len(self.head) < _HEAD:
            self.head += data[: _HEAD - len(self.head)]
        return data

    def check(self) -> None:
        """Raises the `KeyboardInterrupt` that ended the stream, if one did."""
        if self._interruption is not None:
            raise self._interruption
