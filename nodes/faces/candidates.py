"""What the face detector's numbers mean, and one face for the many that mean the same."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pullfx.nodes.faces.anchors import anchors

Floats = NDArray[np.float32]


class Candidates(NamedTuple):
    """Faces that there may be, many of them the same face.

    Attributes:
        values: float32 [count, 16]: left, top, width and height of the box, then x and y of right
            eye, left eye, tip of the nose, mouth, right ear and left ear.
        scores: float32 [count], 0 to 1.
    """

    values: Floats
    scores: Floats


def decode(regressors: Floats, logits: Floats, least: float) -> Candidates:
    """The faces that the network says there are, in pixels of its picture.

    Args:
        regressors: float32 [896, 16]: from an anchor's middle to the box's, the box's width and
            height, and from the anchor's middle to each point, in pixels.
        logits: float32 [896], before the sigmoid.
        least: the score from which on a candidate counts, above 0 and below 1.
    """
    # The sigmoid grows steadily, so its inverse at the limit spares it for the rest.
    (chosen,) = np.nonzero(logits >= math.log(least / (1 - least)))
    values = regressors[chosen] + _origins()[chosen]
    values[:, :2] -= values[:, 2:4] / 2
    scores = np.float32(1) / (np.float32(1) + np.exp(-logits[chosen]))
    return Candidates(values, np.asarray(scores, np.float32))


@functools.cache
def _origins() -> Floats:
    """What the regressors count from: anchors, and 0 for width and height; float32 [896, 16]."""
    origins = np.tile(anchors(), 8)
    origins[:, 2:4] = 0
    return origins


def suppress(candidates: Candidates, overlap: float) -> Candidates:
    """One face for all that overlap it: their mean, weighted by their scores.

    V. Bazarevsky et al., "BlazeFace: Sub-millisecond Neural Face Detection on Mobile GPUs",
    arXiv:1907.05047, section 3.3: the mean trembles less from frame to frame than the best does.

    Args:
        candidates: in any order.
        overlap: the intersection over union with the best from which on one is the same face.

    Returns:
        The faces, the best first, each with the score of the best of its candidates.
    """
    order = np.argsort(-candidates.scores, kind="stable")
    values, scores = candidates.values[order], candidates.scores[order]
    faces = []
    best = []
    while scores.size:
        same = intersection_over_union(values[0, :4], values[:, :4]) >= overlap
        same[0] = True  # even where its box is empty
        faces.append(scores[same] @ values[same] / scores[same].sum())
        best.append(scores[0])
        values, scores = values[~same], scores[~same]
    return Candidates(
        np.array(faces, np.float32).reshape(-1, candidates.values.shape[1]),
        np.array(best, np.float32),
    )


def intersection_over_union(box: Floats, boxes: Floats) -> Floats:
    """How far boxes are the same as one: 0 where they lie apart, 1 where they are it.

    Args:
        box: float32 [4]: left, top, width, height.
        boxes: float32 [count, 4].

    Returns:
        float32 [count].
    """
    starts = np.maximum(box[:2], boxes[:, :2])
    ends = np.minimum(box[:2] + box[2:], boxes[:, :2] + boxes[:, 2:])
    sides = np.maximum(ends - starts, 0)
    shared = sides[:, 0] * sides[:, 1]
    total = box[2] * box[3] + boxes[:, 2] * boxes[:, 3] - shared
    same: Floats = np.divide(shared, total, out=np.zeros_like(shared), where=total > 0)
    return same
