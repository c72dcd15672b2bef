"""Compiled networks at work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pullfx.errors import KernelError
from pullfx.kernels import isa, reference
from pullfx.kernels.arguments import check_plane, check_rgb
from pullfx.kernels.network.native import specification
from pullfx.kernels.network.program import Program
from pullfx.kernels.reference.network import ReferenceNetwork

if TYPE_CHECKING:
    from pullfx.kernels import _native

Codes = NDArray[np.uint8]
Floats = NDArray[np.float32]

MOST_THREADS = 256


def check_threads(threads: int) -> None:
    """Raises KernelError where a network cannot have so many threads."""
    if not 1 <= threads <= MOST_THREADS:
        raise KernelError(f"threads must be 1 to {MOST_THREADS}, but is {threads}")


class Network:
    """A program ready to run, for any number of callers at once.

    Calls at the same time share what does not change and have `program.arena` bytes each, which
    are kept for later calls. In steady state nothing is allocated.

    Args:
        program: from `compile_network`.
        isa_name: an instruction set of `pullfx.kernels.available_isas()`, or None for the active.
        threads: how many share the work of a run, the caller among them; each takes some rows of
            every step. The others sleep between runs. They help one call at a time: one that finds
            them busy, or runs in a forked process, does all itself. The result is the same, bit
            for bit. The numpy reference has no use for them.

    Raises:
        KernelError: there is no such instruction set here, `threads` is out of 1..256, or the
            system gives no more threads.
    """

    def __init__(self, program: Program, isa_name: str | None = None, threads: int = 1) -> None:
        check_threads(threads)
        self.program = program
        self.isa = isa.active().name if isa_name is None else isa_name
        self.threads = threads
        self._runner: _native.Network | ReferenceNetwork
        if self.isa == reference.name:
            self._runner = ReferenceNetwork(program)
            return
        from pullfx.kernels import _native

        variants = {variant.name: variant for variant in _native.variants() if variant.supported}
        if self.isa not in variants:
            raise KernelError(
                f"no instruction set '{self.isa}': this build on this CPU has "
                f"{', '.join((*variants, reference.name))}"
            )
        numbers = specification(program)
        try:
            self._runner = _native.Network(variants[self.isa], *numbers, threads)
        except RuntimeError as error:
            raise KernelError(f"the system gives no {threads} threads: {error}") from error

    def run(self, picture: Codes, out: Codes | None = None) -> Codes:
        """The mask of a picture.

        Args:
            picture: RGB, uint8 [height, width, 3] of the program's size, C-contiguous.
            out: where the mask goes, uint8 [height, width], C-contiguous; None makes an array.

        Returns:
            `out`: 0 is background, 255 is person.

        Raises:
            KernelError: wrong type, shape or strides, or the program has outputs instead of a mask.
        """
        if self.program.outputs:
            raise KernelError("the program has outputs instead of a mask; call run_outputs")
        self._check_picture(picture)
        if out is None:
            out = np.empty(picture.shape[:2], np.uint8)
        check_plane("out", out, picture.shape[:2])
        _check_memory(picture, out)
        self._runner.run(picture, out)
        return out

    def run_outputs(self, picture: Codes, out: Floats | None = None) -> tuple[Floats, ...]:
        """The outputs for a picture.

        Args:
            picture: RGB, uint8 [height, width, 3] of the program's size, C-contiguous.
            out: where the outputs go, one after the other: float32 [numbers of the program],
                C-contiguous; None makes an array.

        Returns:
            Views of `out` in the shapes of `program.outputs`.

        Raises:
            KernelError: wrong type, shape or strides, or the program has a mask instead of outputs.
        """
        if not self.program.outputs:
            raise KernelError("the program has a mask instead of outputs; call run")
        self._check_picture(picture)
        shape = (self.program.numbers,)
        if out is None:
            out = np.empty(shape, np.float32)
        if not isinstance(out, np.ndarray) or out.dtype != np.float32 or out.shape != shape:
            raise KernelError(f"out must be a float32 array of shape {shape}")
        _check_memory(picture, out)
        self._runner.run(picture, out)
        ends = np.cumsum([output.size for output in self.program.outputs])
        parts = np.split(out, ends[:-1])
        return tuple(
            part.reshape(output.shape)
            for part, output in zip(parts, self.program.outputs, strict=True)
        )

    def run_timed(self, picture: Codes) -> list[int]:
        """Nanoseconds that each step takes, for one picture as in `run`."""
        self._check_picture(picture)
        out: Codes | Floats = np.empty(picture.shape[:2], np.uint8)
        if self.program.outputs:
            out = np.empty(self.program.numbers, np.float32)
        return list(self._runner.run_timed(picture, out))

    def codes(self, tensor: int) -> Codes | Floats:
        """What the last run left in a tensor, uint8 or float32 [height, width, channels].

        Tensors share memory unless the program was compiled with `share_memory=False`.
        """
        made = self.program.tensors[tensor]
        shape = (made.height, made.width, made.channels)
        kind = np.dtype(np.float32 if made.floats else np.uint8)
        return np.frombuffer(self._runner.codes(tensor), kind).reshape(shape)

    def _check_picture(self, picture: Codes) -> None:
        size = (self.program.height, self.program.width)
        check_rgb("picture", picture)
        if picture.shape[:2] != size:
            raise KernelError(f"picture must have shape {(*size, 3)}, but has {picture.shape}")


def _check_memory(picture: Codes, out: Codes | Floats) -> None:
    if not out.flags.c_contiguous or not out.flags.writeable:
        raise KernelError("out must be C-contiguous and writable; make it with numpy.empty")
    if np.shares_memory(picture, out):
        raise KernelError("out overlaps picture; it must be other memory")
