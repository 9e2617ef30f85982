"""`holdfast events`: print the event log of a project, and follow it."""

from __future__ import annotations

import select
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.cli.options import Root
from holdfast.cli.render.edits import warn_open
from holdfast.cli.render.events import event_line, json_line
from holdfast.cli.render.text import warn
from holdfast.cli.workspace import open_work
from holdfast.usecases.events.follow import follow_events, read_events
from holdfast.usecases.events.ports import EventsUnavailable
from holdfast.wiring.events import LateEventLog, open_event_log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.usecases.events.ports import LoggedEvent

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
            found = _follow(log, after, session) if follow else read_events(log, after, session)
            for event in found:
                sys.stdout.write(json_line(event) if as_json else event_line(event))
                sys.stdout.flush()
    except EventsUnavailable as error:
        warn(str(error))
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


def _follow(log: LateEventLog, after: int, session: str | None) -> Iterator[LoggedEvent]:
    """Yield the events after a number until the reader of standard output is gone."""
    woken = threading.Event()

    def wait() -> bool:
        woken.wait(_POLL_SECONDS)
        woken.clear()
        return _is_read()

    with log.watch() as watch:
        yield from follow_events(watch, woken.set, wait, after, session)


def _is_read() -> bool:
    """Return whether there is still a reader of standard output."""
    try:
        output = sys.stdout.fileno()
    except OSError:
        return True

    # Nothing is asked of the descriptor: that its reader is gone is reported all the same.
    closed = select.poll()
    closed.register(output, 0)
    return not closed.poll(0)
