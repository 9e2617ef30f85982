"""Any turns, restores and undos in a chat: each point that can be gone back to gives back the exact rows of its time."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, Table, select

from holdfast.adapters.store.store import Store
from holdfast.adapters.store.tables import checkpoints, message_parts, messages
from holdfast.adapters.store.transcript import StoredTranscript
from holdfast.checkpoints.checkpoint import (
    Checkpoint,
    CheckpointDraft,
    CheckpointKind,
    WorktreeState,
    last_undo_checkpoint,
    orphans_of,
)
from tests.adapters.store.talk import say
from tests.adapters.store.world import World, new_world
from tests.places import place_of

NAMES = count()


class Chat:
    """A chat in the store, and the refs of its checkpoints as a restore moves them (`follow_files` does it in git)."""

    def __init__(self, store: Store, root: Path) -> None:
        self.store = store
        self.world: World = store.run(new_world)
        self.transcript = StoredTranscript(lambda: store, place_of(root))
        self.live: dict[str, Checkpoint] = {}
        self.hidden: dict[str, dict[str, Checkpoint]] = {}
        self.states: dict[str, Any] = {}

    def turn(self) -> None:
        chat_id = self.world.chat.id
        self.store.run(say, chat_id, "user", "prompt")
        taken = self._take("turn", self.store.run(say, chat_id, "assistant", "answer"))
        self.transcript.record(taken, [])

    def go(self, target: Checkpoint, kind: CheckpointKind) -> None:
        """Restore, or undo."""
        orphans = orphans_of(target, self.live.values())
        before = self.state()
        point = self._take(kind, target.draft.message, target.state_sequence)
        self.states[point.id] = before
        following = self.transcript.following(target)
        assert following is not None
        used = target.is_undo_checkpoint
        exchanged = self.transcript.exchange(
            target, point, orphans, lambda _: [], uses_up_target=used
        )
        assert len(exchanged.messages_removed) == following
        if target.is_undo_checkpoint:
            self.live |= self.hidden.pop(target.id, {})
            del self.live[target.id]
        self.hidden[point.id] = {each: self.live.pop(each) for each in orphans}

    def turns(self) -> list[Checkpoint]:
        return sorted(
            (each for each in self.live.values() if not each.is_undo_checkpoint),
            key=lambda each: each.seq,
        )

    def state(self) -> Any:
        """Give all rows of the chat but those of points, and the refs but theirs."""
        return self.store.query(_rows, self.world.chat.id), [each.id for each in self.turns()]

    def _take(
        self, kind: CheckpointKind, message: str | None, since: int | None = None
    ) -> Checkpoint:
        number = next(NAMES)
        session, chat = self.world.session.id, self.world.chat.id
        draft = CheckpointDraft(
            f"c{number}",
            kind,
            "now",
            session=session,
            chat=chat,
            message=message,
            state_sequence=since,
        )
        self.live[draft.id] = Checkpoint(draft, WorktreeState("t"), number, "c", "main")
        return self.live[draft.id]


def _rows(connection: Connection, chat_id: str) -> list[list[dict[str, Any]]]:
    def of(table: Table, *which: Any) -> list[dict[str, Any]]:
        query = select(table).where(*which).order_by(table.c.id)
        return [dict(row) for row in connection.execute(query).mappings()]

    there = (messages.c.chat_id == chat_id, messages.c.left_with.is_(None))
    taken = (checkpoints.c.chat_id == chat_id, checkpoints.c.left_with.is_(None))
    return [
        of(messages, *there),
        of(message_parts, message_parts.c.message_id.in_(select(messages.c.id).where(*there))),
        of(checkpoints, *taken, checkpoints.c.kind == "turn"),
    ]


steps = st.one_of(
    st.just(("turn", 0)),
    st.just(("say", 0)),
    st.tuples(st.just("restore"), st.integers(0, 3)),
    st.just(("undo", 0)),
    st.tuples(st.just("point"), st.integers(0, 3)),
)


@pytest.mark.slow
@settings(
    max_examples=max(1, settings().max_examples // 2),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(steps, max_size=8))
def test_any_restores_and_undos_give_back_the_exact_rows(
    store: Store, tmp_path: Path, done: list[tuple[str, int]]
) -> None:
    chat = Chat(store, tmp_path)
    chat.turn()
    chat.turn()
    for step, which in done:
        points = [each for each in chat.live.values() if each.is_undo_checkpoint]
        last = last_undo_checkpoint(points)
        match step:
            case "turn":
                chat.turn()
            case "say":
                store.run(say, chat.world.chat.id, "assistant", "on and on")
            case "restore":
                target = chat.turns()[which % len(chat.turns())]
                chat.go(target, "undo")
                assert chat.transcript.following(target) == 0
                assert chat.turns()[-1] == target
            case "undo" if last:
                chat.go(last, "undone")
                assert chat.state() == chat.states[last.id]
            case "point" if points:
                target = points[which % len(points)]
                chat.go(target, "undo")
                assert chat.state() == chat.states[target.id]
            case _:
                pass
    while last := last_undo_checkpoint(chat.live.values()):
        chat.go(last, "undone")
        assert chat.state() == chat.states[last.id]
