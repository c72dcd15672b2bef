"""Changes of each code by itself, such as those of light and colour, as tables."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pullfx import kernels
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.node import Following, node
from pullfx.pipeline.pool import HEAP, Pool

Table = NDArray[np.uint8]


_UNCHANGED = np.arange(256, dtype=np.uint8)


class Tables(NamedTuple):
    """What becomes of each code of Y, Cb and Cr: uint8 [256] each, or None for no change."""

    y: Table | None = None
    u: Table | None = None
    v: Table | None = None


@node(thin=True)
def tone(
    frame: Frame, tables: Tables, following: Following[Tables] = (), pool: Pool = HEAP
) -> Frame:
    """The picture with its codes replaced.

    A thin node: after one that takes `Following[Tables]`, it costs no pass of its own.

    Args:
        frame: the picture.
        tables: what becomes of its codes.
        following: what is done to them next, in order.
        pool: where the result comes from.

    Returns:
        A frame of the same size; `frame` itself where no code changes.
    """
    whole = composed((tables, *following))
    if _changes_nothing(whole):
        return frame
    out = pool.frame(frame)
    for plane, table, target in zip(frame.planes, whole, out.planes, strict=True):
        if table is None:
            np.copyto(target, plane)
        else:
            kernels.apply_table(plane, table, target)
    return out


def composed(several: tuple[Tables, ...]) -> Tables:
    """Tables one after the other as one: a table of a table is a table."""
    whole = Tables()
    for tables in several:
        whole = Tables(*map(_after, whole, tables))
    return whole


def stacked(several: tuple[Tables, ...]) -> NDArray[np.uint8] | None:
    """The same for a kernel: uint8 [3, 256]; None where no code changes."""
    whole = composed(several)
    if _changes_nothing(whole):
        return None
    return np.stack([_UNCHANGED if table is None else table for table in whole])


def _changes_nothing(tables: Tables) -> bool:
    return all(table is None for table in tables)


def _after(first: Table | None, second: Table | None) -> Table | None:
    if first is None or second is None:
        return second if first is None else first
    return second[first]
