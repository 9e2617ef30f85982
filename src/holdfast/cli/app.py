"""The commands of `holdfast`."""

from __future__ import annotations

import gc
import sys
from collections.abc import Mapping
from typing import Annotated, ClassVar, TextIO

import typer

from holdfast import __version__
from holdfast.cli.lazy_group import CommandEntry, LazyGroup
from holdfast.cli.safe_stdout import SafeStdout


class HoldfastGroup(LazyGroup):
    """The commands, each in a module of its own."""

    entries: ClassVar[Mapping[str, CommandEntry]] = {
        "run": CommandEntry("holdfast.cli.run:run", "Run one agent turn on this project."),
        "cancel": CommandEntry(
            "holdfast.cli.sessions.cancel:cancel", "Stop the turn that runs in a session."
        ),
        "approvals": CommandEntry(
            "holdfast.cli.approvals.group:approvals",
            "List and answer the questions of running turns.",
        ),
        "agents": CommandEntry(
            "holdfast.cli.agents.group:agents", "List external agents, and test one."
        ),
        "apply": CommandEntry(
            "holdfast.cli.apply:apply", "Apply a model's reply to files, all or nothing."
        ),
        "undo": CommandEntry(
            "holdfast.cli.going_back.undo:undo", "Undo the last applied change, or the last turn's."
        ),
        "redo": CommandEntry(
            "holdfast.cli.going_back.redo:redo", "Redo what the last undo took back."
        ),
        "repair": CommandEntry(
            "holdfast.cli.repair:repair", "Check files and fix what fails, cheapest method first."
        ),
        "trust": CommandEntry(
            "holdfast.cli.trust.command:trust",
            "Trust the project's own tools, plugins, build scripts and `check`.",
        ),
        "decisions": CommandEntry(
            "holdfast.cli.decisions:decisions", "Review and pin the fixes that code depends on."
        ),
        "rules": CommandEntry(
            "holdfast.cli.rules:rules", "Review the fixes that need no model any more."
        ),
        "changes": CommandEntry(
            "holdfast.cli.changes.group:changes",
            "Review, apply, reject and rewind changes of files.",
        ),
        "checkpoint": CommandEntry(
            "holdfast.cli.going_back.checkpoint:checkpoint",
            "Save the files as they are, and restore them.",
        ),
        "sessions": CommandEntry(
            "holdfast.cli.sessions.group:sessions",
            "List, rename, archive, export and delete sessions.",
        ),
        "worktree": CommandEntry(
            "holdfast.cli.worktree:worktree",
            "Make, compare, merge and remove the worktrees of sessions.",
        ),
        "events": CommandEntry(
            "holdfast.cli.events:events", "Print what was done in this project, and follow it."
        ),
        "gc": CommandEntry(
            "holdfast.cli.sessions.gc:gc",
            "Remove what nothing leads to any more, and free its space.",
        ),
        "serve": CommandEntry(
            "holdfast.cli.server.serve:serve",
            "Serve the page, to see and steer sessions in a browser.",
        ),
        "acp": CommandEntry(
            "holdfast.cli.agents.acp:acp", "Serve the Agent Client Protocol, for an editor."
        ),
        "config": CommandEntry(
            "holdfast.cli.config:config", "Show the settings and their sources."
        ),
        "demo": CommandEntry(
            "holdfast.cli.demo:demo",
            "Watch all this on a sample project, with every claim checked.",
        ),
    }


app = typer.Typer(
    name="holdfast",
    cls=HoldfastGroup,
    help="A coding agent for models that make mistakes.\n\n"
    "Edits land exactly where they were meant, or are refused with the cure. "
    "Every turn can be undone.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    # Plain help: with markup typer imports rich, and help would take twice as long.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["--help", "-h"]},
)


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
    """Take the options of `holdfast` itself."""


def run_command_line() -> None:
    """Run the command that the arguments of the process name."""
    # Imports create many objects and no garbage: by default the collector runs some hundred times
    # before a short command has begun.
    gc.set_threshold(100_000)
    _escape_unprintable(sys.stdout)
    _escape_unprintable(sys.stderr)
    output = sys.stdout = SafeStdout(sys.stdout)
    try:
        app(prog_name="holdfast")
    except KeyboardInterrupt:
        # While the commands are put together; each of them handles it by itself.
        sys.exit(130)
    finally:
        output.flush()
        # At its exit Python searches all objects for garbage, several times; the system frees them
        # without a search. That was a fifth of the time of a command that opens the store.
        gc.freeze()


def _escape_unprintable(stream: TextIO) -> None:
    """Print an escape for a character that the stream cannot encode, instead of raising."""
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")
