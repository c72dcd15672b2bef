"""Quantisation without training: a scale per channel, and biases corrected."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from tools.quantise.augment import PictureMaker
from tools.quantise.bias import correct_biases
from tools.quantise.codes import LOGITS, Codes
from tools.quantise.judge import Judge
from tools.quantise.material import Material
from tools.quantise.network import FloatArray, Network, read_network
from tools.quantise.pictures import fit, scale
from tools.quantise.ranges import choose_codes, measure_ranges
from tools.quantise.simulation import Simulation, weights_of
from tools.quantise.squares import squares_of

MADE_PICTURES = 96
CALIBRATION_SEED = 1


def repair(path: Path, material: Material, detector: Path, plain: bool = False) -> Simulation:
    """A rounded network, as good as it gets without training.

    Args:
        path: the float ONNX file.
        material: what the calibration pictures are made from.
        detector: the face detector's float ONNX file, for a network that sees a face alone.
        plain: leave the repairs out, to show what they are worth.
    """
    network = read_network(path)
    if network.is_of_one_face:
        squares = np.stack(squares_of(material, Judge(detector), network.size[0]))
        pictures = _as_values(squares)
    else:
        pictures = calibration_pictures(material, network.size, bars=not network.has_mask)
    codes = choose_codes(network, measure_ranges(network, pictures), channel_scales=not plain)
    simulation = Simulation(network, codes)
    # Points come from a few last sums: what shifts those of one face shifts no other's alike.
    if not plain and not network.is_of_one_face:
        correct_biases(simulation, pictures)
    return simulation


def calibration_pictures(
    material: Material, size: tuple[int, int], bars: bool = False
) -> FloatArray:
    """Plain and made-up pictures, [n, 3, height, width], 0..1; the same each time.

    Args:
        material: what they are made from.
        size: height and width.
        bars: keeps the shape of a picture, with bars of black, instead of filling the size.
    """
    frames = np.stack([(fit if bars else scale)(picture, size) for picture in material.plain])
    plain = _as_values(frames)
    made = PictureMaker(material, size, CALIBRATION_SEED, bars).batch(MADE_PICTURES)
    return np.concatenate([made[:, 0], plain])


def _as_values(pictures: NDArray[np.uint8]) -> FloatArray:
    """As networks see them, [n, 3, height, width], 0..1."""
    return pictures.transpose(0, 3, 1, 2).astype(np.float32) / np.float32(255)


def save_simulation(simulation: Simulation, path: Path, trainings: Sequence[str] = ()) -> None:
    """Write a rounded network and the float network that it is to follow.

    Args:
        simulation: the network.
        path: of the npz file.
        trainings: the options of every training that it went through, for its card.
    """
    arrays: dict[str, Any] = {
        "source": json.dumps(str(simulation.network.path)),
        "trainings": json.dumps(list(trainings)),
    }
    for name, value in simulation.network.parameters():
        arrays[f"float/{name}"] = value
    for name, value in weights_of(simulation).items():
        arrays[f"rounded/{name}"] = value
    for name, codes in simulation.codes.items():
        arrays[f"scale/{name}"] = codes.scale
        arrays[f"zero_point/{name}"] = codes.zero_point.astype(np.float32)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, **arrays)


def read_trainings(path: Path) -> list[str]:
    """The trainings that `save_simulation` was told of."""
    with np.load(path) as arrays:
        trainings: list[str] = json.loads(str(arrays["trainings"]))
    return trainings


def load_simulation(path: Path) -> Simulation:
    """Read what `save_simulation` wrote."""
    with np.load(path) as arrays:
        network: Network = read_network(Path(json.loads(str(arrays["source"]))))
        for step in network.convolutions:
            step.weight = arrays[f"float/{step.name}.weight"]
            step.bias = arrays[f"float/{step.name}.bias"]
        names = [key.removeprefix("scale/") for key in arrays if key.startswith("scale/")]
        codes = {
            name: Codes(arrays[f"scale/{name}"], arrays[f"zero_point/{name}"].astype(np.uint8))
            for name in names
        }
        if network.has_mask:
            codes[network.logits] = LOGITS
        simulation = Simulation(network, codes)
        with torch.no_grad():
            for step in network.convolutions:
                for part in ("weight", "bias"):
                    value = torch.from_numpy(arrays[f"rounded/{step.name}.{part}"])
                    simulation.parameter_of(step, part).copy_(value)
    return simulation
