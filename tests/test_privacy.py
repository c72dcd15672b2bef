"""While a background effect is on, no raw background pixel leaves, whatever the network does."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from engine_nodes import Decorate, broken, fragile

from pullfx.effects import BackgroundBlur
from pullfx.errors import ModelError, NodeError
from pullfx.nodes.network import Network
from pullfx.nodes.network.compiled import CompiledNetwork
from pullfx.nodes.network.session import SessionNetwork
from pullfx.nodes.types import Image, Mask
from pullfx.pipeline.effect import Effect
from pullfx.pipeline.formats import PixelFormat, frame_to_array
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.pipeline import Pipeline
from pullfx.pipeline.run import run
from pullfx.pipeline.sinks import Outcome, Sink
from pullfx.pipeline.sources import Source, SourceInfo
from pullfx.pipeline.sources.other_streams import OtherStreams

WIDTH, HEIGHT = 320, 180
SECRET = 8  # side of the squares of the chequered wall that must not be seen
VISIBLE = 110  # contrast from which the squares are told apart with ease; raw they have 219


def room(seed: int = 0) -> Frame:
    """A wall of black and white squares: any raw part of it has a contrast that no blur leaves."""
    rows, columns = np.indices((HEIGHT, WIDTH)) // SECRET
    wall = (((rows + columns + seed) % 2) * 219 + 16).astype(np.uint8)
    grey = np.full((HEIGHT // 2, WIDTH // 2), 128, np.uint8)
    return Frame(wall, grey, grey.copy(), pts=seed, time_base=Fraction(1, 30))


def contrast(frame: Frame) -> float:
    """Largest difference between a pixel and the one a square further on."""
    luma = frame.y.astype(np.int16)
    return float(np.abs(luma[:, SECRET:] - luma[:, :-SECRET]).max())


def raw(_: Network, image: Image, pool: object = None) -> Mask:
    raise RuntimeError("the accelerator is on fire")


def slow(_: Network, image: Image, pool: object = None) -> Mask:
    time.sleep(0.1)
    return Mask(np.zeros(image.shape[:2], np.uint8))


def scores_of(value: Any) -> Callable[..., Any]:
    """A network whose raw output is this."""

    def scores(self: SessionNetwork, image: Image, pool: object = None) -> Any:
        return self._person(value, *image.shape[:2])

    return scores


RUBBISH = [
    np.full((1, 144, 256, 1), np.nan, np.float32),
    np.full((1, 144, 256, 1), np.inf, np.float32),
    np.full((1, 144, 256, 1), -90, np.float32),
    np.full((1, 144, 256, 1), 255, np.float32),
    np.ones((1, 143, 256, 1), np.float32),
    np.ones((1, 144, 256, 3), np.float32),
    np.ones((1, 144, 256, 1), np.float64),
    np.ones((0,), np.float32),
    None,
    "mask",
]


@pytest.fixture
def errors() -> list[NodeError]:
    return []


@pytest.fixture
def pipe(errors: list[NodeError]) -> Pipeline:
    blur = BackgroundBlur(smoothing=0.0, model="selfie_float")
    return Pipeline([blur], on_error=errors.append)


def test_the_wall_is_seen_when_nothing_hides_it() -> None:
    assert contrast(room()) == 219


def test_the_first_frame_is_hidden_too(pipe: Pipeline) -> None:
    assert contrast(pipe.process(room())) < VISIBLE


@pytest.mark.parametrize(
    ("model", "engine"), [("selfie_float", SessionNetwork), ("selfie_int8", CompiledNetwork)]
)
def test_a_network_that_raises(
    errors: list[NodeError], monkeypatch: pytest.MonkeyPatch, model: str, engine: type[Network]
) -> None:
    pipe = Pipeline([BackgroundBlur(smoothing=0.0, model=model)], on_error=errors.append)
    monkeypatch.setattr(engine, "__call__", raw)
    for seed in range(3):
        assert contrast(pipe.process(room(seed))) < VISIBLE
    assert [error.node for error in errors] == ["segment"]
    assert pipe.stats().failures == {"background_blur": 3}


@pytest.mark.parametrize("rubbish", RUBBISH, ids=lambda value: str(getattr(value, "shape", value)))
def test_a_network_that_returns_rubbish(
    pipe: Pipeline, errors: list[NodeError], monkeypatch: pytest.MonkeyPatch, rubbish: Any
) -> None:
    monkeypatch.setattr(SessionNetwork, "_scores", scores_of(rubbish))
    assert contrast(pipe.process(room())) < VISIBLE
    assert isinstance(errors[0].__cause__, ModelError)


def test_a_network_that_fails_now_and_then(pipe: Pipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    healthy = SessionNetwork.__call__
    for seed in range(8):
        monkeypatch.setattr(SessionNetwork, "__call__", raw if seed % 2 else healthy)
        assert contrast(pipe.process(room(seed))) < VISIBLE


def test_strict_raises_instead_of_returning_anything(
    pipe: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SessionNetwork, "__call__", raw)
    with pytest.raises(NodeError, match="node 'segment' of background_blur failed"):
        pipe.process(room(), strict=True)


@pytest.mark.parametrize(
    ("quality", "node"),
    [
        ("low", "every_second"),
        ("low", "enlarge_mask"),
        ("high", "refine"),
        ("high", "feather"),
        ("high", "blur_background"),
        ("high", "light_wrap"),
        ("high", "composite"),
        ("best", "follow_people"),
        ("best", "look_closer"),
        ("best", "segment#2"),
        ("best", "join_looks"),
    ],
)
def test_every_other_node_may_fail(
    errors: list[NodeError], monkeypatch: pytest.MonkeyPatch, quality: str, node: str
) -> None:
    pipe = Pipeline([BackgroundBlur()], quality=quality, on_error=errors.append)
    break_node(pipe, monkeypatch, node)
    assert contrast(pipe.process(room())) < VISIBLE
    assert errors[0].node == node


def test_even_the_fallback_may_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = Pipeline([BackgroundBlur()])
    break_node(pipe, monkeypatch, "composite", "blur_whole")
    out = pipe.process(room())
    assert contrast(out) == 0


def test_when_nothing_is_left_no_picture_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = Pipeline([BackgroundBlur()])
    break_node(pipe, monkeypatch, "composite", "blur_whole", "withhold")
    with pytest.raises(NodeError, match="'withhold'"):
        pipe.process(room())


def test_a_cosmetic_effect_behind_it_shows_nothing_raw_when_it_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pipe = Pipeline([BackgroundBlur(), Decorate()])
    broken.add("fragile")
    try:
        assert contrast(pipe.process(room())) < VISIBLE
    finally:
        broken.clear()


def test_toggling_shows_raw_frames_only_while_it_is_off() -> None:
    pipe = Pipeline([BackgroundBlur()])
    for seed in range(6):
        pipe.toggle("background_blur")
        hidden = bool(pipe.active)
        assert (contrast(pipe.process(room(seed))) < VISIBLE) is hidden


@pytest.mark.parametrize("strength", [0.0, 0.05, 1.0])
def test_at_no_strength_is_it_raw(strength: float) -> None:
    frame = room()
    out = Pipeline([BackgroundBlur(strength=strength)]).process(frame)
    assert (out.y[:, SECRET - 1] != frame.y[:, SECRET - 1]).mean() > 0.9


class Camera(Source):
    """A live source of rooms at 50 frames a second."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self._count = count
        self.info = SourceInfo("test camera", WIDTH, HEIGHT, live=True)
        self.sent: dict[int, float] = {}

    def frames(self) -> Iterator[Frame]:
        for number in range(self._count):
            self.sent[number] = time.monotonic()
            yield room(number)
            time.sleep(0.02)

    def close(self) -> None:
        pass


