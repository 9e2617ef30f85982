"""A turn of a session that is on record: for its next queued message, or to continue it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.config.settings import BadConfig
from holdfast.usecases.redaction import redact
from holdfast.usecases.sessions.session import SessionRefused, show_session
from holdfast.usecases.turns.recorded_turn import NotSent
from holdfast.usecases.turns.send_message import UserMessage
from holdfast.wiring.agents.requests import OURS, AgentTurnRequest
from holdfast.wiring.agents.turns import run_agent_turn_at
from holdfast.wiring.settings import settings_at
from holdfast.wiring.turns import root_of_session, run_turn_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.config.settings import Settings
    from holdfast.usecases.sessions.message_ports import NewMessage, QueuedMessage
    from holdfast.usecases.sessions.session_records import SessionSummary
    from holdfast.usecases.turns.approvals import Asker
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.events import TurnEnded
    from holdfast.wiring.projects.open_project import OpenProject


def queue_message(
    project: OpenProject, session: str, new: NewMessage, settings: Settings
) -> tuple[QueuedMessage, bool]:
    """Record a message that waits for its turn, without Holdfast's own keys.

    Return the message and whether it is new. Its ids are those of the turn and of the prompt.
    """
    secrets = tuple(filter(None, (settings["api_key"], settings["database_url"])))
    return project.queue.add(session, redact(new, secrets))


def run_session_turn(
    project: OpenProject,
    session: str,
    *,
    message: QueuedMessage | None,
    asker: Asker | None,
    cancel: Cancel,
    say: Callable[[str], None] = lambda _: None,
    show: Callable[..., None] = lambda *_: None,
    flags: dict[str, Any] | None = None,
) -> TurnEnded | NotSent:
    """Run one turn of a session to its end, in the thread of the caller.

    `message` is the first of its queue (`project.queue.first`); without it the session continues
    where it stopped. A message whose turn cannot begin is marked as refused, with the reason; it
    goes on waiting if another turn of the session runs. All that happens is in the event log;
    `show` is called with it besides.
    """
    face: dict[str, Any] = {"show": show, "say": say, "asker": asker, "cancel": cancel}
    ended = _run(project, session, message, flags=flags or {}, **face)
    if isinstance(ended, NotSent) and message is not None and not _is_busy(project, session):
        project.queue.refuse(message, ended.message)

    return ended


def _is_busy(project: OpenProject, session: str) -> bool:
    """Return whether another turn of the session runs: then the message waits for its end."""
    shown = show_session(session, project.sessions)
    return not isinstance(shown, SessionRefused) and shown.state in {"running", "waiting"}


def _run(
    project: OpenProject,
    session: str,
    message: QueuedMessage | None,
    *,
    flags: dict[str, Any],
    **face: Any,
) -> TurnEnded | NotSent:
    prompt = None if message is None else message.prompt
    shown = show_session(session, project.sessions)
    if isinstance(shown, SessionRefused):
        return NotSent(shown.message)

    root = project.root_of(session)
    if isinstance(root, SessionRefused) and shown.agent == OURS:
        again = root_of_session(project.root, session, face["say"])
        if isinstance(again, NotSent):
            return NotSent(root.message)
        root = again

    settings = settings_at(project.root, _flags(shown, flags))
    if isinstance(settings, BadConfig):
        return NotSent(" ".join(settings.problems))
    if shown.agent != OURS:
        request = AgentTurnRequest(prompt, shown.agent, session=session, queued=message)
        return run_agent_turn_at(project.root, settings, request, **face)

    assert not isinstance(root, SessionRefused)  # noqa: S101 - refused above
    sent = UserMessage(prompt, session, plan=shown.mode == "plan", queued=message)
    return run_turn_at(root, settings, sent, **face)


def _flags(session: SessionSummary, flags: dict[str, Any]) -> dict[str, Any]:
    """Return the flags of a turn: those of the server, and what the session has chosen."""
    chosen = dict(flags)
    if session.chosen_model is not None and session.agent == OURS:
        chosen["model"] = session.chosen_model

    if session.mode is not None:
        # Nothing is written in the mode `plan`, so there is nothing to ask but for commands.
        chosen["approve"] = "ask" if session.mode == "plan" else session.mode

    return chosen
