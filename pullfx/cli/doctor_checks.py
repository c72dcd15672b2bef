"""What `pullfx doctor` looks at: what is there, whether it works, and what to do about it."""

from __future__ import annotations

import enum
import importlib
import os
import platform
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from pullfx.errors import KernelError, PullfxError

# Libraries are imported in the checks: one that cannot be loaded is a finding, not the end.


class State(enum.StrEnum):
    """How something is."""

    WORKS = "works"
    MISSING = "missing"
    """Not here, or not as good as it could be; pullfx runs without it."""
    BROKEN = "broken"
    """Needed, and does not work."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        name: what it is.
        state: how it is.
        detail: what was found, one line.
        remedy: what to do about it, one line; empty where it works.
    """

    name: str
    state: State
    detail: str = ""
    remedy: str = ""


_INSTALL_AGAIN = "install pullfx again: pip install --force-reinstall pullfx"
_REPORT = "mend what is broken above; if nothing is, report this with `pullfx doctor --json`"
_MODULES = {"opencv-python": "cv2"}  # where the module is not called as the package is
_DEVELOPMENT = {"bench", "demo", "docs", "lint", "test", "train"}  # extras of who works on pullfx
_REQUIREMENT = re.compile(r"""([\w.-]+)[^;]*(?:;.*\bextra == ["']([\w-]+)["'])?""")
_DECODERS = ("h264", "hevc", "vp9", "av1", "mpeg4", "mjpeg")


def examine() -> dict[str, list[Finding]]:
    """All that `CHECKS` find, by their titles, without the person's name or home folder."""
    return {title: [_anonymous(f) for f in _completed(title, check)] for title, check in CHECKS}


def check_python() -> Iterator[Finding]:
    """pullfx, Python and the machine."""
    try:
        yield Finding("pullfx", State.WORKS, version("pullfx"))
    except PackageNotFoundError:
        yield Finding("pullfx", State.BROKEN, "is not installed", "run: pip install pullfx")
    python = f"{platform.python_version()}, {platform.python_implementation()}"
    yield Finding("Python", State.WORKS, python)
    system = f"{platform.system()} {platform.release()}, {platform.machine()}, "
    yield Finding("machine", State.WORKS, f"{system}{os.cpu_count()} CPUs")


def check_libraries() -> Iterator[Finding]:
    """The libraries that pullfx cannot do without."""
    for name in (name for name, extra in _requirements() if not extra):
        try:
            module = importlib.import_module(_MODULES.get(name, name.replace("-", "_")))
        except ModuleNotFoundError as error:
            yield Finding(name, State.BROKEN, str(error), f"run: pip install {name}")
        except ImportError as error:
            system = re.search(r"\blib[\w+.-]+\.so", str(error))
            remedy = "install that system library (Debian, Ubuntu: apt install libgl1 libglib2.0-0)"
            again = f"run: pip install --force-reinstall {name}"
            yield Finding(name, State.BROKEN, str(error), remedy if system else again)
        else:
            yield Finding(name, State.WORKS, getattr(module, "__version__", None) or version(name))


def check_kernels() -> Iterator[Finding]:
    """The instruction sets that the kernels have here, and the one that they run on."""
    from pullfx.kernels import isa

    try:
        available = tuple(isa.implementations())
        yield Finding("instruction sets", State.WORKS, ", ".join(available))
    except KernelError as error:
        yield Finding("instruction sets", State.BROKEN, str(error), _INSTALL_AGAIN)
        return
    wanted = os.environ.get(isa.VARIABLE, "")
    best = available[0]
    try:
        active = isa.active().name
    except KernelError as error:
        remedy = f"unset {isa.VARIABLE}, or set it to one of those"
        yield Finding("in use", State.BROKEN, str(error), remedy)
        return
    if active != best:
        detail = f"{active}, asked for by {isa.VARIABLE}={wanted}"
        remedy = f"unset {isa.VARIABLE}; {best} is faster"
        yield Finding("in use", State.MISSING, detail, remedy)
    elif active == "portable":
        remedy = "use --quality auto or low: this CPU has none of those that are fast"
        yield Finding("in use", State.MISSING, active, remedy)
    else:
        yield Finding("in use", State.WORKS, active)


def check_models() -> Iterator[Finding]:
    """Each network against the hash on its card."""
    from pullfx import models

    if not models.names():
        yield Finding("models", State.BROKEN, "there are none", _INSTALL_AGAIN)
    for name in models.names():
        try:
            models.verify(name)
        except (OSError, ValueError) as error:
            yield Finding(name, State.BROKEN, str(error), _INSTALL_AGAIN)
        else:
            yield Finding(name, State.WORKS, f"as its card says, {models.card(name).licence}")


