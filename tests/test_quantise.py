"""The quantiser: what it rounds, what it measures, and that simulation and file agree."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from pullfx import models
from tools.quantise import held_out
from tools.quantise.codes import LOGITS, Codes
from tools.quantise.errors import QuantisationError
from tools.quantise.judge import Judge
from tools.quantise.material import MAY_SHIP
from tools.quantise.measures import iou
from tools.quantise.network import Network, read_network


@pytest.fixture(scope="module")
def network() -> Network:
    return read_network(models.path("selfie_landscape"))


@pytest.mark.parametrize(
    ("low", "high"), [(0.0, 6.0), (-0.375, 5.0), (-3.0, 3.0), (-8.0, -1.0), (0.5, 2.0), (0.0, 0.0)]
)
def test_codes_reach_over_the_range_and_meet_zero(low: float, high: float) -> None:
    codes = Codes.from_range(np.array([low], np.float32), np.array([high], np.float32))
    reach = codes.scale * (np.array([0.0, 255.0]) - codes.zero_point)
    assert reach[0] <= min(low, 0) + codes.scale / 2
    assert reach[1] >= max(high, 0) - codes.scale / 2


def test_logits_reach_to_eight() -> None:
    low, high = LOGITS.scale * (np.array([0.0, 255.0]) - LOGITS.zero_point)
    assert (low, high) == pytest.approx((-8.03, 7.97), abs=0.01)


@pytest.mark.parametrize(
    ("mask", "other", "expected"),
    [([1, 1, 0], [1, 0, 0], 0.5), ([0, 0], [0, 0], 1.0), ([1, 0], [0, 1], 0.0), ([1], [1], 1.0)],
)
def test_iou(mask: list[int], other: list[int], expected: float) -> None:
    assert iou(np.array(mask, bool), np.array(other, bool)) == expected


@pytest.mark.parametrize(
    ("tensor", "has_codes"),
    [
        ("conv2d", False),  # Goes on into the hard-swish as a 32-bit sum.
        ("h_swish", True),
        ("conv2d_8", False),  # Residual: summed before it is rounded.
        ("add", True),
        ("re_lu_12", False),  # Gated before it is rounded.
        ("re_lu_1", True),  # Has two users.
        ("activation", False),  # A table's value.
        ("up_sampling2d", False),  # Convolved before it is rounded.
        ("conv2d_transpose", True),
        ("mask", False),
    ],
)
def test_what_is_rounded(network: Network, tensor: str, has_codes: bool) -> None:
    assert (tensor in network.coded()) == has_codes


def test_unknown_operator_is_named(tmp_path: Path) -> None:
    content = models.path("selfie_landscape").read_bytes().replace(b"HardSwish", b"SoftSwish")
    file = tmp_path / "unknown.onnx"
    file.write_bytes(content)
    with pytest.raises(QuantisationError, match=r"unknown\.onnx: operator SoftSwish \(h_swish\)"):
        read_network(file)


def test_parts_of_the_photographs_do_not_overlap(media: Path) -> None:
    parts = [set(held_out.photographs(media, part)) for part in held_out.Part]
    development, final, everything = parts
    assert not development & final
    assert development | final == everything
    assert len(final) >= 12


def test_nothing_that_is_only_measured_on_is_trained_on(media: Path) -> None:
    trained = {path for pattern in MAY_SHIP for path in media.glob(f"video/{pattern}")}
    assert len(trained) == 10
    assert not any(path.name.startswith("lp_") for path in trained)
    assert not trained & set(held_out.photographs(media, held_out.Part.ALL))


def test_file_computes_what_was_simulated(network: Network, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from tools.quantise.export import export
    from tools.quantise.ranges import choose_codes, measure_ranges
    from tools.quantise.simulation import Simulation

    random = np.random.default_rng(0)
    coarse = random.integers(0, 256, (9, 16, 3)).repeat(16, 0).repeat(16, 1)
    pictures: npt.NDArray[np.uint8] = np.stack([coarse, coarse[::-1]]).astype(np.uint8)
    batch = pictures.transpose(0, 3, 1, 2).astype(np.float32) / np.float32(255)
    codes = choose_codes(network, measure_ranges(network, batch))
    simulation = Simulation(network, codes)
    file = tmp_path / "rounded.onnx"
    file.write_bytes(export(simulation))
    assert export(simulation) == file.read_bytes()
    with torch.no_grad():
        simulated = torch.sigmoid(simulation(torch.from_numpy(batch)))[:, 0].numpy()
    judge = Judge(file)
    for picture, expected in zip(pictures, simulated, strict=True):
        assert np.abs(judge.mask(picture) - expected).mean() <= 0.003
