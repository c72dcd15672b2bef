"""Warnings that would repeat with every frame, said once."""

import functools
import logging

_LOGGER = logging.getLogger("pullfx.pipeline.formats")


@functools.cache
def warn_once(message: str) -> None:
    """Logs a warning the first time this process meets it."""
    _LOGGER.warning("%s", message)
