"""`holdfast cancel`: stop the turn that runs in a session."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.options import AsJson, Root, require_directory
from holdfast.cli.refusal import refuse
from holdfast.cli.render.text import write
from holdfast.usecases.checkpoints.restore_ports import ConversationFailed
from holdfast.usecases.sessions.cancel import SessionCancelled, cancel_session
from holdfast.usecases.sessions.stop_turns import StopRefused
from holdfast.wiring.worktrees import open_running_turns


def cancel(
    session: Annotated[
        str, typer.Argument(metavar="SESSION", help="The session; the start of its id is enough.")
    ],
    *,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Stop the turn that runs in a session.

    The turn may run in any process; this waits until the turn has ended.

    Exit 0: nothing runs in the session any more, or nothing was running. 1: refused: there is no
    such session, or the turn does not end. 2: wrong usage.
    """
    require_directory(root)
    try:
        with open_running_turns(root) as turns:
            outcome = cancel_session(session, turns)
    except ConversationFailed as error:
        outcome = StopRefused(str(error))

    if isinstance(outcome, StopRefused):
        refuse(outcome.message, as_json=as_json)

    if as_json:
        print(json.dumps(_as_json(outcome)))
    else:
        write(outcome.message)


def _as_json(outcome: SessionCancelled) -> dict[str, object]:
    return {
        "session": outcome.session,
        "turns": list(outcome.turns),
        "stopped": bool(outcome.turns),
        "message": outcome.message,
    }
