"""The effects as a person has them: by name, in a pipeline, on frames of any size."""

from __future__ import annotations

from pathlib import Path

import av
import numpy as np
import pytest
from made_frames import SIZES, noise
from numpy.typing import NDArray

from pullfx import effects
from pullfx.effects import BackgroundBlur, Lighting, PersonEffect, ShowMask
from pullfx.errors import ModelError, ParameterError
from pullfx.pipeline.effect import Effect
from pullfx.pipeline.pipeline import Pipeline

EFFECTS = [effects.by_name(name) for name in effects.names()]


def decoded(path: Path, count: int) -> list[av.VideoFrame]:
    with av.open(str(path)) as container:
        return [frame for frame, _ in zip(container.decode(video=0), range(count), strict=False)]


def luma(picture: av.VideoFrame) -> NDArray[np.uint8]:
    grey = picture.to_ndarray(format="yuv420p")[: picture.height]
    return np.asarray(grey, np.uint8)


def detail(pixels: NDArray[np.uint8]) -> float:
    """How sharp: the mean difference between neighbours."""
    return float(np.abs(np.diff(pixels.astype(np.int16), axis=1)).mean())


def test_names_lead_to_effects() -> None:
    assert effects.names() == tuple(effect.default_name for effect in EFFECTS)
    assert effects.names()[0] == "background_blur"
    assert effects.by_name("background_blur") is BackgroundBlur
    assert effects.by_name("lighting") is Lighting
    assert effects.by_name("show_mask") is ShowMask


def test_an_unknown_name_is_told_what_there_is() -> None:
    with pytest.raises(ParameterError, match="no effect 'beauty'; there are background_blur"):
        effects.by_name("beauty")


@pytest.mark.parametrize("effect", EFFECTS)
def test_every_parameter_is_described_and_within_its_bounds(effect: type[Effect]) -> None:
    for name, parameter in effect.parameters().items():
        assert parameter.description, name
        assert effect().name == effect.default_name
        for value in (parameter.default, parameter.minimum, parameter.maximum):
            if value is not None:
                made = effect(**{name: value})  # type: ignore[arg-type]
                assert getattr(made, name) == value


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"strength": 1.5}, "'strength' must be 0 to 1, but is 1.5"),
        ({"feather": -2.0}, "'feather' must be -1 to 1, but is -2"),
        ({"edge": "sharp"}, "'edge' must be float, but is 'sharp'"),
        ({"strength": 10**400}, "must be a number of usual size"),
        ({"smoothing": float("nan")}, "'smoothing' must be 0 to 1, but is nan"),
    ],
)
def test_wrong_values_are_refused(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        BackgroundBlur(**wrong)  # type: ignore[arg-type]


def test_a_missing_model_is_refused_when_the_pipeline_is_made() -> None:
    with pytest.raises(ModelError, match=r"no model at 'nowhere.onnx'"):
        Pipeline([BackgroundBlur(model="nowhere.onnx")])


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("effect", EFFECTS)
def test_any_size(effect: type[Effect], width: int, height: int) -> None:
    changed = effect()
    if isinstance(changed, PersonEffect):
        changed.feather = 0.3
    pipe = Pipeline([changed])
    for seed in range(2):
        out = pipe.process(noise(width, height, seed), strict=True)
        assert out.y.shape == (height, width)


def test_sizes_that_change_on_the_way() -> None:
    pipe = Pipeline([BackgroundBlur(hold_still=True)])
    for width, height in (*SIZES, *SIZES[::-1]):
        out = pipe.process(noise(width, height), strict=True)
        assert out.y.shape == (height, width)


def test_the_person_stays_sharp_and_the_background_does_not(media: Path) -> None:
    pictures = decoded(media / "video" / "lp_s18_desk_1280x720.mp4", 4)
    masks, blurred = Pipeline([ShowMask()]), Pipeline([BackgroundBlur()])
    for picture in pictures:
        mask = luma(masks.process(picture, strict=True))
        before, after = luma(picture), luma(blurred.process(picture, strict=True))
        person = mask == 235
        assert 0.2 < person.mean() < 0.6
        np.testing.assert_array_equal(after[person], before[person])
        rows = np.s_[100:400, 50:400]  # plants
        assert mask[rows].max() == 16
        assert detail(after[rows]) < 0.35 * detail(before[rows])


def test_effects_share_the_network(media: Path) -> None:
    pictures = decoded(media / "video" / "intelasl_book_640x480_yuvj420p.mkv", 5)
    pipe = Pipeline([BackgroundBlur(edge=0.5), ShowMask(smoothing=0.2)])
    for picture in pictures:
        pipe.process(picture, strict=True)
    stats = pipe.stats()
    assert [node.runs for node in stats.nodes if node.name.startswith("segment")] == [5]
    assert [node.runs for node in stats.nodes if node.name.startswith("downscale")] == [5]


def test_parameters_change_while_it_runs(media: Path) -> None:
    (picture,) = decoded(media / "video" / "lp_s18_desk_1280x720.mp4", 1)
    pipe = Pipeline([BackgroundBlur(strength=0.0, smoothing=0.0)])
    weak = luma(pipe.process(picture, strict=True))
    pipe.set("background_blur", strength=1.0)
    strong = luma(pipe.process(picture, strict=True))
    assert detail(strong) < detail(weak)
    for name in ("feather", "edge", "light_wrap"):
        pipe.set("background_blur", **{name: 0.5})
        changed = luma(pipe.process(picture, strict=True))
        assert (changed != strong).any()
        strong = changed


def test_a_still_picture_is_looked_at_once() -> None:
    pipe = Pipeline([BackgroundBlur(hold_still=True)])
    frame = noise(640, 360)
    outs = [pipe.process(frame, strict=True).y.copy() for _ in range(4)]
    assert pipe.stats().node("segment").runs == 1
    for out in outs[1:]:
        np.testing.assert_array_equal(out, outs[0])


@pytest.mark.parametrize(
    "parameters",
    [{}, {"feather": 0.5, "strength": 0.2}, {"light_wrap": 0.5}, {"edge": 0.0, "hold_still": True}],
)
def test_in_steady_state_nothing_is_allocated(parameters: dict[str, object]) -> None:
    pipe = Pipeline([BackgroundBlur(**parameters)])  # type: ignore[arg-type]
    frames = [noise(640, 480, seed) for seed in range(3)]
    for frame in frames:
        pipe.process(frame, strict=True)
    before = pipe.stats().allocations
    for frame in frames * 4:
        pipe.process(frame, strict=True)
    assert pipe.stats().allocations == before
