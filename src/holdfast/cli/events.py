"""`holdfast events`: print the event log of a project, and follow it."""

from __future__ import annotations

import select
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.options import Root
from holdfast.cli.render.edits import warn_open
from holdfast.cli.render.events import event_line, json_line
from holdfast.cli.render.text import warn
from holdfast.cli.workspace import open_work
from holdfast.usecases.events.follow import follow_events, read_events
from holdfast.usecases.events.ports import EventsUnavailable
from holdfast.wiring.events import open_event_log

_POLL_SECONDS = 0.25


def events(
    *,
    root: Root = Path(),
    session: Annotated[
        str | None,
        typer.Option(
            "--session", metavar="ID", help="Only this session; the beginning of its id is enough."
        ),
    ] = None,
    after: Annotated[
        int, typer.Option("--after", metavar="SEQ", min=0, help="Only events after this number.")
    ] = 0,
    follow: Annotated[
        bool, typer.Option("--follow", help="Go on with what other commands do, until Ctrl-C.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object a line, and nothing else.")
    ] = False,
) -> None:
    """Print what was done in this project, and follow it.

    The log has the work of every command and every turn, in order.

    Exit 0: printed. 1: the store cannot be read. 2: wrong usage. 130: stopped with Ctrl-C.
    """
    if not root.is_dir():
        raise typer.BadParameter(f"{root}: this is no directory.", param_hint="--root")
    warn_open(open_work(root))
    try:
        with open_event_log(root) as log:
            found = (
                follow_events(log, _wait, after, session)
                if follow
                else read_events(log, after, session)
            )
            for event in found:
                sys.stdout.write(json_line(event) if as_json else event_line(event))
                sys.stdout.flush()
    except EventsUnavailable as error:
        warn(str(error))
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


def _wait() -> bool:
    """Wait a moment; return whether there is still a reader of standard output."""
    try:
        output = sys.stdout.fileno()
    except OSError:
        time.sleep(_POLL_SECONDS)
        return True
    # Nothing is asked of the descriptor: that its reader is gone is reported all the same.
    closed = select.poll()
    closed.register(output, 0)
    return not closed.poll(_POLL_SECONDS * 1000)
