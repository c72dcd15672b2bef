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


Alpha = NewType("Alpha", NDArray[np.uint8])
"""A matte at the size of the frame, uint8 [height, width], for who works on RGB."""


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


class Face(NamedTuple):
    """A face, in pixels of the frame: x to the right, y down, the frame's corner is 0, 0.

    Attributes:
        left, top, width, height: its box, within the frame; from the brows to the chin.
        points: float32 [6, 2], x and y of right eye, left eye, tip of the nose, mouth, right ear
            and left ear, right and left as the person has them; may lie outside of the frame.
        score: how sure the network is, 0 to 1.
        identity: the same from frame to frame for what is taken to be the same face.
    """

    left: float
    top: float
    width: float
    height: float
    points: NDArray[np.float32]
    score: float
    identity: int = 0


Faces = NewType("Faces", tuple[Face, ...])
"""The faces of a frame, the largest first; empty where there are none."""

Meshes = NewType("Meshes", tuple[NDArray[np.float32], ...])
"""The mesh of each of `Faces`, in their order: float32 [468, 2], x and y in pixels of the frame.

The points are numbered as in MediaPipe's canonical face model. A face has none, float32 [0, 2],
where the network sees no face (one that is turned away, hidden, or has left a moment ago), and
where four are larger.
"""


class Backdrop(NamedTuple):
    """What is shown behind people, small where it is soft.

    Attributes:
        planes: Y, U and V with a pixel for each 2^shift pixels of the frame along a side; for a
            shift of 0, as in the frame.
        shift: see `planes`.
        is_transparent: it is not to be seen: people are cut out of the picture.
    """

    planes: tuple[Plane, Plane, Plane]
    shift: int
    is_transparent: bool = False
