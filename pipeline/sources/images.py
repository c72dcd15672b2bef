"""Still pictures as sources: one file, or every picture of a folder."""

from __future__ import annotations

import logging
import re
from collections.abc import Generator, Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np

from pullfx.errors import SourceError
from pullfx.pipeline.formats import PixelFormat, decode_picture, frame_from_array
from pullfx.pipeline.frame import Frame, Matrix, Range
from pullfx.pipeline.pool import Pool
from pullfx.pipeline.sources.source import Source, SourceInfo

logger = logging.getLogger(__name__)

IMAGE_SUFFIXES = frozenset({".bmp", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})
"""Endings of the picture files that are read and written."""

DEFAULT_RATE = Fraction(30)


class _PictureSource(Source):
    def __init__(
        self, paths: Sequence[Path], root: Path, fps: Fraction | None, pool: Pool | None
    ) -> None:
        super().__init__()
        self._paths = paths
        self._rate = fps or DEFAULT_RATE
        self._pool = pool or Pool()
        self._frames = self._read()
        first = next(self._frames, None)
        if first is None:
            raise SourceError(
                f"no picture in {root} can be read: damaged, or of an unknown kind; "
                "save it again as PNG or JPEG"
            )
        self._first: Frame | None = first
        self.info = SourceInfo(
            description=str(root),
            width=first.width,
            height=first.height,
            frame_rate=self._rate,
            frame_count=len(paths),
            duration=float(len(paths) / self._rate),
            names=tuple(path.name for path in paths),
            path=root,
        )

    def frames(self) -> Iterator[Frame]:
        """Each picture, in the order of the names."""
        first, self._first = self._first, None
        if first is not None:
            yield first
        del first
        for frame in self._frames:
            if self._stopped.is_set():
                return
            yield frame

    def close(self) -> None:
        """Does nothing more: files are closed as soon as they are read."""
        self._frames.close()

    def _read(self) -> Generator[Frame, None, None]:
        for index, path in enumerate(self._paths):
            frame = self._read_one(path, index)
            if frame is None:
                self.damaged += 1
                logger.warning("%s cannot be read as a picture and is left out", path)
            else:
                yield frame

    def _read_one(self, path: Path, index: int) -> Frame | None:
        try:
            data = np.fromfile(path, np.uint8)  # imread takes no path beyond ASCII on Windows
        except OSError as error:
            raise SourceError(
                f"{path} cannot be read: {error.strerror}; check its permissions"
            ) from error
        picture = decode_picture(data)
        if picture is None:
            return None
        return frame_from_array(
            picture,
            PixelFormat.BGR24,
            matrix=Matrix.BT601,
            range=Range.FULL,  # as JPEG has it: no code is lost to a narrower range
            pts=index,
            time_base=1 / self._rate,
            pool=self._pool,
        )


class ImageSource(_PictureSource):
    """One picture file as one frame, upright by its EXIF orientation.

    Args:
        path: the file.
        pool: where the frame goes.

    Raises:
        SourceError: no such file, or no picture that can be read.
    """

    def __init__(self, path: str | Path, *, pool: Pool | None = None) -> None:
        path = Path(path)
        if not path.is_file():
            raise SourceError(f"no such file: {path}; check the path")
        super().__init__([path], path, None, pool)


class ImageFolderSource(_PictureSource):
    """Every picture of a folder, in the order of the names, with 2 before 10.

    A file that cannot be read is left out and counted as damaged. Other files are not looked at.

    Args:
        folder: the folder; folders in it are not entered.
        fps: pictures a second.
        pool: where the frames go.

    Raises:
        SourceError: no such folder, or no picture in it that can be read.
    """

    def __init__(
        self, folder: str | Path, *, fps: Fraction | None = None, pool: Pool | None = None
    ) -> None:
        folder = Path(folder)
        if not folder.is_dir():
            raise SourceError(f"no such folder: {folder}; check the path")
        paths = [path for path in folder.iterdir() if path.suffix.lower() in IMAGE_SUFFIXES]
        if not paths:
            raise SourceError(
                f"{folder} holds no pictures ({', '.join(sorted(IMAGE_SUFFIXES))}); "
                "name another folder"
            )
        super().__init__(sorted(paths, key=_natural_order), folder, fps, pool)


def _natural_order(path: Path) -> tuple[list[tuple[int, str]], str]:
    """Key by which numbers in a name count as numbers; the name itself breaks ties."""
    pieces = re.findall(r"\d+|\D+", path.name)
    return [(int(p), "") if p.isdecimal() else (-1, p.lower()) for p in pieces], path.name
