"""Output that gets its final name only when it is whole."""

from __future__ import annotations

import glob
import itertools
import os
import shutil
from pathlib import Path

from pullfx.errors import SinkError
from pullfx.pipeline.sinks.sink import Outcome

_numbers = itertools.count()


class PendingOutput:
    """A file, or a folder, written under a temporary name beside its final one.

    The name is in the same folder, so that the last step is a rename, which is all or nothing. An
    existing file is replaced in that step and not before; files of an existing folder are replaced
    one by one.

    Args:
        final: the name that was asked for.

    Attributes:
        final: as given.
        temporary: the name to write to; nothing is there yet.

    Raises:
        SinkError: the folder to write in is missing, is none, or may not be written in.
    """

    def __init__(self, final: Path) -> None:
        folder = final.parent
        if not folder.exists():
            raise SinkError(f"the folder {folder} for {final.name} does not exist; make it first")
        if not folder.is_dir():
            raise SinkError(f"{folder} is not a folder, so {final.name} cannot be written in it")
        if not os.access(folder, os.W_OK):
            raise SinkError(f"no permission to write in {folder}; choose another folder")
        self.final = final
        self.temporary = folder / _name(final.stem, f"{os.getpid()}-{next(_numbers)}", final.suffix)

    @property
    def partial(self) -> Path:
        """The name for what was written until somebody broke off."""
        return self.final.with_name(f"{self.final.stem}.partial{self.final.suffix}")

    def finish(self, outcome: Outcome) -> Path | None:
        """Gives the output the name that it has earned.

        Returns:
            That name; None if nothing was written or if it was removed.

        Raises:
            SinkError: it cannot be renamed; the message says where it is.
        """
        if outcome is Outcome.FAILED:
            self._remove()
            return None
        if not self.temporary.exists():
            return None
        name = self.final if outcome is Outcome.COMPLETE else self.partial
        try:
            if self.temporary.is_dir() and name.is_dir():
                for file in sorted(self.temporary.iterdir()):
                    file.replace(name / file.name)
                self.temporary.rmdir()
            else:
                self.temporary.replace(name)
        except OSError as error:
            raise SinkError(
                f"{name} cannot be put in place ({error.strerror}); "
                f"what was written is in {self.temporary}"
            ) from error
        return name

    def _remove(self) -> None:
        if self.temporary.is_dir():
            shutil.rmtree(self.temporary, ignore_errors=True)
        else:
            self.temporary.unlink(missing_ok=True)


def remove_leftovers(final: Path) -> None:
    """Takes away what processes that died had written of an output.

    Args:
        final: its name; nobody may be writing it now.
    """
    pattern = _name(glob.escape(final.stem), "*", glob.escape(final.suffix))
    for part in final.parent.glob(pattern):
        part.unlink(missing_ok=True)


def _name(stem: str, number: str, suffix: str) -> str:
    return f".{stem}.{number}.unfinished{suffix}"
