"""`FrozenPicture`: notices a camera that gives one picture for ever."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

# Seconds after which it is no chance: the noise of a sensor makes every picture another.
_FROZEN: Final = 5.0
# Of the bytes of a picture one in so many is looked at; it shares no factor with a pixel or a row.
_EVERY: Final = 97


class FrozenPicture:
    """Compares each picture with the one before."""

    def __init__(self) -> None:
        self._last: NDArray[np.uint8] | None = None
        self._since = 0.0
        self._told = False

    def look(self, picture: NDArray[np.uint8], now: float) -> bool:
        """Takes a picture.

        Args:
            picture: as it came, uint8 of any shape.
            now: seconds of a steady clock.

        Returns:
            True once, when the picture has been the same for five seconds; again only after it has
            changed.
        """
        some = picture.reshape(-1)[::_EVERY].copy()
        if self._last is None or not np.array_equal(some, self._last):
            self._last, self._since, self._told = some, now, False
        elif not self._told and now - self._since >= _FROZEN:
            self._told = True
            return True
        return False
