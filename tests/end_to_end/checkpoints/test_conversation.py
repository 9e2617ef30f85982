"""Restore in a session: files, transcript and the agent's memory together, in the stated order, and back again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from holdfast.sessions.checkpoint import Created, Owner, create_checkpoint, prune_checkpoints
from holdfast.sessions.restore import Conversation, Restored, restore, undo_restore
from holdfast.sessions.workspace import NothingDone
from holdfast.wiring import open_worktrees
from tests.end_to_end.checkpoints.repo import Folder, ravage


@dataclass
class Talk:
    """A chat in memory, and the agent at work in it (ports `Transcript` and `Backend`)."""

    repo: Folder
    messages: list[str] = field(default_factory=list)
    anchors: dict[str, str] = field(default_factory=dict)
    trash: dict[str, list[str]] = field(default_factory=dict)
    forgotten: list[str] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    on_cut: Callable[[], None] = lambda: None

    def cut(self, checkpoint_id: str, undo_id: str) -> int:
        self.on_cut()
        if undo_id not in self.trash:
            at = self.messages.index(self.anchors[checkpoint_id])
            self.trash[undo_id] = self.messages[at:]
            del self.messages[at:]
        self.log.append(f"cut, app.py is {self.repo.path('src/app.py').read_text().strip()}")
        return len(self.trash[undo_id])

    def bring_back(self, undo_id: str) -> int:
        back = self.trash.pop(undo_id, [])
        self.messages += back
        return len(back)

    def forget(self, ids: Sequence[str]) -> None:
        self.forgotten += ids
        for each in ids:
            self.trash.pop(each, None)

    def evict(self, session: str) -> bool:
        self.log.append(f"evict {session}, {len(self.repo.ids())} refs")
        return True

    def turn(self, name: str) -> str:
        """Let a turn begin: the prompt, the assistant's message, and the checkpoint before it."""
        self.messages += [f"prompt {name}", f"answer {name}"]
        owner = Owner("s1", "c1", f"answer {name}")
        created = create_checkpoint(open_worktrees(self.repo.root), name, kind="turn", owner=owner)
        assert isinstance(created, Created)
        self.anchors[created.checkpoint.id] = f"answer {name}"
        return created.checkpoint.id

    @property
    def conversation(self) -> Conversation:
        return Conversation("s1", self, self)

    def restore(self, wanted: str, **options: str) -> Restored:
        outcome = restore(wanted, open_worktrees(self.repo.root), conversation=self.conversation, **options)  # type: ignore[arg-type]
        assert isinstance(outcome, Restored), outcome
        return outcome

    def undo(self) -> Restored:
        outcome = undo_restore(open_worktrees(self.repo.root), conversation=self.conversation)
        assert isinstance(outcome, Restored), outcome
        return outcome


@pytest.fixture
def talk(repo: Folder) -> Talk:
    return Talk(repo)


def test_files_messages_and_memory_go_back_together_and_come_back_together(repo: Folder, talk: Talk) -> None:
    first = talk.turn("one")
    then = repo.tree()
    ravage(repo)
    second = talk.turn("two")
    repo.write("src/app.py", "after two\n")
    third = talk.turn("three")
    now, messages = repo.tree(), list(talk.messages)
    restored = talk.restore(first)
    point = restored.undo_checkpoint_id
    assert repo.tree() == then | {b"debug.log": now[b"debug.log"]}
    assert talk.messages == ["prompt one"]
    assert (restored.messages, restored.worktree_reset, restored.backend_reset) == (5, True, True)
    # The agent goes before git is touched, and the messages after the files.
    assert talk.log == ["evict s1, 3 refs", "cut, app.py is print('unstaged')"]
    assert sorted(repo.ids()) == sorted([first, point])
    trash = repo.git("for-each-ref", "--format=%(refname)", "refs/holdfast/trash/").split()
    assert sorted(trash) == sorted(f"refs/holdfast/trash/{point}/{each}" for each in (second, third))
    undone = talk.undo()
    assert repo.tree() == now
    assert talk.messages == messages
    assert (undone.checkpoint_id, undone.messages, undone.backend_reset) == (point, 5, True)
    assert set(repo.ids()) == {first, second, third, undone.undo_checkpoint_id}


def test_only_the_files_leaves_the_messages_and_evicts_the_agent_too(repo: Folder, talk: Talk) -> None:
    first = talk.turn("one")
    repo.write("src/app.py", "agent\n")
    talk.turn("two")
    restored = talk.restore(first, scope="files")
    assert repo.path("src/app.py").read_text() == "print('unstaged')\n"
    assert len(talk.messages) == 4
    assert (restored.messages, restored.worktree_reset, restored.backend_reset) == (0, True, True)
    assert repo.git("for-each-ref", "refs/holdfast/trash/") == ""


def test_only_the_conversation_leaves_the_files_and_evicts_the_agent_too(repo: Folder, talk: Talk) -> None:
    first = talk.turn("one")
    ravage(repo)
    talk.turn("two")
    before = repo.tree()
    restored = talk.restore(first, scope="conversation")
    assert repo.tree() == before
    assert talk.messages == ["prompt one"]
    assert (restored.messages, restored.worktree_reset, restored.backend_reset) == (3, False, True)
    talk.undo()
    assert talk.messages == ["prompt one", "answer one", "prompt two", "answer two"]
    assert repo.tree() == before


def test_a_checkpoint_of_another_session_is_not_found_and_nobody_is_evicted(repo: Folder, talk: Talk) -> None:
    first = talk.turn("one")
    stranger = Talk(repo)
    outcome = restore(first, open_worktrees(repo.root), conversation=Conversation("s2", stranger, stranger))
    assert isinstance(outcome, NothingDone)
    assert outcome.refusals[0].refused.reason == "not_found"
    assert stranger.log == []


def test_a_store_that_fails_after_the_files_is_told_again_at_the_next_start(repo: Folder, talk: Talk) -> None:
    first = talk.turn("one")
    ravage(repo)
    talk.turn("two")
    now = repo.tree()

    def fail() -> None:
        raise RuntimeError("the database is gone")

    talk.on_cut = fail
    with pytest.raises(RuntimeError):
        talk.restore(first)
    assert len(talk.messages) == 4
    # A command without a session cannot finish it, and does not stand in its way.
    ran = repo.run("list", "--json")
    assert "its session will finish it" in ran.err
    talk.on_cut = lambda: None
    restored = talk.restore(first)
    assert restored.messages == 3
    assert talk.messages == ["prompt one"]
    talk.undo()
    assert (repo.tree(), len(talk.messages)) == (now, 4)
    assert repo.run("list", "--json").err == ""


def test_prune_tells_the_store_what_is_gone_and_empties_the_trash(repo: Folder, talk: Talk) -> None:
    first = talk.turn("one")
    repo.write("src/app.py", "agent\n")
    talk.turn("two")
    restored = talk.restore(first)
    assert talk.trash.keys() == {restored.undo_checkpoint_id}
    pruned = prune_checkpoints(open_worktrees(repo.root), 1, conversation=talk.conversation)
    assert not isinstance(pruned, NothingDone)
    assert (pruned.removed, pruned.emptied, pruned.left) == ((first,), (restored.undo_checkpoint_id,), 1)
    assert talk.forgotten == [first, restored.undo_checkpoint_id]
    assert talk.trash == {}
    assert repo.git("for-each-ref", "refs/holdfast/trash/") == ""
    assert repo.ids() == [restored.undo_checkpoint_id]
