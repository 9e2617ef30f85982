"""Show a session, rename it, put it away and back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.usecases.sessions.session_records import EVERY_SESSION, SessionSummary
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from holdfast.usecases.sessions.session_records import SessionRecords

_LONGEST_TITLE = 200


@dataclass(frozen=True, slots=True)
class SessionRefused:
    """Nothing was done; the message says why, and what to do.

    `reason` is `not_found`, `ambiguous`, `conflict` or `malformed`.
    """

    message: str
    reason: str = "not_found"


def find_session(wanted: str, records: SessionRecords) -> str | SessionRefused:
    """Return the id of the session that begins so."""
    found = records.find(wanted)
    if len(found) > 1:
        message = f"{wanted}: several sessions start with this; type more of the id."
        return SessionRefused(message, "ambiguous")
    if not found:
        return SessionRefused(
            f"{wanted}: there is no such session in this project; `holdfast sessions list` shows "
            "those that there are."
        )

    return found[0]


def show_session(wanted: str, records: SessionRecords) -> SessionSummary | SessionRefused:
    """Return the session whose id begins so."""
    found = find_session(wanted, records)
    if isinstance(found, SessionRefused):
        return found

    listed = records.list(replace(EVERY_SESSION, id=found))
    if not listed:
        return SessionRefused(f"{wanted}: another command has deleted it.")

    return listed[0]


def rename_session(
    wanted: str, title: str, records: SessionRecords
) -> SessionSummary | SessionRefused:
    """Set the title of the session whose id begins so; return the session."""
    title = " ".join(title.split())[:_LONGEST_TITLE]
    if not title:
        return SessionRefused("the title is empty; write one.", "malformed")

    found = find_session(wanted, records)
    if isinstance(found, SessionRefused):
        return found

    records.rename(found, title)
    return show_session(found, records)


def archive_session(
    wanted: str, records: SessionRecords, *, archived: bool = True
) -> SessionSummary | SessionRefused:
    """Put the session whose id begins so away, or back; return the session."""
    found = show_session(wanted, records)
    if isinstance(found, SessionRefused):
        return found
    if archived and found.state in {"running", "waiting"}:
        return SessionRefused(
            f"session {found.id}: a turn is running; wait for its end, or stop it with "
            f"`holdfast cancel {found.id}`.",
            "conflict",
        )

    if found.archived != archived:
        records.archive(found.id, archived=archived)

    return show_session(found.id, records)


def last_session(records: SessionRecords) -> SessionSummary | SessionRefused:
    """Return the session with the latest turn, archived ones left out."""
    begun = [each for each in records.list() if each.turns and not each.archived]
    if begun:
        return max(begun, key=lambda each: each.updated_at)
    return SessionRefused("there is no session here to continue; begin one with a prompt.")
