"""The transcript of sessions and the record of checkpoints, in the store (port `Transcript`)."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from holdfast.adapters.store.publish import publish
from holdfast.adapters.store.queries.change_states import (
    ChangesExchanged,
    changes_in_log,
    exchange_changes,
    plan_exchange,
)
from holdfast.adapters.store.queries.chats import chat_by_id, project_of_chat
from holdfast.adapters.store.queries.checkpoints import (
    add_checkpoint,
    checkpoint_by_id,
    checkpoints_elsewhere,
    forget_places,
    remove_checkpoints,
)
from holdfast.adapters.store.queries.left_rows import (
    bring_back,
    left_messages,
    lock_chat,
    lock_turns_of_chat,
    take_out,
)
from holdfast.adapters.store.queries.messages import message_by_id, messages_from
from holdfast.adapters.store.queries.projects import (
    find_project,
    lock_project_by_id,
    project_at,
)
from holdfast.adapters.store.queries.sessions import session_by_id
from holdfast.adapters.store.queries.worktrees import worktree_at
from holdfast.adapters.store.store_errors import Gone, StoreError
from holdfast.adapters.store.tables import checkpoints
from holdfast.adapters.store.tables import events as logged
from holdfast.usecases.checkpoints.restore_ports import (
    CheckpointElsewhere,
    ConversationFailed,
    Exchanged,
)
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from sqlalchemy import Connection

    from holdfast.adapters.store.store import Store
    from holdfast.checkpoints.checkpoint import Checkpoint, CheckpointDraft
    from holdfast.usecases.checkpoints.restore_ports import (
        AnnounceExchange,
        AnnounceIds,
        RestoreScope,
    )
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

    def last_event(self) -> int:
        """Return the number of the last event of the project; 0 if there is none."""
        with translated():
            return self._store().query(_last_event, self._roots)

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

    def changes_differ(self, target: Checkpoint, scope: RestoreScope) -> bool:
        """Return whether an exchange with the target would change a change."""
        if scope == "conversation":
            return False
        with translated():
            return self._store().query(_changes_differ, target, self._roots)

    def exchange(
        self,
        target: Checkpoint,
        point: Checkpoint,
        orphans: Collection[str],
        announce: AnnounceExchange,
        *,
        scope: RestoreScope = "both",
        uses_up_target: bool = False,
    ) -> Exchanged:
        """Take what is newer than the target out of the record, and bring back what it had."""
        restore = _Restore(target, point, orphans, self._roots, scope, uses_up_target)
        with translated():
            return self._store().run(_exchange, restore, announce)

    def forget(
        self, ids: Collection[str], emptied: Collection[str], announce: AnnounceIds
    ) -> int | None:
        """Remove checkpoints, and what left with them and with others."""
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


@dataclass(frozen=True, slots=True)
class _Restore:
    """A restore of a target, before which the undo checkpoint `point` was taken."""

    target: Checkpoint
    point: Checkpoint
    orphans: Collection[str]
    roots: _Roots
    scope: RestoreScope
    uses_up_target: bool


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


def _last_event(connection: Connection, roots: _Roots) -> int:
    project = find_project(connection, roots.project)
    if project is None:
        return 0
    query = select(func.max(logged.c.seq)).where(logged.c.project_id == project.id)
    return connection.execute(query).scalar() or 0


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
    if place is not None:
        return place
    if draft.message is None:
        return None

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


def _exchange(connection: Connection, restore: _Restore, announce: AnnounceExchange) -> Exchanged:
    target, point = restore.target, restore.point
    with_conversation = restore.scope != "files"
    project_id = _project_to_exchange(connection, restore)
    if project_id is None:
        # Another process has removed the chat while the files were being restored.
        return Exchanged()

    # In this order: turn, project, chat, message, checkpoint. Else two that write the same would
    # wait for each other.
    if with_conversation:
        lock_turns_of_chat(connection, target.draft.chat or "")

    lock_project_by_id(connection, project_id)
    if checkpoint_by_id(connection, point.id) is not None:
        return _exchanged_before(connection, restore)

    exchanged = Exchanged()
    if with_conversation:
        place = _place(connection, target)
        if place is None:
            return exchanged
        exchanged = _exchange_turns(connection, restore, project_id, place)
    else:
        _add(connection, point, restore.roots, project_id)

    exchanged = _exchange_changes(connection, restore, project_id, exchanged)
    if restore.uses_up_target:
        remove_checkpoints(connection, [target.id])
        gone = (*exchanged.checkpoints_removed, target.id)
        exchanged = replace(exchanged, checkpoints_removed=gone)

    seq = publish(connection, project_id, announce(exchanged))
    return replace(exchanged, seq=seq)


def _exchange_turns(
    connection: Connection, restore: _Restore, project_id: str, place: int
) -> Exchanged:
    """Exchange messages, turns and checkpoints, and record the undo checkpoint at that place."""
    target, point = restore.target, restore.point
    chat_id = target.draft.chat or ""
    lock_chat(connection, chat_id)
    left = take_out(connection, chat_id, place, restore.orphans, point.id)
    came = bring_back(connection, target.id)
    is_new = checkpoint_by_id(connection, target.id) is None
    if is_new:
        _add(connection, target, restore.roots, project_id, place)

    _add(connection, point, restore.roots, project_id, place)
    return Exchanged(
        left.messages,
        came.messages,
        left.checkpoints,
        came.checkpoints,
        left.turns,
        came.turns,
        target_recorded=is_new,
    )


def _exchange_changes(
    connection: Connection, restore: _Restore, project_id: str, exchanged: Exchanged
) -> Exchanged:
    """Exchange the changes too, once the turns are exchanged."""
    at_target = None
    if restore.scope != "conversation":
        at_target = changes_in_log(connection, project_id, restore.target)

    moved = plan_exchange(
        connection,
        project_id,
        target_id=restore.target.id,
        at_target=at_target,
        worktrees_restored=_worktrees_of(restore.roots),
    )
    exchange_changes(connection, project_id, moved, restore.point.id)
    return replace(
        exchanged,
        changes_removed=moved.left,
        changes_brought_back=moved.back,
        changes_restored=moved.restored,
    )


def _changes_differ(connection: Connection, target: Checkpoint, roots: _Roots) -> bool:
    project = find_project(connection, roots.project)
    if project is None:
        return False

    at_target = changes_in_log(connection, project.id, target)
    plan = plan_exchange(
        connection,
        project.id,
        target_id=target.id,
        at_target=at_target,
        worktrees_restored=_worktrees_of(roots),
    )
    return plan != ChangesExchanged()


def _worktrees_of(roots: _Roots) -> frozenset[str | None]:
    """Return the identities of the worktrees that a restore of these roots is about.

    A change of an older store has none: it was made in the main worktree.
    """
    places = (roots.worktree, roots.project)
    found: set[str | None] = {place.worktree_id for place in places}
    if any(place.is_main for place in places):
        found.add(None)
    return frozenset(found)


def _project_to_exchange(connection: Connection, restore: _Restore) -> str | None:
    if restore.scope == "files":
        return _project_of(connection, restore.point, restore.roots)
    return project_of_chat(connection, restore.target.draft.chat or "")


def _exchanged_before(connection: Connection, restore: _Restore) -> Exchanged:
    """Return the messages of an exchange that was made already."""
    point = checkpoint_by_id(connection, restore.point.id)
    left = left_messages(connection, restore.point.id)
    if point is None:
        return Exchanged(left)
    if restore.scope == "files":
        return Exchanged(left)
    if not restore.target.is_undo_checkpoint:
        return Exchanged(left)

    chat_id = restore.target.draft.chat or ""
    back = messages_from(connection, chat_id, point.message_seq or 0)
    return Exchanged(left, back)


def _forget(
    connection: Connection, ids: Collection[str], emptied: Collection[str], announce: AnnounceIds
) -> int | None:
    owners = _owners(connection, ids)
    for project_id in sorted(set(owners.values())):
        lock_project_by_id(connection, project_id)

    numbers = _remove(connection, owners, announce)
    # Of those without a record there may still be rows that left with them.
    remove_checkpoints(connection, ids)
    forget_places(connection, emptied)
    return max(numbers.values(), default=None)
