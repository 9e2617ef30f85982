"""Publishing events in a SQLite store without SQLAlchemy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.store.plain.column_values import dump_json, moment_to_sqlite, now
from holdfast.usecases.events.event_to_json import event_to_json

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from holdfast.vocab.owned_event import OwnedEvent

_LAST = "SELECT coalesce(max(seq), 0) FROM events WHERE project_id = ?"
_INSERT = """
    INSERT INTO events (project_id, seq, session_id, turn_id, kind, body, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)
"""


def publish(connection: sqlite3.Connection, project_id: str, events: Sequence[OwnedEvent]) -> int:
    """Append events to the log of a project, and return the number of its last event."""
    last: int = connection.execute(_LAST, (project_id,)).fetchone()[0]
    moment = moment_to_sqlite(now())
    rows = []
    for seq, owned in enumerate(events, last + 1):
        body = dump_json(event_to_json(owned.event))
        rows.append((project_id, seq, owned.session, owned.turn, owned.event.kind, body, moment))

    connection.executemany(_INSERT, rows)
    return last + len(rows)
