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
