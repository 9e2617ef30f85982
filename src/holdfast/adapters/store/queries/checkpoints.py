"""Checkpoints: the rows beside the refs in git, in the order of their chat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, func, select, update

from holdfast.adapters.store.queries.chats import project_of_chat
from holdfast.adapters.store.queries.left_rows import remove_left, remove_left_turns
from holdfast.adapters.store.queries.messages import message_by_id
from holdfast.adapters.store.queries.statements import add, lock_parent, next_seq, record
from holdfast.adapters.store.rows import CheckpointRow
from holdfast.adapters.store.tables import checkpoints, worktrees

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import Connection


def add_checkpoint(
    connection: Connection,
    *,
    checkpoint_id: str,
    commit_sha: str,
    kind: str,
    chat_id: str | None,
    project_id: str | None = None,
    label: str = "",
    session_id: str | None = None,
    worktree_id: str | None = None,
    message_id: str | None = None,
    message_seq: int | None = None,
) -> CheckpointRow:
    """Record a checkpoint after those of its chat; raise `Gone` if the chat is not there.

    Its project is that of the chat. Without a chat it comes after those of `project_id` that have
    none; the caller has locked the project then. `checkpoint_id` is the name of its ref,
    `message_id` what it precedes. `message_seq` is where that message stood, for one that may have
    left; else it is looked up.
    """
    if message_seq is None and message_id is not None:
        message = message_by_id(connection, message_id)
        if message is not None:
            message_seq = message.seq

    if chat_id is None:
        without_chat = (checkpoints.c.project_id == project_id, checkpoints.c.chat_id.is_(None))
        last = select(func.coalesce(func.max(checkpoints.c.seq), 0)).where(*without_chat)
        seq: Any = connection.execute(last).scalar_one() + 1
    else:
        lock_parent(connection, checkpoints.c.chat_id, chat_id)
        project_id = project_of_chat(connection, chat_id)
        seq = next_seq(checkpoints.c.seq, checkpoints.c.chat_id, chat_id)

    return add(
        connection,
        CheckpointRow,
        checkpoints,
        id=checkpoint_id,
        chat_id=chat_id,
        session_id=session_id,
        worktree_id=worktree_id,
        message_id=message_id,
        message_seq=message_seq,
        commit_sha=commit_sha,
        label=label,
        kind=kind,
        seq=seq,
        project_id=project_id,
    )


def checkpoint_by_id(connection: Connection, checkpoint_id: str) -> CheckpointRow | None:
    """Return a checkpoint that has not left, or None."""
    this = (checkpoints.c.id == checkpoint_id, checkpoints.c.left_with.is_(None))
    return record(connection, CheckpointRow, select(checkpoints).where(*this))


def checkpoints_elsewhere(
    connection: Connection, project_id: str, identity: str
) -> tuple[tuple[CheckpointRow, tuple[str, str]], ...]:
    """Return the checkpoints of a project's worktrees but one, with path and id of each worktree.

    The latest first; `identity` is that of the worktree which is left out.
    """
    query = (
        select(checkpoints, worktrees.c.path, worktrees.c.identity)
        .join(worktrees, worktrees.c.id == checkpoints.c.worktree_id)
        .where(
            checkpoints.c.project_id == project_id,
            checkpoints.c.left_with.is_(None),
            worktrees.c.identity != identity,
        )
        .order_by(checkpoints.c.created_at.desc(), checkpoints.c.id)
    )
    found = []
    for row in connection.execute(query).mappings():
        values = dict(row)
        worktree = values.pop("path"), values.pop("identity")
        found.append((CheckpointRow(**values), worktree))

    return tuple(found)


def forget_places(connection: Connection, checkpoint_ids: Collection[str]) -> int:
    """Remove the conversation that left with these checkpoints, and forget where they stand.

    No message can be brought back there.
    """
    remove_left_turns(connection, checkpoint_ids)
    change = (
        update(checkpoints).where(checkpoints.c.id.in_(checkpoint_ids)).values(message_seq=None)
    )
    return connection.execute(change).rowcount


def remove_checkpoints(connection: Connection, checkpoint_ids: Collection[str]) -> int:
    """Remove checkpoints, with what left with them, and return how many were there."""
    # No undo leads there any more.
    remove_left(connection, checkpoint_ids)
    gone = delete(checkpoints).where(checkpoints.c.id.in_(checkpoint_ids))
    return connection.execute(gone).rowcount
