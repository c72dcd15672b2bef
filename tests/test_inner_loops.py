"""What the counter of instructions finds in a disassembly."""

from __future__ import annotations

import pytest

from tools.inner_loops import Loop, inner_loops, multiply_adds

DISASSEMBLY = """
0000000000000000 <dense(Step const&)>:
       0:\tmov\tx0, #0x0
       4:\tldr\ts7, [x20]
       8:\tsdot\tv8.4s, v5.16b, v7.4b[0]
       c:\tstr\tq8, [sp, #16]
      10:\tcmp\tx20, x23
      14:\tb.ne\t4 <dense(Step const&)+0x4>  // b.any
      18:\tadd\tx1, x1, #0x1
      1c:\tb.ne\t0 <dense(Step const&)>  // b.any
      20:\tb\t0 <other()>

0000000000000024 <thin()>:
      24:\tadd\tx1, x1, #0x1
      28:\tcbnz\tx1, 24 <thin()>
"""


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ("sdot\tv8.4s, v5.16b, v7.4b[0]", 16),
        ("udot\tv8.4s, v5.16b, v7.16b", 16),
        ("{vex} vpdpbusd %ymm2,%ymm0,%ymm8", 32),
        ("vpdpbusd %zmm2,%zmm0,%zmm8", 64),
        ("vpmaddubsw (%rdx),%ymm0,%ymm1", 32),
        ("vpaddd %ymm2,%ymm0,%ymm8", 0),
    ],
)
def test_multiply_adds(instruction: str, expected: int) -> None:
    assert multiply_adds(instruction) == expected


def test_only_innermost_loops_that_multiply() -> None:
    assert inner_loops(DISASSEMBLY) == [Loop("dense(Step const&)", 5, 16, 1)]
