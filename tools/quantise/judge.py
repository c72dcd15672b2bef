"""The judge: the very files, run by onnxruntime."""

from pathlib import Path

import numpy as np
import onnxruntime  # type: ignore[import-untyped]

from tools.quantise.network import FloatArray
from tools.quantise.pictures import Picture


class Judge:
    """One ONNX network in onnxruntime, on one thread of the CPU."""

    def __init__(self, path: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        # Without this, onnxruntime's int8 product saturates at int16 on an x86 that has no VNNI.
        options.add_session_config_entry("session.x64quantprecision", "1")
        self._session = onnxruntime.InferenceSession(
            path, sess_options=options, providers=["CPUExecutionProvider"]
        )
        self._input = self._session.get_inputs()[0]

    @property
    def size(self) -> tuple[int, int]:
        """Height and width that the network wants."""
        _, height, width, _ = self._input.shape
        return height, width

    def mask(self, picture: Picture) -> FloatArray:
        """Person probability, [height, width], of a picture at the network's size."""
        (mask,) = self.outputs(picture)
        return mask[0, :, :, 0]

    def outputs(self, picture: Picture) -> list[FloatArray]:
        """All outputs for a picture at the network's size."""
        image = picture[np.newaxis].astype(np.float32) / np.float32(255)
        outputs: list[FloatArray] = self._session.run(None, {self._input.name: image})
        return outputs
