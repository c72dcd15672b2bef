"""Training pictures without end: composites, patches and noise, changed in shape and in light.

The float network says what is right for each of them, so a picture need not look natural; it has
to drive the layers through the values that they take in use, and beyond. Pictures come in short
sequences, as a camera that stands still would see them: persons move as they did in the clips, and
what changes where nothing moves is noise, the clips' own and some more.
"""

from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from tools.quantise.material import Cut, Material
from tools.quantise.pictures import Picture, fit, scale

UNTOUCHED = 0.25
"""The share of sequences that are frames of a clip as they are, or mirrored."""
CAMERA_NOISE = (0.1, 3.0)
"""Standard deviation of the noise that is put on all pictures, from weakest to strongest."""

Generator = np.random.Generator
Canvas = npt.NDArray[np.float32]
"""[height, width, 3], 0..255, not yet rounded."""


class PictureMaker:
    """Draws pictures of a network's size; the same seed gives the same pictures.

    Those of a network without a mask keep their shape, and have bars of black, as it sees them.
    """

    def __init__(
        self, material: Material, size: tuple[int, int], seed: int, bars: bool = False
    ) -> None:
        self._material = material
        self._bars = bars
        self._size = size
        self._random = np.random.default_rng(seed)
        self._moment = 0
        self._stills = [clip[0].picture for clip in material.clips] + material.backgrounds

    def batch(self, sequences: int, length: int = 1) -> npt.NDArray[np.float32]:
        """Sequences of pictures as the networks see them, 0..1.

        Args:
            sequences: how many.
            length: pictures of each.

        Returns:
            [sequences, length, 3, height, width].
        """
        canvases = np.stack([self._sequence(length) for _ in range(sequences)])
        codes = np.clip(np.rint(canvases), 0, 255)
        return np.ascontiguousarray(codes.transpose(0, 1, 4, 2, 3) / np.float32(255))

    @property
    def random_state(self) -> dict[str, Any]:
        """Where the sequence of pictures is; set it to go on from there."""
        return dict(self._random.bit_generator.state)

    @random_state.setter
    def random_state(self, state: dict[str, Any]) -> None:
        self._random.bit_generator.state = state

    def _sequence(self, length: int) -> list[Canvas]:
        """The same choices for every moment, but frames of clips go on; a camera's noise on all."""
        strength = np.float32(np.exp(self._random.uniform(*np.log(CAMERA_NOISE))))
        coarse = int(self._random.choice([1, 1, 2, 4]))
        choices = self.random_state
        canvases = []
        for self._moment in range(length):
            self.random_state = choices
            canvases.append(self._picture())
        return [canvas + self._camera_noise(coarse) * strength for canvas in canvases]

    def _picture(self) -> Canvas:
        """One picture, [height, width, 3], RGB, 0..255."""
        if self._random.random() < UNTOUCHED:
            return self._untouched()
        kinds: list[tuple[float, Callable[[], Canvas]]] = [
            (0.40, self._frame),
            (0.40, self._composite),
            (0.08, self._background),
            (0.09, self._patches),
            (0.03, self._noise),
        ]
        shares = [share for share, _ in kinds]
        _, make = kinds[self._random.choice(len(kinds), p=shares)]
        return np.clip(_change_light(make(), self._random), 0, 255)

    def _choose_cut(self) -> Cut:
        clip = self._material.clips[self._random.integers(len(self._material.clips))]
        first = int(self._random.integers(len(clip)))
        return clip[min(first + self._moment, len(clip) - 1)]

    def _untouched(self) -> Canvas:
        """A frame of a clip."""
        picture = (fit if self._bars else scale)(self._choose_cut().picture, self._size)
        mirrored = self._random.random() < 0.5
        return np.asarray(picture[:, ::-1] if mirrored else picture, np.float32)

    def _frame(self) -> Canvas:
        """A frame of a clip, moved."""
        picture = self._choose_cut().picture
        return self._warp(picture, self._movement(picture))

    def _background(self) -> Canvas:
        stills = self._stills if self._random.random() < 0.3 else self._material.backgrounds
        picture = stills[self._random.integers(len(stills))]
        return self._warp(picture, self._movement(picture, nearest=4.0))

    def _composite(self) -> Canvas:
        """One or two persons cut out and put on another background, in a light of their own."""
        canvas = _change_light(self._background(), self._random)
        for _ in range(1 + (self._random.random() < 0.2)):
            cut = self._choose_cut()
            movement = self._movement(cut.picture, farthest=0.5)
            person = _change_light(self._warp(cut.picture, movement), self._random)
            share = self._warp(cut.mask, movement, border=cv2.BORDER_CONSTANT)[:, :, np.newaxis]
            canvas += (person - canvas) * (share / 255)
        return canvas

    def _patches(self) -> Canvas:
        """A picture with pieces of others pasted in."""
        canvas = self._frame()
        height, width = self._size
        for _ in range(self._random.integers(1, 8)):
            other = self._frame() if self._random.random() < 0.5 else self._background()
            tall = int(self._random.integers(8, height // 2))
            wide = int(self._random.integers(8, width // 2))
            top = int(self._random.integers(height - tall))
            left = int(self._random.integers(width - wide))
            rows, columns = slice(top, top + tall), slice(left, left + wide)
            canvas[rows, columns] = other[rows, columns]
        return canvas

    def _noise(self) -> Canvas:
        """Noise of a random coarseness."""
        height, width = self._size
        coarse = int(self._random.choice([1, 2, 4, 8, 16, 32]))
        shape = (max(1, height // coarse), max(1, width // coarse), 3)
        noise = self._random.random(shape, np.float32) * 255
        return np.asarray(cv2.resize(noise, (width, height), interpolation=cv2.INTER_LINEAR))

    def _camera_noise(self, coarse: int) -> Canvas:
        """Noise of standard deviation 1 in the middle of grains that many pixels wide."""
        height, width = self._size
        grains = self._random.standard_normal((height // coarse, width // coarse, 3), np.float32)
        return np.asarray(cv2.resize(grains, (width, height), interpolation=cv2.INTER_LINEAR))

    def _movement(
        self, picture: Picture, farthest: float = 0.8, nearest: float = 2.2
    ) -> npt.NDArray[np.float64]:
        """A 2x3 matrix from the picture to the network's: turned, scaled, moved, mirrored."""
        height, width = self._size
        random = self._random
        grow = np.exp(random.uniform(np.log(farthest), np.log(nearest)))
        stretch = np.exp(random.normal(0, 0.1))
        turn = np.deg2rad(random.normal(0, 10))
        scales = np.array([width / picture.shape[1], height / picture.shape[0]])
        if self._bars:
            scales[:] = scales.min()
        scales *= np.array([stretch, 1 / stretch]) * grow
        if random.random() < 0.5:
            scales[0] *= -1
        cosine, sine = np.cos(turn), np.sin(turn)
        matrix = np.array([[cosine, -sine], [sine, cosine]]) * scales
        middle = np.array([picture.shape[1], picture.shape[0]]) / 2
        spread = 0.15 + 0.25 * abs(grow - 1)
        target = np.array([width, height]) * (0.5 + random.uniform(-spread, spread, 2))
        return np.hstack([matrix, (target - matrix @ middle)[:, np.newaxis]])

    def _warp(
        self,
        picture: npt.NDArray[np.uint8],
        movement: npt.NDArray[np.float64],
        border: int | None = None,
    ) -> Canvas:
        height, width = self._size
        if border is None:
            border = cv2.BORDER_CONSTANT if self._bars else cv2.BORDER_REFLECT_101
        warped = cv2.warpAffine(
            picture, movement, (width, height), flags=cv2.INTER_LINEAR, borderMode=border
        )
        return np.asarray(warped, np.float32)


def _change_light(canvas: Canvas, random: Generator) -> Canvas:
    """Gamma, contrast, colour, a slope of light, blur, noise, JPEG: each only now and then."""

    def now_and_then(probability: float) -> bool:
        return bool(random.random() < probability)

    if now_and_then(0.7):
        gamma = np.exp(random.normal(0, 0.35))
        curve = 255 * (np.arange(256) / 255) ** gamma * random.uniform(0.6, 1.15)
        canvas = np.asarray(curve.astype(np.float32)[np.clip(canvas, 0, 255).astype(np.uint8)])
    if now_and_then(0.4):
        middle = float(canvas.mean())
        canvas = (canvas - middle) * np.float32(random.uniform(0.5, 1.4)) + np.float32(middle)
    if now_and_then(0.4):
        canvas = canvas * random.uniform(0.75, 1.25, 3).astype(np.float32)
    if now_and_then(0.3):
        gray = canvas.mean(2, keepdims=True)
        canvas = gray + (canvas - gray) * np.float32(random.uniform(0, 1.6))
    if now_and_then(0.1):
        canvas = canvas[:, :, random.permutation(3)]
    if now_and_then(0.25):
        canvas = canvas * _slope(canvas.shape[:2], random)
    if now_and_then(0.2):
        canvas = np.asarray(cv2.GaussianBlur(canvas, (0, 0), random.uniform(0.4, 2.0)))
    if now_and_then(0.3):
        strength = np.float32(random.uniform(1, 14))
        canvas = canvas + random.standard_normal(canvas.shape, np.float32) * strength
    if now_and_then(0.15):
        codes = np.clip(canvas, 0, 255).astype(np.uint8)
        quality = int(random.integers(20, 80))
        _, jpeg = cv2.imencode(".jpg", codes, [cv2.IMWRITE_JPEG_QUALITY, quality])
        canvas = np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_COLOR), np.float32)
    return np.ascontiguousarray(canvas, np.float32)


def _slope(size: tuple[int, int], random: Generator) -> Canvas:
    """Light that falls off to one side, [height, width, 1]."""
    height, width = size
    angle = random.uniform(0, 2 * np.pi)
    rows, columns = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    slope = 1 + random.uniform(0.2, 0.6) * (np.cos(angle) * columns + np.sin(angle) * rows)
    return np.asarray(np.clip(slope, 0.1, 2)[:, :, np.newaxis], np.float32)
