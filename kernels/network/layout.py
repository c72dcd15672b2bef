"""What rearranges values behind the last step: layouts, shapes, and joined rows."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from pullfx.kernels.network.inputs import Reader
from pullfx.kernels.network.values import Real

MOST_PARTS = 16


@dataclass(frozen=True)
class Rows:
    """Pictures one after the other in memory, channels last, as an array of some shape."""

    parts: tuple[Real, ...]
    shape: tuple[int, ...]


def channels_last(reader: Reader) -> Rows:
    """Transpose of a picture."""
    value = reader.real()
    channels, height, width = value.shape
    if reader.integers("perm", (0, 0, 0, 0)) != (0, 2, 3, 1):
        raise reader.node.refuse("before an output only the channels can move, to the end")
    return Rows((value,), (1, height, width, channels))


def reshaped(reader: Reader, rows: Rows) -> Rows:
    """Reshape."""
    shape = [int(side) for side in reader.constant(1).reshape(-1)]
    if any(side <= 0 for side in shape) or prod(shape) != prod(rows.shape):
        raise reader.node.refuse(f"{list(rows.shape)} cannot become {shape}")
    return Rows(rows.parts, tuple(shape))


def joined(reader: Reader, rows: list[Rows]) -> Rows:
    """Concat along what is first in memory."""
    first = rows[0].shape
    axis = reader.integer("axis", 0)
    axis += len(first) if axis < 0 else 0
    plain = 0 <= axis < len(first) and all(side == 1 for side in first[:axis])
    rest = {(part.shape[:axis], part.shape[axis + 1 :]) for part in rows}
    if not plain or len(rest) != 1 or len({len(part.shape) for part in rows}) != 1:
        raise reader.node.refuse("outputs are joined along their first axis only")
    parts = tuple(value for part in rows for value in part.parts)
    if len(parts) > MOST_PARTS:
        raise reader.node.refuse(f"an output of more than {MOST_PARTS} parts does not compile")
    length = sum(part.shape[axis] for part in rows)
    return Rows(parts, (*first[:axis], length, *first[axis + 1 :]))
