"""The .cube files that grading programs write, read strictly.

After "Cube LUT Specification 1.0" (Adobe Systems, 2013), and with the ranges that DaVinci Resolve
writes in place of a domain.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Final, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from pullfx.errors import ParameterError

Floats = NDArray[np.float64]

LARGEST_1D: Final = 65536
"""Most entries of a table of one dimension."""

LARGEST_3D: Final = 65
"""Most entries along a side of a table of three dimensions."""

_SIZES: Final = {"LUT_1D_SIZE": LARGEST_1D, "LUT_3D_SIZE": LARGEST_3D}
_DOMAINS: Final = ("DOMAIN_MIN", "DOMAIN_MAX")
_RANGES: Final = ("LUT_1D_INPUT_RANGE", "LUT_3D_INPUT_RANGE")
_KEYWORD: Final = re.compile(r"[A-Z_]+[A-Z0-9_]*\b")


class Cube(NamedTuple):
    """What a .cube file holds.

    Attributes:
        low, high: the R'G'B' that the first and the last entry stand for, float64 [3].
        values: R'G'B', float64: [n, 3] for a table of each colour by itself, or [n, n, n, 3] at
            [blue, green, red] for one of all three together.
    """

    low: Floats
    high: Floats
    values: Floats


def read_cube(path: Path) -> Cube:
    """Reads a .cube file of one or three dimensions.

    Args:
        path: the file.

    Raises:
        ParameterError: it cannot be read, or is no such file; the message says in which line and
            what was wrong.
    """
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ParameterError(
            f"the lookup table '{path}' cannot be read: {error.strerror or error}"
        ) from error
    return _Reader(path).read(text)


class _Reader:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._line = 0
        self._size: tuple[str, int] | None = None
        self._domain = {"DOMAIN_MIN": [0.0] * 3, "DOMAIN_MAX": [1.0] * 3}
        self._entries: list[list[float]] = []

    def read(self, text: str) -> Cube:
        seen: set[str] = set()
        for self._line, line in enumerate(text.splitlines(), start=1):
            words = line.strip().removeprefix("\ufeff")
            if not words or words.startswith("#"):
                continue
            keyword = _KEYWORD.match(words)
            if keyword is None:
                self._entry(words)
                continue
            name = keyword.group()
            if name in seen:
                self._fail(f"{name} is there twice")
            seen.add(name)
            if self._entries:
                self._fail(f"{name} stands after the first entry")
            self._keyword(name, words[keyword.end() :].split())
        return self._cube()

    def _keyword(self, name: str, words: list[str]) -> None:
        if name == "TITLE":
            return
        if name in _SIZES:
            if self._size is not None:
                self._fail("tables of one and of three dimensions in one file are not supported")
            count, largest = self._numbers(words, 1)[0], _SIZES[name]
            if not (count.is_integer() and 2 <= count <= largest):
                self._fail(f"{name} must be a whole number from 2 to {largest}, but is {words[0]}")
            self._size = name, int(count)
        elif name in _DOMAINS:
            self._domain[name] = self._numbers(words, 3)
        elif name in _RANGES:
            low, high = self._numbers(words, 2)
            self._domain = {"DOMAIN_MIN": [low] * 3, "DOMAIN_MAX": [high] * 3}
        else:
            self._fail(f"'{name}' is no keyword of a .cube file")

    def _entry(self, words: str) -> None:
        if self._size is None:
            self._fail("neither LUT_1D_SIZE nor LUT_3D_SIZE stands before the first entry")
        self._entries.append(self._numbers(words.split(), 3))
        if len(self._entries) > self._count():
            self._fail(f"there are more than the {self._count()} entries that {self._sized()}")

    def _numbers(self, words: list[str], count: int) -> list[float]:
        try:
            numbers = [float(word) for word in words]
        except ValueError:
            numbers = []
        if len(numbers) != count or not all(map(math.isfinite, numbers)):
            what = "one number" if count == 1 else f"{count} numbers"
            self._fail(f"{what} must stand there, but there is '{' '.join(words)[:40]}'")
        return numbers

    def _cube(self) -> Cube:
        if self._size is None:
            self._fail("it has neither LUT_1D_SIZE nor LUT_3D_SIZE")
        if len(self._entries) < self._count():
            self._fail(
                f"it ends after {len(self._entries)} of the {self._count()} entries that "
                f"{self._sized()}"
            )
        low, high = (np.array(self._domain[name]) for name in _DOMAINS)
        if not (low < high).all():
            self._fail("the domain's end must lie above its beginning, for each colour")
        name, size = self._size
        shape = (size, 3) if name == "LUT_1D_SIZE" else (size, size, size, 3)
        return Cube(low, high, np.array(self._entries).reshape(shape))

    def _count(self) -> int:
        assert self._size is not None
        name, size = self._size
        return size if name == "LUT_1D_SIZE" else size**3

    def _sized(self) -> str:
        assert self._size is not None
        return f"{self._size[0]} {self._size[1]} asks for"

    def _fail(self, message: str) -> NoReturn:
        raise ParameterError(f"the lookup table '{self._path}', line {self._line}: {message}")
