"""What changes behind the tools of a turn, where snapshots fail or are too large."""

from __future__ import annotations

import subprocess

import pytest

from holdfast.adapters.project.worktree_digest import DiskWorktreeDigests
from holdfast.changes.change import NO_OWNER, OBSERVED, RequestedEdits
from holdfast.changes.change_log import LogUnavailable
from holdfast.changes.plan import FileRefused
from holdfast.changes.swaps import Content
from holdfast.checkpoints.checkpoint import Skipped, WorktreeState
from holdfast.checkpoints.ports import FileVersion, FileVersions
from holdfast.tools.digest_observer import DigestObserver
from holdfast.tools.ports import Author
from holdfast.usecases.changes.apply import AppliedReply, apply_reply
from holdfast.usecases.changes.rewind import Rewound, rewind_change
from holdfast.usecases.changes.undo import Undone, undo_last
from holdfast.usecases.turns import observed_changes, observed_files
from holdfast.usecases.turns.observed_changes import TurnObserver
from holdfast.usecases.workspace import NothingDone, Workspace
from holdfast.vocab.outcomes import Refused
from holdfast.vocab.requests import FileRequest, Replace, WriteFile
from holdfast.wiring.worktrees import open_worktrees
from tests.usecases.memory_worktrees import MemoryWorktrees
from tests.usecases.world import World

pytestmark = pytest.mark.integration


def observer_of(world: World, workspace: Workspace) -> TurnObserver:
    digests = DigestObserver(DiskWorktreeDigests(str(world.root)))
    worktrees = open_worktrees(world.root)
    return TurnObserver(worktrees, workspace, NO_OWNER, digests, is_cache=lambda _: False)


def begin(world: World, observer: TurnObserver) -> None:
    with open_worktrees(world.root).hold(make=True) as worktree:
        observer.begin(worktree.capture(), last_event(world))


def last_event(world: World) -> int:
    """Return the number of the last event of the root, 0 if there is none."""
    return max((event.seq for event in world.events()), default=0)


def apply(workspace: Workspace, *requests: FileRequest) -> None:
    applied = apply_reply(RequestedEdits(requests), workspace)
    assert isinstance(applied, AppliedReply), applied


def swaps_of(workspace: Workspace) -> list[tuple[str, bytes | None, bytes | None]]:
    """Return path and both texts of each file of the observed changes, the newest first."""
    swaps = [swap for change in workspace.log.list(origin=OBSERVED) for swap in change.plan.swaps]
    return [(each.path, _data(each.before), _data(each.after)) for each in swaps]


def _data(content: Content | None) -> bytes | None:
    return None if content is None else content.data


def test_after_a_snapshot_that_fails_digests_are_compared(world: World) -> None:
    subprocess.run(["git", "init", "-q", str(world.root)], check=True)
    world.write(a="one\n")
    with world.workspace() as workspace:
        observer = observer_of(world, workspace)
        observer.begin(WorktreeState("0" * 40), None)
        world.write(a="two\n")
        assert observer.look("command").files == ()
        assert "diff-tree" in observer.problem
        world.write(a="three\n")
        assert observer.look("command").files == ("a.py",)
        [change] = workspace.log.list(state="applied")
        assert [file.diff for file in change.plan.files] == [
            "There is no checkpoint of this folder, so its content is not kept."
        ]


