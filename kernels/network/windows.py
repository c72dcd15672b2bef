"""The window of a convolution, and what it meets around its input."""

from __future__ import annotations

import numpy as np

from pullfx.kernels.network.program import Codes, Window
from pullfx.kernels.network.values import Convolution, Decoded, Padded, refuse

_UNLIKE_A_CODE = 1e-3


def window_of(base: Convolution) -> Window:
    """The window as a step has it."""
    rows, columns = base.weights.shape[2:]
    return Window(rows, columns, *base.strides, *base.dilations, *base.pads)


def border_of(around: Convolution | Padded, source: Decoded) -> Codes:
    """The codes, [channels], of the number that lies around a picture.

    Raises:
        ModelError: there is no code for it.
    """
    exact = source.source.zero + around.number / source.scale
    codes = np.rint(exact)
    if np.abs(exact - codes).max() > _UNLIKE_A_CODE or codes.min() < 0 or codes.max() > 255:
        raise refuse(around, f"its border of {around.number:g} has no code")
    return codes.astype(np.uint8)
