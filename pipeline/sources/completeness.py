"""Whether a video file is all there, from the sizes that its outermost layer declares.

FFmpeg reads a file that was cut off up to the cut and then says, as for any other, that it ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

_EBML = b"\x1a\x45\xdf\xa3"
_SEGMENT = b"\x18\x53\x80\x67"


def is_iso_media(path: Path) -> bool:
    """True for MP4, QuickTime and their relatives (ISO/IEC 14496-12)."""
    with path.open("rb") as file:
        return file.read(8)[4:] == b"ftyp"


def has_index(path: Path) -> bool:
    """Whether an ISO media file has its `moov` box, without which nothing of it can be found."""
    return any(kind == b"moov" for kind, _ in _boxes(path))


def missing_bytes(path: Path) -> int:
    """How many bytes a file should have beyond its end; 0 where it does not say."""
    with path.open("rb") as file:
        head = file.read(64)
    declared = None
    if head[4:8] == b"ftyp":
        declared = max((end for _, end in _boxes(path)), default=None)
    elif head[:4] == _EBML:
        declared = _matroska_size(head)
    elif head[:4] == b"RIFF":
        declared = 8 + int.from_bytes(head[4:8], "little")
    return max(0, declared - path.stat().st_size) if declared is not None else 0


def _boxes(path: Path) -> Iterator[tuple[bytes, int]]:
    """Kind and end of each outermost box."""
    size = path.stat().st_size
    position = 0
    with path.open("rb") as file:
        while position + 8 <= size:
            file.seek(position)
            header = file.read(16)
            length = int.from_bytes(header[:4], "big")
            if length == 1:  # the true length follows as 64 bits
                length = int.from_bytes(header[8:16], "big")
            elif length == 0:  # up to the end of the file
                length = size - position
            if length < 8:
                return
            position += length
            yield header[4:8], position


def _matroska_size(head: bytes) -> int | None:
    """Size of a Matroska or WebM file (RFC 8794, RFC 9559); None where it was not filled in."""
    header = _vint(head, 4)
    if header is None:
        return None
    segment = header[0] + header[1]
    if head[segment : segment + 4] != _SEGMENT:
        return None
    content = _vint(head, segment + 4)
    return None if content is None else content[0] + content[1]


def _vint(data: bytes, position: int) -> tuple[int, int] | None:
    """Where a variable-size integer ends, and its value; None where it stands for "unknown"."""
    if position >= len(data) or data[position] == 0:
        return None
    length = 9 - data[position].bit_length()
    value = int.from_bytes(data[position : position + length], "big") & ((1 << 7 * length) - 1)
    unknown = (1 << 7 * length) - 1
    return None if value == unknown else (position + length, value)
