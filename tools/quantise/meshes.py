"""How far a quantised face mesh's points are from the float network's."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from tools.quantise import held_out
from tools.quantise.judge import Judge
from tools.quantise.pictures import Picture, scale
from tools.quantise.squares import faces_of


@dataclass(frozen=True)
class MeshReport:
    """Quantised against float meshes; distances are shares of the width of the mesh."""

    faces: int
    mean_distance: float
    """Of a point, the mean over points and faces."""
    distance_p95: float
    """Of faces, by the mean over their points."""
    largest_distance: float
    same_presence: float
    """The share of these about which both agree whether there is a face."""
    others: int
    """Whole photographs, in which a face is small or beside the middle."""
    same_elsewhere: float
    """The share of those."""
    max_difference: float
    """Largest difference of a coordinate, in pixels of the input."""

    def as_dictionary(self) -> dict[str, object]:
        """For JSON."""
        return asdict(self)


def measure_meshes(
    float_judge: Judge, quantised_judge: Judge, detector: Judge, media: Path, part: held_out.Part
) -> MeshReport:
    """Compare over the faces of the photographs in four views each, and over whole photographs."""
    faces: list[Picture] = []
    others: list[Picture] = []
    for path in held_out.photographs(media, part):
        for view in held_out.views(path):
            faces += faces_of(view, detector, float_judge.size[0])
            others.append(scale(view, float_judge.size))
    return meshes(float_judge, quantised_judge, faces, others)


def meshes(
    float_judge: Judge,
    quantised_judge: Judge,
    faces: Iterable[Picture],
    others: Iterable[Picture],
) -> MeshReport:
    """Compare over squares around faces, and over other pictures of the network's size."""
    distances, same, elsewhere = [], [], []
    largest = 0.0
    for picture in faces:
        (expected, present), (actual, found) = (
            judge.outputs(picture) for judge in (float_judge, quantised_judge)
        )
        apart = (actual - expected).reshape(-1, 3)
        width = np.ptp(expected.reshape(-1, 3)[:, 0])
        distances.append(float(np.hypot(apart[:, 0], apart[:, 1]).mean() / width))
        largest = max(largest, float(np.abs(apart).max()))
        same.append(bool((present > 0) == (found > 0)))
    for picture in others:
        _, present = float_judge.outputs(picture)
        _, found = quantised_judge.outputs(picture)
        elsewhere.append(bool((present > 0) == (found > 0)))
    return MeshReport(
        faces=len(distances),
        mean_distance=float(np.mean(distances)),
        distance_p95=float(np.percentile(distances, 95)),
        largest_distance=max(distances),
        same_presence=float(np.mean(same)),
        others=len(elsewhere),
        same_elsewhere=float(np.mean(elsewhere)),
        max_difference=largest,
    )
