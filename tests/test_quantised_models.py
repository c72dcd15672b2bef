"""The 8-bit networks: as good as the float ones, and in the form that the compiler relies on."""

from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
import pytest
from onnx import numpy_helper

from pullfx import models
from pullfx.kernels.network import Network, compile_network
from tools.quantise import held_out
from tools.quantise.detections import detections, held_out_pictures
from tools.quantise.judge import Judge
from tools.quantise.measures import agreement, flickers, true_ious
from tools.quantise.meshes import measure_meshes
from tools.quantise.pictures import Picture

MASKS = ("selfie_landscape", "selfie_square")
FACES = "face_short_range"
MESH = "face_mesh"
THIN = {
    "Relu",
    "PRelu",
    "HardSwish",
    "Add",
    "Mul",
    "ReduceMean",
    "Resize",
    "Sigmoid",
    "MaxPool",
    "Pad",
}
LAYOUT = {"Transpose", "Reshape", "Concat"}
PASSING = {"Resize", "Transpose", "Pad"}

IntArray = npt.NDArray[np.int64]


@pytest.fixture(params=(*MASKS, FACES, MESH))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=MASKS)
def judges(request: pytest.FixtureRequest) -> list[Judge]:
    """The float network and the quantised one."""
    return [Judge(models.path(request.param)), Judge(models.path(f"{request.param}.int8"))]


