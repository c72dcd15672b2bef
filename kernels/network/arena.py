"""Where tensors lie in memory: those that are never alive together share it."""

from __future__ import annotations

from pullfx.kernels.network.program import Program

ALIGNMENT = 64


def place_tensors(program: Program, share: bool = True) -> None:
    """Gives each tensor its offset, largest first, at the lowest place that is free while it lives.

    Args:
        program: changed in place.
        share: False gives every tensor memory of its own, so that all can be looked at afterwards.
    """
    lives = _lifetimes(program)
    placed: list[int] = []
    order = sorted(
        range(len(program.tensors)), key=lambda index: (-program.tensors[index].size, index)
    )
    program.arena = 0
    for index in order:
        tensor = program.tensors[index]
        first, last = lives[index]
        others = sorted(
            (program.tensors[other].offset, program.tensors[other].size)
            for other in placed
            if not share or (lives[other][0] <= last and first <= lives[other][1])
        )
        offset = 0
        for start, size in others:
            if start - offset >= tensor.size:
                break
            offset = max(offset, _aligned(start + size))
        tensor.offset = offset
        placed.append(index)
        program.arena = max(program.arena, offset + tensor.size)


def _lifetimes(program: Program) -> list[tuple[int, int]]:
    """First and last step that touch each tensor."""
    lives = [(-1, -1)] * len(program.tensors)
    for number, step in enumerate(program.steps):
        touched = step.reads() if step.output < 0 else (*step.reads(), step.output)
        for index in touched:
            first, _ = lives[index]
            lives[index] = (number if first < 0 else first, number)
    return lives


def _aligned(offset: int) -> int:
    return -(-offset // ALIGNMENT) * ALIGNMENT
