"""Which instruction set the kernels run on: chosen once, by the CPU or by `PULLFX_ISA`."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any, Protocol

from pullfx.errors import KernelError
from pullfx.kernels import reference
from pullfx.kernels.colour_kernels import ColourKernels
from pullfx.kernels.composite_kernels import CompositeKernels
from pullfx.kernels.filter_kernels import FilterKernels
from pullfx.kernels.skin_kernels import SkinKernels

VARIABLE = "PULLFX_ISA"


class Implementation(ColourKernels, CompositeKernels, FilterKernels, SkinKernels, Protocol):
    """All kernels for one instruction set. Arguments are those of the public functions, checked."""

    @property
    def name(self) -> str:
        """What `PULLFX_ISA` calls it."""


@functools.cache
def implementations() -> dict[str, Implementation]:
    """What this machine can run, fastest first; the last is always the numpy reference.

    Raises:
        KernelError: the compiled module is missing or was built for another machine.
    """
    try:
        from pullfx.kernels import _native
    except ImportError as error:
        raise KernelError(
            f"the compiled kernels cannot be loaded ({error}); build them with 'pip install .', "
            f"or set {VARIABLE}=reference to run slowly without them"
        ) from error
    compiled = {variant.name: variant for variant in _native.variants() if variant.supported}
    return {**compiled, reference.name: reference}


@functools.cache
def active() -> Implementation:
    """The implementation that every kernel of this process runs on.

    It is the fastest one that the CPU has, unless the environment variable `PULLFX_ISA` names
    another; both are looked at once, at the first use of a kernel.

    Raises:
        KernelError: `PULLFX_ISA` names none that this machine has, or the compiled module cannot be
            loaded.
    """
    wanted = os.environ.get(VARIABLE, "")
    if wanted == reference.name:
        return reference
    usable = implementations()
    if not wanted:
        return next(iter(usable.values()))
    if wanted not in usable:
        raise KernelError(
            f"{VARIABLE}={wanted} is not available: this build on this CPU has {', '.join(usable)}"
        )
    return usable[wanted]


def run(kernel: Callable[..., None], check: Callable[..., None], *arguments: Any) -> None:
    """Runs a kernel of the active implementation. What it refuses is checked once more, to say why.

    The checks in Python take longer than small kernels do, and the compiled ones make them all.

    Args:
        kernel: what runs.
        check: raises `KernelError` for arguments that the kernel refuses.
        arguments: of both.

    Raises:
        KernelError: the kernel refused.
    """
    if active() is reference:
        check(*arguments)
    try:
        kernel(*arguments)
    except (TypeError, ValueError) as error:
        check(*arguments)
        raise KernelError(str(error)) from error