class OurJudge(Judge):
    """A quantised network with outputs on our own kernels."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._network = Network(compile_network(path, outputs=True))

    def outputs(self, picture: Picture) -> list[npt.NDArray[np.float32]]:
        return list(self._network.run_outputs(picture))


class Graph:
    """The quantised file, by the names of its tensors."""

    def __init__(self, name: str) -> None:
        self.graph = onnx.load(models.path(f"{name}.int8")).graph
        self.makers = {output: node for node in self.graph.node for output in node.output}
        self.users: dict[str, list[onnx.NodeProto]] = {}
        for node in self.graph.node:
            for tensor in node.input:
                self.users.setdefault(tensor, []).append(node)
        self.constants = {i.name: numpy_helper.to_array(i) for i in self.graph.initializer}

    def of_kind(self, *kinds: str) -> list[onnx.NodeProto]:
        return [node for node in self.graph.node if node.op_type in kinds]


@cache
def graph_of(name: str) -> Graph:
    return Graph(name)


@pytest.fixture
def graph(name: str) -> Graph:
    return graph_of(name)


# As good as the float network.


def test_masks_agree_with_the_float_network(judges: list[Judge], media: Path) -> None:
    pictures = [
        view
        for path in held_out.photographs(media, held_out.Part.ALL)
        for view in held_out.views(path)
    ]
    sure, everything, _ = agreement(judges[0], judges[1], pictures)
    assert sure.pictures > 50
    assert sure.mean_iou >= 0.985
    assert sure.iou_p5 >= 0.97
    assert sure.error <= 0.003
    assert everything.mean_iou >= 0.98
    assert everything.error <= 0.006


def test_true_masks_are_met_as_well(judges: list[Judge], media: Path) -> None:
    float_iou, quantised_iou = true_ious(judges, media)
    assert float_iou > 0.8
    assert quantised_iou >= float_iou - 0.003


def test_masks_flicker_no_more(judges: list[Judge], media: Path) -> None:
    float_flicker, quantised_flicker = flickers(judges, held_out.clips(media))
    assert quantised_flicker <= float_flicker


@pytest.mark.parametrize("judge", [Judge, OurJudge])
def test_faces_agree_with_the_float_network(judge: type[Judge], media: Path) -> None:
    pictures = held_out_pictures(media, held_out.Part.ALL)
    found = detections(Judge(models.path(FACES)), judge(models.path(f"{FACES}.int8")), pictures)
    assert found.faces > 150
    assert found.recall >= 0.99
    assert found.others <= 0.01 * found.faces
    assert found.mean_iou >= 0.95
    assert found.iou_p5 >= 0.9
    assert found.points <= 0.02


@pytest.mark.parametrize("judge", [Judge, OurJudge])
def test_meshes_agree_with_the_float_network(judge: type[Judge], media: Path) -> None:
    judges = Judge(models.path(MESH)), judge(models.path(f"{MESH}.int8"))
    found = measure_meshes(*judges, Judge(models.path(FACES)), media, held_out.Part.ALL)
    assert found.faces > 150
    assert found.mean_distance <= 0.004
    assert found.distance_p95 <= 0.006
    assert found.largest_distance <= 0.015
    assert found.same_presence >= 0.99
    # Where the float network itself is unsure: its logits there are below 0.7.
    assert found.same_elsewhere >= 0.97


# The files.


def test_file_is_the_one_on_its_card(name: str) -> None:
    models.verify(f"{name}.int8")
    card, source = models.card(f"{name}.int8"), models.card(name)
    assert (card.input, card.output, card.licence) == (source.input, source.output, source.licence)
    assert card.origin == source.file


def test_card_names_the_float_file_it_was_made_from(name: str) -> None:
    card = models.path(f"{name}.int8").with_suffix(".md").read_text(encoding="utf-8")
    metadata = {m.key: m.value for m in onnx.load(models.path(f"{name}.int8")).metadata_props}
    assert metadata["quantised_from_sha256"] == models.card(name).sha256
    assert models.card(name).sha256 in card


def test_pixels_are_codes(graph: Graph) -> None:
    first, second = graph.graph.node[:2]
    assert (first.op_type, second.op_type) == ("Transpose", "QuantizeLinear")
    scale, zero_point = (graph.constants[constant] for constant in second.input[1:])
    assert scale == np.float32(1 / 255)
    assert zero_point == 0
    assert zero_point.dtype == np.uint8


def test_weights_are_symmetric_int8_per_output_channel(graph: Graph) -> None:
    for node in graph.of_kind("Conv", "ConvTranspose"):
        loader = graph.makers[node.input[1]]
        assert loader.op_type == "DequantizeLinear"
        weight, scale, zero_point = (graph.constants[constant] for constant in loader.input)
        axis = 1 if node.op_type == "ConvTranspose" else 0
        assert onnx.helper.get_node_attr_value(loader, "axis") == axis
        assert weight.dtype == np.int8
        assert weight.min() >= -127
        assert scale.shape == zero_point.shape == (weight.shape[axis],)
        assert not zero_point.any()


def test_neighbouring_weights_of_dense_convolutions_fit_together(graph: Graph) -> None:
    for node in graph.of_kind("Conv"):
        if group(node) > 1:
            continue
        weight: IntArray = graph.constants[graph.makers[node.input[1]].input[0]].astype(np.int64)
        outputs, inputs, rows, columns = weight.shape
        values = weight.transpose(0, 2, 3, 1).reshape(outputs, rows, columns * inputs)
        pairs = np.pad(values, ((0, 0), (0, 0), (0, values.shape[2] % 2)))
        pairs = pairs.reshape(outputs, rows, -1, 2)
        for sign in (1, -1):
            assert np.maximum(sign * pairs, 0).sum(3).max() <= 128, node.name


def test_bias_counts_in_steps_of_input_times_weight(graph: Graph) -> None:
    for node in graph.of_kind("Conv", "ConvTranspose"):
        bias, bias_scale, zero_point = (
            graph.constants[constant] for constant in graph.makers[node.input[2]].input
        )
        source = node.input[0]
        while graph.makers[source].op_type in PASSING:
            source = graph.makers[source].input[0]
        input_scale = graph.constants[graph.makers[source].input[1]]
        if group(node) == 1:
            assert np.unique(input_scale).size == 1, node.name
            input_scale = input_scale.reshape(-1)[:1]
        weight_scale = graph.constants[graph.makers[node.input[1]].input[1]]
        np.testing.assert_allclose(bias_scale, input_scale * weight_scale, rtol=1e-6)
        assert bias.dtype == zero_point.dtype == np.int32
        assert not zero_point.any()


def group(node: onnx.NodeProto) -> int:
    return int(onnx.helper.get_node_attr_value(node, "group")) if node.op_type == "Conv" else 1


def test_every_code_tensor_is_read_with_its_own_zero_points(graph: Graph) -> None:
    for node in graph.of_kind("QuantizeLinear"):
        readers = graph.users[node.output[0]]
        assert 1 <= len(readers) <= 2
        assert {reader.op_type for reader in readers} == {"DequantizeLinear"}
        for reader in readers:
            assert reader.input[2] == node.input[2]
            shared = reader.output[0].endswith(".shared_values")
            assert (reader.input[1] != node.input[1]) == shared
            if shared:
                scale, shared_scale = (graph.constants[n.input[1]] for n in (node, reader))
                assert np.all(shared_scale == scale.max())
                assert {dense_kind(graph, user) for user in graph.users[reader.output[0]]} == {
                    "dense"
                }


def dense_kind(graph: Graph, node: onnx.NodeProto) -> str:
    while node.op_type in PASSING:
        (node,) = graph.users[node.output[0]]
    is_dense = node.op_type in ("Conv", "ConvTranspose") and group(node) == 1
    return "dense" if is_dense else node.op_type


def test_a_tensor_without_codes_has_one_user(graph: Graph) -> None:
    outputs = {output.name for output in graph.graph.output}
    for node in graph.of_kind("Conv", "ConvTranspose", *THIN, *LAYOUT):
        (output,) = node.output
        users = graph.users.get(output, [])
        assert len(users) <= 1, output
        if not users:
            assert output in outputs


def test_sums_fit_into_32_bits(graph: Graph) -> None:
    for node in graph.of_kind("Conv", "ConvTranspose"):
        weight: IntArray = graph.constants[graph.makers[node.input[1]].input[0]].astype(np.int64)
        bias: IntArray = graph.constants[graph.makers[node.input[2]].input[0]].astype(np.int64)
        axes = (0, 2, 3) if node.op_type == "ConvTranspose" else (1, 2, 3)
        assert (np.abs(weight).sum(axes) * 255 + np.abs(bias)).max() < 2**31, node.name
