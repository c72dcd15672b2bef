"""`pullfx net`: what a network in 8 bits is compiled to, and where its time goes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from pullfx.cli.console import results

_WARM_UP = 20


def net(
    file: Annotated[Path, typer.Argument(help="An ONNX file in the QDQ form.")],
    rounds: Annotated[int, typer.Option(min=1, help="Runs that the times are taken from.")] = 200,
    threads: Annotated[int, typer.Option(min=1, max=256, help="That share the work.")] = 1,
) -> None:
    """Print the program of a network: steps, shapes, kernels and times."""
    import numpy as np

    from pullfx.kernels.network import Network, compile_network

    network = Network(compile_network(file), threads=threads)
    program = network.program
    random = np.random.default_rng(0)
    picture = random.integers(0, 256, (program.height, program.width, 3), np.uint8)
    times = np.array([network.run_timed(picture) for _ in range(_WARM_UP + rounds)])[_WARM_UP:]
    medians = np.median(times, axis=0) / 1000
    table = Table("step", "operators", "result", title=f"{file.name} on {network.isa}")
    for column in ("bytes", "multiply-adds"):
        table.add_column(column, justify="right")
    table.add_column("kernel")
    table.add_column("µs", justify="right")
    for row, median in zip(program.describe(), medians, strict=True):
        table.add_row(
            str(row["step"]),
            str(row["fused"]),
            str(row["shape"]),
            str(row["bytes"]),
            str(row["multiply_adds"]),
            str(row["kernel"]),
            f"{median:.1f}",
        )
    table.add_section()
    table.add_row("all", "", "", str(program.arena), "", "bytes: the arena", f"{medians.sum():.1f}")
    results.print(table)
