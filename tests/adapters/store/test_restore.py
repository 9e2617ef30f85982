"""Restore in a session, on a real repository and a real store: files, transcript and the agent's memory together."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from holdfast.adapters.store.queries.checkpoints import checkpoint_by_id, remove_checkpoints
from holdfast.adapters.store.queries.worktrees import find_worktree
from holdfast.adapters.store.store import Store
from holdfast.adapters.store.tables import chats
from holdfast.checkpoints.checkpoint import Checkpoint
from holdfast.checkpoints.limits import IgnoredBudget
from holdfast.usecases.checkpoints.checkpoint import (
    CheckpointOwner,
    Created,
    create_checkpoint,
)
from holdfast.usecases.checkpoints.restore import restore, undo_restore
from holdfast.usecases.checkpoints.restore_ports import (
    AnnounceExchange,
    AnnounceIds,
    Backend,
    CheckpointElsewhere,
    ConversationFailed,
    Conversations,
    Exchanged,
    RestoreScope,
    Transcript,
)
from holdfast.usecases.locked_workspace import settle_first
from holdfast.usecases.settle_outcome import NOTHING_LEFT, Restored
from holdfast.usecases.workspace import NothingDone
from holdfast.vocab.owned_event import OwnedEvent
from holdfast.wiring.state_directory import state_directory
from holdfast.wiring.workspaces import open_workspace
from holdfast.wiring.worktrees import GitWorktrees, open_worktrees
from tests.adapters.store.queries import last_message, remove_row
from tests.adapters.store.talk import Talk, new_talk, other_chat, say
from tests.end_to_end.checkpoints.repo import Folder, ravage, standard
from tests.places import place_of

pytestmark = pytest.mark.slow  # seconds together: `make quick` does without


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str) -> Folder:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOLDFAST_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("HOLDFAST_DATABASE_URL", url)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return standard(Folder(tmp_path / "root"))


@pytest.fixture
def talk(repo: Folder, store: Store) -> Talk:
    return new_talk(repo, store)


@pytest.fixture
def three(talk: Talk) -> tuple[str, str, str]:
    """Three turns, and what they did to the files."""
    first = talk.turn("one")
    ravage(talk.repo)
    second = talk.turn("two")
    talk.repo.write("src/app.py", "after two\n")
    third = talk.turn("three")
    talk.repo.write("src/app.py", "after three\n")
    return first, second, third


@pytest.fixture
def locked_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, repo: Folder) -> Iterator[None]:
    """A store that cannot be opened: a directory is where its file should be."""
    with monkeypatch.context() as patch:
        (tmp_path / "nothing.sqlite3").mkdir()
        patch.setenv("HOLDFAST_DATABASE_URL", str(tmp_path / "nothing.sqlite3"))
        yield


def trashed(repo: Folder) -> list[str]:
    told = repo.private("for-each-ref", "--format=%(refname)", "refs/holdfast/trash/")
    return sorted(line.removeprefix("refs/holdfast/trash/") for line in told.split())


ALL = ["do one", "on one", "do two", "on two", "do three", "on three"]


def test_a_checkpoint_with_an_owner_is_on_record_with_the_message_it_precedes(talk: Talk) -> None:
    taken = talk.turn("one")
    row = talk.store.query(checkpoint_by_id, taken)
    answer = talk.store.query(last_message, talk.world.chat.id)
    worktree = talk.store.query(find_worktree, place_of(talk.repo.root))
    assert row
    assert worktree
    assert (row.chat_id, row.session_id, row.worktree_id) == (
        talk.world.chat.id,
        talk.session,
        worktree.id,
    )
    assert (row.message_id, row.message_seq, row.kind, row.label) == (answer.id, 2, "turn", "one")
    assert (
        row.commit_sha
        == talk.repo.private("rev-parse", f"refs/holdfast/checkpoints/{taken}").strip()
    )


def test_files_messages_and_memory_go_back_together_and_come_back_exactly(
    talk: Talk, three: tuple[str, str, str]
) -> None:
    first, second, third = three
    now, rows, users = talk.repo.tree(), talk.rows(), talk.repo.users()
    talk.hire()
    told = talk.repo.restore(first)
    point = told["undo_checkpoint_id"]
    assert told == {
        "checkpoint_id": first,
        "messages_deleted": 5,
        "worktree_reset": True,
        "backend_reset": True,
        "undo_checkpoint_id": point,
        "kept": [],
        "kept_why": {},
        "lost": [],
        "lost_why": {},
        "index_reset": False,
        "index_differs": False,
        "commits": [],
        "seq": told["seq"],
    }
    assert talk.repo.path("src/app.py").read_text() == "print('unstaged')\n"
    assert talk.said() == ["do one"]
    assert talk.at_work() == ["cancelled", "crashed"]
    assert sorted(talk.repo.ids()) == sorted([first, point])
    assert trashed(talk.repo) == sorted(f"{point}/{each}" for each in (second, third))
    assert [row["id"] for row in talk.rows()["checkpoints"]] == sorted([first, point])
    undone = talk.repo.undo()
    assert (
        undone["checkpoint_id"],
        undone["messages_brought_back"],
        undone["messages_deleted"],
    ) == (point, 5, 0)
    assert (undone["worktree_reset"], undone["backend_reset"]) == (True, False)
    assert talk.repo.tree() == now
    assert talk.rows(undone["undo_checkpoint_id"]) == rows
    assert set(talk.repo.ids()) == {*three, undone["undo_checkpoint_id"]}
    assert talk.trash() == set()
    assert talk.repo.users() == users


def test_only_the_files_leaves_the_messages_and_evicts_the_agent_too(
    talk: Talk, three: tuple[str, str, str]
) -> None:
    talk.hire()
    now, rows = talk.repo.tree(), talk.rows()
    told = talk.repo.restore(three[0], "--files")
    assert talk.repo.path("src/app.py").read_text() == "print('unstaged')\n"
    assert (told["messages_deleted"], told["worktree_reset"], told["backend_reset"]) == (
        0,
        True,
        True,
    )
    assert talk.at_work() == ["cancelled", "crashed"]
    assert talk.rows(told["undo_checkpoint_id"]) == rows
    point = talk.store.query(checkpoint_by_id, told["undo_checkpoint_id"])
    assert point
    assert (point.kind, point.session_id, point.message_seq) == ("undo", talk.session, None)
    undone = talk.repo.undo()
    assert (undone["messages_deleted"], undone["messages_brought_back"]) == (0, 0)
    assert talk.repo.tree() == now
    assert talk.rows(undone["undo_checkpoint_id"]) == rows


def test_only_the_conversation_leaves_the_files_and_so_does_its_undo(
    talk: Talk, three: tuple[str, str, str]
) -> None:
    talk.hire()
    rows, before = talk.rows(), talk.repo.tree()
    told = talk.repo.restore(three[1], "--conversation")
    assert talk.repo.tree() == before
    assert talk.said() == ["do one", "on one", "do two"]
    assert (told["messages_deleted"], told["worktree_reset"], told["backend_reset"]) == (
        3,
        False,
        True,
    )
    # Work that was done since is not what is taken back.
    talk.repo.write("src/app.py", "edited since\n")
    edited = talk.repo.tree()
    undone = talk.repo.undo()
    assert (undone["messages_brought_back"], undone["worktree_reset"]) == (3, False)
    assert talk.rows(undone["undo_checkpoint_id"]) == rows
    assert talk.repo.tree() == edited


def test_the_agent_goes_before_git_is_touched(talk: Talk, three: tuple[str, str, str]) -> None:
    talk.hire()
    seen: list[Any] = []

    class Watched(GitWorktrees):
        """Worktrees with a backend that is looked at before it evicts an agent."""

        @property
        def conversations(self) -> Conversations:
            whole = super().conversations
            return Conversations(whole.transcript, WatchedBackend(whole.backend))

    class WatchedBackend:
        def __init__(self, backend: Backend) -> None:
            self._backend = backend

        def refuse_waiting(self, session: str) -> None:
            self._backend.refuse_waiting(session)

        def evict(self, session: str, announce: AnnounceIds) -> bool:
            refs = talk.repo.git("for-each-ref", "--format=%(refname)", "refs/holdfast")
            seen.append((session, refs, talk.repo.tree(), talk.said(), talk.at_work()))
            return self._backend.evict(session, announce)

    refs = talk.repo.git("for-each-ref", "--format=%(refname)", "refs/holdfast")
    before = (talk.session, refs, talk.repo.tree(), ALL, ["running", "running"])
    outcome = restore(three[0], Watched(talk.repo.root, state_directory(), lambda _: None))
    assert isinstance(outcome, Restored)
    assert outcome.backend_reset
    assert seen == [before]


def test_a_restore_that_is_blocked_has_reset_the_agent_and_nothing_else(talk: Talk) -> None:
    talk.repo.write("thing", "a file\n")
    first = talk.turn("one")
    talk.repo.path("thing").unlink()
    talk.repo.write("thing/x.log", "ignored, too large, and in the way\n" * 40_000)
    talk.hire()
    tree, rows, ids = talk.repo.tree(), talk.rows(), talk.repo.ids()
    assert "in no checkpoint" in talk.repo.run("restore", first, "--json").why
    assert (talk.repo.tree(), talk.rows(), talk.repo.ids()) == (tree, rows, ids)
    assert talk.at_work() == ["cancelled", "crashed"]


def test_a_checkpoint_of_another_session_is_not_found_and_nobody_is_evicted(
    talk: Talk, three: tuple[str, str, str]
) -> None:
    talk.hire()
    stranger = new_talk(talk.repo, talk.store)
    outcome = restore(three[0], open_worktrees(talk.repo.root), session=stranger.session)
    assert isinstance(outcome, NothingDone)
    assert outcome.refusals[0].refused.reason == "not_found"
    assert talk.at_work() == ["running", "running"]
    talk.repo.restore(three[0])
    assert isinstance(
        undo_restore(open_worktrees(talk.repo.root), session=stranger.session), NothingDone
    )
    assert isinstance(undo_restore(open_worktrees(talk.repo.root), session=talk.session), Restored)


def test_a_chat_that_went_on_after_the_restore_loses_nothing_by_the_undo(
    talk: Talk, three: tuple[str, str, str]
) -> None:
    first, second, third = three
    rows, now = talk.rows(), talk.repo.tree()
    talk.repo.restore(second)
    talk.store.run(say, talk.world.chat.id, "assistant", "another answer")
    fourth = talk.turn("four")
    talk.repo.write("src/app.py", "after four\n")
    went_on, tree = talk.rows(), talk.repo.tree()
    undone = talk.repo.undo()
    point = undone["undo_checkpoint_id"]
    assert (undone["messages_brought_back"], undone["messages_deleted"]) == (3, 3)
    assert (talk.rows(point), talk.repo.tree()) == (rows, now)
    assert set(talk.repo.ids()) == {*three, point}
    # The undo can be taken back, with what was said in between; and that too.
    again = talk.repo.restore(point)
    assert talk.repo.tree() == tree
    assert talk.said() == ["do one", "on one", "do two", "another answer", "do four", "on four"]
    points = {row["id"] for row in went_on["checkpoints"] if row["kind"] == "undo"}
    assert talk.rows(again["undo_checkpoint_id"]) == {
        **went_on,
        "checkpoints": [row for row in went_on["checkpoints"] if row["id"] not in points],
    }
    assert set(talk.repo.ids()) == {first, second, fourth, again["undo_checkpoint_id"]}
    talk.repo.undo()
    assert (talk.said(), talk.repo.tree()) == (ALL, now)
    assert third in talk.repo.ids()


def test_restores_are_undone_one_by_one_from_the_last(
    talk: Talk, three: tuple[str, str, str]
) -> None:
    states = [(talk.rows(), talk.repo.tree())]
    points = []
    for target in (three[2], three[1], three[0]):
        points.append(talk.repo.restore(target)["undo_checkpoint_id"])
        states.append((talk.rows(*points), talk.repo.tree()))
    assert talk.said() == ["do one"]
    undone: list[str] = []
    for rows, tree in reversed(states[:-1]):
        undone.append(talk.repo.undo()["undo_checkpoint_id"])
        assert (talk.rows(*points, *undone), talk.repo.tree()) == (rows, tree)
    assert talk.said() == ALL
    assert talk.repo.run("undo", "--json").code == 1


def test_the_same_restore_twice_keeps_the_first_undo_point(
    talk: Talk, three: tuple[str, str, str]
) -> None:
    rows, now = talk.rows(), talk.repo.tree()
    told = talk.repo.restore(three[1])
    again = talk.repo.restore(three[1])
    assert again["undo_checkpoint_id"] == told["undo_checkpoint_id"]
    assert again["messages_deleted"] == 0
    undone = talk.repo.undo()
    assert (talk.rows(undone["undo_checkpoint_id"]), talk.repo.tree()) == (rows, now)


def test_a_point_that_is_restored_by_its_id_is_as_good_as_an_undo_and_can_be_undone(
    talk: Talk, three: tuple[str, str, str]
) -> None:
    rows, now = talk.rows(), talk.repo.tree()
    point = talk.repo.restore(three[1])["undo_checkpoint_id"]
    cut, then = talk.rows(point), talk.repo.tree()
    told = talk.repo.restore(point)
    assert (talk.rows(told["undo_checkpoint_id"]), talk.repo.tree()) == (rows, now)
    assert point not in talk.repo.ids()
    undone = talk.repo.undo()
    assert (undone["messages_deleted"], undone["messages_brought_back"]) == (3, 0)
    assert (talk.rows(undone["undo_checkpoint_id"]), talk.repo.tree()) == (cut, then)


def test_a_point_whose_restore_was_stopped_halfway_is_asked_for_again(
    talk: Talk, three: tuple[str, str, str]
) -> None:
    rows = talk.rows()
    point = talk.repo.restore(three[1])["undo_checkpoint_id"]
    restore(point, Unlucky(talk.repo.root, state_directory(), lambda _: None))
    told = talk.repo.restore(point)
    assert told["checkpoint_id"] == point
    assert talk.rows(told["undo_checkpoint_id"]) == rows


def test_a_folder_without_git_has_sessions_too(store: Store, repo: Folder, tmp_path: Path) -> None:
    talk = new_talk(Folder(tmp_path / "plain"), store)
    talk.repo.write("a.txt", "one\n")
    first = talk.turn("one")
    talk.repo.write("a.txt", "two\n")
    rows = talk.rows()
    assert talk.repo.restore(first)["messages_deleted"] == 1
    assert (talk.said(), talk.repo.path("a.txt").read_text()) == (["do one"], "one\n")
    undone = talk.repo.undo()
    assert (talk.rows(undone["undo_checkpoint_id"]), talk.repo.path("a.txt").read_text()) == (
        rows,
        "two\n",
    )
    assert talk.repo.run("prune", "--keep", "0", "--json").told["left"] == 0
    assert talk.rows()["checkpoints"] == []


def test_another_chat_of_the_session_stays_as_it_is(
    talk: Talk, three: tuple[str, str, str]
) -> None:
    other = other_chat(talk)
    beside = other.turn("beside")
    talk.repo.restore(three[0])
    assert other.said() == ["do beside", "on beside"]
    assert beside in talk.repo.ids()


def test_prune_empties_the_trash_and_an_undo_then_brings_back_files_alone(
    talk: Talk, three: tuple[str, str, str]
) -> None:
    now = talk.repo.tree()
    point = talk.repo.restore(three[1])["undo_checkpoint_id"]
    talk.store.run(say, talk.world.chat.id, "assistant", "went on")
    assert talk.trash() == {point}
    told = talk.repo.run("prune", "--keep", "2", "--json").told
    assert (told["removed"], told["left"]) == ([three[0]], 2)
    assert talk.trash() == set()
    assert trashed(talk.repo) == []
    assert sorted(row["id"] for row in talk.rows()["checkpoints"]) == sorted([three[1], point])
    ran = talk.repo.run("undo", "--json")
    assert ran.told["messages_brought_back"] == 0
    assert "keeps no messages" in ran.err
    assert talk.repo.tree() == now
    # What was said since has not gone anywhere, for nothing would have come in its place.
    assert talk.said() == ["do one", "on one", "do two", "went on"]


def test_the_store_forgets_checkpoints_that_went_by_themselves(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "holdfast.checkpoints.limits.SnapshotLimits.__init__.__defaults__",
        (600.0, 2**20, 2**30, 0, 5, IgnoredBudget()),
    )
    first = talk.turn("one")
    point = talk.repo.restore(first)["undo_checkpoint_id"]
    assert talk.trash() == {point}
    for number in range(18):
        talk.turn(str(number))
    # The undo checkpoint is counted apart.
    assert len(talk.repo.ids()) == 6
    assert sorted(row["id"] for row in talk.rows()["checkpoints"]) == sorted(talk.repo.ids())
    assert talk.trash() == {point}


def test_a_store_that_cannot_be_opened_refuses_both_and_leaves_files_alone_possible(
    talk: Talk, three: tuple[str, str, str], locked_store: None
) -> None:
    tree, ids = talk.repo.tree(), sorted(talk.repo.ids())
    for words in ((), ("--conversation",)):
        why = talk.repo.run("restore", three[0], "--json", *words).why
        assert "nothing.sqlite3" in why
        assert (
            f"`holdfast checkpoint restore {three[0]} --files` brings the files alone back." in why
        )
        assert (talk.repo.tree(), sorted(talk.repo.ids())) == (tree, ids)
    assert "nothing.sqlite3" in talk.repo.run("prune", "--json").why
    ran = talk.repo.run("restore", three[0], "--files", "--json")
    assert ran.told["worktree_reset"] is True
    assert "could not be reset" in ran.err
    assert talk.repo.path("src/app.py").read_text() == "print('unstaged')\n"
    assert talk.repo.undo()["worktree_reset"] is True
    assert talk.repo.tree() == tree


def test_a_checkpoint_that_the_store_could_not_take_is_told_and_can_be_restored_later(
    talk: Talk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk.turn("one")
    chat_id = talk.world.chat.id
    answer = talk.store.run(say, chat_id, "assistant", "no store")
    with monkeypatch.context() as patch:
        patch.setenv("HOLDFAST_DATABASE_URL", os.fspath(tmp_path))
        created = create_checkpoint(
            open_worktrees(talk.repo.root),
            kind="turn",
            owner=CheckpointOwner(talk.session, chat_id, answer),
        )
    assert isinstance(created, Created)
    assert created.unrecorded
    assert "the store does not know of this" in created.unrecorded
    assert talk.store.query(checkpoint_by_id, created.checkpoint.id) is None
    rows = talk.rows()
    assert talk.repo.restore(created.checkpoint.id)["messages_deleted"] == 1
    assert talk.said() == ["do one", "on one"]
    undone = talk.repo.undo()
    assert talk.rows(created.checkpoint.id, undone["undo_checkpoint_id"]) == rows
    assert talk.repo.restore(created.checkpoint.id)["messages_deleted"] == 1


def test_an_owner_that_the_store_does_not_have_is_told_and_the_checkpoint_is_taken(
    talk: Talk,
) -> None:
    created = create_checkpoint(
        open_worktrees(talk.repo.root), owner=CheckpointOwner(talk.session, "no chat", "no message")
    )
    assert isinstance(created, Created)
    assert created.unrecorded
    assert "chat no chat" in created.unrecorded
    assert talk.repo.ids() == [created.checkpoint.id]


def test_a_conversation_that_was_removed_is_refused_and_its_undo_brings_back_files(
    talk: Talk, three: tuple[str, str, str]
) -> None:
    now = talk.repo.tree()
    talk.repo.restore(three[0])
    talk.store.run(remove_row, chats, talk.world.chat.id)
    before = talk.repo.tree()
    assert "--files" in talk.repo.run("restore", three[0], "--json").why
    assert talk.repo.tree() == before
    ran = talk.repo.run("undo", "--json")
    assert (ran.code, ran.told["messages_brought_back"]) == (0, 0)
    assert talk.repo.tree() == now


def test_a_point_whose_row_is_gone_cuts_nothing(talk: Talk, three: tuple[str, str, str]) -> None:
    point = talk.repo.restore(three[1])["undo_checkpoint_id"]
    talk.store.run(remove_checkpoints, [point])
    talk.store.run(say, talk.world.chat.id, "assistant", "went on")
    talk.repo.undo()
    assert talk.said() == ["do one", "on one", "do two", "went on"]


@dataclass
class LosesTheStore:
    """A transcript whose store is lost before the messages are moved."""

    real: Transcript

    def record(
        self,
        checkpoint: Checkpoint,
        events: Sequence[OwnedEvent],
        gone: Collection[str] = (),
        announce: AnnounceIds = lambda _: (),
    ) -> int | None:
        return self.real.record(checkpoint, events, gone, announce)

    def elsewhere(self) -> tuple[CheckpointElsewhere, ...]:
        return self.real.elsewhere()

    def last_event(self) -> int:
        return self.real.last_event()

    def following(self, checkpoint: Checkpoint) -> int | None:
        return self.real.following(checkpoint)

    def changes_differ(self, target: Checkpoint, scope: RestoreScope) -> bool:
        return self.real.changes_differ(target, scope)

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
        raise ConversationFailed("the store is gone.")

    def forget(
        self, ids: Collection[str], emptied: Collection[str], announce: AnnounceIds
    ) -> int | None:
        return self.real.forget(ids, emptied, announce)


class Unlucky(GitWorktrees):
    @property
    def conversations(self) -> Conversations:
        real = super().conversations
        return Conversations(LosesTheStore(real.transcript), real.backend)


def test_a_store_that_is_lost_after_the_files_is_told_again_by_the_next_command(
    talk: Talk, three: tuple[str, str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, now = talk.rows(), talk.repo.tree()
    outcome = restore(three[0], Unlucky(talk.repo.root, state_directory(), lambda _: None))
    assert isinstance(outcome, NothingDone)
    assert outcome.unsettled
    assert outcome.refusals[0].refused.message == "the rest could not be done: the store is gone."
    assert talk.repo.path("src/app.py").read_text() == "print('unstaged')\n"
    with monkeypatch.context() as patch:
        patch.setenv("HOLDFAST_DATABASE_URL", os.fspath(tmp_path))
        # It cannot be finished yet, and does not stand in the way.
        ran = talk.repo.run("create", "--json")
        assert ran.code == 0
        assert "its files are done, its conversation cannot follow yet" in ran.err
        assert [each["outcome"] for each in ran.told["recovered"]] == ["stopped"]
        assert "cannot follow yet" in talk.repo.run("undo", "--json").why
    assert talk.said() == ALL
    # A turn that has begun in the meantime does not lose its own messages to it.
    owner = CheckpointOwner(talk.session, talk.world.chat.id, "any")
    early = create_checkpoint(open_worktrees(talk.repo.root), kind="turn", owner=owner)
    assert isinstance(early, NothingDone)
    assert "stopped halfway" in early.refusals[0].refused.message
    ran = talk.repo.run("list", "--json")
    assert "was interrupted" in ran.err
    assert talk.said() == ALL
    # Not `prune`: that removes what has left for good.
    ran = talk.repo.run("create", "--json")
    assert "it is now finished" in ran.err
    assert talk.said() == ["do one"]
    undone = talk.repo.undo()
    back = talk.rows(undone["undo_checkpoint_id"], ran.told["id"])
    assert (back, talk.repo.tree()) == (rows, now)
    assert talk.repo.run("list", "--json").err == ""


def test_a_turn_begins_by_finishing_what_was_left(talk: Talk, three: tuple[str, str, str]) -> None:
    with open_workspace(talk.repo.root) as workspace:
        assert settle_first(workspace) == NOTHING_LEFT
    restore(three[0], Unlucky(talk.repo.root, state_directory(), lambda _: None))
    with open_workspace(talk.repo.root) as workspace:
        recovered = settle_first(workspace)
    assert [
        (done.verb, done.checkpoint_id, done.messages_deleted) for done in recovered.finished
    ] == [("restore", three[0], 5)]
    talk.turn("instead")
    assert talk.said() == ["do one", "do instead", "on instead"]
