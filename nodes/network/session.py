"""Networks through onnxruntime, which nothing else here knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import onnxruntime  # type: ignore[import-untyped]

from pullfx.errors import ModelError
from pullfx.nodes.network.compiled import check_size
from pullfx.nodes.planes import Floats, rounded
from pullfx.nodes.types import Image, Mask, Size
from pullfx.pipeline.pool import HEAP, Pool

SIZES_OF_DYNAMIC: Final = (Size(256, 144), Size(256, 256))
"""What a network that takes any size is given: wide for wide frames, square for the rest."""

# A sigmoid in half precision may end a little outside of 0..1; raw scores end far outside.
_TOLERANCE = 1e-2
_LONGEST_REASON = 200


class _Session:
    """A network in onnxruntime that takes a picture."""

    def __init__(self, path: Path, threads: int) -> None:
        self._path = path
        self._session = _open(path, threads)
        inputs = self._session.get_inputs()
        if len(inputs) != 1:
            names = ", ".join(value.name for value in inputs)
            raise ModelError(
                f"model '{path}' must have one input, the image, but has {len(inputs)}: {names}"
            )
        self._input: str = inputs[0].name
        self._outputs: list[str] = [value.name for value in self._session.get_outputs()]
        shape = inputs[0].shape
        if inputs[0].type != "tensor(float)":
            raise ModelError(
                f"model '{path}' must take float32 in 0..1, but takes {inputs[0].type}"
            )
        self._channels_last = len(shape) == 4 and shape[3] == 3
        if len(shape) != 4 or not (self._channels_last or shape[1] == 3):
            raise ModelError(
                f"model '{path}' must take an RGB image [1, height, width, 3] or "
                f"[1, 3, height, width], but takes {shape}"
            )
        height, width = shape[1:3] if self._channels_last else shape[2:4]
        fixed = isinstance(height, int) and isinstance(width, int)
        self._size = Size(width, height) if fixed else None

    def _run(self, outputs: list[str], image: Image, pool: Pool) -> list[Any]:
        """The outputs of these names for a picture, whatever the network gives."""
        height, width, _ = image.shape
        if self._channels_last:
            tensor = pool.array((1, height, width, 3), np.float32)
            np.multiply(image, np.float32(1 / 255), out=tensor[0])
        else:
            tensor = pool.array((1, 3, height, width), np.float32)
            np.multiply(image.transpose(2, 0, 1), np.float32(1 / 255), out=tensor[0])
        try:
            return list(self._session.run(outputs, {self._input: tensor}))
        except Exception as error:  # onnxruntime's kinds share no base of their own
            raise ModelError(f"model '{self._path}' failed: {_reason(error)}") from error


class SessionNetwork(_Session):
    """A segmentation network in onnxruntime; may be called from several threads.

    Args:
        path: an ONNX file, see `Segment`.
        threads: how many share the work of a picture.

    Attributes:
        sizes: the sizes of picture that it takes; all have been tried once.

    Raises:
        ModelError: no ONNX, or the network does not take an image and give a mask.
    """

    def __init__(self, path: Path, threads: int = 1) -> None:
        super().__init__(path, threads)
        self.sizes: tuple[Size, ...] = SIZES_OF_DYNAMIC if self._size is None else (self._size,)
        for size in self.sizes:
            self(_black(size))

    def __call__(self, image: Image, pool: Pool = HEAP) -> Mask:
        """The mask of a picture.

        Args:
            image: RGB, uint8 [height, width, 3], of one of `sizes`.
            pool: where result and scratch come from.

        Raises:
            ModelError: the network failed, or what it gave is no mask of the image's size.
        """
        scores = self._scores(image, pool)
        # A NaN anywhere makes either of the two a NaN, which no comparison lets through.
        lowest, highest = float(scores.min()), float(scores.max())
        if not (lowest >= -_TOLERANCE and highest <= 1 + _TOLERANCE):
            raise ModelError(
                f"model '{self._path}' must give probabilities in 0..1, "
                f"but gave {lowest:.4g} to {highest:.4g}; end it with a sigmoid or softmax"
            )
        scaled = pool.array(scores.shape, np.float32)
        np.multiply(scores, np.float32(255), out=scaled)
        return Mask(rounded(scaled, pool))

    def _scores(self, image: Image, pool: Pool) -> Floats:
        """What the network gives for person, float32 [height, width], of any value."""
        height, width, _ = image.shape
        (output,) = self._run(self._outputs[:1], image, pool)
        return self._person(output, height, width)

    def _person(self, output: object, height: int, width: int) -> Floats:
        """The channel that says person: the only one, or of two the last."""
        plane = (height, width)
        person: Floats | None = None
        if isinstance(output, np.ndarray) and output.dtype == np.float32:
            if output.shape in ((1, *plane, 1), (1, 1, *plane), (1, *plane), plane):
                person = output.reshape(plane)
            elif output.shape == (1, *plane, 2):
                person = output[0, :, :, 1]
            elif output.shape == (1, 2, *plane):
                person = output[0, 1]
        if person is not None:
            return person
        raise ModelError(
            f"model '{self._path}' must give a float32 mask of the image's size "
            f"({width}x{height}) with 1 or 2 channels, but gave {_kind(output)}"
        )


class SessionTensors(_Session):
    """A network whose outputs are taken as they are; may be called from several threads.

    Args:
        path: an ONNX file, see `load_tensors`.
        threads: how many share the work of a picture.

    Attributes:
        size: the size of picture that it takes; it has been tried once.

    Raises:
        ModelError: no ONNX, or the network does not take an image of one size and give float32.
    """

    def __init__(self, path: Path, threads: int = 1) -> None:
        super().__init__(path, threads)
        if self._size is None:
            raise ModelError(f"model '{path}' must take images of one size, but takes any")
        self.size = self._size
        self(_black(self.size))

    def __call__(self, image: Image, pool: Pool = HEAP) -> tuple[Floats, ...]:
        """All outputs for a picture, in the order of the file.

        Args:
            image: RGB, uint8 [height, width, 3], of `size`.
            pool: where scratch comes from.

        Raises:
            ModelError: the image has another size, the network failed, or gave something other
                than float32.
        """
        check_size(image, self.size)
        outputs = self._run(self._outputs, image, pool)
        for name, output in zip(self._outputs, outputs, strict=True):
            if not (isinstance(output, np.ndarray) and output.dtype == np.float32):
                raise ModelError(
                    f"model '{self._path}' must give float32, but its '{name}' is {_kind(output)}"
                )
        return tuple(outputs)


def _open(path: Path, threads: int) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    # Threads that spin while they wait cost other processes more than they gain here.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 4  # what goes wrong is raised
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's kinds share no base of their own
        raise ModelError(f"'{path}' is no ONNX model that can run: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    line = " ".join(str(error).split())
    return line if len(line) <= _LONGEST_REASON else line[:_LONGEST_REASON] + "..."


def _black(size: Size) -> Image:
    return Image(np.zeros((size.height, size.width, 3), np.uint8))


def _kind(output: object) -> str:
    return f"{getattr(output, 'dtype', type(output).__name__)} {getattr(output, 'shape', '')}"
