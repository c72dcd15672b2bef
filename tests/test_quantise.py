"""The quantiser: what it rounds, what it measures, and that simulation and file agree."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from pullfx import models
from tools.quantise import held_out
from tools.quantise.augment import PictureMaker
from tools.quantise.codes import LOGITS, Codes
from tools.quantise.errors import QuantisationError
from tools.quantise.judge import Judge
from tools.quantise.material import MAY_SHIP, Cut, Material
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


def test_logits_reach_to_ten() -> None:
    low, high = LOGITS.scale * (np.array([0.0, 255.0]) - LOGITS.zero_point)
    assert (low, high) == pytest.approx((-10.04, 9.96), abs=0.01)


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
    assert len(held_out.unseen_clips(media)) == 3
    assert not trained & set(held_out.unseen_clips(media))
    assert not trained & set(held_out.photographs(media, held_out.Part.ALL))


def test_sequences_move_only_where_their_clips_do() -> None:
    random = np.random.default_rng(0)
    frames = random.integers(0, 256, (3, 90, 160, 3), np.uint8)
    mask = np.full((90, 160), 255, np.uint8)
    clips = [[Cut(frame, mask) for frame in frames]]
    still = PictureMaker(Material([clips[0][:1]], [frames[0]]), (36, 64), seed=0).batch(4, 3)
    moving = PictureMaker(Material(clips, [frames[0]]), (36, 64), seed=0).batch(4, 3)
    assert still.shape == moving.shape == (4, 3, 3, 36, 64)
    changes = [np.abs(np.diff(batch, axis=1)).mean((1, 2, 3, 4)) for batch in (still, moving)]
    assert (changes[0] < 0.02).all()
    assert (changes[1] > 0.05).any()


def coarse_pictures() -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]:
    """Two, as they are and as the network takes them."""
    random = np.random.default_rng(0)
    coarse = random.integers(0, 256, (9, 16, 3)).repeat(16, 0).repeat(16, 1)
    pictures = np.stack([coarse, coarse[::-1]]).astype(np.uint8)
    return pictures, pictures.transpose(0, 3, 1, 2).astype(np.float32) / np.float32(255)


def test_file_computes_what_was_simulated(network: Network, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from tools.quantise.export import export
    from tools.quantise.ranges import choose_codes, measure_ranges
    from tools.quantise.simulation import Simulation

    pictures, batch = coarse_pictures()
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


def test_scales_that_grew_are_the_codes_of_what_is_kept(network: Network, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from tools.quantise.ranges import choose_codes, measure_ranges
    from tools.quantise.repair import load_simulation, read_trainings, save_simulation
    from tools.quantise.simulation import Simulation

    _, pictures = coarse_pictures()
    codes = choose_codes(network, measure_ranges(network, pictures))
    trained, kept = Simulation(network, codes), tmp_path / "kept.npz"
    torch.manual_seed(0)
    with torch.no_grad():
        for growth in trained.growths.values():
            growth.normal_(-0.1, 0.1)
        save_simulation(Simulation(network, trained.grown_codes()), kept, ["--steps 3"])
        batch = torch.from_numpy(pictures)
        assert torch.equal(load_simulation(kept)(batch), trained(batch))
        assert not torch.equal(Simulation(network, codes)(batch), trained(batch))
    assert read_trainings(kept) == ["--steps 3"]


@pytest.mark.parametrize(
    ("value", "to_value", "to_growth"),
    [(0.0, 1.0, 0.0), (0.75, 1.0, 0.25), (1.25, 1.0, -0.25), (300.0, 0.0, 255.0), (-2.0, 0.0, 0.0)],
)
def test_gradients_pass_rounding(value: float, to_value: float, to_growth: float) -> None:
    torch = pytest.importorskip("torch")
    from tools.quantise.simulation import round_to_codes

    values = torch.full((1, 1, 1, 1), value, requires_grad=True)
    growth = torch.zeros(1, 1, 1, requires_grad=True)
    limits = torch.tensor(0.0), torch.tensor(255.0)
    round_to_codes(values, torch.tensor(1.0), *limits, growth).sum().backward()
    assert values.grad.item() == to_value
    assert growth.grad.item() == to_growth
