"""Which engine runs a network: the kernels take those in 8 bits, onnxruntime all others."""

from __future__ import annotations

import logging
import threading
import weakref
from pathlib import Path
from typing import Protocol

from pullfx.errors import KernelError, ModelError
from pullfx.kernels.network import check_threads, compile_network
from pullfx.nodes.network.compiled import CompiledNetwork, quantised
from pullfx.nodes.types import Image, Mask, Size
from pullfx.pipeline.pool import HEAP, Pool

logger = logging.getLogger(__name__)


class Network(Protocol):
    """From a picture to the mask of its people; may be called from several threads."""

    sizes: tuple[Size, ...]

    def __call__(self, image: Image, pool: Pool = HEAP) -> Mask:
        """The mask, uint8 [height, width], of an image of one of `sizes`."""


_loaded: weakref.WeakValueDictionary[tuple[Path, int, int, int], Network] = (
    weakref.WeakValueDictionary()
)
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
    check_threads(threads)
    try:
        status = path.stat()
    except OSError:
        raise ModelError(
            f"no model at '{path}'; give 'selfie' or the path of an ONNX file"
        ) from None
    key = (path.resolve(), status.st_mtime_ns, status.st_size, threads)
    with _loading:
        network = _loaded.get(key)
        if network is None:
            network = _loaded[key] = _open(path, threads)
        return network


def _open(path: Path, threads: int) -> Network:
    content = quantised(path)
    if content is not None:
        try:
            return CompiledNetwork(compile_network(content), threads)
        except (ModelError, KernelError) as error:
            logger.warning("model '%s' runs through onnxruntime, which is slower: %s", path, error)
    # Only now: onnxruntime takes longer to import than all the rest.
    from pullfx.nodes.network.session import SessionNetwork

    return SessionNetwork(path, threads)
