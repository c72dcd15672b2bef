import numpy as np
from numpy.typing import NDArray

class Variant:
    @property
    def name(self) -> str: ...
    @property
    def supported(self) -> bool: ...
    def blend(
        self,
        foreground: NDArray[np.uint8],
        background: NDArray[np.uint8],
        mask: NDArray[np.uint8],
        out: NDArray[np.uint8],
    ) -> None: ...
    def blend_half(
        self,
        foreground: NDArray[np.uint8],
        background: NDArray[np.uint8],
        mask: NDArray[np.uint8],
        out: NDArray[np.uint8],
    ) -> None: ...
    def downscale_rgb(
        self,
        y: NDArray[np.uint8],
        u: NDArray[np.uint8],
        v: NDArray[np.uint8],
        out: NDArray[np.uint8],
        coefficients: tuple[int, int, int, int, int, int],
    ) -> None: ...

def variants() -> list[Variant]: ...

class TensorSpec:
    def __init__(self, height: int, width: int, channels: int, offset: int) -> None: ...

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
        arena: int,
        tensors: list[TensorSpec],
        steps: list[StepSpec],
        threads: int = 1,
    ) -> None: ...
    def run(self, picture: NDArray[np.uint8], mask: NDArray[np.uint8]) -> None: ...
    def run_timed(self, picture: NDArray[np.uint8], mask: NDArray[np.uint8]) -> list[int]: ...
    def codes(self, tensor: int) -> bytes: ...
