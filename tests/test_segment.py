"""Networks of every accepted kind, those that are refused, and those that go wrong on the way."""

from __future__ import annotations

import gc
import os
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import TensorProto
from tiny_network import HEIGHT, NCHW, NHWC, WIDTH, Model

from pullfx import kernels, models
from pullfx.errors import KernelError, ModelError
from pullfx.nodes import Image, Segment, Size
from pullfx.nodes.network import load
from pullfx.nodes.network.compiled import CompiledNetwork
from pullfx.nodes.network.session import SIZES_OF_DYNAMIC
from pullfx.pipeline.pool import Pool


def step(operator: str, constant: Any = None, **attributes: Any) -> tuple[Any, ...]:
    """An ONNX operator on what came before and, where it takes two, on a constant."""
    return operator, constant, attributes


def picture(width: int = WIDTH, height: int = HEIGHT, seed: int = 1) -> Image:
    return Image(np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8))


def mean_of(image: Image) -> NDArray[np.float64]:
    mean: NDArray[np.float64] = np.rint(image.mean(axis=2))
    return mean


@pytest.mark.parametrize(
    ("model", "sizes"),
    [
        (Model(NHWC), (Size(WIDTH, HEIGHT),)),
        (Model(NCHW), (Size(WIDTH, HEIGHT),)),
        (Model([1, "height", "width", 3]), SIZES_OF_DYNAMIC),
        (Model(["batch", 3, "height", "width"]), SIZES_OF_DYNAMIC),
        (Model(NHWC, (step("Squeeze", [3]),)), (Size(WIDTH, HEIGHT),)),
        (Model(NCHW, (step("Squeeze", [1]),)), (Size(WIDTH, HEIGHT),)),
        (Model(NCHW, (step("Squeeze", [0, 1]),)), (Size(WIDTH, HEIGHT),)),
        (Model(NHWC, two_classes=True), (Size(WIDTH, HEIGHT),)),
        (Model(NCHW, two_classes=True), (Size(WIDTH, HEIGHT),)),
    ],
    ids=["nhwc", "nchw", "free nhwc", "free nchw", "1hw", "1hw of nchw", "hw", "hw2", "2hw"],
)
def test_accepted(tmp_path: Path, model: Model, sizes: tuple[Size, ...]) -> None:
    segment = Segment(model.save(tmp_path / "user.onnx"))
    assert segment.sizes == sizes
    for size in sizes:
        image = picture(*size)
        mask = segment(image)
        assert mask.dtype == np.uint8
        # At a tie float32 may round the other way.
        assert np.abs(mask - mean_of(image)).max() <= 1
        assert (mask == mean_of(image)).mean() > 0.99


def text(path: Path) -> str:
    path.write_text("this is no network\n", encoding="utf-8")
    return str(path)


def missing(path: Path) -> str:
    return str(path)


def folder(path: Path) -> str:
    path.mkdir()
    return str(path)


