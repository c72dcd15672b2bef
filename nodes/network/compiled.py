"""Networks in 8 bits on our own kernels."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pullfx.errors import ModelError
from pullfx.kernels.network import Network, compile_network
from pullfx.nodes.types import Image, Mask, Size
from pullfx.pipeline.pool import HEAP, Pool

_LARGEST = 64 * 2**20
_MARK = b"QuantizeLinear"


class CompiledNetwork:
    """A segmentation network in 8 bits; may be called from several threads.

    Args:
        content: an ONNX file in the QDQ form, see `pullfx.kernels.network`.

    Attributes:
        sizes: the one size of picture that it takes.

    Raises:
        ModelError: it does not compile.
        KernelError: the kernels cannot run it.
    """

    def __init__(self, content: bytes) -> None:
        self._network = Network(compile_network(content))
        program = self._network.program
        self.sizes: tuple[Size, ...] = (Size(program.width, program.height),)

    def __call__(self, image: Image, pool: Pool = HEAP) -> Mask:
        """The mask of a picture.

        Args:
            image: RGB, uint8 [height, width, 3], of the one size.
            pool: where the result comes from.

        Raises:
            KernelError: the image is of another size.
        """
        return Mask(self._network.run(image, pool.array(image.shape[:2], np.uint8)))


def quantised(path: Path) -> bytes | None:
    """The content of an ONNX file, where it is one in 8 bits.

    Raises:
        ModelError: it cannot be read.
    """
    try:
        if path.stat().st_size > _LARGEST:
            return None
        content = path.read_bytes()
    except OSError as error:
        raise ModelError(f"model '{path}' cannot be read: {error.strerror or error}") from error
    return content if _MARK in content else None
