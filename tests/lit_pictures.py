"""Real pictures with their faces, and what can be done to their light."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from pullfx.nodes import Face, Faces, reduce, tone
from pullfx.nodes.lighting import (
    FollowFaces,
    Light,
    WatchScene,
    balance,
    lifting,
    light_tables,
    measure_noise,
    measure_scene,
    relight,
    wanted_light,
)
from pullfx.pipeline.formats import PixelFormat, frame_from_array, frame_to_array
from pullfx.pipeline.frame import Frame

Picture = NDArray[np.uint8]

# Left, top, width and height of the face.
WELL_LIT = {
    "calib/easyportrait_01.png": (76, 87, 175, 175),
    "calib/easyportrait_05.png": (44, 81, 163, 163),
    "calib/easyportrait_10.png": (126, 111, 101, 101),
    "calib/easyportrait_12.png": (79, 75, 143, 143),
    "calib/easyportrait_20.png": (73, 127, 136, 136),
    "calib/easyportrait_22.png": (143, 136, 142, 142),
    "calib/easyportrait_24.png": (46, 95, 72, 72),
    "calib/intelasl_eat_f15.jpg": (255, 104, 92, 92),
    "calib/intelasl_book_f30.jpg": (249, 109, 100, 100),
    "calib/vmhuman_person-celeste.jpg": (618, 165, 139, 139),
    "calib/vmhuman_person-christina.jpg": (324, 94, 144, 144),
    "calib/vmhuman_person-nicole.jpg": (943, 257, 333, 333),
    "calib/vmhuman_person-tasia.jpg": (446, 153, 174, 174),
    "calib/vmhuman_person-vlado.jpg": (528, 122, 155, 155),
    "calib/vmhuman_stock-emotions-a-1.jpg": (238, 305, 502, 502),
    "calib/vmhuman_stock-models-9.jpg": (307, 321, 189, 189),
    "calib/vmhuman_stock-teen-6.jpg": (265, 496, 424, 424),
    "calib/vmhuman_stock-teen-8.jpg": (485, 263, 333, 333),
}
DARK_SKIN = ("calib/easyportrait_01.png", "calib/easyportrait_10.png", "calib/easyportrait_20.png")
DIM = {
    "calib/easyportrait_09.png": (59, 92, 84, 84),
    "calib/easyportrait_15.png": (69, 66, 140, 140),
}
BACKLIT = {
    "calib/openh264_menwhisper_f2.jpg": (177, 181, 145, 145),
    "calib/easyportrait_23.png": (80, 172, 73, 73),
}
PAIRS = {
    "pairs/easyportrait_p1.png": (75, 71, 93, 93),
    "pairs/easyportrait_p2.png": (71, 80, 108, 108),
    "pairs/easyportrait_p4.png": (64, 73, 114, 114),
}
BOXES = WELL_LIT | DIM | BACKLIT | PAIRS


def read(media: Path, name: str) -> Picture:
    return np.asarray(cv2.imread(str(media / name)), np.uint8)


def face_at(left: float, top: float, width: float, height: float) -> Faces:
    return Faces((Face(left, top, width, height, np.zeros((6, 2), np.float32), 1.0),))


def faces_in(name: str) -> Faces:
    return face_at(*BOXES[name])


def face_of(name: str) -> tuple[slice, slice]:
    """The middle of the face, without hair."""
    left, top, width, height = BOXES[name]
    return (
        slice(top + height // 4, top + 3 * height // 4),
        slice(left + width // 4, left + 3 * width // 4),
    )


def frame_of(picture: Picture) -> Frame:
    return frame_from_array(picture, PixelFormat.BGR24)


def picture_of(frame: Frame) -> Picture:
    return np.asarray(frame_to_array(frame, PixelFormat.BGR24), np.uint8)


def light_of(frame: Frame, faces: Faces) -> Light:
    look = WatchScene()(frame, reduce(frame), faces)
    return wanted_light(measure_scene(look), measure_noise(look))


def with_light(frame: Frame, light: Light, faces: Faces) -> Frame:
    lamps = FollowFaces()(frame, faces)
    return relight(balance(tone(frame, light_tables(light)), light), lifting(light), lamps)


def lit(picture: Picture, faces: Faces) -> Picture:
    """A picture as the effect gives it."""
    frame = frame_of(picture)
    return picture_of(with_light(frame, light_of(frame, faces), faces))


def same(picture: Picture) -> Picture:
    """A picture that has only become a frame and back, to compare with."""
    return picture_of(frame_of(picture))


def off(one: Picture, other: Picture) -> float:
    """The mean difference, in codes."""
    return float(np.abs(one.astype(int) - other).mean())


def coded(values: NDArray[Any]) -> Picture:
    return np.asarray(np.rint(values).clip(0, 255), np.uint8)


def darkened(picture: Picture, gain: float, gamma: float = 1.0, noise: float = 0.0) -> Picture:
    random = np.random.default_rng(3)
    values = 255 * gain * (picture / 255) ** gamma
    return coded(values + random.normal(0, noise, picture.shape) if noise else values)


def backlit(media: Path, name: str) -> Picture:
    """The person dark and what is behind bright."""
    mask = cv2.imread(str(media / name.replace(".png", "_mask.png")), cv2.IMREAD_GRAYSCALE)
    person = cv2.GaussianBlur(np.asarray(mask, np.float64) / 255, (0, 0), 1)[..., None]
    return coded(read(media, name) * (0.28 * person + 1.25 * (1 - person)))


def tinted(picture: Picture, blue: float, green: float, red: float) -> Picture:
    return coded(picture * np.array([blue, green, red]))
