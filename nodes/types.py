"""The values that pass between nodes, each a type of its own so that the wiring is checked.

`NewType` costs nothing at run time, and lets both mypy and the graph tell a mask from a picture.
"""

from typing import NamedTuple, NewType

import numpy as np
from numpy.typing import NDArray

Image = NewType("Image", NDArray[np.uint8])
"""RGB picture, uint8 [height, width, 3], full range."""

Mask = NewType("Mask", NDArray[np.uint8])
"""How far each pixel is person, uint8 [height, width]: 0 is background, 255 is person."""


class Size(NamedTuple):
    """Width and height in pixels."""

    width: int
    height: int
