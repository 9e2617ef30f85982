"""The project that a turn works on, and a store that has seen much."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import insert

from holdfast.adapters.places.place_records import find_place
from holdfast.adapters.store.plain.column_values import new_id
from holdfast.adapters.store.queries.chats import add_chat
from holdfast.adapters.store.queries.events import NewEvent, append_events
from holdfast.adapters.store.queries.projects import project_at
from holdfast.adapters.store.queries.sessions import add_session
from holdfast.adapters.store.tables import message_parts, messages
from holdfast.wiring.late_store import LateStore

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from holdfast.vocab.place import Place

FILES = 40
_CHATS = 20
_TEXT = "Read the file, saw that the limit is too low, and raised it by one. " * 8


def make_project(place: Path) -> Path:
    """Make a small repository of Python files."""
    root = place / "project"
    (root / "src").mkdir(parents=True)
    for number in range(FILES):
        lines = [
            f"LIMIT = 0\n\n\ndef work_{number}_{part}(value):\n    return value + {part}\n"
            for part in range(8)
        ]
        text = lines[0] + "".join(line.removeprefix("LIMIT = 0\n") for line in lines[1:])
        (root / "src" / f"part_{number}.py").write_text(text, encoding="utf-8")
    identity = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
    for words in (("init", "-q"), ("add", "."), (*identity, "commit", "-q", "-m", "start")):
        subprocess.run(["git", "-C", str(root), *words], check=True)
    return root


def fill_store(state: Path, root: Path, count: int) -> None:
    """Put so many messages of earlier chats of this project into the store, each with a part and two events."""
    if count == 0:
        return
    at = find_place(root, state)
    with LateStore(state) as store:
        for chat in range(_CHATS):
            store.open().run(_add_chat, at, count // _CHATS + (chat < count % _CHATS))


def _add_chat(connection: Connection, place: Place, count: int) -> None:
    project = project_at(connection, place)
    session = add_session(connection, project.id, title="earlier")
    chat = add_chat(connection, session.id)
    rows: list[dict[str, Any]] = [
        {
            "id": new_id(),
            "chat_id": chat.id,
            "seq": seq,
            "role": "assistant" if seq % 2 else "user",
            "status": "done",
            "metadata": {},
        }
        for seq in range(count)
    ]
    if not rows:
        return
    connection.execute(insert(messages), rows)
    body = {"text": _TEXT}
    parts = [{"message_id": row["id"], "seq": 0, "kind": "text", "body": body} for row in rows]
    connection.execute(insert(message_parts), parts)
    facts = [NewEvent("text", body, session.id) for _ in range(2 * count)]
    append_events(connection, project.id, facts)