class Watcher(Sink):
    """Notes how much of the wall is seen, and how old each picture is."""

    def __init__(self, camera: Camera) -> None:
        self._camera = camera
        self.contrasts: list[float] = []
        self.ages: list[float] = []

    def open(self, info: SourceInfo, other_streams: OtherStreams | None) -> None:
        pass

    def write(self, frame: Frame) -> None:
        assert frame.pts is not None
        self.contrasts.append(contrast(frame))
        self.ages.append(time.monotonic() - self._camera.sent[frame.pts])

    def close(self, outcome: Outcome) -> Path | None:
        return None


def test_a_mask_that_comes_late_delays_the_picture_and_never_uncovers_it(
    pipe: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SessionNetwork, "__call__", slow)
    camera = Camera(60)
    watcher = Watcher(camera)
    report = run(camera, watcher, pipe)
    assert len(watcher.contrasts) >= 5
    assert max(watcher.contrasts) < VISIBLE
    assert report.dropped > 20
    # A queue would let the age grow up to the 1.2 seconds that the camera sends.
    assert min(watcher.ages[-3:]) < 0.6


def break_node(pipe: Pipeline, monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Makes nodes of these names raise."""

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("broken by the test")

    places = [
        place for graph_node, place in pipe._executor.places.items() if graph_node.name in names
    ]
    assert len(places) == len(names)
    for place in places:
        monkeypatch.setattr(place, "function", fail)


def test_bgr_pictures_are_hidden_as_well(pipe: Pipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SessionNetwork, "__call__", raw)
    picture = frame_to_array(room(), PixelFormat.BGR24)
    out = pipe.process(picture)
    assert np.ptp(out.astype(np.int16)) < 0.5 * np.ptp(picture.astype(np.int16))


class WithoutFallback(Effect):
    """Hides something, and has no fallback of its own."""

    fails_closed = True

    def build(self, frame: Frame, original: Frame) -> Frame:
        return fragile(frame)


def test_without_a_fallback_of_its_own_an_effect_shows_grey() -> None:
    broken.add("fragile")
    try:
        assert contrast(Pipeline([WithoutFallback()]).process(room())) == 0
    finally:
        broken.clear()
