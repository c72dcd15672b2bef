"""From the values that tensors take over many pictures to their 8-bit codes."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch

from tools.quantise.codes import LEVELS, LOGITS, Codes
from tools.quantise.network import FloatArray, Network
from tools.quantise.simulation import Simulation

PERCENTILE = 99.99
"""Values beyond it, on either side, are cut off."""

HEADROOM = 1.15
"""How much wider ranges are than what was seen: other pictures need more."""
NARROWEST = 1 / 3
"""No channel's range is narrower than this share of the tensor's widest."""

DECODER_HEADROOM = 0.92
"""The same behind the first upsampling: the largest values there are found where the mask is sure,
and cutting them off changes nothing, but finer steps calm the mask's edge."""

POOLED_HEADROOM = 2.0
POOLED_NARROWEST = 1 / 2
"""The same where a picture gives one value per channel, so that few were seen."""

GATE_LIMIT = 8.0
"""Where the input of a gate's sigmoid is cut off: there it is 0.0003 from 0 or 1."""

_AT_ONCE = 16


@dataclass(frozen=True)
class Range:
    """What a tensor's values lie between, but for the last hundredth of a percent."""

    low: FloatArray
    """[channels]"""
    high: FloatArray
    """[channels]"""
    tensor_low: float
    tensor_high: float

    @property
    def widths(self) -> FloatArray:
        """[channels], zero included."""
        return np.asarray(np.maximum(self.high, 0) - np.minimum(self.low, 0))


def measure_ranges(network: Network, pictures: FloatArray) -> dict[str, Range]:
    """The ranges of all tensors that get codes, in float32.

    Args:
        network: the float network.
        pictures: [n, 3, height, width], 0..1.
    """
    simulation = Simulation(network)
    names = network.coded()
    kept: dict[str, list[FloatArray]] = {name: [] for name in names}
    with torch.no_grad():
        for batch in torch.from_numpy(pictures).split(_AT_ONCE):
            values = simulation.run(batch, frozenset(names))
            for name in names:
                channels = values[name].transpose(0, 1).flatten(1)
                kept[name].append(channels.numpy().astype(np.float32))
    return {name: _range(np.concatenate(kept.pop(name), 1)) for name in names}


def choose_codes(
    network: Network, ranges: Mapping[str, Range], channel_scales: bool = True
) -> dict[str, Codes]:
    """Codes for all tensors that have any.

    Every channel counts in steps as fine as its range allows. Only the inputs of sigmoids, which
    are tables, have one scale.

    Args:
        network: the float network.
        ranges: measured on it.
        channel_scales: False gives every tensor one scale, to show what the others are worth.
    """
    codes = {}
    for name, found in ranges.items():
        if network.has_mask and name == network.logits:
            codes[name] = LOGITS
        elif any(user.kind == "Sigmoid" for user in network.users[name]):
            low = max(found.tensor_low * HEADROOM, -GATE_LIMIT)
            codes[name] = _one_scale(low, min(found.tensor_high * HEADROOM, GATE_LIMIT))
        elif channel_scales:
            headroom, narrowest = HEADROOM, NARROWEST
            if network.is_pooled(name):
                headroom, narrowest = POOLED_HEADROOM, POOLED_NARROWEST
            elif network.is_upsampled(name):
                headroom = DECODER_HEADROOM
            codes[name] = _channel_scales(found, headroom, narrowest)
        else:
            codes[name] = _one_scale(found.tensor_low, found.tensor_high)
    return codes


def _one_scale(low: float, high: float) -> Codes:
    return Codes.from_range(np.array([low], np.float32), np.array([high], np.float32))


def _channel_scales(found: Range, headroom: float, narrowest: float) -> Codes:
    widths = np.maximum(found.widths, found.widths.max() * narrowest)
    scale = headroom * widths / LEVELS
    return Codes.from_range(found.low * headroom, found.high * headroom, scale)


def _range(values: FloatArray) -> Range:
    """Of [channels, values]."""
    share = PERCENTILE / 100
    low, high = np.quantile(values, [1 - share, share], axis=1)
    tensor_low, tensor_high = np.quantile(values, [1 - share, share])
    return Range(
        low.astype(np.float32), high.astype(np.float32), float(tensor_low), float(tensor_high)
    )
