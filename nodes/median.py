"""The median, at a third of the price of numpy's, which looks for NaN first."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Float = TypeVar("Float", np.float32, np.float64)


def median(values: NDArray[Float]) -> NDArray[Float]:
    """The median along the first axis; of an even number, the upper of the two in the middle.

    Args:
        values: float32 or float64 [count, ...], count of 1 or more, without NaN.

    Returns:
        Of that dtype, [...].
    """
    middle = len(values) // 2
    found: NDArray[Float] = np.partition(values, middle, axis=0)[middle]
    return found