def test_of_more_files_than_a_change_may_have_none_is_kept(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(observed_files, "MOST_FILES", 2)
    subprocess.run(["git", "init", "-q", str(world.root)], check=True)
    with world.workspace() as workspace:
        observer = observer_of(world, workspace)
        begin(world, observer)
        world.write(a="1\n", b="2\n", c="3\n")
        assert observer.look("command").files == ("a.py", "b.py", "c.py")
        [change] = workspace.log.list(state="applied")
        assert (change.plan.swaps, len(change.plan.files)) == ((), 3)
        why = "3 files with 6 bytes changed at once, so its content is not kept."
        assert {file.diff for file in change.plan.files} == {why}


EDIT = FileRequest("a.py", "edit", Replace("one", "two"))


@pytest.fixture
def repository(world: World) -> World:
    """A repository with `a.py` and `b.py`."""
    subprocess.run(["git", "init", "-q", str(world.root)], check=True)
    world.write(a="one\n", b="one\n")
    return world


@pytest.mark.parametrize("by", ["command", "agent", "outside"])
def test_what_changes_have_written_is_not_observed(repository: World, by: Author) -> None:
    with repository.workspace() as workspace:
        apply(workspace, FileRequest("b.py", "edit", Replace("one", "two")))
        observer = observer_of(repository, workspace)
        begin(repository, observer)
        apply(workspace, EDIT, FileRequest("new.py", "create", WriteFile("new\n")))
        assert observer.look(by).files == ()
        assert isinstance(undo_last(workspace), Undone)
        assert isinstance(undo_last(workspace), Undone)
        assert not (repository.root / "new.py").exists()
        assert observer.look(by).files == ()
        apply(workspace, FileRequest("b.py", "delete"))
        assert observer.look(by).files == ()
        assert swaps_of(workspace) == []


def test_what_a_change_wrote_and_others_changed_is_observed_from_there(repository: World) -> None:
    with repository.workspace() as workspace:
        observer = observer_of(repository, workspace)
        begin(repository, observer)
        apply(workspace, EDIT)
        repository.write(a="one\n")
        assert observer.look("outside").files == ("a.py",)
        assert swaps_of(workspace) == [("a.py", b"two\n", b"one\n")]
        apply(workspace, EDIT)
        (repository.root / "a.py").unlink()
        assert observer.look("command").files == ("a.py",)
        assert swaps_of(workspace)[:1] == [("a.py", b"two\n", None)]
        assert observer.look("command").files == ()


def test_a_file_that_a_change_deleted_and_others_made_again_is_observed(repository: World) -> None:
    with repository.workspace() as workspace:
        observer = observer_of(repository, workspace)
        begin(repository, observer)
        apply(workspace, FileRequest("a.py", "delete"))
        repository.write(a="one\n")
        assert observer.look("outside").files == ("a.py",)
        assert swaps_of(workspace) == [("a.py", None, b"one\n")]


def test_a_mode_that_a_command_sets_on_an_edited_file_is_observed_once(repository: World) -> None:
    with repository.workspace() as workspace:
        observer = observer_of(repository, workspace)
        begin(repository, observer)
        apply(workspace, EDIT)
        (repository.root / "a.py").chmod(0o755)
        assert observer.look("command").files == ("a.py",)
        [seen] = workspace.log.list(origin=OBSERVED)
        [swap] = seen.plan.swaps
        assert (swap.before, swap.after) == (Content(b"two\n", 0o644), Content(b"two\n", 0o755))
        other = observer_of(repository, workspace)
        with open_worktrees(repository.root).hold(make=True) as worktree:
            other.begin(worktree.capture(), 0)
        assert other.look("command").files == ()
        assert observer.look("command").files == ()


def test_two_observers_record_one_edit_once(repository: World) -> None:
    with repository.workspace() as workspace:
        first, second = (observer_of(repository, workspace) for _ in range(2))
        begin(repository, first)
        begin(repository, second)
        (repository.root / "link").symlink_to("a.py")
        repository.write(a="two\n")
        assert first.look("command").files == ("a.py", "link")
        assert second.look("command").files == ()
        assert len(swaps_of(workspace)) == 2


def test_a_text_that_an_undo_left_below_later_edits_is_known(repository: World) -> None:
    repository.write(a="1\n2\n3\n4\n5\n")
    with repository.workspace() as workspace:
        apply(workspace, FileRequest("a.py", "edit", Replace("1", "one")))
        [first] = workspace.log.list(state="applied")
        apply(workspace, FileRequest("a.py", "edit", Replace("5", "five")))
        observer = observer_of(repository, workspace)
        begin(repository, observer)
        assert isinstance(rewind_change(first.id, workspace), Rewound)
        assert repository.texts()["a.py"] == "1\n2\n3\n4\nfive\n"
        assert observer.look("command").files == ()
        assert swaps_of(workspace) == []


def test_an_edit_of_a_text_that_no_record_has_is_named_and_not_kept(repository: World) -> None:
    repository.write(a="1\n2\n3\n4\n5\n")
    with repository.workspace() as workspace:
        apply(workspace, FileRequest("a.py", "edit", Replace("1", "one")))
        [first] = workspace.log.list(state="applied")
        apply(workspace, FileRequest("a.py", "edit", Replace("5", "five")))
        observer = observer_of(repository, workspace)
        begin(repository, observer)
        assert isinstance(rewind_change(first.id, workspace), Rewound)
        repository.write(a="other\n")
        assert observer.look("command").files == ("a.py",)
        [seen] = workspace.log.list(origin=OBSERVED)
        why = "The text before is not on record, so its content is not kept."
        assert ([file.diff for file in seen.plan.files], seen.plan.swaps) == ([why], ())


def test_nothing_is_recorded_while_a_dead_command_cannot_be_settled(repository: World) -> None:
    with repository.workspace() as workspace:
        observer = observer_of(repository, workspace)
        begin(repository, observer)
        repository.write(b="two\n")
        apply(workspace, EDIT)
        assert isinstance(undo_last(workspace), Undone)
        before = workspace.log.ids()
        [journal] = repository.state.rglob("journal")
        (journal / "000009.batch").write_text("not a journal")
        assert observer.look("command").files == ("b.py",)
        assert "000009.batch" in observer.problem
        assert workspace.log.ids() == before


# ---- with snapshots in memory


def file(data: bytes | None, shape: str = "file", mode: int = 0o644) -> FileVersion:
    return FileVersion(shape, mode, 9, data)  # type: ignore[arg-type]


class Observed:
    """An observer whose worktree is in memory; the files are real. It has looked at second 1."""

    def __init__(self, world: World, workspace: Workspace) -> None:
        self.worktrees = MemoryWorktrees()
        self.workspace = workspace
        digests = DigestObserver(DiskWorktreeDigests(str(world.root)))
        self.observer = TurnObserver(
            self.worktrees.port(),
            workspace,
            NO_OWNER,
            digests,
            is_cache=lambda path: path.endswith(".pyc"),
            now=lambda: SECOND,
        )
        self.observer.begin(WorktreeState("before"), None)

    def look(self, *changed: FileVersions, **state: object) -> dict[str, str]:
        """Return each file that is observed, with the reason why it is not kept, or ""."""
        self.worktrees.changed = changed
        self.worktrees.captured = WorktreeState("after", **state)  # type: ignore[arg-type]
        seen = self.observer.look("command").files
        plans = [change.plan for change in self.workspace.log.list()]
        why = {file.path: file.diff for plan in plans for file in plan.files}
        kept = {swap.path for plan in plans for swap in plan.swaps}
        return {path: "" if path in kept else why.get(path, "?") for path in seen}


SECOND = 10**9


def test_what_a_change_cannot_keep_is_named_with_the_reason(world: World) -> None:
    world.write(a="new\n", old="new\n", now="new\n", edge="new\n")
    (world.root / "dir").mkdir()
    step = 50_000_000
    with world.workspace() as workspace:
        seen = Observed(world, workspace)
        looked = seen.look(
            FileVersions("a.py", file(b"old\n"), file(b"new\n"), 1),
            FileVersions("old.py", None, file(b"new\n"), SECOND - step - 1),
            FileVersions("edge.py", None, file(b"new\n"), SECOND - step),
            FileVersions("now.py", None, file(b"new\n"), SECOND),
            FileVersions("gone.py", None, file(b"new\n"), 0),
            FileVersions("big.py", file(None), file(b"new\n"), 0),
            FileVersions("inner", None, file(b"", "other"), 0),
            FileVersions("dir", None, file(b"new\n"), SECOND),
            FileVersions("x.pyc", None, file(b"new\n"), SECOND),
        )
    reasons = {path: why.split(",")[0] for path, why in looked.items()}
    assert reasons == {
        "a.py": "",
        "big.py": "It has 9 bytes",
        "dir": "No edit can reach it",
        "edge.py": "",
        "gone.py": "",
        "inner": "It is a repository of its own",
        "now.py": "",
        "old.py": "It was there before",
    }


def test_a_new_link_can_be_kept(world: World) -> None:
    (world.root / "link").symlink_to("nowhere/else")
    with world.workspace() as workspace:
        seen = Observed(world, workspace)
        assert seen.look(FileVersions("link", None, file(b"nowhere/else", "link", 0), SECOND)) == {
            "link": ""
        }


def test_what_no_snapshot_captures_is_observed_once_it_is_new_or_has_changed(world: World) -> None:
    large, known = Skipped("big.bin", "too large"), Skipped("old.bin", "too large")
    ignored = Skipped("build/", "ignored, in a build folder")
    with world.workspace() as workspace:
        seen = Observed(world, workspace)
        seen.observer.begin(
            WorktreeState("before", skipped=(known,), inner={"a/": "1", "b/": "1", "c/": "1"}),
            None,
        )
        looked = seen.look(skipped=(known, large, ignored), inner={"a/": "1", "b/": "2"})
    reasons = {path: why.split(",")[0] for path, why in looked.items()}
    assert reasons == {"b": "It is a repository of its own", "big.bin": "It is too large"}


def test_files_outside_of_the_root_are_observed_by_their_way_there(world: World) -> None:
    world.write(a="new\n")
    with world.workspace() as workspace:
        seen = Observed(world, workspace)
        seen.worktrees.prefix = "sub/deep/"
        looked = seen.look(
            FileVersions("sub/deep/a.py", None, file(b"new\n"), SECOND),
            FileVersions("other.py", None, file(b"new\n"), SECOND),
        )
    reasons = {path: why.split(",")[0] for path, why in looked.items()}
    assert reasons == {"../../other.py": "It is outside of this root", "a.py": ""}


def test_our_own_folder_does_not_count_once_checks_have_begun(world: World) -> None:
    (world.root / ".holdfast").mkdir()
    (world.root / ".holdfast/rule.yml").write_text("new\n")
    written = FileVersions(".holdfast/rule.yml", None, file(b"new\n"), SECOND)
    with world.workspace() as workspace:
        seen = Observed(world, workspace)
        assert list(seen.look(written)) == [".holdfast/rule.yml"]
        seen.observer.begin_checks()
        seen.observer.begin(WorktreeState("before"), None)
        assert list(seen.look(written)) == []


def test_a_log_that_cannot_record_is_a_problem_and_no_error(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.write(a="new\n")
    changed = FileVersions("a.py", None, file(b"new\n"), SECOND)

    def away(*_: object, **__: object) -> object:
        raise LogUnavailable("the store is away.")

    with world.workspace() as workspace:
        seen = Observed(world, workspace)
        monkeypatch.setattr(observed_changes, "observe_difference", away)
        assert list(seen.look(changed)) == ["a.py"]
        assert seen.observer.problem == "the store is away."
        assert seen.observer.paths.command == {"a.py"}
        refused = NothingDone((FileRefused("", Refused("conflict", "a journal is open.")),))
        monkeypatch.setattr(observed_changes, "observe_difference", lambda *_, **__: refused)
        seen.observer.begin(WorktreeState("before"), None)
        seen.look(changed)
        assert seen.observer.problem == "a journal is open."
        monkeypatch.setattr(workspace.log, "left_since", away)
        seen.observer.begin(WorktreeState("before"), None)
        assert seen.observer.look("outside").files == ("a.py",)
        assert seen.observer.paths.outside == {"a.py"}


def test_the_same_snapshot_is_not_compared(world: World) -> None:
    with world.workspace() as workspace:
        seen = Observed(world, workspace)
        seen.worktrees.changed = (FileVersions("a.py", None, file(b"x"), SECOND),)
        seen.worktrees.captured = WorktreeState("before")
        assert seen.observer.look("command").files == ()
        seen.worktrees.captured = WorktreeState("before", modes={"a.py": 0o755})
        assert seen.observer.look("command").files == ("a.py",)


def test_without_a_snapshot_what_changes_after_the_preparation_is_observed(world: World) -> None:
    world.write(a="1\n", b="1\n")
    with world.workspace() as workspace:
        observer = observer_of(world, workspace)
        observer.prepare()
        world.write(a="2\n")
        (world.root / "b.py").unlink()
        assert observer.look("agent").files == ("a.py", "b.py")
        assert observer.paths.command == {"a.py", "b.py"}
        [change] = workspace.log.list(state="applied")
        assert [(file.path, file.action) for file in change.plan.files] == [
            ("a.py", "edit"),
            ("b.py", "delete"),
        ]
