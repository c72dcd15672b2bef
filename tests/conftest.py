"""What many tests need: where the media lie, and quiet native libraries."""

from __future__ import annotations

import os
from pathlib import Path

import cv2
import pytest


@pytest.fixture(scope="session")
def media() -> Path:
    """Folder of real pictures and videos, see its SOURCES.md; not part of the repository."""
    default = Path(__file__).resolve().parents[2] / "shared" / "media"
    folder = Path(os.environ.get("PULLFX_MEDIA", default))
    if not folder.is_dir():
        pytest.skip(f"no test media at {folder}; set PULLFX_MEDIA to their folder")
    return folder


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    """Pins OpenCV to one thread, as the pipeline does when it runs."""
    cv2.setNumThreads(1)
