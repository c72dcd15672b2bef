"""Measures how far a converted network is from the original."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import onnxruntime  # type: ignore[import-untyped]

from tools.convert_tflite.errors import ConversionError
from tools.convert_tflite.graph import Normalisation
from tools.convert_tflite.litert import LiteRtNetwork
from tools.convert_tflite.reader import read_network
from tools.convert_tflite.recipes import Recipe

FloatArray = npt.NDArray[np.float32]

NOISE_COUNT = 4

_PICTURE_SUFFIXES = (".jpg", ".png")


@dataclass(frozen=True)
class Comparison:
    """The largest absolute difference of any output value, and on what it was found."""

    max_difference: float
    compared_on: str


def load_picture(path: Path, size: tuple[int, int]) -> FloatArray:
    """A picture file as a network's input: [1, height, width, 3], RGB, 0..1; `size` is (H, W)."""
    picture = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if picture is None:
        raise ConversionError(f"{path} is not a picture")
    height, width = size
    picture = cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA)
    picture = cv2.cvtColor(picture, cv2.COLOR_BGR2RGB)
    return np.asarray(picture[np.newaxis] / 255.0, np.float32)


def make_noise(size: tuple[int, int]) -> list[FloatArray]:
    """Uniform noise as network inputs, the same on each call."""
    generator = np.random.default_rng(0)
    return [generator.random((1, *size, 3), dtype=np.float32) for _ in range(NOISE_COUNT)]


def start_session(onnx_content: bytes) -> Any:
    """The ONNX network in onnxruntime, on one thread of the CPU."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(
        onnx_content, sess_options=options, providers=["CPUExecutionProvider"]
    )


def largest_difference(
    onnx_content: bytes,
    tflite_content: bytes,
    inputs: Iterable[FloatArray],
    normalisation: Normalisation | None = None,
) -> float:
    """The largest absolute difference of any output value over all inputs, ONNX against LiteRT.

    LiteRT gets the inputs normalised.
    """
    session = start_session(onnx_content)
    judge = LiteRtNetwork(tflite_content)
    input_name = session.get_inputs()[0].name
    largest = 0.0
    for image in inputs:
        ours = session.run(None, {input_name: image})
        for mine, theirs in zip(ours, judge.run(_normalised(image, normalisation)), strict=True):
            if mine.shape != theirs.shape:
                raise ConversionError(f"output of shape {mine.shape}, expected {theirs.shape}")
            largest = max(largest, float(np.abs(mine - theirs).max()))
    return largest


def _normalised(image: FloatArray, normalisation: Normalisation | None) -> FloatArray:
    if normalisation is None:
        return image
    return np.float32(normalisation.scale) * image + np.float32(normalisation.offset)


def compare(
    recipe: Recipe, onnx_content: bytes, tflite_content: bytes, pictures: Path | None
) -> Comparison:
    """Compare over noise and over all pictures of a folder.

    Raises ConversionError where the networks differ by more than the recipe's tolerance.
    """
    network = read_network(tflite_content)
    _, height, width, _ = network.tensors[network.inputs[0]].shape
    size = height, width
    paths = sorted(
        path
        for path in (pictures.iterdir() if pictures else ())
        if path.suffix in _PICTURE_SUFFIXES
    )
    inputs = [*make_noise(size), *(load_picture(path, size) for path in paths)]
    difference = largest_difference(onnx_content, tflite_content, inputs, recipe.normalisation)
    if not difference <= recipe.tolerance:
        raise ConversionError(f"the ONNX network is {difference} off, {recipe.tolerance} allowed")
    return Comparison(
        _round_up(difference), f"{len(paths)} pictures and {NOISE_COUNT} images of noise"
    )


def _round_up(value: float) -> float:
    """Two significant digits, never less than the value: another machine differs in the third."""
    if value == 0:
        return 0.0
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.ceil(value / step) * step:.1e}")
