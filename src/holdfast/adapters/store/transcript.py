"""The transcript of sessions, in the store (port `Transcript`)."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import contextmanager
from typing import TYPE_CHECKING

from holdfast.adapters.store.errors import Gone, StoreError
from holdfast.adapters.store.queries.chats import chat_by_id
from holdfast.adapters.store.queries.checkpoints import (
    add_checkpoint,
    checkpoint_by_id,
    forget_places,
    remove_checkpoints,
)
from holdfast.adapters.store.queries.messages import count_messages_from, message_by_id
from holdfast.adapters.store.queries.sessions import session_by_id
from holdfast.adapters.store.queries.trash import (
    InTheWay,
    bring_back,
    move_checkpoints_to_trash,
    move_messages_to_trash,
    trashed_messages,
)
from holdfast.adapters.store.queries.worktrees import worktree_at
from holdfast.adapters.store.store import Store
from holdfast.usecases.checkpoints.conversation import ConversationFailed, Exchanged

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy import Connection

    from holdfast.checkpoints.checkpoint import Checkpoint


class StoredTranscript:
    """The messages of all sessions at one root, and the checkpoints of its worktree."""

    def __init__(self, store: Callable[[], Store], root: Path) -> None:
        """Take how to get at the store, which is asked at each call, and the root of the worktree."""
        self._store = store
        self._root = root

    def record(self, checkpoint: Checkpoint) -> None:
        """Write a checkpoint of a session down, with the message that it precedes."""
        with told():
            self._store().run(_record, checkpoint, self._root)

    def following(self, checkpoint: Checkpoint) -> int | None:
        """Say how many messages stand in its chat from the checkpoint's place on; None if the place is not known."""
        with told():
            return self._store().query(_following, checkpoint)

    def exchange(
        self, target: Checkpoint, point: Checkpoint, orphans: Collection[str]
    ) -> Exchanged:
        """Take the messages from the target's place on out, and put back what the trash keeps for the target."""
        with told():
            return self._store().run(_exchange, target, point, orphans, self._root)

    def forget(self, ids: Collection[str], emptied: Collection[str]) -> None:
        """Drop checkpoints with their trash, and the trash of others."""
        with told():
            self._store().run(_forget, ids, emptied)


@contextmanager
def told() -> Iterator[None]:
    """Say what the store says in the words of the port."""
    try:
        yield
    except StoreError as error:
        raise ConversationFailed(str(error)) from error


def _record(
    connection: Connection, checkpoint: Checkpoint, root: Path, place: int | None = None
) -> None:
    draft = checkpoint.draft
    session = session_by_id(connection, draft.session or "")
    if session is None:
        raise Gone("session", str(draft.session))
    chat = chat_by_id(connection, draft.chat or "")
    if chat is None or chat.session_id != session.id:
        raise Gone("chat", str(draft.chat))
    if place is None and draft.message is not None:
        message = message_by_id(connection, draft.message)
        if message is None or message.chat_id != chat.id:
            raise Gone("message", draft.message)
        place = message.seq
    worktree = worktree_at(connection, root, project_id=session.project_id)
    add_checkpoint(
        connection,
        checkpoint_id=checkpoint.id,
        commit_sha=checkpoint.commit,
        kind=draft.kind,
        label=draft.label,
        chat_id=chat.id,
        session_id=session.id,
        worktree_id=worktree.id,
        message_id=draft.message,
        message_seq=place,
    )


def _place(connection: Connection, checkpoint: Checkpoint) -> int | None:
    """Give the number of the first message that leaves its chat when the checkpoint is restored."""
    chat_id = checkpoint.draft.chat
    if chat_id is None or chat_by_id(connection, chat_id) is None:
        return None
    row = checkpoint_by_id(connection, checkpoint.id)
    if row is not None:
        return row.message_seq
    # It was taken while the store could not be written. Not so for a point: without a row its restore never was.
    if checkpoint.is_point or checkpoint.draft.message is None:
        return None
    message = message_by_id(connection, checkpoint.draft.message)
    return message.seq if message and message.chat_id == chat_id else None


def _following(connection: Connection, checkpoint: Checkpoint) -> int | None:
    place = _place(connection, checkpoint)
    return (
        None
        if place is None
        else count_messages_from(connection, checkpoint.draft.chat or "", place)
    )


def _exchange(
    connection: Connection,
    target: Checkpoint,
    point: Checkpoint,
    orphans: Collection[str],
    root: Path,
) -> Exchanged:
    chat_id = target.draft.chat or ""
    done = checkpoint_by_id(connection, point.id)
    if done is not None:
        back = (
            count_messages_from(connection, chat_id, done.message_seq or 0)
            if target.is_point
            else 0
        )
        return Exchanged(trashed_messages(connection, point.id), back)
    place = _place(connection, target)
    if place is None:
        # Somebody has removed the chat while the files were on their way.
        return Exchanged()
    # In this order: chat, message, checkpoint. Else two that write the same would wait for each other.
    left = move_messages_to_trash(connection, chat_id, place, point.id)
    if checkpoint_by_id(connection, target.id) is None:
        _record(connection, target, root, place)
    _record(connection, point, root, place)
    move_checkpoints_to_trash(connection, orphans, point.id)
    came = bring_back(connection, target.id)
    assert not isinstance(came, InTheWay)  # noqa: S101 - all from that place on has just left
    if target.is_point:
        remove_checkpoints(connection, [target.id])
    return Exchanged(left, came.messages)


def _forget(connection: Connection, ids: Collection[str], emptied: Collection[str]) -> None:
    remove_checkpoints(connection, ids)
    forget_places(connection, emptied)
