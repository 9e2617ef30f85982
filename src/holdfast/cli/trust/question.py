"""The question whether code of a project is trusted, on a terminal."""

from __future__ import annotations

import sys
import termios
from collections.abc import Sequence

import typer

from holdfast.cli.render.text import diff_colour, write
from holdfast.usecases.trust.project_trust import describe_items
from holdfast.vocab.trust import JudgedItem


def is_terminal() -> bool:
    """Return whether a person can be asked."""
    if sys.stdin is None:
        return False
    return sys.stdin.isatty() and sys.stdout.isatty()


def ask_to_trust(judged: Sequence[JudgedItem]) -> bool:
    """Show what would run, and return whether the person trusts it."""
    typer.echo("This is the project's own, and not trusted yet:")
    for line in describe_items(judged).split("\n"):
        write(line, diff_colour(line))

    # What was typed before the question was shown is no answer to it.
    sys.stdout.flush()
    termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
    return typer.confirm("Trust it until it changes?")
