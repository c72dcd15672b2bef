"""Which engine runs a network: the kernels take those in 8 bits, onnxruntime all others."""

from __future__ import annotations

import logging
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pullfx import kernels, models
from pullfx.errors import KernelError, ModelError
from pullfx.kernels.network import Program, check_threads, compile_network
from pullfx.nodes.network.compiled import CompiledNetwork, CompiledTensors, quantised
from pullfx.nodes.planes import Floats
from pullfx.nodes.types import Image, Mask, Size
from pullfx.pipeline.pool import HEAP, Pool

logger = logging.getLogger(__name__)

# Without an instruction set of their own the kernels take several times as long as onnxruntime.
_SLOW = ("portable", "reference")


class Network(Protocol):
    """From a picture to the mask of its people; may be called from several threads."""

    sizes: tuple[Size, ...]

    def __call__(self, image: Image, pool: Pool = HEAP) -> Mask:
        """The mask, uint8 [height, width], of an image of one of `sizes`."""


class TensorNetwork(Protocol):
    """From a picture to what a network says of it; may be called from several threads."""

    size: Size

    def __call__(self, image: Image, pool: Pool = HEAP) -> tuple[Floats, ...]:
        """All outputs, in the order of the model's card, for an image of `size`.

        Raises:
            ModelError: the image has another size, or the network failed.
        """


_Kind = TypeVar("_Kind", Network, TensorNetwork)

_loaded: weakref.WeakValueDictionary[tuple[Any, ...], Any] = weakref.WeakValueDictionary()
_loading = threading.Lock()


def load(path: Path, threads: int = 1) -> Network:
    """The network in a file, ready to run; one for all who use it at the same time.

    Args:
        path: an ONNX file, see `Segment`.
        threads: how many share the work of a picture.

    Raises:
        KernelError: `threads` is out of range.
        ModelError: the file is missing, no ONNX, or the network does not take an image and give a
            mask.
    """
    return _shared(path, threads, _open, "'selfie'")


def load_tensors(model: str, threads: int = 1) -> TensorNetwork:
    """A network whose outputs are taken as they are; one for all who use it at the same time.

    Args:
        model: one of those that pullfx ships, such as "face_short_range", which is in 8 bits on our
            own kernels where those are faster and there is such a file, or the path of an ONNX file
            that takes one float32 RGB image with values in 0..1, [1, height, width, 3] or
            [1, 3, height, width], of fixed size, and gives float32.
        threads: how many share the work of a picture.

    Raises:
        KernelError: `threads` is out of range.
        ModelError: the model is missing, damaged, no ONNX, or not of that kind.
    """
    names = models.names()
    if model in names:
        in_8_bits = f"{model}.int8"
        path = shipped(in_8_bits if in_8_bits in names and is_int8_faster() else model)
    else:
        path = Path(model).expanduser()
    return _shared(path, threads, _open_tensors, f"one of {', '.join(names)}")


def shipped(name: str) -> Path:
    """The file of a model that pullfx ships.

    Raises:
        ModelError: it is missing or damaged.
    """
    try:
        models.verify(name)
        return models.path(name)
    except (OSError, ValueError) as error:
        raise ModelError(f"{error}; install pullfx again") from error


def is_int8_faster() -> bool:
    """Whether the kernels run a network in 8 bits sooner than onnxruntime the float one."""
    return kernels.active_isa() not in _SLOW


def _shared(path: Path, threads: int, open_file: Callable[[Path, int], _Kind], names: str) -> _Kind:
    check_threads(threads)
    try:
        status = path.stat()
    except OSError:
        raise ModelError(
            f"no model at '{path}'; give {names} or the path of an ONNX file"
        ) from None
    key = (open_file, path.resolve(), status.st_mtime_ns, status.st_size, threads)
    with _loading:
        network: _Kind | None = _loaded.get(key)
        if network is None:
            network = _loaded[key] = open_file(path, threads)
        return network


def _open(path: Path, threads: int) -> Network:
    if (program := _compiled(path, outputs=False)) is not None:
        return CompiledNetwork(program, threads)
    # Only now: onnxruntime takes longer to import than all the rest.
    from pullfx.nodes.network.session import SessionNetwork

    return SessionNetwork(path, threads)


def _open_tensors(path: Path, threads: int) -> TensorNetwork:
    if (program := _compiled(path, outputs=True)) is not None:
        return CompiledTensors(program, threads)
    from pullfx.nodes.network.session import SessionTensors

    return SessionTensors(path, threads)


def _compiled(path: Path, outputs: bool) -> Program | None:
    content = quantised(path)
    if content is None:
        return None
    try:
        return compile_network(content, outputs=outputs)
    except (ModelError, KernelError) as error:
        logger.warning("model '%s' runs through onnxruntime, which is slower: %s", path, error)
        return None
