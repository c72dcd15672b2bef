"""Networks in 8 bits on our own kernels."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pullfx.errors import ModelError
from pullfx.kernels.network import Network, Program
from pullfx.nodes.planes import Floats
from pullfx.nodes.types import Image, Mask, Size
from pullfx.pipeline.pool import HEAP, Pool

_LARGEST = 64 * 2**20
_MARK = b"QuantizeLinear"


class CompiledNetwork:
    """A segmentation network in 8 bits; may be called from several threads.

    Args:
        program: from `pullfx.kernels.network.compile_network`.
        threads: how many share the work of a picture.

    Attributes:
        sizes: the one size of picture that it takes.

    Raises:
        KernelError: `threads` is out of range.
    """

    def __init__(self, program: Program, threads: int = 1) -> None:
        self._network = Network(program, threads=threads)
        self.sizes: tuple[Size, ...] = (Size(program.width, program.height),)

    def __call__(self, image: Image, pool: Pool = HEAP) -> Mask:
        """The mask of a picture.

        Args:
            image: RGB, uint8 [height, width, 3], of the one size.
            pool: where the result comes from.

        Raises:
            KernelError: the image is of another size.
        """
        return Mask(self._network.run(image, pool.array(image.shape[:2])))


class CompiledTensors:
    """A network in 8 bits whose outputs are taken as they are; may be called from several threads.

    Args:
        program: from `compile_network`, with outputs.
        threads: how many share the work of a picture.

    Attributes:
        size: the size of picture that it takes.

    Raises:
        KernelError: `threads` is out of range.
    """

    def __init__(self, program: Program, threads: int = 1) -> None:
        self._network = Network(program, threads=threads)
        self.size = Size(program.width, program.height)

    def __call__(self, image: Image, pool: Pool = HEAP) -> tuple[Floats, ...]:
        """All outputs for a picture, in the order of the file.

        Args:
            image: RGB, uint8 [height, width, 3], of `size`.
            pool: where the result comes from.

        Raises:
            ModelError: the image has another size.
        """
        check_size(image, self.size)
        numbers = pool.array((self._network.program.numbers,), np.float32)
        return self._network.run_outputs(image, numbers)


def check_size(image: Image, size: Size) -> None:
    """Raises ModelError where a network that takes one size is given another."""
    if image.shape != (size.height, size.width, 3):
        raise ModelError(
            f"the network takes RGB images of {size.width}x{size.height}, "
            f"but was given an array of {image.shape}"
        )


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
