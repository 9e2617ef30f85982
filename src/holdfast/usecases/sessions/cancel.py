"""Cancel the turn that runs in a session, in whatever process it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.usecases.sessions.ports import StopScope
from holdfast.usecases.sessions.stop_turns import StopRefused, stop_turns
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from holdfast.usecases.sessions.ports import RunningTurns

SENTENCE = "Stopped by `holdfast cancel`."
"""The sentence with which a turn ends that was cancelled."""


@dataclass(frozen=True, slots=True)
class SessionCancelled:
    """Nothing runs in the session any more. `turns` were stopped; none if nothing was running."""

    session: str
    turns: tuple[str, ...]
    message: str


def cancel_session(wanted: str, turns: RunningTurns) -> SessionCancelled | StopRefused:
    """Stop the turns of the session whose id begins with `wanted`."""
    found = turns.find_sessions(wanted)
    if len(found) > 1:
        return StopRefused(f"{wanted}: several sessions start with this; type more of the id.")
    if not found:
        return StopRefused(
            f"{wanted}: there is no such session in this project; `holdfast events` names them."
        )

    (session,) = found
    stopped = stop_turns(StopScope(session), SENTENCE, turns)
    if isinstance(stopped, StopRefused):
        return stopped

    ids = tuple(turn.id for turn in stopped.turns)
    message = f"session {session}: nothing is running."
    if ids:
        message = f"session {session}: stopped turn {', '.join(ids)}."

    return SessionCancelled(session, ids, message)
