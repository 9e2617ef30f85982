"""`holdfast sessions delete`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.options import AsJson, Root, require_directory
from holdfast.cli.refusal import refuse
from holdfast.cli.render.edits import settled_as_json, warn_settled
from holdfast.cli.render.text import count_of, warn, write
from holdfast.usecases.garbage.delete_session import (
    SessionNotRemoved,
    SessionRemoved,
    delete_session,
)
from holdfast.usecases.sessions.session import SessionRefused, find_session
from holdfast.usecases.sessions.session_records import SessionsUnavailable
from holdfast.wiring.sessions import LateSessions, open_sessions


def delete(
    wanted: Annotated[
        str, typer.Argument(metavar="ID", help="The session; the start of its id is enough.")
    ],
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Delete a session: its conversation, its checkpoints and its settled changes.

    No file of the project is touched. This cannot be undone. Proposed changes stay. The events of
    the session stay until `holdfast gc`.

    Exit 0: deleted. 1: refused: there is no such session, or a turn of it is running. 2: wrong
    usage.
    """
    require_directory(root)
    try:
        with open_sessions(root) as records:
            outcome = _delete(wanted, records, ask=not yes)
    except SessionsUnavailable as error:
        outcome = SessionNotRemoved(str(error))

    if isinstance(outcome, SessionNotRemoved):
        refuse(outcome.message, as_json=as_json)

    warn_settled(outcome.recovered)
    if as_json:
        print(json.dumps(_as_json(outcome)))
    else:
        _show(outcome)


def _delete(wanted: str, records: LateSessions, *, ask: bool) -> SessionRemoved | SessionNotRemoved:
    found = find_session(wanted, records)
    if isinstance(found, SessionRefused):
        return SessionNotRemoved(found.message)
    if ask and not _is_confirmed(found):
        return SessionNotRemoved(f"session {found}: not deleted; pass --yes to delete it.")
    return delete_session(found, records, records.open_worktrees)


def _is_confirmed(session: str) -> bool:
    """Ask on a terminal. Without a terminal the answer is no."""
    if not sys.stdin.isatty() or not sys.stderr.isatty():
        return False
    question = f"Delete session {session}, with its conversation and its checkpoints?"
    return typer.confirm(question, err=True)


def _as_json(outcome: SessionRemoved) -> dict[str, object]:
    return {
        "outcome": "deleted",
        "session": outcome.session,
        "turns": list(outcome.turns),
        "changes": list(outcome.changes),
        "refs": outcome.refs,
        "bytes": outcome.size,
        "kept_refs": list(outcome.kept_refs),
        "seq": outcome.seq,
        "recovered": settled_as_json(outcome.recovered),
    }


def _show(outcome: SessionRemoved) -> None:
    parts = ", ".join(
        [
            count_of(len(outcome.turns), "turn"),
            count_of(len(outcome.changes), "change"),
            count_of(outcome.refs, "checkpoint"),
        ]
    )
    write(f"Deleted session {outcome.session}: {parts}.")
    for folder in outcome.kept_refs:
        warn(f"{folder}: this folder is not there, so its checkpoints stay until `holdfast gc`.")
