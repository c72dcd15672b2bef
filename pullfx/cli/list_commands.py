"""`pullfx effects` and `pullfx devices`: what there is."""

from __future__ import annotations

import inspect

from rich.markup import escape
from rich.table import Table

import pullfx
from pullfx.cli.console import results
from pullfx.errors import ParameterError


def effects() -> None:
    """List the effects and their parameters."""
    for name in pullfx.effects.names():
        try:
            kind = pullfx.effects.by_name(name)
        except ParameterError as error:  # of an installed package; the others are still of use
            results.print(f"[bold]{name}[/]  [red]{escape(str(error))}[/]\n")
            continue
        first_line = (inspect.getdoc(kind) or "").partition("\n")[0]
        results.print(f"[bold]{name}[/]  {escape(first_line)}")
        table = Table(box=None, show_header=False, padding=(0, 1, 0, 2))
        table.add_column(no_wrap=True)
        table.add_column(max_width=16)
        table.add_column(max_width=16)
        table.add_column()
        for parameter in kind.parameters().values():
            default = "" if parameter.default == "" else f"({parameter.default})"
            table.add_row(
                parameter.name, _values(parameter), default, escape(parameter.description)
            )
        results.print(table)
        results.print()


def devices() -> None:
    """List cameras, video encoders, and whether a window can be shown."""
    from pullfx.pipeline.devices import devices as find_devices

    found = find_devices()
    table = Table("kind", "name", "")
    for camera in found.cameras:
        table.add_row("camera", camera.name, f"pullfx run camera:{camera.index} window")
    if not found.cameras:
        table.add_row("camera", "none", "plug one in, or use `sample` as the source")
    for encoder in found.encoders:
        state = "works" if encoder.works else "does not work on this machine"
        table.add_row("encoder", f"{encoder.name} ({encoder.codec})", state)
    window = found.window
    table.add_row("window", "yes" if window.available else "no", window.reason)
    results.print(table)


def _values(parameter: pullfx.Parameter) -> str:
    if parameter.choices:
        return " | ".join(map(str, parameter.choices))
    if parameter.minimum is not None and parameter.maximum is not None:
        return f"{parameter.minimum:g} to {parameter.maximum:g}"
    return parameter.type.__name__
