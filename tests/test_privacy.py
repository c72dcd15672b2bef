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
from PIL import Image as PictureFile

from pullfx.effects import BackgroundBlur, BackgroundReplacement, PersonEffect, PortraitMode
from pullfx.errors import ModelError, NodeError
from pullfx.nodes.network import Network
from pullfx.nodes.network.compiled import CompiledNetwork
from pullfx.nodes.network.session import SessionNetwork
from pullfx.nodes.types import Image, Mask
from pullfx.pipeline.effect import Effect, parameter
from pullfx.pipeline.formats import PixelFormat, frame_to_array
from pullfx.pipeline.frame import Frame
from pullfx.pipeline.pipeline import Pipeline
from pullfx.pipeline.quality import Quality
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


def contrast(frame: Frame, side: int = SECRET) -> float:
    """Largest difference between a pixel and the one a square further on."""
    luma = frame.y.astype(np.int16)
    return float(np.abs(luma[:, side:] - luma[:, :-side]).max())


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


class CutOut(BackgroundReplacement):
    """People without a background; what is transparent counts as seen, since some ignore alpha."""

    background: str | Path = parameter(default="transparent")


HIDING: list[type[PersonEffect]] = [
    BackgroundBlur,
    BackgroundReplacement,
    CutOut,
    PortraitMode,
]
FALLBACKS = {
    BackgroundBlur: "blur_whole",
    BackgroundReplacement: "nobody_before",
    CutOut: "nobody_before",
    PortraitMode: "blur_whole",
}


@pytest.fixture(params=HIDING)
def kind(request: pytest.FixtureRequest) -> type[PersonEffect]:
    """An effect that hides the room."""
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def errors() -> list[NodeError]:
    return []


@pytest.fixture
def pipe(kind: type[PersonEffect], errors: list[NodeError]) -> Pipeline:
    return Pipeline([kind(smoothing=0.0, model="selfie_float")], on_error=errors.append)


def test_the_wall_is_seen_when_nothing_hides_it() -> None:
    assert contrast(room()) == 219


def test_the_first_frame_is_hidden_too(pipe: Pipeline) -> None:
    assert contrast(pipe.process(room())) < VISIBLE


@pytest.mark.parametrize(
    ("model", "engine"), [("selfie_float", SessionNetwork), ("selfie_int8", CompiledNetwork)]
)
def test_a_network_that_raises(
    kind: type[PersonEffect],
    errors: list[NodeError],
    monkeypatch: pytest.MonkeyPatch,
    model: str,
    engine: type[Network],
) -> None:
    pipe = Pipeline([kind(smoothing=0.0, model=model)], on_error=errors.append)
    monkeypatch.setattr(engine, "__call__", raw)
    for seed in range(3):
        assert contrast(pipe.process(room(seed))) < VISIBLE
    assert [error.node for error in errors] == ["segment"]
    assert pipe.stats().failures == {kind.default_name: 3}


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
    with pytest.raises(NodeError, match=r"node 'segment' of \w+ failed"):
        pipe.process(room(), strict=True)


@pytest.mark.parametrize("quality", list(Quality))
@pytest.mark.parametrize("hiding", HIDING)
def test_every_node_in_turn_may_fail(
    hiding: type[PersonEffect], quality: Quality, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Pipeline([hiding()], quality=quality)
    first.process(room())
    ran = [node.name for node in first.stats().nodes]
    assert "composite" in ran
    assert len(ran) >= 10
    for node in ran:
        errors: list[NodeError] = []
        pipe = Pipeline([hiding()], quality=quality, on_error=errors.append)
        with monkeypatch.context() as patch:
            break_node(pipe, patch, node)
            for seed in range(2):
                assert contrast(pipe.process(room(seed))) < VISIBLE, node
        assert errors[0].node == node
        for seed in range(2):
            assert contrast(pipe.process(room(seed))) < VISIBLE, node


def test_even_the_fallback_may_fail(
    kind: type[PersonEffect], monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe = Pipeline([kind()])
    break_node(pipe, monkeypatch, "composite", FALLBACKS[kind])
    out = pipe.process(room())
    assert contrast(out) == 0


def test_when_nothing_is_left_no_picture_leaves(
    kind: type[PersonEffect], monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe = Pipeline([kind()])
    break_node(pipe, monkeypatch, "composite", FALLBACKS[kind], "withhold")
    with pytest.raises(NodeError, match="'withhold'"):
        pipe.process(room())


def test_a_cosmetic_effect_behind_it_shows_nothing_raw_when_it_fails(
    kind: type[PersonEffect], monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe = Pipeline([kind(), Decorate()])
    broken.add("fragile")
    try:
        assert contrast(pipe.process(room())) < VISIBLE
    finally:
        broken.clear()


def test_toggling_shows_raw_frames_only_while_it_is_off(kind: type[PersonEffect]) -> None:
    pipe = Pipeline([kind()])
    for seed in range(6):
        pipe.toggle(kind.default_name)
        hidden = bool(pipe.active)
        assert (contrast(pipe.process(room(seed))) < VISIBLE) is hidden


@pytest.mark.parametrize("masked", ["healthy", "late", "broken"])
def test_from_one_to_the_other_no_frame_is_raw(
    monkeypatch: pytest.MonkeyPatch, masked: str
) -> None:
    monkeypatch.setattr(
        CompiledNetwork,
        "__call__",
        {"healthy": CompiledNetwork.__call__, "late": slow, "broken": raw}[masked],
    )
    pipe = Pipeline([BackgroundBlur(), BackgroundReplacement()], active=["background_blur"])
    for seed in range(8):
        assert contrast(pipe.process(room(seed))) < VISIBLE
        on, off = HIDING[:2] if seed % 2 else HIDING[1::-1]
        # The new one first: between two calls from another thread there may be a frame.
        pipe.enable(on.default_name)
        assert contrast(pipe.process(room(seed))) < VISIBLE
        pipe.disable(off.default_name)


def test_while_another_background_is_opened_no_frame_is_raw(tmp_path: Path) -> None:
    pipe = Pipeline([BackgroundReplacement()])
    path = tmp_path / "wall.png"
    PictureFile.new("RGB", (4000, 3000), "navy").save(path)
    for seed, background in enumerate(["#336699", path, tmp_path / "nothing.png", path, "green"]):
        pipe.set("background_replacement", background=background)
        for _ in range(3):
            assert contrast(pipe.process(room(seed))) < VISIBLE


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
    assert np.ptp(out, axis=(0, 1)).max() < 0.5 * np.ptp(picture)


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
