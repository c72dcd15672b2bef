"""What training drives the rounded network to, beside the float network's tensors.

To calm a mask, pictures come in sequences of four moments. Where a pixel stands still all the
while, the teacher's answer is its mean over the four; the student sees the two in the middle, and
where a pixel stands still from one to the other, any change of its answer is part of the loss.

Where the outputs are numbers and scores, side by side, a number counts as far as the teacher's
score says that there is something.
"""

from collections.abc import Mapping
from typing import Protocol

import torch
from torch import Tensor
from torch.nn import functional

from tools.quantise.codes import LEVELS, LOGIT_LIMIT
from tools.quantise.measures import STILL
from tools.quantise.network import Network

PROBABILITY_SHARE = 4.0
CROSS_ENTROPY_SHARE = 0.05
CALM_FLICKER = 0.003
"""Sequences in which the teacher's mask flickers more count for less, so that they do not rule."""
FEWEST_STILL = 0.05
"""Where a smaller share of the pixels stands still, a sequence counts for less."""
LUMA = torch.tensor([0.299, 0.587, 0.114])

NUMBERS_SHARE = 0.3
SCORES_SHARE = 0.2
DOUBTFUL = 2.0
"""How far below zero a score's number still counts by half."""
ELSEWHERE = 0.002
"""How much a number counts where there is nothing."""


class Goal(Protocol):
    """What the student's ends should be."""

    moments: int
    """Of a sequence."""
    seen: slice
    """Of a sequence's moments, those that the student sees."""

    def losses(
        self, moments: Tensor, actual: Mapping[str, Tensor], expected: Mapping[str, Tensor]
    ) -> dict[str, Tensor]:
        """The parts of the loss by name.

        Args:
            moments: [sequences, moments, 3, height, width], 0..1.
            actual: the student's tensors for the moments seen, sequence by sequence.
            expected: the teacher's for all moments.
        """


def goal_of(network: Network, calm: float) -> Goal:
    """The goal for a network; `calm` weighs a mask's flicker."""
    return MaskGoal(network, calm) if network.has_mask else HeadsGoal(network)


class MaskGoal:
    """The teacher's mask, calmed."""

    moments = 4
    seen = slice(1, 3)

    def __init__(self, network: Network, calm: float) -> None:
        self._logits = network.logits
        self._calm = calm

    def losses(
        self, moments: Tensor, actual: Mapping[str, Tensor], expected: Mapping[str, Tensor]
    ) -> dict[str, Tensor]:
        """See `Goal`."""
        student = actual[self._logits].unflatten(0, (-1, self.seen.stop - self.seen.start))
        teacher = expected[self._logits].unflatten(0, (-1, self.moments))
        still = _stands_still(moments)
        clamped = self._calmed(teacher.clamp(-LOGIT_LIMIT, LOGIT_LIMIT), still)
        probability = self._calmed(torch.sigmoid(teacher), still)
        answers = torch.sigmoid(student)
        seen_still = _stands_still(moments[:, self.seen])[:, 0]
        usual = _flicker(torch.sigmoid(teacher[:, self.seen]), seen_still)
        flicker = _flicker(answers, seen_still) / (1 + usual / CALM_FLICKER)
        return {
            "logits": (student - clamped).abs().mean(),
            "probability": PROBABILITY_SHARE * (answers - probability).abs().mean(),
            "flicker": self._calm * flicker.mean(),
            "cross_entropy": CROSS_ENTROPY_SHARE
            * functional.binary_cross_entropy_with_logits(student, probability),
        }

    def _calmed(self, values: Tensor, still: Tensor) -> Tensor:
        """The teacher's values at the moments seen, their mean over all where it is still."""
        return torch.where(still, values.mean(1, keepdim=True), values[:, self.seen])


class HeadsGoal:
    """The teacher's scores, and its numbers where there is something."""

    moments = 1
    seen = slice(0, 1)

    def __init__(self, network: Network) -> None:
        by_size: dict[tuple[int, ...], list[str]] = {}
        channels = {}
        for name in network.heads:
            step = network.makers[name]
            assert step.weight is not None
            channels[name] = len(step.weight)
            by_size.setdefault(network.shapes[name][2:], []).append(name)
        self._pairs = [tuple(sorted(names, key=channels.__getitem__)) for names in by_size.values()]

    def losses(
        self, moments: Tensor, actual: Mapping[str, Tensor], expected: Mapping[str, Tensor]
    ) -> dict[str, Tensor]:
        """See `Goal`."""
        wrong_scores, wrong_numbers, weights = [], [], []
        for scores, numbers in self._pairs:
            student, teacher = actual[scores], expected[scores]
            limited = (answer.clamp(-LOGIT_LIMIT, LOGIT_LIMIT) for answer in (student, teacher))
            apart = (
                torch.sub(*limited).abs()
                + PROBABILITY_SHARE * (torch.sigmoid(student) - torch.sigmoid(teacher)).abs()
            )
            weight = torch.sigmoid(2 * (teacher + DOUBTFUL)) + ELSEWHERE
            wrong = (actual[numbers] - expected[numbers]).abs()
            of_each = wrong.unflatten(1, (teacher.shape[1], -1)).mean(2)
            wrong_scores.append((apart * (weight + 0.02)).flatten())
            wrong_numbers.append((of_each * weight).flatten())
            weights.append(weight.flatten())
        total = torch.cat(weights).sum()
        return {
            "scores": SCORES_SHARE * torch.cat(wrong_scores).sum() / total,
            "numbers": NUMBERS_SHARE * torch.cat(wrong_numbers).sum() / total,
        }


def _stands_still(sequences: Tensor) -> Tensor:
    """Whether a pixel's luma hardly moves over a sequence, [n, 1, 1, height, width].

    The measure of flicker asks the same of two frames.
    """
    luma = (sequences * LUMA.reshape(-1, 1, 1)).sum(2, keepdim=True)
    low, high = luma.amin(1, keepdim=True), luma.amax(1, keepdim=True)
    return (high - low) * LEVELS <= STILL + 0.5


def _flicker(answers: Tensor, still: Tensor) -> Tensor:
    """How much the answer changes where the picture stands still, [n], of two moments each."""
    changes = (answers[:, 0] - answers[:, 1]).abs() * still
    axes = (1, 2, 3)
    return changes.sum(axes) / still.sum(axes).clamp_min(FEWEST_STILL * still[0].numel())
