"""One event log for each project, which also records what is done outside of a session."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

# SQLite takes the text of a number for a number in a column that is declared as JSON.
_JSON = sa.JSON().with_variant(sa.Text(), "sqlite")

# The events of several sessions become one sequence, by their time. Inside a session the old order
# stays, also where a clock was set back: an event counts as no older than those before it.
_RENUMBER = """
    INSERT INTO events (project_id, seq, session_id, turn_id, kind, body, created_at)
    SELECT
        timed.project_id,
        row_number() OVER (
            PARTITION BY timed.project_id ORDER BY timed.latest, timed.session_id, timed.seq
        ),
        timed.session_id,
        NULL,
        timed.kind,
        timed.body,
        timed.created_at
    FROM (
        SELECT old_events.*, sessions.project_id AS project_id,
            max(old_events.created_at) OVER (
                PARTITION BY old_events.session_id ORDER BY old_events.seq
            ) AS latest
        FROM old_events JOIN sessions ON sessions.id = old_events.session_id
    ) AS timed
"""


def upgrade() -> None:
    """Return each project its log and each checkpoint its project.

    Write down what the tables have.
    """
    _rebuild_events()
    _add_project_of_checkpoints()
    _write_baselines()


def _rebuild_events() -> None:
    op.execute("CREATE TABLE old_events AS SELECT * FROM events")
    op.drop_table("events")
    op.create_table(
        "events",
        sa.Column("project_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("session_id", sa.Text(), nullable=True),
        sa.Column("turn_id", sa.Text(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("body", _JSON, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name="fk_events_project_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("project_id", "seq", name="pk_events"),
    )
    op.create_index("ix_events_session_id_seq", "events", ["session_id", "seq"])
    op.execute(_RENUMBER)
    op.drop_table("old_events")


# Through the chat or, for a checkpoint that has lost it, through the worktree.
_PROJECT_OF_CHECKPOINT = """coalesce(
    (SELECT sessions.project_id FROM chats JOIN sessions ON sessions.id = chats.session_id
     WHERE chats.id = checkpoints.chat_id),
    (SELECT worktrees.project_id FROM worktrees WHERE worktrees.id = checkpoints.worktree_id)
)"""


def _add_project_of_checkpoints() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.add_column("checkpoints", sa.Column("project_id", sa.Text(), nullable=True))
        op.create_foreign_key(
            "fk_checkpoints_project_id",
            "checkpoints",
            "projects",
            ["project_id"],
            ["id"],
            ondelete="CASCADE",
        )
        op.execute(f"UPDATE checkpoints SET project_id = {_PROJECT_OF_CHECKPOINT}")  # noqa: S608 - our own words
    else:
        _rebuild_checkpoints()

    op.create_index("ix_checkpoints_project_id", "checkpoints", ["project_id"])


def _rebuild_checkpoints() -> None:
    """Make the table anew: SQLite adds no named foreign key to a table that is there."""
    op.create_table(
        "new_checkpoints",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("chat_id", sa.Text(), nullable=True),
        sa.Column("session_id", sa.Text(), nullable=True),
        sa.Column("worktree_id", sa.Text(), nullable=True),
        sa.Column("message_id", sa.Text(), nullable=True),
        sa.Column("message_seq", sa.Integer(), nullable=True),
        sa.Column("commit_sha", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("project_id", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["chat_id"], ["chats.id"], name="fk_checkpoints_chat_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["session_id"], ["sessions.id"], name="fk_checkpoints_session_id", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["worktree_id"],
            ["worktrees.id"],
            name="fk_checkpoints_worktree_id",
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name="fk_checkpoints_project_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_checkpoints"),
    )
    copied = f"SELECT checkpoints.*, {_PROJECT_OF_CHECKPOINT} FROM checkpoints"  # noqa: S608 - constants
    op.execute(f"INSERT INTO new_checkpoints {copied}")
    op.drop_table("checkpoints")
    op.rename_table("new_checkpoints", "checkpoints")
    op.create_index("ix_checkpoints_chat_id_seq", "checkpoints", ["chat_id", "seq"])
    op.create_index("ix_checkpoints_session_id", "checkpoints", ["session_id"])
    op.create_index("ix_checkpoints_worktree_id", "checkpoints", ["worktree_id"])


def _write_baselines() -> None:
    """Append an event to each log with the ids, order and states of the tables."""
    connection = op.get_bind()
    insert = sa.text(
        "INSERT INTO events (project_id, seq, kind, body, created_at) VALUES (:project, "
        "(SELECT coalesce(max(seq), 0) + 1 FROM events WHERE project_id = :project), "
        "'baseline', :body, :moment)"
    ).bindparams(sa.bindparam("moment", type_=sa.DateTime(timezone=True)))
    body_type: Any = sa.Text() if connection.dialect.name == "sqlite" else sa.JSON()
    insert = insert.bindparams(sa.bindparam("body", type_=body_type))
    for project in connection.execute(sa.text("SELECT id FROM projects")).scalars().all():
        body = _baseline(connection, project)
        written = json.dumps(body) if connection.dialect.name == "sqlite" else body
        values = {"project": project, "body": written, "moment": datetime.now(UTC)}
        connection.execute(insert, values)


_SESSIONS = "SELECT id FROM sessions WHERE project_id = :project ORDER BY created_at, id"
_CHATS = """
    SELECT chats.id, messages.id FROM chats
    JOIN sessions ON sessions.id = chats.session_id
    LEFT JOIN messages ON messages.chat_id = chats.id
    WHERE sessions.project_id = :project ORDER BY chats.created_at, chats.id, messages.seq
