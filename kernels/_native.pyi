from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pullfx.kernels.composite_kernels import CompositeKernels
from pullfx.kernels.skin_kernels import SkinKernels

class Variant(CompositeKernels, SkinKernels, Protocol):
    @property
    def name(self) -> str: ...
    @property
    def supported(self) -> bool: ...
    def downscale_rgb(
        self,
        y: NDArray[np.uint8],
        u: NDArray[np.uint8],
        v: NDArray[np.uint8],
        out: NDArray[np.uint8],
        coefficients: tuple[int, int, int, int, int, int],
    ) -> None: ...
    def i420_to_rgb(
        self,
        y: NDArray[np.uint8],
        u: NDArray[np.uint8],
        v: NDArray[np.uint8],
        out: NDArray[np.uint8],
        coefficients: tuple[int, int, int, int, int, int],
        bgr: bool,
    ) -> None: ...
    def rgb_to_i420(
        self,
        rgb: NDArray[np.uint8],
        y: NDArray[np.uint8],
        u: NDArray[np.uint8],
        v: NDArray[np.uint8],
        coefficients: tuple[int, int, int, int, int, int, int, int, int, int],
        bgr: bool,
    ) -> None: ...
    def split_pairs(
        self, pairs: NDArray[np.uint8], first: NDArray[np.uint8], second: NDArray[np.uint8]
    ) -> None: ...
    def merge_pairs(
        self, first: NDArray[np.uint8], second: NDArray[np.uint8], pairs: NDArray[np.uint8]
    ) -> None: ...
    def yuyv_to_i420(
        self,
        yuyv: NDArray[np.uint8],
        y: NDArray[np.uint8],
        u: NDArray[np.uint8],
        v: NDArray[np.uint8],
    ) -> None: ...
    def i420_to_yuyv(
        self,
        y: NDArray[np.uint8],
        u: NDArray[np.uint8],
        v: NDArray[np.uint8],
        yuyv: NDArray[np.uint8],
    ) -> None: ...
    def apply_table(
        self, plane: NDArray[np.uint8], table: NDArray[np.uint8], out: NDArray[np.uint8]
    ) -> None: ...
    def apply_pair_table(
        self,
        first: NDArray[np.uint8],
        second: NDArray[np.uint8],
        table: NDArray[np.uint8],
        out: NDArray[np.uint8],
    ) -> None: ...
    def scale_chroma(
        self, plane: NDArray[np.uint8], out: NDArray[np.uint8], factor: int
    ) -> None: ...
    def mix_chroma(
        self,
        luma: NDArray[np.uint8],
        u: NDArray[np.uint8],
        v: NDArray[np.uint8],
        out_u: NDArray[np.uint8],
        out_v: NDArray[np.uint8],
        factors: tuple[int, int, int, int, int, int, int],
    ) -> None: ...
    def map_colours(
        self,
        y: NDArray[np.uint8],
        u: NDArray[np.uint8],
        v: NDArray[np.uint8],
        tables: NDArray[np.int16],
        out_y: NDArray[np.uint8],
        out_u: NDArray[np.uint8],
        out_v: NDArray[np.uint8],
    ) -> None: ...
    def mean_3x3(self, plane: NDArray[np.uint8], out: NDArray[np.uint8]) -> None: ...
    def box_mean(self, plane: NDArray[np.uint8], out: NDArray[np.uint8], radius: int) -> None: ...
    def upsample_2x(self, plane: NDArray[np.uint8], out: NDArray[np.uint8]) -> None: ...
    def resize_bilinear(self, plane: NDArray[np.uint8], out: NDArray[np.uint8]) -> None: ...
    def crop_bilinear(
        self,
        plane: NDArray[np.uint8],
        out: NDArray[np.uint8],
        window: tuple[int, int, int, int],
    ) -> None: ...
    def resize_area(self, plane: NDArray[np.uint8], out: NDArray[np.uint8]) -> None: ...

def variants() -> list[Variant]: ...

class TensorSpec:
    def __init__(
        self, height: int, width: int, channels: int, floats: bool, offset: int
    ) -> None: ...

class ThinSpec:
    kind: str
    a: list[float]
    b: list[float]
    table: list[float]
    tensor: int

class StepSpec:
    kind: str
    inputs: list[int]
    output: int
    rows: int
    columns: int
    row_stride: int
    column_stride: int
    row_dilation: int
    column_dilation: int
    top: int
    left: int
    spread: int
    phase_row: int
    phase_column: int
    repeat: int
    channel: int
    place: int
    bias: list[int]
    factors: list[list[float]]
    zeros: list[list[float]]
    thin: list[ThinSpec]
    def set_weights(self, values: bytes) -> None: ...
    def set_border(self, values: bytes) -> None: ...
    def set_table(self, values: bytes) -> None: ...
    def set_codes(self, zero: bytes, lowest: bytes, highest: bytes) -> None: ...

class Network:
    def __init__(
        self,
        variant: Variant,
        height: int,
        width: int,
        numbers: int,
        arena: int,
        tensors: list[TensorSpec],
        steps: list[StepSpec],
        threads: int = 1,
    ) -> None: ...
    def run(
        self, picture: NDArray[np.uint8], out: NDArray[np.uint8] | NDArray[np.float32]
    ) -> None: ...
    def run_timed(
        self, picture: NDArray[np.uint8], out: NDArray[np.uint8] | NDArray[np.float32]
    ) -> list[int]: ...
    def codes(self, tensor: int) -> bytes: ...
