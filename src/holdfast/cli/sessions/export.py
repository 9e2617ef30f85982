"""`holdfast sessions export`: the conversation of a session as Markdown or JSON."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.cli.options import AsJson, Root, require_directory
from holdfast.cli.refusal import refuse
from holdfast.cli.render.text import plain
from holdfast.cli.sessions.view import SessionId
from holdfast.usecases.sessions.session import SessionRefused, show_session
from holdfast.usecases.sessions.session_records import SessionsUnavailable
from holdfast.usecases.sessions.transcript import read_transcript
from holdfast.wiring.sessions import LateSessions, open_sessions

if TYPE_CHECKING:
    from holdfast.usecases.sessions.message_ports import MessagePart, TranscriptMessage
    from holdfast.usecases.sessions.session_records import SessionSummary

_FENCE = "````"


def export(wanted: SessionId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Print the conversation of a session as Markdown, or all of it as JSON.

    Exit 0: printed. 1: there is no such session, or the store cannot be read. 2: wrong usage.
    """
    require_directory(root)
    try:
        with open_sessions(root) as records:
            found = _read(wanted, records)
    except SessionsUnavailable as error:
        found = SessionRefused(str(error))

    if isinstance(found, SessionRefused):
        refuse(found.message, as_json=as_json)

    session, messages = found
    if as_json:
        body = {"session": asdict(session), "messages": [_as_json(each) for each in messages]}
        print(json.dumps(body))
        return

    text = _markdown(session, messages)
    if sys.stdout.isatty():
        text = plain(text)

    sys.stdout.write(text)


def _read(
    wanted: str, records: LateSessions
) -> tuple[SessionSummary, tuple[TranscriptMessage, ...]] | SessionRefused:
    session = show_session(wanted, records)
    if isinstance(session, SessionRefused):
        return session
    return session, read_transcript(session.id, records.messages)


def _as_json(message: TranscriptMessage) -> dict[str, Any]:
    return {
        "id": message.id,
        "seq": message.seq,
        "role": message.role,
        "state": message.state,
        "created_at": message.created_at,
        "turn_id": message.turn_id,
        "checkpoint_id": message.checkpoint_id,
        "parts": [
            {"id": part.id, "kind": part.kind, "body": part.body, "seq": part.seq}
            for part in message.parts
        ],
    }


def _markdown(session: SessionSummary, messages: tuple[TranscriptMessage, ...]) -> str:
    blocks = [f"# {session.title or session.id}"]
    blocks.append(f"Session {session.id}, {session.agent}, begun {session.created_at}.")
    for message in messages:
        who = "You" if message.role == "user" else "Assistant"
        blocks.append(f"## {who}, {message.created_at}")
        blocks += filter(None, map(_block, message.parts))

    return "\n\n".join(blocks) + "\n"


def _block(part: MessagePart) -> str:
    """Return a part as Markdown; "" for one that people do not read."""
    body = part.body
    match part.kind:
        case "text" | "said":
            return str(body.get("text", "")).strip()
        case "call_ended":
            outcome = "failed" if body.get("failure") else "done"
            return f"`{body.get('name')}`, {outcome}:\n\n{_FENCE}\n{body.get('text')}\n{_FENCE}"
        case "agent_call":
            return f"`{body.get('title')}`, {body.get('status')}"
        case "sentinel":
            return f"> {body.get('sentinel', {}).get('text', '')}"
        case "repair":
            return f"> {body.get('message', '')}"
        case _:
            return ""
