"""`holdfast sessions rename` and `archive`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.cli.options import AsJson, Root, require_directory
from holdfast.cli.refusal import refuse
from holdfast.cli.sessions.view import SessionId, show_summary
from holdfast.usecases.sessions.session import SessionRefused, archive_session, rename_session
from holdfast.usecases.sessions.session_records import SessionsUnavailable
from holdfast.wiring.sessions import open_sessions

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.usecases.sessions.session_records import SessionRecords, SessionSummary


def rename(
    wanted: SessionId,
    title: Annotated[str, typer.Argument(metavar="TITLE", help="The new title.")],
    *,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Give a session another title.

    Exit 0: renamed. 1: refused. 2: wrong usage.
    """
    _run(root, lambda records: rename_session(wanted, title, records), as_json=as_json)


def archive(
    wanted: SessionId,
    *,
    undo: Annotated[bool, typer.Option("--undo", help="Bring the session back.")] = False,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Put a session away: lists leave it out. Nothing is removed.

    Exit 0: done. 1: refused: there is no such session, or a turn of it is running. 2: wrong usage.
    """
    _run(root, lambda records: archive_session(wanted, records, archived=not undo), as_json=as_json)


def _run(
    root: Path,
    act: Callable[[SessionRecords], SessionSummary | SessionRefused],
    *,
    as_json: bool,
) -> None:
    require_directory(root)
    try:
        with open_sessions(root) as records:
            outcome = act(records)
    except SessionsUnavailable as error:
        outcome = SessionRefused(str(error))

    if isinstance(outcome, SessionRefused):
        refuse(outcome.message, as_json=as_json)

    show_summary(outcome, as_json=as_json)
