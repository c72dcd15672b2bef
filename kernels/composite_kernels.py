"""What an instruction set offers for `pullfx.kernels.composite`."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Plane = NDArray[np.uint8]
Planes = tuple[Plane, Plane, Plane]


class Guiding(NamedTuple):
    """Numbers of the guided filter, see `pullfx.kernels.composite.guide`.

    Attributes:
        flatness: variance, in codes squared, below which a window counts as flat; above 0.
        edge: 0 keeps the mask, 1 follows the picture.
        steepness: how much steeper than the fitted function an edge becomes.
        doubt_from: doubt, 0..1, at which refinement begins to withdraw.
        doubt_to: doubt at which it has withdrawn; above `doubt_from`.
    """

    flatness: float
    edge: float
    steepness: float
    doubt_from: float
    doubt_to: float


class CompositeKernels(Protocol):
    """The kernels of that module for one instruction set; arguments are checked already."""

    def blend(self, foreground: Plane, background: Plane, mask: Plane, out: Plane) -> None:
        """See `pullfx.kernels.composite.blend`."""

    def blend_half(self, foreground: Plane, background: Plane, mask: Plane, out: Plane) -> None:
        """See `pullfx.kernels.composite.blend_half`."""

    def reduce(self, frame: Planes, half: Plane, grid: Planes, shift: int) -> None:
        """See `pullfx.kernels.composite.reduce`."""

    def guide(
        self,
        mask: Plane,
        grid: Planes,
        guide: Planes,
        shift: int,
        window: int,
        reach: int,
        numbers: Guiding,
        out: Plane,
    ) -> None:
        """See `pullfx.kernels.composite.guide`."""

    def blur(
        self,
        grid: Planes,
        mask: Plane | None,
        shift: int,
        halvings: int,
        taps: list[float],
        out: Planes,
    ) -> None:
        """See `pullfx.kernels.composite.blur`."""

    def lay(
        self,
        foreground: Planes,
        background: Planes,
        mask: Plane,
        shift: int,
        out: Planes,
        tables: Plane | None = None,
    ) -> None:
        """See `pullfx.kernels.composite.lay`."""
