"""What an instruction set has to offer of filters."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Plane = NDArray[np.uint8]


class FilterKernels(Protocol):
    """Filters and changes of size. Arguments are those of the public functions, checked."""

    def mean_3x3(self, plane: Plane, out: Plane) -> None:
        """See `pullfx.kernels.mean_3x3`."""

    def box_mean(self, plane: Plane, out: Plane, radius: int) -> None:
        """See `pullfx.kernels.box_mean`."""

    def upsample_2x(self, plane: Plane, out: Plane) -> None:
        """See `pullfx.kernels.upsample_2x`."""

    def resize_bilinear(self, plane: Plane, out: Plane) -> None:
        """See `pullfx.kernels.resize_bilinear`."""

    def crop_bilinear(self, plane: Plane, out: Plane, window: tuple[int, int, int, int]) -> None:
        """See `pullfx.kernels.crop_bilinear`; the window is in 1/32768 of a pixel."""

    def resize_area(self, plane: Plane, out: Plane) -> None:
        """See `pullfx.kernels.resize_area`."""
