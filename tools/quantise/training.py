"""Training of the rounded network; the float network is the teacher.

Rounding is in the forward pass; gradients pass it as if it were not there (straight-through), and
stop where a code is cut off. The weights that are kept are a running mean over the steps, which is
less noisy than any single step. Every picture comes twice, with a little noise of two kinds, and
the teacher's answer is the mean of both; that, and the student's own difference in the loss, is
there to calm the mask.
"""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from tools.quantise.augment import PictureMaker
from tools.quantise.codes import LOGIT_LIMIT
from tools.quantise.errors import QuantisationError
from tools.quantise.simulation import Simulation

BATCH = 8
FEATURE_SHARE = 20.0
PROBABILITY_SHARE = 4.0
FLICKER_SHARE = 6.0
CROSS_ENTROPY_SHARE = 0.05
MEAN_DECAY = 0.998
WARM_UP = 100
VARIANCE_PICTURES = 64


@dataclass(frozen=True)
class Plan:
    """How long and how fast to train."""

    steps: int
    rate: float
    seed: int = 0

    def rate_at(self, step: int) -> float:
        """Rises over the first steps, then falls to zero along a half cosine."""
        rise = min(1.0, (step + 1) / WARM_UP)
        return self.rate * rise * 0.5 * (1 + math.cos(math.pi * step / self.steps))


class Trainer:
    """Trains step by step; `save` and `resume` keep its whole state in a file."""

    def __init__(self, student: Simulation, maker: PictureMaker, plan: Plan) -> None:
        self.plan = plan
        self.step = 0
        self._teacher = Simulation(student.network).requires_grad_(False)
        self._student = student.to(memory_format=torch.channels_last)
        self._maker = maker
        self._optimiser = torch.optim.Adam(student.parameters(), lr=plan.rate)
        self._mean = {key: value.detach().clone() for key, value in student.weights.items()}
        self._variances = self._measure_variances()

    def run(self, report: Callable[[int, dict[str, float]], None], until: int) -> None:
        """Train up to a step; `report` gets the step and its losses."""
        while self.step < min(until, self.plan.steps):
            losses = self._advance()
            self.step += 1
            report(self.step, losses)

    def averaged(self) -> Simulation:
        """The network with the running mean of the weights."""
        simulation = Simulation(self._student.network, self._student.codes)
        simulation.weight_scales = self._student.weight_scales
        with torch.no_grad():
            for key, value in self._mean.items():
                simulation.weights[key].copy_(value)
        return simulation

    def save(self, path: Path) -> None:
        """Write all that training goes on from."""
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        torch.save(
            {
                "plan": asdict(self.plan),
                "step": self.step,
                "weights": self._student.state_dict(),
                "mean": self._mean,
                "optimiser": self._optimiser.state_dict(),
                "random": self._maker.random_state,
            },
            partial,
        )
        partial.replace(path)

    def resume(self, path: Path) -> None:
        """Go on from what `save` wrote.

        Raises:
            QuantisationError: that training had another plan.
        """
        state: dict[str, Any] = torch.load(path, weights_only=False)
        if state["plan"] != asdict(self.plan):
            raise QuantisationError(
                f"{path} was trained by another plan, {state['plan']}: delete it to start afresh"
            )
        self.step = state["step"]
        self._student.load_state_dict(state["weights"])
        self._mean = state["mean"]
        self._optimiser.load_state_dict(state["optimiser"])
        self._maker.random_state = state["random"]

    @staticmethod
    def read_plan(path: Path) -> Plan:
        """The plan of the training that `save` wrote."""
        return Plan(**torch.load(path, weights_only=False)["plan"])

    def _measure_variances(self) -> dict[str, Tensor]:
        """Of every channel of the tensors that several steps read: the ends of the blocks.

        Nearly constant channels count as if they varied a little, so that they do not rule.
        """
        users = self._student.network.users
        names = [name for name in self._student.codes if len(users[name]) > 1]
        pictures = torch.from_numpy(self._maker.batch(VARIANCE_PICTURES))
        with torch.no_grad():
            values = self._teacher.run(pictures, frozenset(names))
        variances = {name: values[name].var((0, 2, 3), keepdim=True) for name in names}
        return {name: value + value.mean() * 0.01 for name, value in variances.items()}

    def _advance(self) -> dict[str, float]:
        for group in self._optimiser.param_groups:
            group["lr"] = self.plan.rate_at(self.step)
        pictures = torch.from_numpy(self._maker.batch(BATCH))
        pictures = pictures.contiguous(memory_format=torch.channels_last)
        keep = frozenset(self._variances)
        with torch.no_grad():
            expected = self._teacher.run(pictures, keep)
        actual = self._student.run(pictures, keep)
        losses = self._losses(actual, expected)
        total = torch.stack(list(losses.values())).sum()
        self._optimiser.zero_grad(set_to_none=True)
        total.backward()
        self._optimiser.step()
        with torch.no_grad():
            decay = min(MEAN_DECAY, (self.step + 1) / (self.step + 10))
            for key, value in self._student.weights.items():
                self._mean[key].lerp_(value, 1 - decay)
        return {name: float(value.detach()) for name, value in losses.items()}

    def _losses(self, actual: dict[str, Tensor], expected: dict[str, Tensor]) -> dict[str, Tensor]:
        logits = self._student.network.logits
        student, teacher = actual[logits], expected[logits]
        clamped = _pair_means(teacher.clamp(-LOGIT_LIMIT, LOGIT_LIMIT))
        probability = _pair_means(torch.sigmoid(teacher))
        features = [
            ((actual[name] - expected[name]).square() / variance).mean()
            for name, variance in self._variances.items()
        ]
        twins = torch.sigmoid(student).unflatten(0, (-1, 2))
        return {
            "features": FEATURE_SHARE * torch.stack(features).mean(),
            "logits": (student - clamped).abs().mean(),
            "probability": PROBABILITY_SHARE * (torch.sigmoid(student) - probability).abs().mean(),
            "flicker": FLICKER_SHARE * (twins[:, 0] - twins[:, 1]).abs().mean(),
            "cross_entropy": CROSS_ENTROPY_SHARE
            * functional.binary_cross_entropy_with_logits(student, probability),
        }


def _pair_means(values: Tensor) -> Tensor:
    """Each picture's value replaced by the mean over it and its twin, see `PictureMaker.batch`."""
    twins = values.unflatten(0, (-1, 2))
    return twins.mean(1, keepdim=True).expand_as(twins).flatten(0, 1)
