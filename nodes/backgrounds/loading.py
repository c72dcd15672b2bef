"""`Loading`: a background that is opened while frames go on."""

from __future__ import annotations

import logging
import threading

from pullfx.nodes.backgrounds.background import Background, Moment
from pullfx.nodes.backgrounds.colour import colour_of, is_transparent
from pullfx.nodes.backgrounds.open import open_background

logger = logging.getLogger(__name__)


class Loading:
    """Opens a background in a thread of its own, and makes its first picture there.

    Args:
        text: what `open_background` takes.
        first: the moment for which the first picture is made.
    """

    def __init__(self, text: str, first: Moment) -> None:
        self._text = text
        self._first = first
        self._lock = threading.Lock()
        self._abandoned = False
        self._result: Background | None = None
        self._thread = threading.Thread(target=self._load, name="pullfx-background", daemon=True)
        if is_transparent(text) or colour_of(text) is not None:
            self._load()  # takes no longer than a thread does to start
        else:
            self._thread.start()

    def is_done(self, *, wait: bool) -> bool:
        """Whether it has come to an end, good or bad.

        Args:
            wait: for it.
        """
        if wait and self._thread.ident is not None:
            self._thread.join()
        return not self._thread.is_alive()

    def take(self) -> Background | None:
        """The background once it is done; None where it cannot be shown, which was reported."""
        return self._result

    def abandon(self) -> None:
        """Closes the background as soon as it is there: nobody wants it any more."""
        with self._lock:
            self._abandoned = True
            result = self._result
        if result is not None:
            result.close()

    def _load(self) -> None:
        try:
            background = open_background(self._text)
            background.at(self._first)
        except Exception as error:  # whatever it is: the picture goes on
            logger.warning("the background stays as it was: %s", error)
            return
        with self._lock:
            self._result = background
            if not self._abandoned:
                return
        background.close()
