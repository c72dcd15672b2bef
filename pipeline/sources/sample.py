"""`SampleSource`: the clip that comes with the package, for those without camera or video."""

from __future__ import annotations

import contextlib
import dataclasses
from importlib.resources import as_file, files

from pullfx.errors import SourceError
from pullfx.pipeline.pool import Pool
from pullfx.pipeline.sources.file import FileSource


class SampleSource(FileSource):
    """A person who signs with both hands in an office, 640x480, 3.6 seconds.

    Args:
        pool: where pictures that have to be converted go.

    Raises:
        SourceError: the clip is not in the installed package.
    """

    def __init__(self, *, pool: Pool | None = None) -> None:
        clip = files("pullfx") / "sample" / "sample.mp4"
        if not clip.is_file():
            raise SourceError("the sample clip is missing from this installation; reinstall pullfx")
        with contextlib.ExitStack() as stack:
            super().__init__(stack.enter_context(as_file(clip)), pool=pool)
            self._unpacked = stack.pop_all()  # of a zipped package the file is a temporary copy
        self.info = dataclasses.replace(self.info, description="the sample clip", metadata={})

    def close(self) -> None:
        """Closes the clip."""
        super().close()
        self._unpacked.close()
