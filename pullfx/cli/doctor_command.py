"""`pullfx doctor`: what works on this machine, and what to do about what does not."""

from __future__ import annotations

import dataclasses
import json
from typing import Annotated

import typer
from rich.text import Text

from pullfx.cli.console import results
from pullfx.cli.doctor_checks import Finding, State, examine

_STYLES = {State.WORKS: "green", State.MISSING: "yellow", State.BROKEN: "red"}
_INDENT = 10


def doctor(
    as_json: Annotated[
        bool, typer.Option("--json", help="For a bug report; has no personal data in it.")
    ] = False,
) -> None:
    """Look at this machine: what works, and what to do about what does not."""
    found = examine()
    broken = [f for findings in found.values() for f in findings if f.state is State.BROKEN]
    if as_json:
        sections = {
            title: [dataclasses.asdict(finding) for finding in findings]
            for title, findings in found.items()
        }
        results.print(json.dumps({"works": not broken, "found": sections}, indent=2), markup=False)
    else:
        for title, findings in found.items():
            results.print(Text(title, "bold"))
            for finding in findings:
                results.print(_lines(finding))
        verdict = f"broken: {', '.join(f.name for f in broken)}" if broken else "All needed works."
        results.print(Text(verdict, "red" if broken else "green"))
    if broken:
        raise typer.Exit(1)


def _lines(finding: Finding) -> Text:
    text = Text(f"  {finding.state:<{_INDENT - 2}}", _STYLES[finding.state])
    text.append(f"{finding.name:<24}{finding.detail}".rstrip(), "default")
    if finding.remedy:
        text.append(f"\n{' ' * _INDENT}-> {finding.remedy}", "default")
    return text
