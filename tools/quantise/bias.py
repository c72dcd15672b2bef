"""Bias correction: rounding shifts the mean of a layer's sums; the bias takes it back.

Idea: Nagel and others, "Data-free quantization through weight equalization and bias correction",
2019; here the means are measured on pictures, layer by layer.
"""

import torch
from torch import Tensor
from torch.nn import functional

from tools.quantise.codes import LOGIT_LIMIT
from tools.quantise.network import FloatArray, Step
from tools.quantise.simulation import Simulation

RELEVANCE_ELSEWHERE = 0.02
"""How much a place counts where the mask is sure, against 1 where it is not."""


def correct_biases(simulation: Simulation, pictures: FloatArray) -> None:
    """Give every convolution of the rounded network the mean that it has in float32, in place.

    In a network with a mask, means are taken where the float network's logits are small: far from
    there, sums are large and a shift of them changes no mask. Of all pictures the median shift
    counts: some made-up ones drive sums to where codes are cut off, and would rule a mean.

    Args:
        simulation: with codes.
        pictures: [n, 3, height, width], 0..1.
    """
    batch = torch.from_numpy(pictures)
    teacher = Simulation(simulation.network)
    expected: dict[str, Tensor] = {}
    heads = () if simulation.network.has_mask else simulation.network.heads
    with torch.no_grad():
        unsure = _unsure(teacher, batch)

    def mean(step: Step, sums: Tensor) -> Tensor:
        if unsure is None:
            return sums.mean((2, 3))
        if step.output == simulation.network.logits:
            sums = sums.clamp(-LOGIT_LIMIT, LOGIT_LIMIT)
        relevance = functional.adaptive_avg_pool2d(unsure, sums.shape[2:]) + RELEVANCE_ELSEWHERE
        return (sums * relevance).sum((2, 3)) / relevance.sum((2, 3))

    def remember(step: Step, sums: Tensor) -> Tensor:
        expected[step.name] = mean(step, sums)
        return sums

    def correct(step: Step, sums: Tensor) -> Tensor:
        # Scores reach so far below zero where there is nothing that these would rule the mean.
        if step.output in heads:
            return sums
        shift = (expected[step.name] - mean(step, sums)).median(0).values
        simulation.parameter_of(step, "bias").add_(shift)
        return sums + shift[:, None, None]

    with torch.no_grad():
        teacher.run(batch, probe=remember)
        simulation.run(batch, probe=correct)


def _unsure(teacher: Simulation, batch: Tensor) -> Tensor | None:
    """Where the mask is not sure, [n, 1, height, width]; None where there is no mask."""
    if not teacher.network.has_mask:
        return None
    return (teacher(batch).abs() < LOGIT_LIMIT).float()
