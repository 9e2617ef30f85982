"""Checkpoints: the rows beside the refs in git, in one order."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from sqlalchemy import ColumnElement, delete, select, update

from holdfast.adapters.store.queries.messages import message_by_id
from holdfast.adapters.store.queries.statements import add, next_seq_overall, record, records
from holdfast.adapters.store.queries.trash import empty_trash
from holdfast.adapters.store.records import CheckpointRow
from holdfast.adapters.store.tables import checkpoints

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection


async def add_checkpoint(
    connection: AsyncConnection,
    *,
    checkpoint_id: str,
    commit_sha: str,
    kind: str,
    label: str = "",
    chat_id: str | None = None,
    session_id: str | None = None,
    worktree_id: str | None = None,
    message_id: str | None = None,
    message_seq: int | None = None,
) -> CheckpointRow:
    """Record a checkpoint after all others; `checkpoint_id` is the name of its ref, `message_id` what it precedes.

    `message_seq` is where that message stood, for one that may be in the trash; else it is looked up.
    """
    if message_seq is None and message_id is not None:
        message = await message_by_id(connection, message_id)
        message_seq = None if message is None else message.seq
    return await add(
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
        seq=await next_seq_overall(connection, checkpoints.c.seq),
    )


async def checkpoint_by_id(connection: AsyncConnection, checkpoint_id: str) -> CheckpointRow | None:
    """Give a checkpoint."""
    return await record(
        connection, CheckpointRow, select(checkpoints).where(checkpoints.c.id == checkpoint_id)
    )


async def checkpoints_of_chat(
    connection: AsyncConnection, chat_id: str
) -> tuple[CheckpointRow, ...]:
    """Give the checkpoints of a chat, the oldest first."""
    return await _in_order(connection, checkpoints.c.chat_id == chat_id)


async def checkpoints_of_worktree(
    connection: AsyncConnection, worktree_id: str
) -> tuple[CheckpointRow, ...]:
    """Give the checkpoints of a worktree, of whatever chat or none, the oldest first."""
    return await _in_order(connection, checkpoints.c.worktree_id == worktree_id)


async def later_checkpoints(
    connection: AsyncConnection, checkpoint: CheckpointRow
) -> tuple[CheckpointRow, ...]:
    """Give the checkpoints of the same chat that came after this one, the oldest first.

    If it has no chat: those of the same worktree that have none either.
    """
    later = checkpoints.c.seq > checkpoint.seq
    if checkpoint.chat_id is not None:
        return await _in_order(connection, checkpoints.c.chat_id == checkpoint.chat_id, later)
    alone = checkpoints.c.chat_id.is_(None)
    # `in_`, not `==`: a checkpoint without a worktree is beside no other.
    beside = checkpoints.c.worktree_id.in_([checkpoint.worktree_id])
    return await _in_order(connection, alone, beside, later)


async def forget_places(connection: AsyncConnection, checkpoint_ids: Collection[str]) -> int:
    """Forget what the trash keeps for these checkpoints, and where they stand: nothing can be brought back there."""
    await empty_trash(connection, checkpoint_ids)
    change = (
        update(checkpoints).where(checkpoints.c.id.in_(checkpoint_ids)).values(message_seq=None)
    )
    return (await connection.execute(change)).rowcount


async def remove_checkpoints(connection: AsyncConnection, checkpoint_ids: Collection[str]) -> int:
    """Forget checkpoints, with what the trash keeps for them, and say how many were there."""
    # No undo leads there any more; and its numbers, which the next checkpoint may get, must not come back.
    await empty_trash(connection, checkpoint_ids)
    gone = delete(checkpoints).where(checkpoints.c.id.in_(checkpoint_ids))
    return (await connection.execute(gone)).rowcount


async def _in_order(
    connection: AsyncConnection, *which: ColumnElement[bool]
) -> tuple[CheckpointRow, ...]:
    return await records(
        connection, CheckpointRow, select(checkpoints).where(*which).order_by(checkpoints.c.seq)
    )
