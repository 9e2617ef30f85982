"""The question whether code of a project is trusted, on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import typer

from holdfast.cli.render.text import diff_colour, write
from holdfast.usecases.trust.project_trust import describe_items
from holdfast.vocab.trust import JudgedItem


def is_terminal() -> bool:
    """Return whether a person can be asked."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def show_items(judged: Sequence[JudgedItem]) -> None:
    """Print items with their texts, or how these have changed."""
    for line in describe_items(judged).split("\n"):
        write(line, diff_colour(line))


def ask_to_trust(judged: Sequence[JudgedItem]) -> bool:
    """Show what would run, and return whether the person trusts it."""
    typer.echo("This code of the project would run, and is not trusted yet:")
    show_items(judged)
    return typer.confirm("Trust it until it changes?")
