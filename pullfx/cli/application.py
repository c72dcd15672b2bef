"""The commands, assembled."""

from __future__ import annotations

from typing import Annotated

import typer

import pullfx
from pullfx.cli.batch_command import batch
from pullfx.cli.console import results
from pullfx.cli.doctor_command import doctor
from pullfx.cli.graph_command import graph
from pullfx.cli.list_commands import devices, effects
from pullfx.cli.net_command import net
from pullfx.cli.run_command import run

application = typer.Typer(
    name="pullfx",
    help="Real-time video effects.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
application.command()(run)
application.command()(batch)
application.command()(graph)
application.command()(net)
application.command()(effects)
application.command()(devices)
application.command()(doctor)


def _print_version(wanted: bool) -> None:
    if wanted:
        results.print(f"pullfx {pullfx.__version__}", highlight=False)
        raise typer.Exit


@application.callback()
def common(
    show_version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show it and end."),
    ] = False,
) -> None:
    """Options before the command."""
