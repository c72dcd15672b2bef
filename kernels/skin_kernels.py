"""What an instruction set offers for `pullfx.kernels.skin`."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Plane = NDArray[np.uint8]
Planes = tuple[Plane, Plane, Plane]


class SkinKernels(Protocol):
    """The kernels of that module for one instruction set; arguments are checked already."""

    def soften(
        self,
        plane: Plane,
        weight: Plane,
        out: Plane,
        radius: int,
        flatness: float,
        limit: int,
        strength: float,
    ) -> None:
        """See `pullfx.kernels.skin.soften`."""

    def retouch(
        self,
        changes: Planes,
        base: Plane,
        weight: Plane,
        frame: Planes,
        top: int,
        left: int,
        shift: int,
        detail: int,
        limit: int,
    ) -> None:
        """See `pullfx.kernels.skin.retouch`."""
