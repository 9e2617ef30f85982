"""The transcript of sessions and the record of checkpoints, in the store (port `Transcript`)."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlalchemy import select

from holdfast.adapters.store.errors import Gone, StoreError
from holdfast.adapters.store.publish import publish
from holdfast.adapters.store.queries.chats import chat_by_id, project_of_chat
from holdfast.adapters.store.queries.checkpoints import (
    add_checkpoint,
    checkpoint_by_id,
    checkpoints_elsewhere,
    forget_places,
    remove_checkpoints,
)
from holdfast.adapters.store.queries.messages import message_by_id, messages_from
from holdfast.adapters.store.queries.projects import (
    find_project,
    lock_project_by_id,
    project_at,
)
from holdfast.adapters.store.queries.sessions import session_by_id
from holdfast.adapters.store.queries.trash import (
    InTheWay,
    bring_back,
    move_checkpoints_to_trash,
    move_messages_to_trash,
    trashed_messages,
)
from holdfast.adapters.store.queries.worktrees import worktree_at
from holdfast.adapters.store.tables import checkpoints
from holdfast.usecases.checkpoints.conversation import (
    CheckpointElsewhere,
    ConversationFailed,
    Exchanged,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from sqlalchemy import Connection

    from holdfast.adapters.store.store import Store
    from holdfast.checkpoints.checkpoint import Checkpoint, CheckpointDraft
    from holdfast.usecases.checkpoints.conversation import AnnounceExchange, AnnounceIds
    from holdfast.vocab.owned_event import OwnedEvent
    from holdfast.vocab.place import Place


class StoredTranscript:
    """The messages of all sessions of one project, and the checkpoints of a worktree."""

    def __init__(
        self, store: Callable[[], Store], worktree: Place, project: Place | None = None
    ) -> None:
        """Use the store that `store` returns; it is called for each transaction.

        `worktree` is the place of the worktree, `project` that of the project, if they differ: a
        directory of a worktree may be named as a project of its own.
        """
        self._store = store
        self._roots = _Roots(worktree, project or worktree)

    def record(
        self,
        checkpoint: Checkpoint,
        events: Sequence[OwnedEvent],
        gone: Collection[str] = (),
        announce: AnnounceIds = lambda _: (),
    ) -> int | None:
        """Record a checkpoint, with the message that it precedes, and remove others."""
        with translated():
            return self._store().run(_record, checkpoint, self._roots, events, gone, announce)

    def elsewhere(self) -> tuple[CheckpointElsewhere, ...]:
        """Return the checkpoints of the project's other worktrees, the latest first."""
        with translated():
            return self._store().query(_elsewhere, self._roots)

    def following(self, checkpoint: Checkpoint) -> int | None:
        """Return how many messages its chat has from the checkpoint's place on.

        None if the place is not known.
        """
        with translated():
            return self._store().query(_following, checkpoint)

    def exchange(
        self,
        target: Checkpoint,
        point: Checkpoint,
        orphans: Collection[str],
        announce: AnnounceExchange,
    ) -> Exchanged:
        """Move the messages from the target's place on to the trash, and bring its own back."""
        with translated():
            return self._store().run(_exchange, target, point, orphans, self._roots, announce)

    def forget(
        self, ids: Collection[str], emptied: Collection[str], announce: AnnounceIds
    ) -> int | None:
        """Remove checkpoints with their trash, and the trash of others."""
        with translated():
            return self._store().run(_forget, ids, emptied, announce)


@contextmanager
def translated() -> Iterator[None]:
    """Raise what the store raises as the error of the port."""
    try:
        yield
    except StoreError as error:
        raise ConversationFailed(str(error)) from error


@dataclass(frozen=True, slots=True)
class _Roots:
    """Where the worktree is, and the project."""

    worktree: Place
    project: Place


def _record(  # noqa: PLR0917 - the call of the port, on a connection
    connection: Connection,
    checkpoint: Checkpoint,
    roots: _Roots,
    events: Sequence[OwnedEvent],
    gone: Collection[str],
    announce: AnnounceIds,
) -> int | None:
    project_id = _project_of(connection, checkpoint, roots)
    owners = _owners(connection, gone)
    for each in sorted({project_id, *owners.values()}):
        lock_project_by_id(connection, each)
    if checkpoint_by_id(connection, checkpoint.id) is not None:
        return None
    _add(connection, checkpoint, roots, project_id)
    seq = publish(connection, project_id, events)
    removed = _remove(connection, owners, announce)
    return removed.get(project_id, seq)


def _elsewhere(connection: Connection, roots: _Roots) -> tuple[CheckpointElsewhere, ...]:
    project = find_project(connection, roots.project)
    if project is None:
        return ()
    found = []
    for row, worktree in checkpoints_elsewhere(connection, project.id, roots.worktree.worktree_id):
        created = row.created_at.isoformat(timespec="seconds")
        path, identity = worktree
        each = CheckpointElsewhere(
            row.id, path, identity, created, row.kind, row.label, row.session_id
        )
        found.append(each)
    return tuple(found)


def _project_of(connection: Connection, checkpoint: Checkpoint, roots: _Roots) -> str:
    session_id = checkpoint.draft.session
    if session_id is None:
        return project_at(connection, roots.project).id
    session = session_by_id(connection, session_id)
    if session is None:
        raise Gone("session", session_id)
    return session.project_id


