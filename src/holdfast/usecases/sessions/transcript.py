"""Read the whole transcript of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.usecases.sessions.message_ports import TranscriptMessage, TranscriptReader

_PAGE = 200


def read_transcript(session: str, reader: TranscriptReader) -> tuple[TranscriptMessage, ...]:
    """Return all messages of a session, the oldest first."""
    messages: list[TranscriptMessage] = []
    before: int | None = None
    while True:
        page = reader.page(session, before=before, limit=_PAGE)
        messages += page.messages
        before = page.before
        if before is None:
            return tuple(reversed(messages))
