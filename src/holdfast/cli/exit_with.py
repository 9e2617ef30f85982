"""A command that cannot do what it was asked, as every command says it."""

from __future__ import annotations

import json
from typing import NoReturn

import typer

from holdfast.cli.render.text import warn


def refuse(*problems: str, as_json: bool) -> NoReturn:
    """Say what is wrong, on standard error and with `--json` also as an object, and end with 1."""
    if as_json:
        typer.echo(json.dumps({"outcome": "refused", "problems": list(problems)}))
    for problem in problems:
        warn(problem)
    raise typer.Exit(1)
