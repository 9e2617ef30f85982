"""The tables: one schema, on SQLite and on PostgreSQL.

Order is an integer `seq`, never a timestamp. Ids, `metadata` and `created_at` come by themselves if
a row is inserted without them. A change here needs a migration beside it: `docs/store.md` says how.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

from holdfast.adapters.store.column_types import DiskPath, Json, Moment, Words
from holdfast.adapters.store.plain.column_values import new_id, nothing, now

# Alembic finds a constraint again by its name, so each has one, and the same on both databases.
metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)


def _id() -> Column[str]:
    return Column("id", Text, primary_key=True, default=new_id)


def _child_of(parent: str, *, on_delete: str = "CASCADE", **options: Any) -> Column[str]:
    nullable = options.pop("nullable", on_delete == "SET NULL")
    name = parent.removesuffix("s") + "_id"
    return Column(
        name, Text, ForeignKey(f"{parent}.id", ondelete=on_delete), nullable=nullable, **options
    )


def _words(name: str) -> Column[str]:
    return Column(name, Words, nullable=False, default="")


def _word(name: str) -> Column[str]:
    return Column(name, Text, nullable=False)


def _metadata() -> Column[Any]:
    return Column("metadata", Json, nullable=False, default=nothing)


def _moment(name: str = "created_at") -> Column[Any]:
    return Column(name, Moment, nullable=False, default=now)


def _seq() -> Column[int]:
    return Column("seq", Integer, nullable=False)


def _left_with() -> Column[Any]:
    """Return the column for the undo checkpoint of the restore that took a row out; null: it is in.

    Every reader reads only rows with null. There is no foreign key: the undo checkpoint may itself
    have left with a later one.
    """
    return Column("left_with", Text, index=True)


projects = Table(
    "projects",
    metadata,
    _id(),
    Column("root", DiskPath, nullable=False, unique=True),
    _moment(),
    # Which folder it is, wherever it has been moved to; null until it is seen.
    Column("identity", Text),
    Index(None, "identity", unique=True),
)

sessions = Table(
    "sessions",
    metadata,
    _id(),
    _child_of("projects", index=True),
    _words("title"),
    _word("status"),
    _metadata(),
    _moment(),
    # No foreign key: the session stays when the record of its worktree goes.
    Column("worktree_id", Text),
    Column("agent", Text, nullable=False, server_default="holdfast"),
    # What its turns use if they name no other: null is what the settings say.
    Column("model", Words),
    Column("mode", Text),
)

worktrees = Table(
    "worktrees",
    metadata,
    _id(),
    _child_of("projects", index=True),
    Column("path", DiskPath, nullable=False, unique=True),
    _words("branch"),
    _word("base_sha"),
    _moment(),
    Column("identity", Text),
    Index(None, "identity", unique=True),
)

chats = Table(
    "chats",
    metadata,
    _id(),
    _child_of("sessions", index=True),
    _words("title"),
    _moment(),
)

messages = Table(
    "messages",
    metadata,
    _id(),
    _child_of("chats"),
    _seq(),
    _word("role"),
    _word("status"),
    _metadata(),
    _moment(),
    UniqueConstraint("chat_id", "seq"),
    _left_with(),
)

message_parts = Table(
    "message_parts",
    metadata,
    _id(),
    _child_of("messages"),
    _seq(),
    _word("kind"),
    # JSON's null for a part whose body is that of an event.
    Column("body", Json, nullable=False),
    UniqueConstraint("message_id", "seq"),
)

turns = Table(
    "turns",
    metadata,
    _id(),
    _child_of("chats", index=True),
    # No foreign key, here and in checkpoints: an emptied trash removes the message alone.
    Column("message_id", Text),
    _word("status"),
    Column("stop_reason", Words),
    _metadata(),
    _moment("started_at"),
    Column("ended_at", Moment),
    # Which process runs it: "HOST PID STARTED", its start as the system counts it.
    Column("owner", Words),
    # Counts up with every stop: what an evicted process records under an older number is refused.
    Column("generation", Integer, nullable=False, server_default="0"),
    Column("stop_asked_at", Moment),
    # The sentence that the stopped turn ends with.
    Column("stop_message", Words),
    _left_with(),
)

queued_messages = Table(
    "queued_messages",
    metadata,
    # The id that the message gets when its turn begins.
    _id(),
    _child_of("sessions"),
    _seq(),
    # What the sender calls it: a second one of this name is the same message.
    Column("client_id", Text),
    # The id that its turn gets.
    _word("turn_id"),
    _word("state"),
    Column("body", Json, nullable=False),
    Column("why", Words),
    _moment(),
    UniqueConstraint("session_id", "seq"),
    UniqueConstraint("session_id", "client_id"),
)

rejections = Table(
    "rejections",
    metadata,
    _id(),
    _child_of("sessions"),
    _seq(),
    # No foreign key: the reason is told also if the change was pruned.
    _word("change_id"),
    _word("state"),
    # The hunks, the paths of the change and the reason.
    Column("body", Json, nullable=False),
    Column("why", Words),
    # The turn whose prompt has told the model; null until then.
    Column("told_in", Text),
    _moment(),
    UniqueConstraint("session_id", "seq"),
)

approvals = Table(
    "approvals",
    metadata,
    _id(),
    _child_of("sessions", index=True),
    # What a restore took out with its turn counts no more: the turn has `left_with`.
    _child_of("turns", index=True),
    _word("what"),
    _words("subject"),
    _words("why"),
    Column("options", Json, nullable=False),
    _moment("asked_at"),
    # Null while the question is open.
    Column("answer", Text),
    Column("reason", Words),
    Column("answered_at", Moment),
)

changes = Table(
    "changes",
    metadata,
    _id(),
    _child_of("projects"),
    _child_of("sessions", on_delete="SET NULL", index=True),
    _child_of("turns", on_delete="SET NULL", index=True),
    _seq(),
    _word("state"),
    _word("origin"),
    Column("request", Json, nullable=False),
    Column("files", Json, nullable=False),
    _moment(),
    Column("settled_at", Moment),
    UniqueConstraint("project_id", "seq"),
    # No foreign key, as in sessions. Null for a change of an older store: of the main worktree.
    Column("worktree_id", Text),
    _left_with(),
    # The swapped paths, each between two slashes and two slashes; null in rows of older stores.
    Column("paths", Words),
)

checkpoints = Table(
    "checkpoints",
    metadata,
    _id(),
    # Null outside of a session: then the order is that of the project.
    _child_of("chats", nullable=True),
    _child_of("sessions", on_delete="SET NULL", index=True),
    _child_of("worktrees", on_delete="SET NULL", index=True),
    Column("message_id", Text),
    # Where the transcript is cut: messages with this seq or a later one leave.
    Column("message_seq", Integer),
    _word("commit_sha"),
    _words("label"),
    _word("kind"),
    # The order in the chat.
    _seq(),
    _moment(),
    # Last and nullable: schema 0003 adds it to rows that are there.
    _child_of("projects", nullable=True, index=True),
    Index(None, "chat_id", "seq"),
    _left_with(),
)

agent_sessions = Table(
    "agent_sessions",
    metadata,
    _id(),
    _child_of("sessions", index=True),
    _word("agent"),
    _word("backend"),
    _word("status"),
    _metadata(),
    _moment(),
    # No foreign key: it goes with its session. Null for an agent session of an older store.
    Column("chat_id", Text),
    # Counts up with every restore: a turn that was queued under an older number is refused.
    Column("generation", Integer, nullable=False, server_default="0"),
)

events = Table(
    "events",
    metadata,
    _child_of("projects", primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    # No foreign keys: an event stays when its session or its turn goes.
    Column("session_id", Text),
    Column("turn_id", Text),
    _word("kind"),
    Column("body", Json, nullable=False),
    _moment(),
    # The part of a message whose text this is: it is stored once.
    Column("part_id", Text),
    Index(None, "session_id", "seq"),
    Index(None, "turn_id", "seq"),
    Index(None, "part_id"),
)
