"""`Frame`: one picture in memory, as the camera, the decoder and the encoder have it."""

from __future__ import annotations

import dataclasses
import enum
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from pullfx.errors import FrameError

Plane = NDArray[np.uint8]


class Matrix(enum.Enum):
    """The coefficients of R'G'B' to Y'CbCr (ITU-R BT.601, BT.709, BT.2020 non-constant)."""

    BT601 = "bt601"
    BT709 = "bt709"
    BT2020 = "bt2020"


class Range(enum.Enum):
    """The codes in use: LIMITED has Y in 16..235 and C in 16..240, FULL has 0..255."""

    LIMITED = "limited"
    FULL = "full"


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture as three uint8 planes in 4:2:0 (I420), each a strided 2-D view.

    Attributes:
        y: luma, uint8 [height, width].
        u: Cb, uint8 [(height + 1) // 2, (width + 1) // 2].
        v: Cr, shaped as `u`.
        matrix: how the colours were made.
        range: which codes are in use.
        pts: presentation time in units of `time_base`, or None where the source has no clock.
        time_base: seconds per unit of `pts`, or None.
        owner: whatever owns the memory (an `av.VideoFrame`, an array); held so that the views live.
        alpha: how opaque each pixel is, uint8 [height, width], 0 to 255 whatever the range; None
            where all are, as in nearly every frame. It is straight: colours are not multiplied by
            it, and may be anything where it is 0.

    The pixels of a row lie side by side (stride 1); the stride between rows is free, and may be
    negative. Planes of an incoming frame belong to the decoder or the camera: read, never write.

    Raises:
        FrameError: a plane has the wrong dtype, shape or stride.
    """

    y: Plane
    u: Plane
    v: Plane
    matrix: Matrix = Matrix.BT601
    range: Range = Range.LIMITED
    pts: int | None = None
    time_base: Fraction | None = None
    owner: object = None
    alpha: Plane | None = None

    def __post_init__(self) -> None:
        if self.y.ndim != 2 or 0 in self.y.shape:
            raise FrameError(
                f"the luma plane must be [height, width], not empty, but has shape {self.y.shape}"
            )
        height, width = self.y.shape
        chroma = ((height + 1) // 2, (width + 1) // 2)
        for name, plane, shape in (
            ("y", self.y, self.y.shape),
            ("u", self.u, chroma),
            ("v", self.v, chroma),
            ("alpha", self.y if self.alpha is None else self.alpha, self.y.shape),
        ):
            if plane.dtype != np.uint8:
                raise FrameError(f"plane {name} must be uint8, but is {plane.dtype}")
            if plane.shape != shape:
                raise FrameError(
                    f"plane {name} of a {width}x{height} frame must have shape {shape}, "
                    f"but has {plane.shape}"
                )
            if plane.shape[1] > 1 and plane.strides[1] != 1:
                raise FrameError(
                    f"the pixels of a row of plane {name} must lie side by side; "
                    "copy the plane with numpy.ascontiguousarray first"
                )

    @property
    def width(self) -> int:
        """Width of the picture in pixels."""
        return int(self.y.shape[1])

    @property
    def height(self) -> int:
        """Height of the picture in pixels."""
        return int(self.y.shape[0])

    @property
    def planes(self) -> tuple[Plane, Plane, Plane]:
        """The three planes in the order Y, U, V."""
        return self.y, self.u, self.v

    @property
    def seconds(self) -> float | None:
        """Presentation time in seconds, or None where the frame carries no clock."""
        if self.pts is None or self.time_base is None:
            return None
        return float(self.pts * self.time_base)

    def replace(
        self,
        *,
        y: Plane | None = None,
        u: Plane | None = None,
        v: Plane | None = None,
        owner: object = None,
    ) -> Frame:
        """The same moment and colour description with some planes exchanged; nothing is copied.

        Raises:
            FrameError: a plane does not fit the others.
        """
        return dataclasses.replace(
            self,
            y=self.y if y is None else y,
            u=self.u if u is None else u,
            v=self.v if v is None else v,
            owner=(self.owner, owner),
        )
