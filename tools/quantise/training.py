"""Training of the rounded network; the float network is the teacher.

Rounding is in the forward pass; gradients pass it as if it were not there (straight-through), and
stop where a code is cut off. The weights that are kept are a running mean over the steps, which is
less noisy than any single step. Trained with the weights is how fine each tensor's codes are: one
number for each scale, by which it grows.
"""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from tools.quantise.augment import PictureMaker
from tools.quantise.errors import QuantisationError
from tools.quantise.goals import goal_of
from tools.quantise.simulation import Simulation

BATCH = 8
"""Pictures that the student sees in a step."""

FEATURE_SHARE = 10.0
GROWTH_PACE = 100.0
"""How much faster than weights the logarithms of the scales are trained."""
WARM_UP = 40
MEAN_DECAY = 0.998
VARIANCE_PICTURES = 64


@dataclass(frozen=True)
class Plan:
    """How long and how fast to train, and how much a calm mask is worth."""

    steps: int
    rate: float
    calm: float
    """The share of the flicker in the loss."""
    tighter: float
    """What scales are multiplied by first; training then makes up for the values cut off."""

    @property
    def options(self) -> str:
        """As the command takes them."""
        return " ".join(f"--{option} {value:g}" for option, value in asdict(self).items())

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
        for growth in student.growths.values():
            nn.init.constant_(growth, math.log(plan.tighter))
        self._maker = maker
        self._optimiser = torch.optim.Adam(
            [
                {"params": student.weights.parameters(), "pace": 1.0},
                {"params": student.growths.parameters(), "pace": GROWTH_PACE},
            ]
        )
        self._mean = {key: value.clone() for key, value in student.state_dict().items()}
        self._variances = self._measure_variances()
        self._goal = goal_of(student.network, plan.calm)

    def run(self, report: Callable[[int, dict[str, float]], None], until: int) -> None:
        """Train up to a step; `report` gets the step and its losses."""
        while self.step < min(until, self.plan.steps):
            losses = self._advance()
            self.step += 1
            report(self.step, losses)

    def averaged(self) -> Simulation:
        """The network with the running mean of the weights, and of what scales grew by."""
        student = self._student
        mean = Simulation(student.network, student.codes)
        mean.load_state_dict(self._mean)
        simulation = Simulation(student.network, mean.grown_codes())
        simulation.weights.load_state_dict(mean.weights.state_dict())
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

    def _measure_variances(self) -> dict[str, Tensor]:
        """Of every channel of the tensors that several steps read: the ends of the blocks.

        Nearly constant channels count as if they varied a little, so that they do not rule.
        """
        users = self._student.network.users
        names = [name for name in self._student.codes if len(users[name]) > 1]
        pictures = torch.from_numpy(self._maker.batch(VARIANCE_PICTURES))
        with torch.no_grad():
            values = self._teacher.run(_flat(pictures), frozenset(names))
        variances = {name: values[name].var((0, 2, 3), keepdim=True) for name in names}
        return {name: value + value.mean() * 0.01 for name, value in variances.items()}

    def _advance(self) -> dict[str, float]:
        for group in self._optimiser.param_groups:
            group["lr"] = self.plan.rate_at(self.step) * group["pace"]
        goal = self._goal
        sequences = BATCH // (goal.seen.stop - goal.seen.start)
        moments = torch.from_numpy(self._maker.batch(sequences, goal.moments))
        keep = frozenset(self._variances)
        with torch.no_grad():
            expected = self._teacher.run(_flat(moments), keep)
        actual = self._student.run(_flat(moments[:, goal.seen]), keep)
        losses = self._losses(moments, actual, expected)
        total = torch.stack(list(losses.values())).sum()
        self._optimiser.zero_grad(set_to_none=True)
        total.backward()
        self._optimiser.step()
        with torch.no_grad():
            decay = min(MEAN_DECAY, (self.step + 1) / (self.step + 10))
            for key, value in self._student.state_dict().items():
                self._mean[key].lerp_(value, 1 - decay)
        return {name: float(value.detach()) for name, value in losses.items()}

    def _losses(
        self, moments: Tensor, actual: dict[str, Tensor], expected: dict[str, Tensor]
    ) -> dict[str, Tensor]:
        features = [
            ((actual[name] - self._seen(expected[name])).square() / variance).mean()
            for name, variance in self._variances.items()
        ]
        return {
            "features": FEATURE_SHARE * torch.stack(features).mean(),
            **self._goal.losses(moments, actual, expected),
        }

    def _seen(self, values: Tensor) -> Tensor:
        """Of a tensor of all moments, what is there at those that the student sees."""
        goal = self._goal
        return values.unflatten(0, (-1, goal.moments))[:, goal.seen].flatten(0, 1)


def _flat(sequences: Tensor) -> Tensor:
    """All pictures of all sequences, [n, 3, height, width], in the layout that is quickest."""
    return sequences.flatten(0, 1).contiguous(memory_format=torch.channels_last)
