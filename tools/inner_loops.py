"""Counts the instructions of the innermost loops that multiply bytes, in compiled kernels.

```
python -m tools.inner_loops $(find build/aarch64 -name neon_dot.cpp.o)
```

Where nothing can be timed, because there is no such CPU, this is what can be said: how many
instructions 64 multiply-adds take, and whether sums leave their registers.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

ARM = 183  # of the ELF header's field for the machine

FUNCTION = re.compile(r"^[0-9a-f]+ <(?P<name>.*)>:$")
INSTRUCTION = re.compile(r"^\s+(?P<address>[0-9a-f]+):\t(?P<text>.*?)\s*$")
JUMP = re.compile(r"^(?:b|b\.\w+|cbn?z|tbn?z|j\w+)\s(?:.*\s)?(?P<target>[0-9a-f]+) <")
STACK = re.compile(r"\[sp|\(%rsp")
PRODUCTS = (  # and how many multiply-adds each is
    (re.compile(r"\b[su]dot\b"), 16),
    (re.compile(r"\bvp(?:dpbusd|maddubsw)\b.*%zmm"), 64),
    (re.compile(r"\bvp(?:dpbusd|maddubsw)\b.*%ymm"), 32),
)


@dataclass(frozen=True)
class Loop:
    """A loop with no other one in it."""

    function: str
    instructions: int
    multiply_adds: int
    on_stack: int
    """Instructions that read or write the stack."""


def multiply_adds(instruction: str) -> int:
    """How many multiply-adds of bytes an instruction does."""
    return next((count for product, count in PRODUCTS if product.search(instruction)), 0)


def inner_loops(disassembly: str) -> list[Loop]:
    """The innermost loops that multiply bytes.

    Args:
        disassembly: what objdump prints with `-dC --no-show-raw-insn`.
    """
    loops: list[Loop] = []
    name, body = "", dict[int, str]()
    for line in [*disassembly.splitlines(), "0 <>:"]:
        if start := FUNCTION.match(line):
            loops += _loops_of(name, body)
            name, body = start["name"], {}
        elif instruction := INSTRUCTION.match(line):
            body[int(instruction["address"], 16)] = instruction["text"]
    return loops


def _loops_of(function: str, body: dict[int, str]) -> list[Loop]:
    jumps = [
        (int(jump["target"], 16), at) for at, text in body.items() if (jump := JUMP.match(text))
    ]
    back = [(first, last) for first, last in jumps if first in body and first < last]
    loops = []
    for first, last in back:
        if any((a, b) != (first, last) and first <= a and b <= last for a, b in back):
            continue
        texts = [text for at, text in body.items() if first <= at <= last]
        if products := sum(map(multiply_adds, texts)):
            on_stack = sum(bool(STACK.search(text)) for text in texts)
            loops.append(Loop(function, len(texts), products, on_stack))
    return loops


def main(
    object_file: Annotated[Path, typer.Argument(exists=True, help="An ELF object file.")],
) -> None:
    """Print the innermost loops of compiled kernels."""
    with object_file.open("rb") as file:
        machine = int.from_bytes(file.read(20)[18:], "little")
    objdump = "aarch64-linux-gnu-objdump" if machine == ARM else "objdump"
    printed = subprocess.run(
        [objdump, "-dC", "--no-show-raw-insn", object_file],
        check=True,
        capture_output=True,
        text=True,
    )
    typer.echo("instructions  multiply-adds  per 64  on the stack  function")
    for loop in inner_loops(printed.stdout):
        per_64 = 64 * loop.instructions / loop.multiply_adds
        typer.echo(
            f"{loop.instructions:12}{loop.multiply_adds:15}{per_64:8.2f}{loop.on_stack:14}"
            f"  {loop.function.partition('(')[0]}"
        )


if __name__ == "__main__":
    typer.run(main)
