"""Which files a batch is about, what their results are called, and which of those are there."""

from __future__ import annotations

import glob
from collections.abc import Iterable
from pathlib import Path

from pullfx.batch.job import Job
from pullfx.errors import SinkError, SourceError
from pullfx.pipeline.sinks.encoder import MUXERS
from pullfx.pipeline.sources import IMAGE_SUFFIXES
from pullfx.pipeline.sources.completeness import missing_bytes

_DEFAULT_SUFFIX = ".mp4"


def jobs_for(sources: Iterable[str | Path], folder: Path) -> list[Job]:
    """One job per file, in the order of the patterns and then of the names.

    A result has its file's name; where that ends in what nothing is written to, .mp4 instead.

    Args:
        sources: files, or patterns such as `in/*.mp4` (`**` goes into folders).
        folder: where the results go.

    Raises:
        SourceError: a pattern matches no file.
        SinkError: the folder is a file, two results would have one name, or one would replace its
            own source.
    """
    if folder.exists() and not folder.is_dir():
        raise SinkError(f"{folder} is a file; name a folder for the results")
    by_output: dict[Path, Path] = {}
    for source in dict.fromkeys(file for pattern in sources for file in _matches(str(pattern))):
        suffix = source.suffix.lower()
        kept = suffix in MUXERS or suffix in IMAGE_SUFFIXES
        output = folder / (source.name if kept else f"{source.stem}{_DEFAULT_SUFFIX}")
        if output in by_output:
            raise SinkError(
                f"{by_output[output]} and {source} would both become {output}; rename one, or "
                "take them in two batches"
            )
        if output.exists() and output.samefile(source):
            raise SinkError(f"{output} is an input too; choose another folder for the results")
        by_output[output] = source
    if not by_output:
        raise SourceError("no files were named; name some, or a pattern such as 'in/*.mp4'")
    return [Job(source, output) for output, source in by_output.items()]


def is_whole(output: Path) -> bool:
    """Whether a result is there, and as long as it says it is."""
    return output.is_file() and output.stat().st_size > 0 and missing_bytes(output) == 0


def _matches(pattern: str) -> list[Path]:
    path = Path(pattern).expanduser()
    if path.is_file():  # its name may have brackets in it
        return [path]
    found = [Path(name) for name in sorted(glob.glob(str(path), recursive=True))]
    files = [file for file in found if file.is_file()]
    if not files:
        hint = f"write '{pattern}/*.mp4'" if path.is_dir() else "look at the name"
        raise SourceError(f"no file matches '{pattern}'; {hint}")
    return files
