"""Points of the face mesh by what they lie on, in the numbering of MediaPipe's face model.

The outlines are the connections that MediaPipe publishes
(mediapipe/python/solutions/face_mesh_connections.py, google-ai-edge/mediapipe), each in the order
of its line; the rings under the eyes are those of TensorFlow.js
(face-landmarks-detection/src/mediapipe-facemesh, tensorflow/tfjs-models). Right and left are the
person's.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.intp]


def _points(*indices: int) -> Points:
    return np.array(indices, np.intp)


TOP: Final = 10
CHIN: Final = 152
RIGHT_SIDE: Final = 234
LEFT_SIDE: Final = 454
NOSE_TIP: Final = 1
RIGHT_JAW: Final = 136
LEFT_JAW: Final = 365

# fmt: off
OVAL: Final = _points(
    10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377,
    152, 148, 176, 149, 150, 136, 172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109,
)
RIGHT_EYE: Final = _points(
    33, 246, 161, 160, 159, 158, 157, 173, 133, 155, 154, 153, 145, 144, 163, 7,
)
LEFT_EYE: Final = _points(
    263, 466, 388, 387, 386, 385, 384, 398, 362, 382, 381, 380, 374, 373, 390, 249,
)
RIGHT_BROW: Final = _points(70, 63, 105, 66, 107, 55, 65, 52, 53, 46)
LEFT_BROW: Final = _points(300, 293, 334, 296, 336, 285, 295, 282, 283, 276)
LIPS: Final = _points(
    61, 185, 40, 39, 37, 0, 267, 269, 270, 409, 291, 375, 321, 405, 314, 17, 84, 181, 91, 146,
)
NOSTRILS: Final = _points(64, 98, 97, 2, 326, 327, 294, 19)

UNDER_RIGHT_EYE: Final = _points(
    25, 110, 24, 23, 22, 26, 112, 128, 121, 120, 119, 118, 117, 111,
)
UNDER_LEFT_EYE: Final = _points(
    255, 339, 254, 253, 252, 256, 341, 357, 350, 349, 348, 347, 346, 340,
)

# Where skin is most often bare, and its colour is learned from.
FOREHEAD: Final = _points(9, 151, 10, 108, 337, 109, 338, 69, 299, 104, 333, 67, 297)
RIGHT_CHEEK: Final = _points(
    50, 101, 36, 205, 187, 147, 123, 116, 117, 118, 119, 100, 142, 207, 203, 206,
)
LEFT_CHEEK: Final = _points(
    280, 330, 266, 425, 411, 376, 352, 345, 346, 347, 348, 329, 371, 427, 423, 426,
)
NOSE: Final = _points(6, 197, 195, 5, 4, 51, 281, 3, 248, 45, 275, 131, 360, 122, 351)
# fmt: on
