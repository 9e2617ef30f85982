"""Publishing events in the transaction that does what they are about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.store.queries.events import NewEvent, append_events
from holdfast.usecases.events.event_to_json import event_to_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from holdfast.vocab.owned_event import OwnedEvent


def publish(connection: Connection, project_id: str, events: Sequence[OwnedEvent]) -> int:
    """Append events to the log of a project, and return the number of its last event."""
    new = [
        NewEvent(owned.event.kind, event_to_json(owned.event), owned.session, owned.turn)
        for owned in events
    ]
    return append_events(connection, project_id, new)
