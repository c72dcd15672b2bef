"""Every step of a network on every instruction set against its numpy definition, bit for bit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from network_programs import CHAINS, FULL_TABLE, STEPS, Case, Maker, program_of

from pullfx import kernels
from pullfx.kernels import reference
from pullfx.kernels.network import Network, Program
from pullfx.kernels.network.arena import place_tensors
from pullfx.kernels.network.program import PICTURE, Step

VARIANTS = [name for name in kernels.available_isas() if name != reference.name]
each_variant = pytest.mark.parametrize("variant", VARIANTS)
each_case = pytest.mark.parametrize("case", STEPS, ids=lambda case: case.name)


def check(program: Program, variant: str, seed: int = 0) -> None:
    picture = np.random.default_rng(seed).integers(
        0, 256, (program.height, program.width, 3), np.uint8
    )
    defined, compiled = Network(program, reference.name), Network(program, variant)
    np.testing.assert_array_equal(compiled.run(picture), defined.run(picture))
    for index, tensor in enumerate(program.tensors):
        np.testing.assert_array_equal(
            compiled.codes(index), defined.codes(index), err_msg=f"{tensor.name}"
        )


@each_variant
@each_case
def test_sizes_around_every_tile(case: Case, variant: str) -> None:
    for width in range(1, 15):
        program = program_of(case, case.chains[0], 1 + width % 4, width, 16, 16, Maker(width))
        check(program, variant, width)


@each_variant
@each_case
@pytest.mark.parametrize("channels", [1, 2, 3, 8, 15, 16, 17, 24, 33])
def test_channels_around_every_block(case: Case, channels: int, variant: str) -> None:
    outputs = (channels * 7) % 37 + 1
    check(program_of(case, case.chains[0], 3, 5, channels, outputs, Maker(channels)), variant)


@each_variant
@pytest.mark.parametrize(
    ("case", "chain"),
    [
        pytest.param(case, chain, id=f"{case.name}-{chain}")
        for case in STEPS
        for chain in case.chains
    ],
)
@pytest.mark.parametrize("extreme", [False, True], ids=["usual", "extreme"])
def test_chains(case: Case, chain: str, extreme: bool, variant: str) -> None:
    for seed in range(2):
        check(program_of(case, chain, 4, 9, 20, 40, Maker(seed, extreme)), variant, seed)


@each_variant
@each_case
@given(
    height=st.integers(1, 12),
    width=st.integers(1, 40),
    channels=st.integers(1, 70),
    outputs=st.integers(1, 70),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=8, deadline=None, derandomize=True)
def test_random(
    case: Case, height: int, width: int, channels: int, outputs: int, seed: int, variant: str
) -> None:
    chain = case.chains[seed % len(case.chains)]
    check(program_of(case, chain, height, width, channels, outputs, Maker(seed)), variant, seed)


@each_variant
def test_a_long_pointwise_row_is_taken_in_parts(variant: str) -> None:
    case = next(case for case in STEPS if case.name == "pointwise")
    check(program_of(case, "add", 3, 301, 128, 24, Maker(5)), variant)


@each_variant
@pytest.mark.parametrize("pixels", [(1, 1), (16, 16), (16, 17), (37, 41)])
def test_means_of_many_pixels(pixels: tuple[int, int], variant: str) -> None:
    case = next(case for case in STEPS if case.name == "mean")
    check(program_of(case, "scale", *pixels, 32, 32, Maker(1, extreme=True)), variant)


@each_variant
@pytest.mark.parametrize("channels", [1, 16, 24, 48])
def test_expand(channels: int, variant: str) -> None:
    for width in range(1, 20):
        maker = Maker(width)
        case = next(case for case in STEPS if case.name == "pointwise")
        program = program_of(case, "scale", 2, width, channels, 1, maker)
        program.steps.pop()
        program.height, program.width = 4, 2 * width
        last = program.steps.pop()
        program.steps.clear()
        program.tensors.clear()
        _start_at_half(program, maker, channels, width)
        assert last.finish is not None
        program.steps.append(
            Step(
                "expand",
                "mask",
                (0,),
                -1,
                last.finish,
                weights=maker.weights(4, channels),
                bias=maker.random.integers(-5000, 5000, 4).astype(np.int32),
                table=FULL_TABLE[::-1].copy(),
            )
        )
        place_tensors(program, share=False)
        check(program, variant, width)


def _start_at_half(program: Program, maker: Maker, channels: int, width: int) -> None:
    case = next(case for case in STEPS if case.name == "dense_1x1_s2")
    made = program_of(case, "scale", 2, width, channels, channels, maker)
    first = made.steps[0]
    tensor = program.add_tensor("first", channels, 2, width)
    program.steps.append(
        Step(
            "dense",
            "first",
            first.inputs,
            tensor,
            first.finish,
            case.window,
            first.weights,
            first.bias,
            first.border,
        )
    )


@each_variant
@pytest.mark.parametrize(
    "case", [case for case in STEPS if case.kind == "dense"], ids=lambda case: case.name
)
def test_the_picture_is_read_directly(case: Case, variant: str) -> None:
    for width in range(1, 9):
        maker = Maker(width)
        program = program_of(case, "scale", 5, width, 3, 20, maker)
        at = next(number for number, step in enumerate(program.steps) if step.name == case.name)
        program.steps[at] = replace(program.steps[at], inputs=(PICTURE,))
        check(program, variant, width)


@each_variant
def test_thin_in_place(variant: str) -> None:
    case = next(case for case in STEPS if case.name == "thin")
    for chain in CHAINS:
        program = program_of(case, chain, 5, 7, 24, 24, Maker(3))
        picture = np.random.default_rng(1).integers(0, 256, (5, 7, 3), np.uint8)
        defined = Network(program, reference.name)
        defined.run(picture)
        result = next(i for i, tensor in enumerate(program.tensors) if tensor.name == "result")
        program.tensors[result].offset = program.tensors[0].offset
        compiled = Network(program, variant)
        compiled.run(picture)
        np.testing.assert_array_equal(compiled.codes(result), defined.codes(result))
