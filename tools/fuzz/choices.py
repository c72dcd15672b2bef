"""What targets make their input from: a fuzzer's bytes, or chance."""

from __future__ import annotations

import random
from typing import Any, Protocol


class Choices(Protocol):
    """What is used of `atheris.FuzzedDataProvider`, in its names."""

    def ConsumeBytes(self, count: int, /) -> bytes:  # noqa: N802
        """So many bytes, fewer at the end."""

    def ConsumeUnicodeNoSurrogates(self, count: int, /) -> str:  # noqa: N802
        """A text of at most so many characters."""

    def ConsumeIntInRange(self, low: int, high: int, /) -> int:  # noqa: N802
        """A whole number, both ends included."""

    def ConsumeFloat(self) -> float:  # noqa: N802
        """Any number, NaN and infinities among them."""

    def PickValueInList(self, values: list[Any], /) -> Any:  # noqa: N802
        """One of these."""


class Chance:
    """Choices by a generator of random numbers, for where atheris is not installed."""

    _SPECIAL = (0.0, -0.0, 1.0, -1.0, 1e-320, 1e308, float("nan"), float("inf"), float("-inf"))

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def ConsumeBytes(self, count: int, /) -> bytes:  # noqa: N802
        """See `Choices`."""
        return self._random.randbytes(self._random.randint(0, count))

    def ConsumeUnicodeNoSurrogates(self, count: int, /) -> str:  # noqa: N802
        """See `Choices`."""
        length = self._random.randint(0, count)
        return "".join(
            chr(self._random.choice((58, 61, 44, 0, 46, 233, 0x1F600))) for _ in range(length)
        )

    def ConsumeIntInRange(self, low: int, high: int, /) -> int:  # noqa: N802
        """See `Choices`."""
        return self._random.randint(low, high)

    def ConsumeFloat(self) -> float:  # noqa: N802
        """See `Choices`."""
        return self._random.choice((*self._SPECIAL, self._random.uniform(-2, 2)))

    def PickValueInList(self, values: list[Any], /) -> Any:  # noqa: N802
        """See `Choices`."""
        return self._random.choice(values)