"""
_CHANGES = "SELECT id, state FROM changes WHERE project_id = :project ORDER BY seq"
_CHECKPOINTS = "SELECT id, chat_id, seq FROM checkpoints WHERE project_id = :project"
_TRASHED = "SELECT body FROM trash WHERE kind = 'checkpoint'"
_TURNS = """
    SELECT turns.id, turns.status FROM turns
    JOIN chats ON chats.id = turns.chat_id
    JOIN sessions ON sessions.id = chats.session_id
    WHERE sessions.project_id = :project ORDER BY turns.started_at, turns.id
"""


def _baseline(connection: sa.Connection, project: str) -> dict[str, Any]:
    """Return the body of the event. Its shape is that of `vocab.events.Baseline` at this schema."""

    def rows(query: str) -> list[Any]:
        return list(connection.execute(sa.text(query), {"project": project}))

    chats: dict[str, list[str]] = {}
    for chat, message in rows(_CHATS):
        messages = chats.setdefault(chat, [])
        if message is not None:
            messages.append(message)

    return {
        "sessions": [session for (session,) in rows(_SESSIONS)],
        "chats": [{"chat_id": chat, "message_ids": ids} for chat, ids in chats.items()],
        "changes": [{"change_id": change, "state": state} for change, state in rows(_CHANGES)],
        "checkpoints": _checkpoints(rows(_CHECKPOINTS), rows(_TRASHED), set(chats)),
        "turns": [{"turn_id": turn, "status": status} for turn, status in rows(_TURNS)],
        "kind": "baseline",
    }


def _checkpoints(
    present: list[Any], trashed: list[Any], chats: set[str]
) -> list[dict[str, str | bool | None]]:
    """Return the checkpoints of each chat in their order, those in the trash too."""
    placed = [(chat or "", seq, checkpoint, False) for checkpoint, chat, seq in present]
    for (body,) in trashed:
        row = json.loads(body) if isinstance(body, str) else body
        if row["chat_id"] in chats:
            placed.append((row["chat_id"], row["seq"], row["id"], True))

    return [
        {"checkpoint_id": checkpoint, "chat_id": chat or None, "trashed": is_trashed}
        for chat, _, checkpoint, is_trashed in sorted(placed)
    ]
