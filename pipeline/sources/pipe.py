"""`InputPipe`: what another program writes into ours."""

from __future__ import annotations

import io
import sys
from typing import cast

from pullfx.errors import SourceError

_HEAD = 512


class InputPipe:
    """A stream of bytes that can be read once, as FFmpeg takes one.

    Args:
        stream: what to read; it stays open.
        description: what a person would call it.

    Attributes:
        count: bytes that came.
        head: the first of them, for those who want to say what they are.
    """

    def __init__(self, stream: io.BufferedIOBase, description: str) -> None:
        self.description = description
        self.count = 0
        self.head = b""
        self._stream = stream

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
        return cls(cast(io.BufferedIOBase, sys.stdin.buffer), "standard input")

    def read(self, size: int) -> bytes:
        """What there is, at most `size` bytes; waits for the first, and is empty at the end."""
        # To wait for all of them would hold back the end of a picture until the next one comes.
        data = self._stream.read1(size)
        self.count += len(data)
        if len(self.head) < _HEAD:
            self.head += data[: _HEAD - len(self.head)]
        return data
