"""`holdfast sessions list` and `show`."""

from __future__ import annotations

import json
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.cli.options import AsJson, Root, require_directory
from holdfast.cli.refusal import refuse
from holdfast.cli.render.text import count_of, write
from holdfast.usecases.sessions.session import SessionRefused, show_session
from holdfast.usecases.sessions.session_records import SessionQuery, SessionsUnavailable
from holdfast.wiring.sessions import open_sessions

if TYPE_CHECKING:
    from holdfast.usecases.sessions.session_records import SessionState, SessionSummary

SessionId = Annotated[
    str, typer.Argument(metavar="ID", help="The session; the start of its id is enough.")
]


class SessionStateOption(StrEnum):
    """The values of `--state`."""

    running = "running"
    waiting = "waiting"
    stopped = "stopped"
    done = "done"


def list_(
    *,
    state: Annotated[
        SessionStateOption | None, typer.Option("--state", help="Only sessions in this state.")
    ] = None,
    search: Annotated[
        str, typer.Option("--search", metavar="TEXT", help="Only with this in title or messages.")
    ] = "",
    archived: Annotated[
        bool, typer.Option("--archived", help="Only sessions that were put away.")
    ] = False,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, help="Show at most this many.")
    ] = 50,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """List the sessions of this project, newest first.

    Exit 0: listed. 1: the store cannot be read. 2: wrong usage.
    """
    require_directory(root)
    chosen: SessionState | None = state.value if state else None
    query = SessionQuery(chosen, search, archived, limit)
    try:
        with open_sessions(root) as records:
            found = records.list(query)
    except SessionsUnavailable as error:
        refuse(str(error), as_json=as_json)

    if as_json:
        print(json.dumps({"sessions": [asdict(session) for session in found]}))
        return

    if not found:
        write("There are no sessions in this project.")

    for session in found:
        write(_line(session))


def show(wanted: SessionId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Show one session: its state, agent, place, and last words.

    Exit 0: shown. 1: there is no such session. 2: wrong usage.
    """
    require_directory(root)
    try:
        with open_sessions(root) as records:
            found = show_session(wanted, records)
    except SessionsUnavailable as error:
        found = SessionRefused(str(error))

    if isinstance(found, SessionRefused):
        refuse(found.message, as_json=as_json)

    show_summary(found, as_json=as_json)


def show_summary(session: SessionSummary, *, as_json: bool) -> None:
    """Print a session."""
    if as_json:
        print(json.dumps(asdict(session)))
        return

    write(f"session {session.id}: {session.title}", bold=True)
    archived = ", archived" if session.archived else ""
    write(f"{session.state}{archived}; begun {session.created_at}, last turn {session.updated_at}")
    model = f", model {session.model}" if session.model else ""
    write(f"agent {session.agent}{model}, {session.place.replace('_', ' ')}: {session.root}")
    counts = [
        count_of(session.turns, "turn"),
        count_of(session.messages, "message"),
        f"{count_of(session.files_changed, 'file')} changed",
    ]
    if session.proposed:
        counts.append(f"{count_of(session.proposed, 'change')} to review")

    if session.approvals:
        counts.append(f"{count_of(session.approvals, 'question')} for you")

    if session.queued:
        counts.append(f"{count_of(session.queued, 'message')} waiting")

    write(", ".join(counts))
    if session.last_words:
        write(f"\n{session.last_words}")

    if session.can_continue:
        write(f"\nTo go on: holdfast run --continue {session.id}")


def _line(session: SessionSummary) -> str:
    turns = count_of(session.turns, "turn")
    title = session.title.partition("\n")[0]
    return f"{session.id}  {session.updated_at[:19]}  {session.state:<7}  {turns}  {title}"
