"""The checks that stand before every kernel, so that no wrong array reaches raw memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pullfx.errors import KernelError

Bytes = NDArray[np.uint8]

LARGEST_SIDE = 32767
"""Most pixels along a side where pixels are weighed by whole numbers."""


def check_plane(name: str, value: object, shape: tuple[int, ...] | None = None) -> None:
    """Checks that `value` is a plane: uint8, 2-D, not empty, the pixels of a row side by side.

    Args:
        name: what the caller calls it.
        value: the argument.
        shape: what its shape must be, or None where any will do.

    Raises:
        KernelError: it is not.
    """
    if not isinstance(value, np.ndarray):
        raise KernelError(f"{name} must be a numpy array, but is {type(value).__name__}")
    if value.dtype != np.uint8:
        raise KernelError(f"{name} must be uint8, but is {value.dtype}")
    if value.ndim != 2 or 0 in value.shape:
        raise KernelError(
            f"{name} must be [height, width] and not empty, but has shape {value.shape}"
        )
    if shape is not None and value.shape != shape:
        raise KernelError(f"{name} must have shape {shape}, but has {value.shape}")
    if value.strides[1] != 1 and value.shape[1] > 1:
        raise KernelError(
            f"the pixels of a row of {name} must lie side by side; "
            "copy it with numpy.ascontiguousarray first"
        )


def check_planes(
    name: str,
    value: object,
    shape: tuple[int, ...] | None = None,
    chroma_shape: Callable[[tuple[int, ...]], tuple[int, ...]] | None = None,
) -> None:
    """Checks that `value` is three planes.

    Args:
        name: what the caller calls them.
        value: the argument.
        shape: the shape of the first, or None where any will do.
        chroma_shape: from that shape the one of the others; None where it is the same.

    Raises:
        KernelError: it is not.
    """
    if not isinstance(value, tuple) or len(value) != 3:
        raise KernelError(f"{name} must be a tuple of three planes, but is {type(value).__name__}")
    check_plane(f"{name}[0]", value[0], shape)
    other = chroma_shape(value[0].shape) if chroma_shape else value[0].shape
    check_plane(f"{name}[1]", value[1], other)
    check_plane(f"{name}[2]", value[2], other)


def check_in_range(name: str, value: int, least: int, most: int) -> None:
    """Checks that a whole number lies within its limits, both included.

    Raises:
        KernelError: it does not.
    """
    if not least <= value <= most:
        raise KernelError(f"{name} must be {least} to {most}, but is {value}")


def check_rgb(
    name: str,
    value: object,
    shape: tuple[int, ...] | None = None,
    contiguous: bool = True,
) -> None:
    """Checks that `value` is a picture of three bytes a pixel, not empty, pixels side by side.

    Args:
        name: what the caller calls it.
        value: the argument, to be uint8 [height, width, 3].
        shape: what its height and width must be, or None where any will do.
        contiguous: False where gaps between the rows are taken.

    Raises:
        KernelError: it is not.
    """
    if not isinstance(value, np.ndarray):
        raise KernelError(f"{name} must be a numpy array, but is {type(value).__name__}")
    if value.dtype != np.uint8:
        raise KernelError(f"{name} must be uint8, but is {value.dtype}")
    if value.ndim != 3 or value.shape[2] != 3 or value.size == 0:
        raise KernelError(
            f"{name} must be [height, width, 3] and not empty, but has shape {value.shape}"
        )
    if shape is not None and value.shape[:2] != shape:
        raise KernelError(f"{name} must have shape {(*shape, 3)}, but has {value.shape}")
    if contiguous and not value.flags.c_contiguous:
        raise KernelError(f"{name} must be C-contiguous; make it with numpy.empty")
    if value.strides[2] != 1 or (value.strides[1] != 3 and value.shape[1] > 1):
        raise KernelError(
            f"the pixels of a row of {name} must lie side by side; "
            "copy it with numpy.ascontiguousarray first"
        )


def check_even_pairs(name: str, value: object) -> None:
    """Checks that `value` is a plane of two bytes a pixel, and an even number of pixels wide.

    Raises:
        KernelError: it is not.
    """
    check_plane(name, value)
    assert isinstance(value, np.ndarray)
    if value.shape[1] % 4:
        raise KernelError(
            f"{name} must have two bytes for each of an even number of pixels in a row, "
            f"but has shape {value.shape}"
        )


def check_table(name: str, value: object, length: int = 256) -> None:
    """Checks that `value` is a table with an entry for each byte, or each pair of bytes.

    That is, uint8 [length], C-contiguous.

    Raises:
        KernelError: it is not.
    """
    if not isinstance(value, np.ndarray):
        raise KernelError(f"{name} must be a numpy array, but is {type(value).__name__}")
    if value.dtype != np.uint8 or value.shape != (length,):
        raise KernelError(
            f"{name} must be uint8 of shape ({length},), "
            f"but is {value.dtype} of shape {value.shape}"
        )
    if not value.flags.c_contiguous:
        raise KernelError(f"{name} must be C-contiguous; copy it with numpy.ascontiguousarray")


def check_sides(**arrays: Bytes) -> None:
    """Checks that no picture is longer along a side than kernels which weigh pixels can take.

    Raises:
        KernelError: one is.
    """
    for name, array in arrays.items():
        if max(array.shape) > LARGEST_SIDE:
            raise KernelError(
                f"{name} has shape {array.shape}; no side may be longer than {LARGEST_SIDE}"
            )


def check_apart(name: str, out: Bytes, **inputs: Bytes) -> None:
    """Checks that `out` can be written and shares no memory with an input.

    Raises:
        KernelError: it cannot, or does.
    """
    _check_writable(name, out)
    for input_name, value in inputs.items():
        if _overlap(out, value):
            raise KernelError(f"{name} overlaps {input_name}; it must be other memory")


def check_apart_or_same(name: str, out: Bytes, **inputs: Bytes) -> None:
    """Checks that `out` can be written, and is an input or shares no memory with it.

    Raises:
        KernelError: it cannot, or an input would change while it is still being read.
    """
    _check_writable(name, out)
    for input_name, value in inputs.items():
        if _overlap(out, value) and out.__array_interface__ != value.__array_interface__:
            raise KernelError(
                f"{name} overlaps {input_name}; it must be that very array or other memory"
            )


def _check_writable(name: str, out: Bytes) -> None:
    if not out.flags.writeable:
        raise KernelError(f"{name} is read-only")


def _overlap(one: Bytes, other: Bytes) -> bool:
    # Bounds that do not meet settle it nearly always, and are cheap to compare.
    return np.may_share_memory(one, other) and np.shares_memory(one, other)
