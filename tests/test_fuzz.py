"""The targets of the fuzzer, with chance in its place: `python -m tools.fuzz` follows coverage."""

from __future__ import annotations

import pytest

from tools.fuzz.choices import Chance
from tools.fuzz.targets import TARGETS

INPUTS = {"network": 60, "frame": 600, "parameters": 300, "files": 150}


@pytest.mark.parametrize("name", TARGETS)
def test_damaged_input_is_refused_or_read(name: str) -> None:
    target = TARGETS[name]()
    for seed in range(INPUTS[name]):
        target(Chance(seed))
