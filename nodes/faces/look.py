"""The face detector's look at a square of a frame."""

from __future__ import annotations

from typing import Final

from pullfx.nodes.expose import expose
from pullfx.nodes.faces.anchors import SIDE
from pullfx.nodes.faces.candidates import decode, suppress
from pullfx.nodes.faces.sightings import Box, Sighting, nearest
from pullfx.nodes.faces.squares import Square, cut, square_around
from pullfx.nodes.network import TensorNetwork
from pullfx.nodes.types import Reduced
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.pool import Pool

# Scores from which on something may be a face, and is one: the mean of two looks. Of what two looks
# at the pictures in shared/media at three sizes saw, nothing but faces had more than 0.675, and of
# those only tiny ones in crowds had less.
MAYBE: Final = 0.3
_SURE: Final = 0.68
# mediapipe/modules/face_detection/face_detection_short_range.pbtxt: min_suppression_threshold.
_SAME: Final = 0.3
# What a square may cut off of a face that counts as whole, in heights.
_CUT_OFF: Final = 0.1
# Sides of a square around a face by the height of the face: of a near look, and of a wide one.
_NEAR: Final = 2.5
_WIDE: Final = 3.5
# How far off a second look may see a face, in heights.
_STEP: Final = 0.8


class Look:
    """The network on squares of one frame.

    Args:
        network: the face detector.
        frame: the picture.
        reduced: the same in small.
        pool: where scratch comes from.

    Attributes:
        count: how many squares it has looked at.
    """

    def __init__(self, network: TensorNetwork, frame: Frame, reduced: Reduced, pool: Pool) -> None:
        self._network = network
        self._frame = frame
        self._reduced = reduced
        self._pool = pool
        self.count = 0

    def at(self, square: Square, least: float) -> list[Sighting]:
        """The faces in a square with this score or more; none that the square cuts off."""
        self.count += 1
        image, placement = cut(self._frame, self._reduced, square, SIDE, self._pool)
        regressors, logits = self._network(expose(image, self._pool), self._pool)
        faces = suppress(decode(regressors[0], logits[0, :, 0], least), _SAME)
        pairs = faces.values.reshape(-1, 8, 2) * placement.scale
        pairs[:, :1] += placement.origin
        pairs[:, 2:] += placement.origin
        return [
            Sighting(box, pair[2:], score)
            for pair, score in zip(pairs, faces.scores.tolist(), strict=True)
            if self._is_whole(box := Box(*pair[:2].ravel().tolist()), square)
        ]

    def straight_at(self, maybe: Sighting) -> Sighting | None:
        """The face as two looks straight at it see it, a near and a wide one, or None.

        What is no face seldom looks like one both times.
        """
        near = nearest(maybe, self.at(square_for(maybe), MAYBE), _STEP)
        if near is None:
            return None
        wide = nearest(maybe, self.at(square_for(maybe, _WIDE), MAYBE), _STEP)
        return near if wide is not None and near.score + wide.score >= 2 * _SURE else None

    def _is_whole(self, box: Box, square: Square) -> bool:
        """Whether the middle of the face is in the frame, and in the square all of it that is."""
        width, height = self._frame.width, self._frame.height
        x, y = box.middle
        slack = box.height * _CUT_OFF
        return (
            0 <= x <= width
            and 0 <= y <= height
            and max(box.left, 0) >= square.left - slack
            and max(box.top, 0) >= square.top - slack
            and min(box.right, width) <= square.left + square.side + slack
            and min(box.bottom, height) <= square.top + square.side + slack
        )


def square_for(sighting: Sighting, around: float = _NEAR) -> Square:
    """The square to look at a face in, `around` times as large as it."""
    x, y = sighting.box.middle
    return square_around(x, y, around * sighting.box.height)
