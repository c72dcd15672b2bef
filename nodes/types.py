"""The values that pass between nodes, each a type of its own so that the wiring is checked.

`NewType` costs nothing at run time, and lets both mypy and the graph tell a mask from a picture.
"""

from typing import NamedTuple, NewType

import numpy as np
from numpy.typing import NDArray

from pullfx.pipeline.frame import Plane

Image = NewType("Image", NDArray[np.uint8])
"""RGB picture, uint8 [height, width, 3], full range."""

Mask = NewType("Mask", NDArray[np.uint8])
"""How far each pixel is person, as a network says it: 0 is background, 255 is person.

uint8 [height, width], small, and spread over the whole frame, whatever its shape.
"""

Matte = NewType("Matte", NDArray[np.uint8])
"""How far each pixel is person, as the frame is painted: 0 is background, 255 is person.

uint8 [(height + 1) // 2, (width + 1) // 2] of the frame: of the size of its chroma planes, with
which its pixels coincide. For luma it is enlarged as it is used.
"""


class Size(NamedTuple):
    """Width and height in pixels."""

    width: int
    height: int


class Reduced(NamedTuple):
    """A frame in small, from the node `reduce`.

    Attributes:
        half: luma at the size of the chroma planes.
        grid: Y, U and V with a pixel for each 2^shift pixels of the frame along a side.
        shift: see `grid`.
    """

    half: Plane
    grid: tuple[Plane, Plane, Plane]
    shift: int


class Backdrop(NamedTuple):
    """What is shown behind people, small where it is soft.

    Attributes:
        planes: Y, U and V with a pixel for each 2^shift pixels of the frame along a side; for a
            shift of 0, as in the frame.
        shift: see `planes`.
    """

    planes: tuple[Plane, Plane, Plane]
    shift: int
