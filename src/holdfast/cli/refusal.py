"""How a command ends that cannot do what was requested."""

from __future__ import annotations

import json
from typing import NoReturn

import typer

from holdfast.cli.render.text import warn


def refuse(*problems: str, as_json: bool) -> NoReturn:
    """Print the problems, with `--json` also as an object, and exit with 1."""
    if as_json:
        typer.echo(json.dumps({"outcome": "refused", "problems": list(problems)}))
    for problem in problems:
        warn(problem)
    raise typer.Exit(1)
