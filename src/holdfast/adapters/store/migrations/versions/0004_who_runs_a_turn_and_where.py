"""Record who runs a turn and who asked it to stop, where a project is, and what has left."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the columns; rows that are there get the agent and the generation that they have had."""
    for table in ("projects", "worktrees"):
        op.add_column(table, sa.Column("identity", sa.Text(), nullable=True))
        op.create_index(f"ix_{table}_identity", table, ["identity"], unique=True)

    op.add_column("sessions", sa.Column("worktree_id", sa.Text(), nullable=True))
    op.add_column("changes", sa.Column("worktree_id", sa.Text(), nullable=True))
    agent = sa.Column("agent", sa.Text(), nullable=False, server_default="holdfast")
    op.add_column("sessions", agent)
    op.add_column("turns", sa.Column("owner", sa.Text(), nullable=True))
    generation = sa.Column("generation", sa.Integer(), nullable=False, server_default="0")
    op.add_column("turns", generation)
    op.add_column("turns", sa.Column("stop_asked_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("turns", sa.Column("stop_message", sa.Text(), nullable=True))
    op.add_column("events", sa.Column("part_id", sa.Text(), nullable=True))
    op.create_index("ix_events_part_id", "events", ["part_id"])
    _let_rows_leave_where_they_are()


def _let_rows_leave_where_they_are() -> None:
    """Mark what a restore took out by `left_with`, and put the rows of the trash back so marked."""
    for table in ("messages", "turns", "changes", "checkpoints"):
        op.add_column(table, sa.Column("left_with", sa.Text(), nullable=True))
        op.create_index(f"ix_{table}_left_with", table, ["left_with"])

    op.add_column("changes", sa.Column("paths", sa.Text(), nullable=True))
    connection = op.get_bind()
    rows = connection.execute(sa.text("SELECT undo_checkpoint_id, kind, body FROM trash")).all()
    chats = set(connection.execute(sa.text("SELECT id FROM chats")).scalars())
    kept: dict[str, list[dict[str, Any]]] = {"message": [], "part": [], "checkpoint": []}
    for undo_id, kind, body in rows:
        row = json.loads(body) if isinstance(body, str) else dict(body)
        if kind != "part":
            row["left_with"] = undo_id
        kept[kind].append(row)

    messages = [row for row in kept["message"] if row["chat_id"] in chats]
    ids = {row["id"] for row in messages}
    _number_by_age(connection, messages)
    _insert(connection, "messages", messages)
    _insert(connection, "message_parts", [row for row in kept["part"] if row["message_id"] in ids])
    points = [row for row in kept["checkpoint"] if row["chat_id"] in chats]
    _insert(connection, "checkpoints", [_without_the_lost(connection, row) for row in points])
    _place_checkpoints(connection, messages)
    op.drop_table("trash")


def _number_by_age(connection: sa.Connection, leaving: list[dict[str, Any]]) -> None:
    """Give the messages of a chat new numbers where two have the same one.

    A message that was said after a restore had the number of one that had left. From now on no two
    in a chat have the same number, and a later message has a greater one.
    """
    taken = sa.text("SELECT id, seq, created_at FROM messages WHERE chat_id = :chat")
    shift = sa.text("UPDATE messages SET seq = seq + :by WHERE chat_id = :chat")
    number = sa.text("UPDATE messages SET seq = :seq WHERE id = :id")
    for chat in sorted({row["chat_id"] for row in leaving}):
        ours = [row for row in leaving if row["chat_id"] == chat]
        live = connection.execute(taken, {"chat": chat}).all()
        numbers = [row["seq"] for row in ours] + [seq for _, seq, _ in live]
        if len(numbers) == len(set(numbers)):
            continue
        ages = [(_moment(row["created_at"]), row["seq"], row["id"]) for row in ours]
        ages += [(_moment(created), seq, message) for message, seq, created in live]
        new = {message: seq for seq, (_, _, message) in enumerate(sorted(ages), 1)}
        connection.execute(shift, {"by": len(ages) + max(numbers), "chat": chat})
        for message, _, _ in live:
            connection.execute(number, {"seq": new[message], "id": message})
        for row in ours:
            row["seq"] = new[row["id"]]


def _place_checkpoints(connection: sa.Connection, messages: list[dict[str, Any]]) -> None:
    """Set where the chats of `messages` are cut, for those whose messages have new numbers."""
    place = sa.text(
        "UPDATE checkpoints SET message_seq = "
        "(SELECT seq FROM messages WHERE messages.id = checkpoints.message_id) "
        "WHERE chat_id = :chat AND message_seq IS NOT NULL "
        "AND message_id IN (SELECT id FROM messages WHERE chat_id = :chat)"
    )
    for chat in sorted({row["chat_id"] for row in messages}):
        connection.execute(place, {"chat": chat})


def _without_the_lost(connection: sa.Connection, row: dict[str, Any]) -> dict[str, Any]:
    """Return the row of a checkpoint without the session and the worktree that are gone."""
    project = sa.text(
        "SELECT sessions.project_id FROM sessions "
        "JOIN chats ON chats.session_id = sessions.id WHERE chats.id = :id"
    )
    found = dict(row)
    found["project_id"] = connection.execute(project, {"id": row["chat_id"]}).scalar()
    for column, table in (("session_id", "sessions"), ("worktree_id", "worktrees")):
        there = sa.text(f"SELECT id FROM {table} WHERE id = :id")  # noqa: S608 - our own names
        found[column] = connection.execute(there, {"id": row[column]}).scalar()

    return found


def _insert(connection: sa.Connection, table: str, rows: list[dict[str, Any]]) -> None:
    if not rows:
        return
    columns = [sa.column(name, _TYPES.get(name)) for name in rows[0]]
    sqlite = connection.dialect.name == "sqlite"
    values = [{name: _value(name, row[name], sqlite=sqlite) for name in row} for row in rows]
    connection.execute(sa.insert(sa.table(table, *columns)), values)


def _value(name: str, value: Any, *, sqlite: bool) -> Any:
    if name == "created_at":
        return _moment(value)
    if name in {"metadata", "body"} and sqlite:
        return json.dumps(value)
    return value


def _moment(value: Any) -> datetime:
    moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC)


_JSON = sa.JSON().with_variant(sa.Text(), "sqlite")
_TYPES: dict[str, Any] = {
    "created_at": sa.DateTime(timezone=True),
    "metadata": _JSON,
    "body": _JSON,
}
