"""How far a quantised network's masks are from the float network's and from the truth."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from tools.quantise import held_out
from tools.quantise.judge import Judge
from tools.quantise.network import FloatArray
from tools.quantise.pictures import Picture, read_clip, read_gray, read_picture, scale

SURE = 0.05
"""A picture is sure when less than this share of its float probabilities is in the middle."""
MIDDLE = (0.1, 0.9)

STILL = 3
"""Pixels whose luma moves by no more from frame to frame stand still: there, masks flicker."""

FLICKER_FRAMES = 16


@dataclass(frozen=True)
class Agreement:
    """Quantised against float masks, over pictures."""

    pictures: int
    mean_iou: float
    iou_p5: float
    iou_minimum: float
    error: float
    """Mean absolute difference of the probabilities."""


@dataclass(frozen=True)
class Report:
    """Everything that the gate asks for, of one model."""

    sure: Agreement
    all: Agreement
    max_difference: float
    """Largest difference of any probability, over all pictures."""
    true_iou_float: float
    true_iou_quantised: float
    flicker_float: float
    flicker_quantised: float
    unseen_flicker_float: float
    """On the clips that are never trained on."""
    unseen_flicker_quantised: float

    def as_dictionary(self) -> dict[str, object]:
        """For JSON."""
        return asdict(self)


def measure(float_judge: Judge, quantised_judge: Judge, media: Path, part: held_out.Part) -> Report:
    """Compare a quantised network with the one that it was made from."""
    pictures = [view for path in held_out.photographs(media, part) for view in held_out.views(path)]
    if part is not held_out.Part.FINAL:
        pictures += held_out.unseen_frames(media)
    sure, everything, largest = agreement(float_judge, quantised_judge, pictures)
    judges = [float_judge, quantised_judge]
    return Report(
        sure,
        everything,
        largest,
        *true_ious(judges, media),
        *flickers(judges, held_out.clips(media)),
        *flickers(judges, held_out.unseen_clips(media)),
    )


def agreement(
    float_judge: Judge, quantised_judge: Judge, pictures: Iterable[Picture]
) -> tuple[Agreement, Agreement, float]:
    """Of the sure pictures, of all, and the largest difference of any probability."""
    ious, errors, sure = [], [], []
    largest = 0.0
    for picture in pictures:
        image = scale(picture, float_judge.size)
        expected, actual = float_judge.mask(image), quantised_judge.mask(image)
        low, high = MIDDLE
        sure.append(np.mean((expected > low) & (expected < high)) < SURE)
        ious.append(iou(actual > 0.5, expected > 0.5))
        difference = np.abs(actual - expected)
        errors.append(float(difference.mean()))
        largest = max(largest, float(difference.max()))
    return (
        _summary(np.array(ious)[sure], np.array(errors)[sure]),
        _summary(np.array(ious), np.array(errors)),
        largest,
    )


def iou(mask: npt.NDArray[np.bool_], other: npt.NDArray[np.bool_]) -> float:
    """Intersection over union; 1 where both are empty."""
    union = np.count_nonzero(mask | other)
    return np.count_nonzero(mask & other) / union if union else 1.0


def true_ious(judges: list[Judge], media: Path) -> list[float]:
    """Mean IoU with the true masks, at their size; a clip counts as one picture."""
    scores: list[list[float]] = [[] for _ in judges]
    for path, mask_path in held_out.pairs(media):
        if mask_path.suffix == ".mkv":
            pictures = list(read_clip(path, every=6))
            masks = [frame[:, :, 0] for frame in read_clip(mask_path, every=6)]
        else:
            pictures, masks = [read_picture(path)], [read_gray(mask_path)]
        for judge, score in zip(judges, scores, strict=True):
            ious = [
                iou(_full_size(judge, picture) > 0.5, mask > 127)
                for picture, mask in zip(pictures, masks, strict=True)
            ]
            score.append(float(np.mean(ious)))
    return [float(np.mean(score)) for score in scores]


def flickers(judges: list[Judge], clips: Iterable[Path]) -> list[float]:
    """Mean change of the probability from frame to frame where the picture stands still."""
    totals: list[list[float]] = [[] for _ in judges]
    for path in clips:
        frames = [scale(frame, judges[0].size) for frame in read_clip(path, most=FLICKER_FRAMES)]
        lumas = [cv2.cvtColor(frame, cv2.COLOR_RGB2GRAY).astype(np.int16) for frame in frames]
        still = [np.abs(after - before) <= STILL for before, after in pairwise(lumas)]
        for judge, total in zip(judges, totals, strict=True):
            masks = [judge.mask(frame) for frame in frames]
            changes = [
                np.abs(after - before)[where].mean()
                for (before, after), where in zip(pairwise(masks), still, strict=True)
                if where.any()
            ]
            total.append(float(np.mean(changes)))
    return [float(np.mean(total)) for total in totals]


def _full_size(judge: Judge, picture: Picture) -> FloatArray:
    mask = judge.mask(scale(picture, judge.size))
    height, width = picture.shape[:2]
    return np.asarray(cv2.resize(mask, (width, height), interpolation=cv2.INTER_LINEAR))


def _summary(ious: npt.NDArray[np.float64], errors: npt.NDArray[np.float64]) -> Agreement:
    if not len(ious):
        return Agreement(0, 1.0, 1.0, 1.0, 0.0)
    return Agreement(
        pictures=len(ious),
        mean_iou=float(ious.mean()),
        iou_p5=float(np.percentile(ious, 5)),
        iou_minimum=float(ious.min()),
        error=float(errors.mean()),
    )
