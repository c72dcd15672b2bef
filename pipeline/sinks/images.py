"""Still pictures as sinks: one file, or a folder with one file per frame."""

from __future__ import annotations

import contextlib
from pathlib import Path

import cv2
import numpy as np

from pullfx.errors import SinkError
from pullfx.pipeline.formats import PixelFormat, frame_to_array
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.sinks.pending import PendingOutput
from pullfx.pipeline.sinks.sink import Outcome, Sink
from pullfx.pipeline.sources.images import IMAGE_SUFFIXES
from pullfx.pipeline.sources.other_streams import OtherStreams
from pullfx.pipeline.sources.source import SourceInfo

_JPEG_SUFFIXES = (".jpg", ".jpeg")
_JPEG_QUALITY = 95
_WITH_ALPHA = (".png", ".webp", ".tif", ".tiff")


class ImageSink(Sink):
    """Writes one picture file.

    Args:
        path: file to write; its ending says how.

    Raises:
        SinkError: unknown ending, or no folder to write in.
    """

    def __init__(self, path: str | Path) -> None:
        self.path: Path = Path(path)
        if self.path.suffix.lower() not in IMAGE_SUFFIXES:
            raise SinkError(
                f"{self.path.name}: pictures are written to {', '.join(sorted(IMAGE_SUFFIXES))}; "
                "choose one of these"
            )
        if self.path.is_dir():
            raise SinkError(f"{self.path} is a folder; name a file")
        self._pending = PendingOutput(self.path)

    def open(self, info: SourceInfo, other_streams: OtherStreams | None) -> None:
        """Refuses sources of several frames."""
        if len(info.names) != 1 and info.frame_count != 1:
            raise SinkError(
                f"{self.path.name} holds one picture, but {info.description} gives more; name a "
                "video file, or a folder for one picture per frame"
            )

    def write(self, frame: Frame) -> None:
        """Writes the picture."""
        _write_picture(self._pending.temporary, frame)

    def close(self, outcome: Outcome) -> Path | None:
        """Names the file by the outcome."""
        return self._pending.finish(outcome)


class ImageFolderSink(Sink):
    """Writes one picture file per frame into a folder, which is made if it is not there.

    Pictures that come from a folder keep their names; frames of a video are called
    frame_000001.png and so on. All of them appear in the folder at the end.

    Args:
        folder: folder to write to.

    Raises:
        SinkError: the folder cannot be made there.
    """

    def __init__(self, folder: str | Path) -> None:
        self.path: Path = Path(folder)
        if self.path.is_file():
            raise SinkError(f"{self.path} is a file and no folder; name another folder")
        self._pending = PendingOutput(self.path.absolute())
        self._count = 0
        self._names: tuple[str, ...] = ()

    def open(self, info: SourceInfo, other_streams: OtherStreams | None) -> None:
        """Keeps the names of the pictures."""
        self._names = info.names

    def write(self, frame: Frame) -> None:
        """Writes one picture."""
        folder = self._pending.temporary
        with contextlib.suppress(FileExistsError):
            try:
                folder.mkdir()
            except FileNotFoundError as error:
                raise SinkError(f"{folder.parent} is gone; was it removed meanwhile?") from error
        name = f"frame_{self._count + 1:06}.png"
        if frame.pts is not None and frame.pts < len(self._names):
            name = self._names[frame.pts]
        _write_picture(folder / name, frame)
        self._count += 1

    def close(self, outcome: Outcome) -> Path | None:
        """Puts the pictures in place."""
        return self._pending.finish(outcome)


def _write_picture(path: Path, frame: Frame) -> None:
    keeps_alpha = frame.alpha is not None and path.suffix.lower() in _WITH_ALPHA
    picture = frame_to_array(frame, PixelFormat.BGRA if keeps_alpha else PixelFormat.BGR24)
    # OpenCV prints a warning of its own for a setting that a format does not know.
    is_jpeg = path.suffix.lower() in _JPEG_SUFFIXES
    settings = [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY] if is_jpeg else []
    try:
        written, data = cv2.imencode(path.suffix, picture, settings)
        if not written:
            raise SinkError(f"OpenCV cannot write {path.suffix} files here; choose .png")
        np.asarray(data).tofile(path)  # imwrite takes no path beyond ASCII on Windows
    except cv2.error as error:
        raise SinkError(f"cannot write {path.name} ({frame.width}x{frame.height})") from error
    except OSError as error:
        raise SinkError(f"cannot write {path}: {error.strerror}") from error