def truncated(path: Path) -> str:
    Model(NHWC).save(path)
    path.write_bytes(path.read_bytes()[:-40])
    return str(path)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (missing, "no model at '.*'; give 'selfie' or the path of an ONNX file"),
        (text, "is no ONNX model that can run"),
        (folder, "model '.*' cannot be read"),
        (truncated, "is no ONNX model that can run"),
        (Model(NHWC, more_inputs=("state",)).save, "one input, the image, but has 2: image, state"),
        (Model(NHWC, input_type=TensorProto.UINT8).save, r"float32 in 0..1, but takes tensor\(u"),
        (Model([1, HEIGHT, WIDTH, 4]).save, "must take an RGB image"),
        (Model([HEIGHT, WIDTH, 3, 1, 1]).save, "must take an RGB image"),
        (Model(NHWC, (step("Add", np.float32(3.5)),)).save, "gave 3.5 to 3.5; end it with a sig"),
        (Model(NHWC, (step("Div", np.float32(0)),)).save, "gave nan to nan"),
        (
            Model(NHWC, (step("Reshape", [1, HEIGHT // 2, WIDTH * 2, 1]),)).save,
            r"mask of the image's size \(32x18\) .* but gave float32 \(1, 9, 64, 1\)",
        ),
        (
            Model(NHWC, (step("Tile", [1, 1, 1, 5]),)).save,
            r"with 1 or 2 channels, but gave float32 \(1, 18, 32, 5\)",
        ),
        (
            Model(
                NHWC, (step("Cast", to=TensorProto.DOUBLE),), output_type=TensorProto.DOUBLE
            ).save,
            "must give a float32 mask .* but gave float64",
        ),
    ],
)
def test_refused(tmp_path: Path, make: Callable[[Path], str], message: str) -> None:
    with pytest.raises(ModelError, match=message) as refusal:
        Segment(make(tmp_path / "bad.onnx"))
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 500


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ((step("Mul", np.float32(255)),), "must give probabilities in 0..1, but gave 0 to 255"),
        ((step("Neg"),), "must give probabilities in 0..1, but gave -1 to"),
        ((step("Neg"), step("Sqrt")), "gave nan to nan"),
        ((step("Mul", np.float32(1e4)), step("Exp")), "gave 1 to inf"),
    ],
    ids=["bytes", "negative", "nan", "infinite"],
)
def test_rubbish_on_the_way(
    tmp_path: Path, steps: tuple[tuple[Any, ...], ...], message: str
) -> None:
    """Each is sane on the black picture with which a network is tried at the start."""
    segment = Segment(Model(NHWC, steps).save(tmp_path / "rubbish.onnx"))
    image = Image(np.zeros((HEIGHT, WIDTH, 3), np.uint8))
    assert segment(image).shape == (HEIGHT, WIDTH)
    image[HEIGHT // 2, WIDTH // 2] = 255  # a single pixel is enough
    with pytest.raises(ModelError, match=message):
        segment(image)


def test_half_a_code_beyond_is_no_rubbish(tmp_path: Path) -> None:
    path = Model(NHWC, (step("Mul", np.float32(1.005)),)).save(tmp_path / "half.onnx")
    white = Image(np.full((HEIGHT, WIDTH, 3), 255, np.uint8))
    assert (Segment(path)(white) == 255).all()


def test_an_image_of_another_size_is_refused(tmp_path: Path) -> None:
    segment = Segment(Model(NHWC).save(tmp_path / "user.onnx"))
    with pytest.raises(ModelError, match="takes images of 32x18, but was given 18x32"):
        segment(picture(HEIGHT, WIDTH))


def test_selfie_in_8_bits_runs_on_our_kernels_and_says_nearly_the_same(media: Path) -> None:
    picture = cv2.imread(str(media / "calib" / "easyportrait_01.png"))
    assert picture is not None
    shrunk = cv2.resize(picture, (256, 256), interpolation=cv2.INTER_AREA)[:, :, ::-1]
    image = Image(np.ascontiguousarray(shrunk))
    exact, quantised = Segment("selfie_float")(image), Segment("selfie_int8")(image)
    assert isinstance(load(models.path("selfie_square.int8")), CompiledNetwork)
    assert Segment("selfie_int8").sizes == Segment("selfie_float").sizes
    person, found = exact > 127, quantised > 127
    assert (person & found).sum() / (person | found).sum() > 0.98


@pytest.mark.parametrize(
    ("instruction_set", "model"),
    [("avx2", "selfie_int8"), ("portable", "selfie_float"), ("reference", "selfie_float")],
)
def test_selfie_is_the_one_that_is_faster_here(
    monkeypatch: pytest.MonkeyPatch, instruction_set: str, model: str
) -> None:
    image = picture(256, 144)
    expected = Segment(model)(image)
    monkeypatch.setattr(kernels, "active_isa", lambda: instruction_set)
    np.testing.assert_array_equal(Segment()(image), expected)


def test_selfie_has_a_wide_and_a_square_network() -> None:
    segment = Segment()
    assert segment.sizes == (Size(256, 144), Size(256, 256))
    for size in segment.sizes:
        assert segment(picture(*size)).shape == (size.height, size.width)


def test_a_damaged_installation_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def altered(name: str) -> None:
        raise ValueError(f"model file {name}.onnx is damaged")

    monkeypatch.setattr(models, "verify", altered)
    with pytest.raises(ModelError, match="is damaged; install pullfx again"):
        Segment()


def test_a_file_is_loaded_once_for_all_and_let_go(tmp_path: Path) -> None:
    path = Path(Model(NHWC).save(tmp_path / "user.onnx"))
    first = load(path)
    assert load(path) is first
    assert load(tmp_path / "." / "user.onnx") is first
    Model(NCHW).save(path)
    os.utime(path, ns=(1, 1))
    assert load(path) is not first
    alive = weakref.ref(first)
    del first
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize("model", ["selfie_float", "selfie_int8"])
def test_threads_share_a_network(model: str) -> None:
    segment = Segment(model)
    pool = Pool()
    pictures = [picture(256, 144, seed) for seed in range(8)]
    alone = [segment(image) for image in pictures]
    with ThreadPoolExecutor(2) as threads:
        together = list(threads.map(lambda image: segment(image, pool), pictures * 3))
    for index, mask in enumerate(together):
        np.testing.assert_array_equal(mask, alone[index % 8])


@pytest.mark.parametrize("model", ["selfie_float", "selfie_int8"])
def test_more_threads_say_the_same(model: str) -> None:
    image = picture(256, 144)
    one, two = Segment(model)(image), Segment(model, threads=2)(image)
    # onnxruntime adds in another order.
    assert np.abs(one.astype(int) - two).max() <= (1 if model == "selfie_float" else 0)


@pytest.mark.parametrize("model", ["selfie_float", "selfie_int8"])
def test_no_threads_are_refused(model: str) -> None:
    with pytest.raises(KernelError, match="threads must be 1 to 256, but is 0"):
        Segment(model, threads=0)


def test_a_mask_that_is_kept_is_not_written_over() -> None:
    segment = Segment()
    pool = Pool()
    kept = segment(picture(256, 144, 1), pool)
    before = kept.copy()
    for seed in range(2, 5):
        segment(picture(256, 144, seed), pool)
    np.testing.assert_array_equal(kept, before)
