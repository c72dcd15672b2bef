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


class Network:
    """A program ready to run; it has memory of its own and serves one thread at a time.

    Args:
        program: from `compile_network`.
        isa_name: an instruction set of `pullfx.kernels.available_isas()`, or None for the active.

    Raises:
        KernelError: there is no such instruction set here.
    """

    def __init__(self, program: Program, isa_name: str | None = None) -> None:
        self.program = program
        self.isa = isa.active().name if isa_name is None else isa_name
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
        self._runner = _native.Network(variants[self.isa], *specification(program))

    def run(self, picture: Codes, out: Codes | None = None) -> Codes:
        """The mask of a picture.

        Args:
            picture: RGB, uint8 [height, width, 3] of the program's size, C-contiguous.
            out: where the mask goes, uint8 [height, width], C-contiguous; None makes an array.

        Returns:
            `out`: 0 is background, 255 is person.

        Raises:
            KernelError: wrong type, shape or strides.
        """
        out = self._checked(picture, out)
        self._runner.run(picture, out)
        return out

    def run_timed(self, picture: Codes) -> list[int]:
        """Nanoseconds that each step takes, for one picture as in `run`."""
        return list(self._runner.run_timed(picture, self._checked(picture, None)))

    def codes(self, tensor: int) -> Codes:
        """What the last run left in a tensor, uint8 [height, width, channels].

        Tensors share memory unless the program was compiled with `share_memory=False`.
        """
        made = self.program.tensors[tensor]
        shape = (made.height, made.width, made.channels)
        return np.frombuffer(self._runner.codes(tensor), np.uint8).reshape(shape)

    def _checked(self, picture: Codes, out: Codes | None) -> Codes:
        size = (self.program.height, self.program.width)
        check_rgb("picture", picture)
        if picture.shape[:2] != size:
            raise KernelError(f"picture must have shape {(*size, 3)}, but has {picture.shape}")
        if out is None:
            return np.empty(size, np.uint8)
        check_plane("out", out, size)
        if not out.flags.c_contiguous or not out.flags.writeable:
            raise KernelError("out must be C-contiguous and writable; make it with numpy.empty")
        if np.shares_memory(picture, out):
            raise KernelError("out overlaps picture; it must be other memory")
        return out
