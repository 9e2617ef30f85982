"""`holdfast sessions list`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.cli.options import AsJson, Root, require_directory
from holdfast.cli.refusal import refuse
from holdfast.cli.render.text import count_of, write
from holdfast.usecases.sessions.session_records import SessionQuery, SessionsUnavailable
from holdfast.wiring.sessions import open_sessions

if TYPE_CHECKING:
    from holdfast.usecases.sessions.session_records import SessionSummary


def list_(
    *,
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
    try:
        with open_sessions(root) as records:
            found = records.list(SessionQuery(archived=None, limit=limit))
    except SessionsUnavailable as error:
        refuse(str(error), as_json=as_json)
    if as_json:
        print(json.dumps({"sessions": [asdict(session) for session in found]}))
        return
    if not found:
        write("There are no sessions in this project.")
    for session in found:
        write(_line(session))


def _line(session: SessionSummary) -> str:
    turns = count_of(session.turns, "turn")
    last = session.last_turn or "nothing yet"
    title = session.title.partition("\n")[0]
    return f"{session.id}  {session.created_at}  {turns}, {last}  {title}"