def check_effects() -> Iterator[Finding]:
    """Background blur on one frame: engine, network and kernels together."""
    import numpy as np

    from pullfx import BackgroundBlur, Pipeline

    try:
        with Pipeline([BackgroundBlur()]) as pipeline:
            pipeline.process(np.zeros((144, 256, 3), np.uint8), strict=True)
    except PullfxError as error:
        yield Finding("background_blur", State.BROKEN, str(error), _REPORT)
    else:
        yield Finding("background_blur", State.WORKS, "one frame went through")


def check_codecs() -> Iterator[Finding]:
    """What `pullfx run` writes with, and can read."""
    import av

    from pullfx.pipeline import devices

    for name, encoders, lacking in (
        ("write .mp4, .mov, .mkv", devices.H264_ENCODERS, State.BROKEN),
        ("write .webm", devices.VP9_ENCODERS, State.MISSING),
        ("write alpha into .mov", ("prores_ks",), State.MISSING),
        ("write alpha into .mkv", ("ffv1",), State.MISSING),
    ):
        built_in = [encoder for encoder in encoders if encoder in av.codecs_available]
        if working := [encoder for encoder in built_in if devices.encoder_works(encoder)]:
            yield Finding(name, State.WORKS, ", ".join(working))
        else:
            remedy = "run: pip install --force-reinstall av; PyPI's has an encoder for this"
            detail = f"none works of {', '.join(encoders)}"
            yield Finding(name, lacking, detail, remedy)
    lacking_decoders = [name for name in _DECODERS if name not in av.codecs_available]
    if lacking_decoders:
        remedy = "run: pip install --force-reinstall av; PyPI's reads these"
        detail = f"not {', '.join(lacking_decoders)}"
        yield Finding("read", State.MISSING, detail, remedy)
    else:
        yield Finding("read", State.WORKS, ", ".join(_DECODERS))


def check_devices() -> Iterator[Finding]:
    """Cameras and the screen."""
    from pullfx.pipeline import devices

    cameras = devices.list_cameras()
    for camera in cameras:
        name = f"camera:{camera.index}"
        if camera.path is not None and not os.access(camera.path, os.R_OK | os.W_OK):
            detail = f"{camera.name}: you may not open {camera.path}"
            remedy = "run: sudo usermod -aG video $USER; then log in again"
            yield Finding(name, State.MISSING, detail, remedy)
        else:
            yield Finding(name, State.WORKS, camera.name)
    if not cameras:
        remedy = "plug one in and close what uses it, or use `sample` or a file as the source"
        yield Finding("camera", State.MISSING, "none", remedy)
    window = devices.window_support()
    if window.available:
        yield Finding("window", State.WORKS)
    else:
        detail, _, remedy = window.reason.partition("; ")
        yield Finding("window", State.MISSING, detail, remedy)


def check_extras() -> Iterator[Finding]:
    """Libraries that are installed on request. They are looked up, not loaded."""
    for name, extra in _requirements():
        if not extra or extra in _DEVELOPMENT:
            continue
        try:
            yield Finding(name, State.WORKS, version(name))
        except PackageNotFoundError:
            remedy = f"if you want {extra}, run: pip install 'pullfx[{extra}]'"
            yield Finding(name, State.MISSING, f"not installed; for {extra} only", remedy)


CHECKS: tuple[tuple[str, Callable[[], Iterable[Finding]]], ...] = (
    ("Machine", check_python),
    ("Libraries", check_libraries),
    ("Kernels", check_kernels),
    ("Models", check_models),
    ("Effects", check_effects),
    ("Codecs", check_codecs),
    ("Devices", check_devices),
    ("Optional", check_extras),
)
"""Title and check, in the order in which one may be the cause of the next."""


def _completed(title: str, check: Callable[[], Iterable[Finding]]) -> Iterator[Finding]:
    """What the check finds. Whatever it raises is one more finding, so that all checks are made."""
    try:
        yield from check()
    except Exception as error:
        yield Finding(title, State.BROKEN, f"{type(error).__name__}: {error}", _REPORT)


def _requirements() -> list[tuple[str, str]]:
    """Names of the packages that pullfx asks for, each with the extra that it belongs to, or ""."""
    try:
        lines = requires("pullfx") or []
    except PackageNotFoundError:
        return []
    found = [_REQUIREMENT.match(line) for line in lines]
    return [(match[1], match[2] or "") for match in found if match is not None]


def _anonymous(finding: Finding) -> Finding:
    home = Path.home()
    hidden: Mapping[str, str] = {
        re.escape(str(home)): "~",
        rf"(?<=[/\\]){re.escape(home.name)}(?=[/\\])": "~",
    }
    detail = " ".join(finding.detail.split())
    for pattern, stand_in in hidden.items() if home.name else ():
        detail = re.sub(pattern, stand_in, detail)
    return replace(finding, detail=detail)
