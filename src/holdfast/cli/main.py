"""The command `holdfast`."""

from __future__ import annotations

import sys
from typing import Annotated, TextIO

import typer

from holdfast import __version__
from holdfast.cli.apply import apply
from holdfast.cli.changes import changes
from holdfast.cli.checkpoint import checkpoint
from holdfast.cli.config import config
from holdfast.cli.decisions import decisions
from holdfast.cli.demo import demo
from holdfast.cli.repair import repair
from holdfast.cli.rules import rules
from holdfast.cli.run import run
from holdfast.cli.safe_stdout import SafeStdout
from holdfast.cli.undo import undo

app = typer.Typer(
    name="holdfast",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    # Plain help: with markup typer imports rich, and help would take twice as long.
    rich_markup_mode=None,
)
app.command("run")(run)
app.command("apply")(apply)
app.command("undo")(undo)
app.command("repair")(repair)
app.add_typer(decisions, name="decisions")
app.add_typer(rules, name="rules")
app.add_typer(changes, name="changes")
app.add_typer(checkpoint, name="checkpoint")
app.add_typer(config, name="config")
app.command("demo")(demo)


def _print_version(wanted: bool) -> None:
    if not wanted:
        return
    typer.echo(f"holdfast {__version__}")
    raise typer.Exit


@app.callback()
def holdfast(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", is_eager=True, callback=_print_version
        ),
    ] = False,
) -> None:
    """Edits by language models that land exactly where they were meant, or are refused with the cure."""


def main() -> None:
    """Run the command line."""
    _never_fail_to_print(sys.stdout)
    _never_fail_to_print(sys.stderr)
    output = sys.stdout = SafeStdout(sys.stdout)
    try:
        app(prog_name="holdfast")
    finally:
        output.flush()


def _never_fail_to_print(stream: TextIO) -> None:
    """Let a character that the terminal lacks, or a byte that was no text, come out escaped, not as an error."""
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    main()
