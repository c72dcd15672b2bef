"""How far a quantised face detector's faces are from the float network's."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from pullfx.nodes.faces.candidates import Candidates, decode, intersection_over_union, suppress
from tools.quantise import held_out
from tools.quantise.judge import Judge
from tools.quantise.pictures import Picture, fit

LEAST = 0.5
"""The score from which on a candidate is a face."""
OVERLAP = 0.3
"""Boxes that overlap as much are of the same face."""
FOUND = 0.5
"""Intersection over union from which on both networks see the same face."""


@dataclass(frozen=True)
class Detections:
    """Quantised against float faces, over pictures."""

    pictures: int
    faces: int
    """That the float network finds."""
    recall: float
    """The share of those that the quantised network finds."""
    others: int
    """That the quantised network finds where the float one has none."""
    mean_iou: float
    """Of the boxes of faces that both find; so are the next."""
    iou_p5: float
    iou_minimum: float
    points: float
    """Mean distance of points, as a share of the width of the box."""
    max_difference: float
    """Largest difference of a score, after the sigmoid."""

    def as_dictionary(self) -> dict[str, object]:
        """For JSON."""
        return asdict(self)


def measure_detections(
    float_judge: Judge, quantised_judge: Judge, media: Path, part: held_out.Part
) -> Detections:
    """Compare a quantised face detector with the one that it was made from."""
    return detections(float_judge, quantised_judge, held_out_pictures(media, part))


def held_out_pictures(media: Path, part: held_out.Part) -> Iterator[Picture]:
    """The photographs in four views each and, but for `FINAL`, frames of clips never trained on."""
    for path in held_out.photographs(media, part):
        yield from held_out.views(path)
    if part is not held_out.Part.FINAL:
        yield from held_out.unseen_frames(media)


def detections(
    float_judge: Judge, quantised_judge: Judge, pictures: Iterable[Picture]
) -> Detections:
    """Compare over pictures of any size."""
    ious: list[float] = []
    points: list[float] = []
    count = expected_count = other_count = 0
    largest = 0.0
    for picture in pictures:
        image = fit(picture, float_judge.size)
        (expected, expected_scores), (actual, actual_scores) = (
            _faces(judge, image) for judge in (float_judge, quantised_judge)
        )
        largest = max(largest, float(np.abs(expected_scores - actual_scores).max()))
        count += 1
        expected_count += len(expected.scores)
        left = actual.values
        for face in expected.values:
            same = intersection_over_union(face[:4], left[:, :4])
            if not same.size or same.max() < FOUND:
                continue
            found = left[same.argmax()]
            left = np.delete(left, same.argmax(), axis=0)
            ious.append(float(same.max()))
            distances = np.hypot(*(found[4:] - face[4:]).reshape(6, 2).T)
            points.append(float(distances.mean() / face[2]))
        other_count += len(left)
    return Detections(
        pictures=count,
        faces=expected_count,
        recall=len(ious) / expected_count if expected_count else 1.0,
        others=other_count,
        mean_iou=float(np.mean(ious)) if ious else 1.0,
        iou_p5=float(np.percentile(ious, 5)) if ious else 1.0,
        iou_minimum=min(ious, default=1.0),
        points=float(np.mean(points)) if points else 0.0,
        max_difference=largest,
    )


def _faces(judge: Judge, image: Picture) -> tuple[Candidates, np.ndarray]:
    """The faces in a network's picture, and the scores of all anchors."""
    regressors, logits = judge.outputs(image)
    # The sigmoid, in a form that does not overflow.
    scores = np.exp(-np.logaddexp(0.0, -logits[0, :, 0].astype(np.float64)))
    return suppress(decode(regressors[0], logits[0, :, 0], LEAST), OVERLAP), scores
