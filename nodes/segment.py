"""Where in the picture people are."""

from __future__ import annotations

from pathlib import Path

from pullfx.errors import ModelError
from pullfx.nodes.network import Network, is_int8_faster, load, shipped
from pullfx.nodes.types import Image, Mask, Size
from pullfx.pipeline.node import node
from pullfx.pipeline.pool import HEAP, Pool

SELFIE = "selfie"
"""MediaPipe's selfie segmentation, landscape or square as the frame is: in 8 bits on our own
kernels where those are faster, else in float through onnxruntime."""

_FLOAT = ("selfie_landscape", "selfie_square")
_INT8 = ("selfie_landscape.int8", "selfie_square.int8")


@node(heavy=True)
class Segment:
    """Finds people with a network.

    A user's own network must be an ONNX file that takes one float32 RGB image with values in 0..1,
    [1, height, width, 3] or [1, 3, height, width], of fixed or free size; a mean and a deviation to
    be taken off belong into the network. Its first output is the mask: float32 probabilities in
    0..1, of the image's size, with one channel, or with two of which the last is person.

    Args:
        model: "selfie", the path of an ONNX file, or "selfie_int8" or "selfie_float" to have one of
            the two whatever the machine.
        threads: how many share the work of a picture. More than one answer sooner and use more of
            the CPU.

    Raises:
        KernelError: `threads` is out of 1..256.
        ModelError: the model is missing, damaged, no ONNX, or does not take an image and give a
            mask.
    """

    def __init__(self, model: str = SELFIE, threads: int = 1) -> None:
        self._networks: dict[Size, Network] = {}
        for path in _paths(model):
            network = load(path, threads)
            for size in network.sizes:
                self._networks.setdefault(size, network)

    @property
    def sizes(self) -> tuple[Size, ...]:
        """The sizes of image that it takes."""
        return tuple(self._networks)

    def __call__(self, image: Image, pool: Pool = HEAP) -> Mask:
        """The mask of a picture.

        Args:
            image: RGB, uint8 [height, width, 3], full range, of one of `sizes`.
            pool: where result and scratch come from.

        Returns:
            uint8 [height, width]: 0 is background, 255 is person.

        Raises:
            ModelError: the image has none of `sizes`, the network failed, or what it gave is no
                mask: another size, NaN, or values that are no probabilities.
        """
        height, width, _ = image.shape
        network = self._networks.get(Size(width, height))
        if network is None:
            sizes = ", ".join(f"{size.width}x{size.height}" for size in self.sizes)
            raise ModelError(f"the network takes images of {sizes}, but was given {width}x{height}")
        return network(image, pool)

    def reset(self) -> None:
        """Nothing to forget: each picture is looked at afresh. The network stays loaded."""


def _paths(model: str) -> tuple[Path, ...]:
    match model:
        case "selfie":
            names = _INT8 if is_int8_faster() else _FLOAT
        case "selfie_int8":
            names = _INT8
        case "selfie_float":
            names = _FLOAT
        case _:
            return (Path(model).expanduser(),)
    return tuple(shipped(name) for name in names)
