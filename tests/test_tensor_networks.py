"""Networks whose outputs are taken as they are: of faces, of a user, and what is refused."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import onnx
import pytest
from onnx import TensorProto
from quantised_networks import detector
from tiny_network import HEIGHT, NCHW, NHWC, WIDTH, Model

from pullfx import kernels, models
from pullfx.errors import KernelError, ModelError
from pullfx.nodes import Image, Size
from pullfx.nodes.network import load_tensors
from pullfx.nodes.network.compiled import CompiledTensors
from pullfx.nodes.network.session import SessionTensors
from pullfx.pipeline.pool import Pool


def picture(width: int = WIDTH, height: int = HEIGHT, seed: int = 1) -> Image:
    return Image(np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8))


@pytest.fixture(scope="module")
def portrait(media: Path) -> Image:
    """A face in the middle of a square."""
    image = cv2.imread(str(media / "calib" / "easyportrait_03.png"))
    assert image is not None
    height, width, _ = image.shape
    return Image(np.ascontiguousarray(image[height // 5 : height // 5 + width, :, ::-1]))


def sized(image: Image, size: Size) -> Image:
    return Image(cv2.resize(image, size, interpolation=cv2.INTER_AREA).astype(np.uint8))


@pytest.mark.parametrize(
    ("model", "size", "shapes"),
    [
        ("face_short_range", Size(128, 128), [(1, 896, 16), (1, 896, 1)]),
        ("face_mesh", Size(192, 192), [(1, 1, 1, 1404), (1, 1, 1, 1)]),
    ],
)
def test_faces_have_networks(model: str, size: Size, shapes: list[tuple[int, ...]]) -> None:
    network = load_tensors(model)
    assert network.size == size
    outputs = network(picture(*size))
    assert [output.shape for output in outputs] == shapes
    assert {output.dtype for output in outputs} == {np.dtype(np.float32)}


@pytest.mark.parametrize(
    ("instruction_set", "kind"),
    [("avx2", CompiledTensors), ("portable", SessionTensors), ("reference", SessionTensors)],
)
def test_the_detector_is_the_one_that_is_faster_here(
    monkeypatch: pytest.MonkeyPatch, instruction_set: str, kind: type
) -> None:
    monkeypatch.setattr(kernels, "active_isa", lambda: instruction_set)
    assert isinstance(load_tensors("face_short_range"), kind)


def test_the_detector_is_sure_of_a_face_only(portrait: Image) -> None:
    detector = load_tensors("face_short_range")
    _, scores = detector(sized(portrait, detector.size))
    assert scores.max() > 1
    _, scores = detector(picture(*detector.size))
    assert scores.max() < 0


def test_the_mesh_lies_on_the_face(portrait: Image) -> None:
    mesh = load_tensors("face_mesh")
    landmarks, presence = mesh(sized(portrait, mesh.size))
    assert presence.item() > 5
    points = landmarks.reshape(468, 3)[:, :2]
    forehead, chin, right, left = points[10], points[152], points[33], points[263]
    assert forehead[1] < min(right[1], left[1]) < chin[1]
    assert right[0] < left[0]


@pytest.mark.parametrize("shape", [NHWC, NCHW], ids=["nhwc", "nchw"])
def test_a_users_own_network(tmp_path: Path, shape: list[int | str]) -> None:
    network = load_tensors(Model(shape).save(tmp_path / "user.onnx"))
    image = picture()
    (mean,) = network(image)
    np.testing.assert_allclose(mean.reshape(HEIGHT, WIDTH), image.mean(2) / 255, rtol=1e-5)


def test_in_8_bits_it_runs_on_our_kernels(tmp_path: Path) -> None:
    path = tmp_path / "user.onnx"
    onnx.save(detector(), path)
    network = load_tensors(str(path))
    assert isinstance(network, CompiledTensors)
    image = picture(*network.size)
    pool = Pool()
    first, second = network(image, pool), SessionTensors(path)(image, pool)
    for ours, theirs in zip(first, second, strict=True):
        assert ours.shape == theirs.shape
        assert np.abs(ours - theirs).mean() < 0.02
    kept = [output.copy() for output in first]
    network(picture(*network.size, seed=2), pool)
    for before, after in zip(kept, first, strict=True):
        np.testing.assert_array_equal(before, after)


def test_what_does_not_compile_runs_through_onnxruntime(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    model = detector()
    next(node for node in model.graph.node if node.op_type == "Relu").op_type = "Softplus"
    path = tmp_path / "user.onnx"
    onnx.save(model, path)
    with caplog.at_level(logging.WARNING):
        assert isinstance(load_tensors(str(path)), SessionTensors)
    assert "(Softplus): this operator does not compile" in caplog.text


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (str, "no model at '.*'; give one of face_mesh, .* or the path of an ONNX file"),
        (Model([1, 3, "height", "width"]).save, "must take images of one size, but takes any"),
        (Model(NHWC, more_inputs=("state",)).save, "one input, the image, but has 2: image, state"),
        (
            Model(
                NHWC, (("Cast", None, {"to": TensorProto.DOUBLE}),), output_type=TensorProto.DOUBLE
            ).save,
            "must give float32, but its 'step0' is float64",
        ),
    ],
    ids=["missing", "any size", "two inputs", "double"],
)
def test_refused(tmp_path: Path, make: Callable[[Path], str], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        load_tensors(make(tmp_path / "bad.onnx"))


def test_another_size_is_refused() -> None:
    with pytest.raises(ModelError, match=r"images of 128x128, but was given an array of \(18, 32"):
        load_tensors("face_short_range")(picture())


def test_threads_are_checked() -> None:
    with pytest.raises(KernelError, match="threads must be 1 to 256, but is 0"):
        load_tensors("face_short_range", threads=0)


def test_a_damaged_installation_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def altered(name: str) -> None:
        raise ValueError(f"model file {name}.onnx is damaged")

    monkeypatch.setattr(models, "verify", altered)
    with pytest.raises(ModelError, match="is damaged; install pullfx again"):
        load_tensors("face_mesh")


def test_one_network_for_all_who_use_it() -> None:
    assert load_tensors("face_mesh") is load_tensors("face_mesh")
