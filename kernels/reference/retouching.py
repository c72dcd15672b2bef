"""Changes that were made in small, added to a part of a frame."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pullfx.kernels.reference.enlarging import Whole, enlarged_codes, scaled

Plane = NDArray[np.uint8]
Planes = tuple[Plane, Plane, Plane]


def retouch(
    changes: Planes,
    base: Plane,
    weight: Plane,
    frame: Planes,
    top: int,
    left: int,
    shift: int,
    detail: int,
    limit: int,
) -> None:
    """Defines `pullfx.kernels.skin.retouch`.

    All that is enlarged has units of 1/128. Changes are codes in 1/512; the distance to the base
    is taken in 1/16, rounded down, and what is added in 1/512. Together they are rounded once, ties
    up.
    """
    factor = 2**shift
    for index, plane in enumerate(frame):
        if index == 0:
            target = plane[top:, left:][: base.shape[0] * factor, : base.shape[1] * factor]
            rows, columns = target.shape
        else:
            target = plane[top // 2 :, left // 2 :][: (rows + 1) // 2, : (columns + 1) // 2]
        change = enlarged_codes(changes[index], factor, target.shape) - 128 * 128
        if index == 0:
            away = (enlarged_codes(base, factor, target.shape) >> 3) - 16 * target.astype(np.int64)
            part = enlarged_codes(weight, factor, target.shape)
            fine = scaled(32 * _fading(away, 32 * limit), part)
            change += scaled(fine, np.array(detail))
        target[:] = (target + ((change + 256) >> 9)).clip(0, 255)


def _fading(distance: Whole, end: int) -> Whole:
    """Distances that grow to half of `end` and are nothing again from there on."""
    size = np.minimum(np.abs(distance), end - np.abs(distance)).clip(0)
    signed: Whole = np.sign(distance) * size
    return signed
