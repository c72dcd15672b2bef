"""What an instruction set has to offer of colour."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pullfx.kernels.colour import Coefficients, Mixing, PlaneCoefficients

Plane = NDArray[np.uint8]


class ColourKernels(Protocol):
    """Changes of format and of colour. Arguments are those of the public functions, checked."""

    def downscale_rgb(
        self, y: Plane, u: Plane, v: Plane, out: NDArray[np.uint8], coefficients: Coefficients
    ) -> None:
        """See `pullfx.kernels.downscale_rgb`."""

    def i420_to_rgb(
        self,
        y: Plane,
        u: Plane,
        v: Plane,
        out: NDArray[np.uint8],
        coefficients: Coefficients,
        bgr: bool,
    ) -> None:
        """See `pullfx.kernels.i420_to_rgb`."""

    def rgb_to_i420(
        self,
        rgb: NDArray[np.uint8],
        y: Plane,
        u: Plane,
        v: Plane,
        coefficients: PlaneCoefficients,
        bgr: bool,
    ) -> None:
        """See `pullfx.kernels.rgb_to_i420`."""

    def split_pairs(self, pairs: Plane, first: Plane, second: Plane) -> None:
        """See `pullfx.kernels.split_pairs`."""

    def merge_pairs(self, first: Plane, second: Plane, pairs: Plane) -> None:
        """See `pullfx.kernels.merge_pairs`."""

    def yuyv_to_i420(self, yuyv: Plane, y: Plane, u: Plane, v: Plane) -> None:
        """See `pullfx.kernels.yuyv_to_i420`."""

    def i420_to_yuyv(self, y: Plane, u: Plane, v: Plane, yuyv: Plane) -> None:
        """See `pullfx.kernels.i420_to_yuyv`."""

    def apply_table(self, plane: Plane, table: NDArray[np.uint8], out: Plane) -> None:
        """See `pullfx.kernels.apply_table`."""

    def apply_pair_table(
        self, first: Plane, second: Plane, table: NDArray[np.uint8], out: Plane
    ) -> None:
        """See `pullfx.kernels.apply_pair_table`."""

    def scale_chroma(self, plane: Plane, out: Plane, factor: int) -> None:
        """Scales the distance of codes from 128 by `factor / 2**FRACTION_BITS`; may be in place."""

    def mix_chroma(
        self, luma: Plane, u: Plane, v: Plane, out_u: Plane, out_v: Plane, factors: Mixing
    ) -> None:
        """See `pullfx.kernels.mix_chroma`; may be in place."""

    def map_colours(
        self,
        y: Plane,
        u: Plane,
        v: Plane,
        tables: NDArray[np.int16],
        out_y: Plane,
        out_u: Plane,
        out_v: Plane,
    ) -> None:
        """See `pullfx.kernels.map_colours`."""