def _owners(connection: Connection, ids: Collection[str]) -> dict[str, str]:
    """Return the projects of those of the checkpoints that are on record."""
    query = select(checkpoints.c.id, checkpoints.c.project_id).where(checkpoints.c.id.in_(ids))
    return {checkpoint: project for checkpoint, project in connection.execute(query) if project}


def _remove(
    connection: Connection, owners: Mapping[str, str], announce: AnnounceIds
) -> dict[str, int]:
    """Remove checkpoints, given with their projects.

    Return the number of the last event in each project.
    """
    remove_checkpoints(connection, list(owners))
    ids_of: dict[str, list[str]] = {}
    for checkpoint, project_id in owners.items():
        ids_of.setdefault(project_id, []).append(checkpoint)
    numbers = {}
    for project_id, ids in sorted(ids_of.items()):
        numbers[project_id] = publish(connection, project_id, announce(ids))
    return numbers


def _add(
    connection: Connection,
    checkpoint: Checkpoint,
    roots: _Roots,
    project_id: str,
    place: int | None = None,
) -> None:
    """Add the row of a checkpoint; `place` is where its chat is cut, if that is known."""
    draft = checkpoint.draft
    chat_id = None
    if draft.session is not None:
        chat_id = draft.chat
        place = _check_owner(connection, draft, place)
    worktree = worktree_at(connection, roots.worktree, project_id=project_id)
    add_checkpoint(
        connection,
        checkpoint_id=checkpoint.id,
        commit_sha=checkpoint.commit,
        kind=draft.kind,
        label=draft.label,
        chat_id=chat_id,
        project_id=project_id,
        session_id=draft.session,
        worktree_id=worktree.id,
        message_id=draft.message,
        message_seq=place,
    )


def _check_owner(connection: Connection, draft: CheckpointDraft, place: int | None) -> int | None:
    """Raise `Gone` if the chat or the message is not there; return where the chat is cut."""
    chat = chat_by_id(connection, draft.chat or "")
    if chat is None or chat.session_id != draft.session:
        raise Gone("chat", str(draft.chat))
    if place is not None or draft.message is None:
        return place
    message = message_by_id(connection, draft.message)
    if message is None or message.chat_id != chat.id:
        raise Gone("message", draft.message)
    return message.seq


def _place(connection: Connection, checkpoint: Checkpoint) -> int | None:
    """Return the number of the first message that a restore of the checkpoint removes."""
    chat_id = checkpoint.draft.chat
    if chat_id is None or chat_by_id(connection, chat_id) is None:
        return None
    row = checkpoint_by_id(connection, checkpoint.id)
    if row is not None:
        return row.message_seq
    # It was taken while the store could not be written. Not so for a point: without a row its
    # restore never was.
    if checkpoint.is_undo_checkpoint or checkpoint.draft.message is None:
        return None
    message = message_by_id(connection, checkpoint.draft.message)
    if message is None or message.chat_id != chat_id:
        return None
    return message.seq


def _following(connection: Connection, checkpoint: Checkpoint) -> int | None:
    place = _place(connection, checkpoint)
    if place is None:
        return None
    return len(messages_from(connection, checkpoint.draft.chat or "", place))


def _exchange(  # noqa: PLR0917 - the call of the port, on a connection
    connection: Connection,
    target: Checkpoint,
    point: Checkpoint,
    orphans: Collection[str],
    roots: _Roots,
    announce: AnnounceExchange,
) -> Exchanged:
    chat_id = target.draft.chat or ""
    project_id = project_of_chat(connection, chat_id)
    if project_id is None:
        # Another process has removed the chat while the files were being restored.
        return Exchanged()
    # In this order: project, chat, message, checkpoint. Else two that write the same would wait for
    # each other.
    lock_project_by_id(connection, project_id)
    done = checkpoint_by_id(connection, point.id)
    if done is not None:
        left = trashed_messages(connection, point.id)
        if not target.is_undo_checkpoint:
            return Exchanged(left)
        return Exchanged(left, messages_from(connection, chat_id, done.message_seq or 0))
    place = _place(connection, target)
    if place is None:
        return Exchanged()
    left = move_messages_to_trash(connection, chat_id, place, point.id)
    is_new = checkpoint_by_id(connection, target.id) is None
    if is_new:
        _add(connection, target, roots, project_id, place)
    _add(connection, point, roots, project_id, place)
    hidden = move_checkpoints_to_trash(connection, orphans, point.id)
    came = bring_back(connection, target.id)
    assert not isinstance(came, InTheWay)  # noqa: S101 - all from that place on has just left
    if target.is_undo_checkpoint:
        remove_checkpoints(connection, [target.id])
        hidden = (*hidden, target.id)
    exchanged = Exchanged(left, came.messages, hidden, came.checkpoints, is_new)
    seq = publish(connection, project_id, announce(exchanged))
    return replace(exchanged, seq=seq)


def _forget(
    connection: Connection, ids: Collection[str], emptied: Collection[str], announce: AnnounceIds
) -> int | None:
    owners = _owners(connection, ids)
    for project_id in sorted(set(owners.values())):
        lock_project_by_id(connection, project_id)
    numbers = _remove(connection, owners, announce)
    # Of those without a record there may still be trash.
    remove_checkpoints(connection, ids)
    forget_places(connection, emptied)
    return max(numbers.values(), default=None)
