"""Worktrees of sessions, with a repository in memory: made, updated, merged, removed, or refused with the reason."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from holdfast.checkpoints.checkpoint import WorktreeState
from holdfast.checkpoints.ports import CheckpointFailed, FileDifference, NoCheckpoints
from holdfast.usecases.sessions.ports import RunningTurn
from holdfast.usecases.worktrees.compare import WorktreeCompared, compare_worktree
from holdfast.usecases.worktrees.make import NewWorktree, WorktreeMade, make_worktree
from holdfast.usecases.worktrees.make_anew import make_worktree_anew
from holdfast.usecases.worktrees.merge import WorktreeMerged, merge_as_branch, merge_as_changes
from holdfast.usecases.worktrees.ports import (
    CapturedFiles,
    CopiedFiles,
    FollowedCommit,
    MergeConflict,
    MergedCommits,
    ProjectRepository,
    SetupOutcome,
    TreeDifference,
    WorktreeDependencies,
)
from holdfast.usecases.worktrees.remove import (
    WorktreeRemoved,
    WorktreesPruned,
    prune_worktrees,
    remove_worktree,
)
from holdfast.usecases.worktrees.session_worktree import (
    SessionWorktree,
    WorktreeRefused,
    WorktreesUnavailable,
)
from holdfast.usecases.worktrees.update import WorktreeUpdated, update_worktree
from holdfast.vocab.owned_event import OwnedEvent
from tests.usecases.memory_worktrees import MemoryWorktrees
from tests.usecases.test_owner import start_turn
from tests.usecases.world import World

MINE = SessionWorktree(
    "s1", "/w/s1", "/root", "holdfast/s1/work", "b1", "main", is_there=True, folder="f1", title="t"
)


@dataclass
class Files:
    """The files of a session's worktree (port `SessionFiles`)."""

    tree: str = "tree of b1"
    head: str = "b1"
    sides: TreeDifference = field(default_factory=lambda: TreeDifference({}, {}))
    count: int = 1

    def tree_of(self, commit: str) -> str:
        return f"tree of {commit}"

    def patch(self, base: str) -> str:
        return f"patch from {base}"

    def compare(self, base: str) -> tuple[FileDifference, ...]:
        return (FileDifference("a.py", "modified", 1, 1),) * self.count

    def difference(self, base: str) -> TreeDifference:
        return self.sides


class Repository:
    """A repository that remembers what was done (port `ProjectRepository`)."""

    root = "/root"

    def __init__(self) -> None:
        self.unfit: str | None = None
        self.commits = {None: FollowedCommit("b1", "main"), "main": FollowedCommit("b1", "main")}
        self.inside: tuple[str, ...] = ()
        self.clash: tuple[str, str] | None = None
        self.done: list[str] = []
        self.copied = CopiedFiles()
        self.files = Files()
        self.elsewhere: str | None = None
        self.merged: MergedCommits | MergeConflict | None = None
        self.lost: str | None = None
        self.stays: str | None = None
        self.kept: dict[str, str] = {}
        self.asked: list[tuple[str, bool, bool]] = []
        self.there: tuple[str, ...] = ()
        self.errors: dict[str, Exception] = {}

    def why_unfit(self) -> str | None:
        return self.unfit

    def find_commit(self, ref: str | None) -> FollowedCommit | None:
        return self.commits.get(ref)

    def capture(self) -> CapturedFiles:
        return CapturedFiles("t1", self.inside)

    def clashes(self, commit: str) -> tuple[str, str] | None:
        return self.clash

    def add_base(self, session: str, tree: str, parent: str) -> str:
        return f"{tree} on {parent}"

    def path_of(self, session: str) -> str:
        return f"/w/{session}"

    def _do(self, what: str) -> None:
        self.done.append(what)
        error = self.errors.get(what.split(maxsplit=1)[0])
        if error is not None:
            raise error

    def make(self, session: str, commit: str, tree: str | None) -> None:
        self._do(f"make {session} {commit} {tree}")

    def copy_ignored(self, session: str, patterns: Sequence[str]) -> CopiedFiles:
        return self.copied

    def notes(self, session: str) -> tuple[str, ...]:
        return ("a submodule is not there.",)

    @contextmanager
    def look(self, session: str) -> Iterator[Files]:
        yield self.files

    def commit_files(self, worktree: SessionWorktree, message: str) -> str:
        self._do(f"commit {message}")
        return "c2"

    def why_elsewhere(self, worktree: SessionWorktree) -> str | None:
        return self.elsewhere

    def merge(self, worktree: SessionWorktree, commit: str) -> MergedCommits | MergeConflict | None:
        return self.merged

    def write_merge(self, worktree: SessionWorktree, merged: MergedCommits) -> str:
        self._do("write_merge")
        return "b2"

    def lost_commits(self, worktree: SessionWorktree) -> str | None:
        return self.lost

    def remove(self, worktree: SessionWorktree) -> str | None:
        self._do("remove")
        return self.stays

    def make_again(self, worktree: SessionWorktree) -> None:
        self._do("make_again")

    def write_base(self, worktree: SessionWorktree) -> None:
        self._do("write_base")

    def sessions(self) -> tuple[str, ...]:
        return self.there

    def why_kept(self, session: str, *, strictly: bool, branch: bool = True) -> str | None:
        self.asked.append((session, strictly, branch))
        return self.kept.get(session)

    def discard(self, session: str) -> None:
        self._do(f"discard {session}")


class Scene:
    """One project (ports `WorktreeRecords` and `WorktreeMakers`), with a worktree of `s1`."""

    def __init__(self) -> None:
        self.repository = Repository()
        self.worktrees = MemoryWorktrees(a="1")
        self.on_record: list[SessionWorktree] = [MINE]
        self.ever: frozenset[str] = frozenset()
        self.events: list[OwnedEvent] = []
        self.away: str = ""
        self.locked: set[str] = set()
        self.locks: list[str] = []
        self.adopted: list[tuple[str, str]] = []

    def needs(self) -> WorktreeDependencies:
        return WorktreeDependencies(
            cast("ProjectRepository", self.repository),
            self,
            self,
            lambda _: self.worktrees.port(),
            lambda folder, path: self.adopted.append((folder, path)),
        )

    def list(self) -> tuple[SessionWorktree, ...]:
        self._try()
        return tuple(self.on_record)

    def paths(self) -> frozenset[str]:
        return self.ever

    def add(self, made: SessionWorktree, events: Sequence[OwnedEvent], *, agent: str) -> int:
        return self.update(made, events)

    def update(self, changed: SessionWorktree, events: Sequence[OwnedEvent]) -> int:
        self._try()
        rest = [each for each in self.on_record if each.session != changed.session]
        self.on_record = [changed, *rest]
        self.events += events
        return len(self.events)

    def _try(self) -> None:
        if self.away:
            raise WorktreesUnavailable(self.away)

    def take(self, turn: str) -> None:
        self.locks.append(f"take {turn}")

    def drop(self, turn: str) -> None:
        self.locks.append(f"drop {turn}")

    def is_locked(self, turn: str) -> bool:
        return turn in self.locked

    def actions(self) -> Sequence[Any]:
        return [cast("Any", each.event).action for each in self.events]


@pytest.fixture
def scene() -> Scene:
    return Scene()


def problems(outcome: object) -> list[str]:
    assert isinstance(outcome, WorktreeRefused), outcome
    return list(outcome.problems)


# ---- which one


def test_an_id_must_mean_exactly_one_worktree_that_is_there(scene: Scene) -> None:
    scene.on_record = [
        replace(MINE, session="s1"),
        replace(MINE, session="s12"),
        replace(MINE, session="r1", removed=True, is_there=False),
        replace(MINE, session="g1", is_there=False),
    ]
    assert isinstance(compare_worktree("s1", scene.needs()), WorktreeCompared)
    assert problems(compare_worktree("s", scene.needs())) == [
        "s: several sessions begin so; give more of the id."
    ]
    none = "there is no such session with a worktree; `holdfast worktree list` has them."
    assert problems(compare_worktree("x", scene.needs())) == [f"x: {none}"]
    assert problems(compare_worktree("", scene.needs())) == [f"(no id): {none}"]
    cure = "make it anew from its last checkpoint: holdfast worktree new --session"
    assert problems(compare_worktree("r", scene.needs())) == [
        f"the worktree of session r1 was removed (/w/s1); {cure} r1"
    ]
    assert problems(compare_worktree("g", scene.needs())) == [
        f"the worktree of session g1 is gone (/w/s1); {cure} g1"
    ]
    for change in (update_worktree, merge_as_branch):
        assert problems(change("x", scene.needs())) == [f"x: {none}"]
    assert problems(remove_worktree("x", scene.needs(), force=True)) == [f"x: {none}"]
    assert isinstance(remove_worktree("g", scene.needs(), force=True), WorktreeRemoved)
    scene.away = "the store is away."
    for act in (compare_worktree, update_worktree, merge_as_branch):
        assert problems(act("s1", scene.needs())) == ["the store is away."]


def test_a_worktree_is_compared_by_hunks(scene: Scene) -> None:
    sides = TreeDifference({"a.py": (b"1\n", 0o644)}, {"a.py": (b"2\n", 0o644)})
    scene.repository.files.sides = sides
    compared = compare_worktree("s1", scene.needs())
    assert isinstance(compared, WorktreeCompared)
    assert (compared.patch, len(compared.files)) == ("patch from b1", 1)
    assert [hunk.path for hunk in compared.hunks] == ["a.py"]


@pytest.mark.parametrize(
    "act",
    [
        update_worktree,
        merge_as_branch,
        lambda wanted, needs: remove_worktree(wanted, needs, force=True),
    ],
)
def test_nothing_touches_a_worktree_while_a_turn_works_in_it(
    scene: Scene, act: Callable[[str, WorktreeDependencies], object]
) -> None:
    scene.worktrees.turns.running = [RunningTurn("t", "s9"), RunningTurn("u", "s8")]
    assert problems(act("s1", scene.needs())) == [
        (
            "session s9: a turn of it is running in /w/s1; wait for its end, or stop it: holdfast "
            "cancel s9"
        )
    ]
    scene.worktrees.turns.failing = "the store is away."
    assert problems(act("s1", scene.needs())) == ["the store is away."]
    assert scene.repository.done == []


# ---- made


class Setup:
    """Says that it ran (port `SetupCommand`)."""

    def run(self, worktree: SessionWorktree) -> SetupOutcome:
        return SetupOutcome("make", 0, worktree.session)


def test_a_worktree_begins_at_a_commit_and_is_on_record(scene: Scene) -> None:
    scene.repository.copied = CopiedFiles((".env",), ("big: too large.",))
    made = make_worktree(NewWorktree("s2", title="mine"), scene.needs(), Setup())
    worktree = SessionWorktree(
        "s2", "/w/s2", "/root", "holdfast/s2/work", "b1", "main", is_there=True, title="mine"
    )
    notes = ("big: too large.", "a submodule is not there.")
    assert made == WorktreeMade(worktree, (".env",), notes, SetupOutcome("make", 0, "s2"), 1)
    assert scene.repository.done == ["make s2 b1 None"]
    assert (scene.locks, scene.actions()) == (["take s2", "drop s2"], ["made"])
    assert scene.on_record[0] == worktree


def test_uncommitted_work_is_a_base_of_its_own(scene: Scene) -> None:
    scene.repository.inside = ("vendored",)
    made = make_worktree(NewWorktree("s2", with_changes=True), scene.needs())
    assert isinstance(made, WorktreeMade)
    assert (made.worktree.base, made.worktree.with_changes) == ("t1 on b1", True)
    assert made.notes[0] == "vendored: a repository of its own, which is not in the worktree."
    assert scene.repository.done == ["make s2 b1 t1"]
    assert made.setup is None


def test_a_worktree_that_cannot_be_made_is_refused_with_the_reason(scene: Scene) -> None:
    repository = scene.repository
    repository.commits["old"] = FollowedCommit("b0")
    repository.commits["same"] = FollowedCommit("b1")

    def reasons(**wanted: Any) -> list[str]:
        return problems(make_worktree(NewWorktree("s2", **wanted), scene.needs()))

    assert reasons(begins_at="nope") == ["nope: there is no such commit or branch."]
    assert reasons(begins_at="old", with_changes=True) == [
        (
            "old: uncommitted work belongs to HEAD, which is another commit; leave out --from or "
            "--with-changes."
        )
    ]
    for fine in ({"begins_at": "old"}, {"begins_at": "same", "with_changes": True}):
        assert isinstance(make_worktree(NewWorktree("s2", **fine), scene.needs()), WorktreeMade)
    repository.done.clear()
    del repository.commits[None]
    assert reasons(begins_at="old", with_changes=True)[0].startswith("old: uncommitted work")
    repository.commits[None] = FollowedCommit("b1")
    repository.clash = ("A.py", "a.py")
    assert reasons() == [
        (
            "A.py and a.py differ only in case, and are one file on this file system; rename one of "
            "them and commit that."
        )
    ]
    repository.unfit = "this is no repository."
    assert reasons() == ["this is no repository."]
    assert repository.done == []


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (CheckpointFailed("git refused."), "git refused."),
        (OSError(28, "No space left", "/w"), "/w: No space left; nothing was made."),
    ],
)
def test_a_worktree_that_is_made_halfway_is_discarded(
    scene: Scene, error: Exception, message: str
) -> None:
    scene.repository.errors = {"make": error, "discard": CheckpointFailed("again.")}
    assert problems(make_worktree(NewWorktree("s2"), scene.needs())) == [message]
    assert scene.repository.done[-1] == "discard s2"
    assert scene.locks == ["take s2", "drop s2"]


# ---- made anew


def test_a_worktree_that_is_gone_is_made_anew_from_its_last_checkpoint(scene: Scene) -> None:
    gone = replace(MINE, is_there=False, removed=True)
    scene.worktrees.take("c1")
    scene.worktrees.take("c2")
    scene.worktrees.files = {}
    made = make_worktree_anew(gone, scene.needs(), setup=Setup())
    assert isinstance(made, WorktreeMade), made
    assert (made.worktree, made.checkpoint_id) == (replace(MINE, folder="f1"), "c2")
    assert made.setup == SetupOutcome("make", 0, "s1")
    assert scene.worktrees.files == {"a": "1"}
    assert (scene.adopted, scene.repository.done) == ([("f1", "/w/s1")], ["make_again"])
    assert (scene.actions(), scene.locks) == (["made_anew"], ["take s1", "drop s1"])
    assert scene.repository.asked == [("s1", False, False)]
    assert scene.on_record == [made.worktree]


def test_a_worktree_is_made_anew_from_the_checkpoint_that_is_named(scene: Scene) -> None:
    scene.worktrees.take("c1")
    scene.worktrees.files = {"a": "2"}
    scene.worktrees.take("c2")
    made = make_worktree_anew(replace(MINE, is_there=False), scene.needs(), checkpoint="c1")
    assert isinstance(made, WorktreeMade)
    assert (made.checkpoint_id, scene.worktrees.files) == ("c1", {"a": "1"})
    again = make_worktree_anew(replace(MINE, is_there=False), scene.needs(), checkpoint="zz")
    assert isinstance(again, WorktreeMade)
    assert again.checkpoint_id is None
    assert again.notes[-1] == (
        "checkpoint zz was not restored: zz: there is no such checkpoint here; `holdfast "
        "checkpoint list` has them."
    )


def test_a_restore_that_was_killed_is_done_without_making_the_folder_again(scene: Scene) -> None:
    scene.worktrees.take("c1")
    made = make_worktree_anew(replace(MINE, is_there=False, restoring="c1"), scene.needs())
    assert isinstance(made, WorktreeMade)
    assert (made.checkpoint_id, made.worktree) == ("c1", MINE)
    assert scene.repository.done == []


@pytest.mark.parametrize("with_changes", [True, False])
def test_a_worktree_without_a_checkpoint_has_the_files_of_its_base(
    scene: Scene, with_changes: bool
) -> None:
    scene.worktrees.none = NoCheckpoints("there are none.")
    gone = replace(MINE, is_there=False, with_changes=with_changes)
    made = make_worktree_anew(gone, scene.needs())
    assert isinstance(made, WorktreeMade)
    assert (made.checkpoint_id, made.worktree.restoring) == (None, "")
    assert scene.repository.done == ["make_again", *(["write_base"] if with_changes else [])]


def test_a_worktree_is_not_made_anew_over_another_folder(scene: Scene) -> None:
    gone = replace(MINE, is_there=False)
    scene.repository.kept = {"s1": "it has files"}
    assert problems(make_worktree_anew(gone, scene.needs())) == [
        "/w/s1: another folder is at this path, and it has files; move it away."
    ]
    scene.repository.unfit = "this is no repository."
    assert problems(make_worktree_anew(gone, scene.needs())) == ["this is no repository."]
    scene.repository.unfit, scene.repository.kept = None, {}
    scene.repository.errors = {"make_again": OSError(28, "No space left", "/w")}
    assert problems(make_worktree_anew(gone, scene.needs())) == ["/w: No space left; try again."]
    scene.repository.errors = {"make_again": CheckpointFailed("git refused.")}
    assert problems(make_worktree_anew(gone, scene.needs())) == ["git refused."]
    assert scene.locks == ["take s1", "drop s1"] * 2


# ---- updated


MERGED = MergedCommits("c9", "c10", "files", "base")


def test_an_update_merges_what_is_new_after_a_checkpoint(scene: Scene) -> None:
    scene.repository.merged = MERGED
    updated = update_worktree("s1", scene.needs())
    changed = replace(MINE, base="b2")
    assert updated == WorktreeUpdated(changed, "c10", "u1", 1)
    assert scene.worktrees.kept[0].draft.label == "before an update of the worktree"
    assert (scene.actions(), scene.on_record) == (["updated"], [changed])


def test_an_update_of_what_is_new_already_or_follows_nothing_does_nothing(scene: Scene) -> None:
    assert update_worktree("s1", scene.needs()) == WorktreeUpdated(MINE)
    scene.repository.merged = MERGED
    bare = replace(MINE, follows="")
    scene.on_record = [bare]
    assert update_worktree("s1", scene.needs()) == WorktreeUpdated(bare)
    assert scene.repository.done == []


def test_an_update_that_cannot_be_is_refused_with_the_reason(scene: Scene) -> None:
    scene.repository.merged = MergeConflict(("a.py", "b.py"), "0123456789abcdef")
    assert problems(update_worktree("s1", scene.needs())) == [
        (
            "a.py, b.py: changed in the worktree and in main; nothing was changed. Merge this by hand: "
            "`git merge 0123456789ab` in /w/s1."
        )
    ]
    scene.repository.merged = MERGED
    scene.worktrees.capture = fail  # type: ignore[method-assign]
    assert problems(update_worktree("s1", scene.needs())) == ["git refused."]
    scene.repository.elsewhere = "it is on another branch."
    assert problems(update_worktree("s1", scene.needs())) == ["it is on another branch."]
    scene.repository.elsewhere = None
    scene.repository.commits = {}
    assert problems(update_worktree("s1", scene.needs())) == [
        "main: the worktree was made from this, and it is gone; run `git merge` in /w/s1."
    ]
    assert scene.repository.done == []


def fail() -> WorktreeState:
    raise CheckpointFailed("git refused.")


# ---- merged


def merge(scene: Scene, world: World, hunks: Collection[int] = ()) -> object:
    session = start_turn(world).session or ""
    scene.on_record = [replace(MINE, session=session)]
    with world.workspace() as workspace:
        return merge_as_changes(session, hunks, workspace, scene.needs())


def test_the_work_of_a_worktree_is_proposed_to_the_project(scene: Scene, world: World) -> None:
    world.write(a="1\n")
    scene.repository.files = Files(
        "t9", sides=TreeDifference({"a.py": (b"1\n", 0o644)}, {"a.py": (b"2\n", 0o644)})
    )
    merged = merge(scene, world)
    assert isinstance(merged, WorktreeMerged), merged
    assert merged.change is not None
    assert (merged.worktree.merged, merged.partly, merged.seq) == ("t9", False, 1)
    assert merged.change.session == merged.worktree.session
    assert (scene.actions(), world.texts()) == (["merged"], {"a.py": "1\n"})


def test_a_part_of_the_work_is_not_all_of_it(scene: Scene, world: World) -> None:
    world.write(a="1\n", b="1\n")
    old, new = (b"1\n", 0o644), (b"2\n", 0o644)
    sides = TreeDifference({"a.py": old, "b.py": old}, {"a.py": new, "b.py": new})
    scene.repository.files = Files("t9", sides=sides)
    assert problems(merge(scene, world, [7])) == [
        "the difference has no hunk 7; its hunks are 1 to 2."
    ]
    merged = merge(scene, world, [1])
    assert isinstance(merged, WorktreeMerged), merged
    assert (merged.worktree.merged, merged.partly) == ("", True)
    rest = merge(scene, world, [2, 1])
    assert isinstance(rest, WorktreeMerged), rest
    assert (rest.worktree.merged, rest.partly) == ("t9", False)


def test_work_that_the_project_has_already_is_merged_without_a_change(
    scene: Scene, world: World
) -> None:
    world.write(a="2\n")
    scene.repository.files = Files(
        "t9", sides=TreeDifference({"a.py": (b"1\n", 0o644)}, {"a.py": (b"2\n", 0o644)})
    )
    merged = merge(scene, world)
    assert isinstance(merged, WorktreeMerged), merged
    assert (merged.change, merged.worktree.merged, scene.events) == (None, "t9", [])


def test_what_no_change_can_have_is_merged_as_a_branch(scene: Scene, world: World) -> None:
    scene.repository.files.sides = TreeDifference({}, {}, ("sub",), ("big",))
    cure = "which no change of files can have; use holdfast worktree merge s1 --as branch"
    outcome = problems(merge(scene, world))
    [worktree] = scene.on_record
    cure = cure.replace("s1", worktree.session)
    assert outcome == [f"sub: a submodule, {cure}", f"big: larger than 50 MB, {cure}"]
    scene.on_record = [MINE]
    scene.repository.files = Files("t9")
    merged = merge_as_branch("s1", scene.needs())
    assert merged == WorktreeMerged(replace(MINE, merged="t9"), None, "c2", seq=1)
    assert (scene.repository.done, scene.actions()) == (["commit t"], ["merged"])


@pytest.mark.parametrize(
    ("tree", "head", "title", "done"),
    [
        ("tree of b1", "b1", "t", []),
        ("tree of b1", "c1", "t\nmore", ["commit t"]),
        ("t9", "b1", "", ["commit Work of session s1"]),
    ],
)
def test_a_branch_without_work_is_left_alone(
    scene: Scene, tree: str, head: str, title: str, done: list[str]
) -> None:
    scene.on_record = [replace(MINE, title=title)]
    scene.repository.files = Files(tree, head)
    assert isinstance(merge_as_branch("s1", scene.needs()), WorktreeMerged)
    assert scene.repository.done == done


# ---- removed


def test_a_worktree_without_unmerged_work_is_removed(scene: Scene) -> None:
    scene.repository.stays = "holdfast/s1/work"
    removed = remove_worktree("s1", scene.needs(), force=False)
    gone = replace(MINE, removed=True, is_there=False)
    assert removed == WorktreeRemoved(gone, "u1", "holdfast/s1/work", 1)
    assert scene.actions() == ["removed"]
    assert [each.draft.label for each in scene.worktrees.kept] == [
        "before the worktree was removed"
    ]
    assert problems(remove_worktree("s1", scene.needs(), force=False)) == [
        "session s1: its worktree was removed before."
    ]
    scene.on_record = [replace(MINE, is_there=False)]
    again = remove_worktree("s1", scene.needs(), force=False)
    assert again == WorktreeRemoved(gone, None, "holdfast/s1/work", 2)


@pytest.mark.parametrize(("count", "words"), [(1, "1 file differs"), (2, "2 files differ")])
def test_work_that_is_not_merged_is_not_removed_without_force(
    scene: Scene, count: int, words: str
) -> None:
    scene.repository.files = Files("t9", count=count)
    cure = (
        "merge it with `holdfast worktree merge s1`, or remove it with a last checkpoint: holdfast "
        "worktree remove s1 --force"
    )
    assert problems(remove_worktree("s1", scene.needs(), force=False)) == [
        f"session s1 has work that is not merged ({words}); {cure}"
    ]
    scene.repository.lost = "0123456789abcdef"
    assert problems(remove_worktree("s1", scene.needs(), force=False)) == [
        f"no branch has the commit 0123456789ab; {cure}"
    ]
    forced = remove_worktree("s1", scene.needs(), force=True)
    assert isinstance(forced, WorktreeRemoved)
    assert forced.checkpoint_id == "u1"
    assert scene.worktrees.kept[0].draft.label == "before the worktree was removed"


def test_work_that_was_merged_is_removed(scene: Scene) -> None:
    scene.repository.files = Files("t9")
    scene.on_record = [replace(MINE, merged="t9")]
    assert isinstance(remove_worktree("s1", scene.needs(), force=False), WorktreeRemoved)


def test_a_worktree_whose_last_checkpoint_is_refused_stays(scene: Scene) -> None:
    scene.repository.errors = {"remove": CheckpointFailed("it is locked.")}
    assert problems(remove_worktree("s1", scene.needs(), force=False)) == ["it is locked."]
    scene.worktrees.capture = fail  # type: ignore[method-assign]
    for force in (True, False):
        assert problems(remove_worktree("s1", scene.needs(), force=force)) == ["git refused."]
    assert scene.on_record == [MINE]


def test_only_folders_that_no_session_leads_to_are_pruned(scene: Scene) -> None:
    scene.repository.there = ("s1", "made", "full", "empty")
    scene.locked = {"made"}
    scene.ever = frozenset({"/w/full"})
    scene.repository.kept = {"full": "it has files"}
    assert prune_worktrees(scene.needs()) == WorktreesPruned(
        ("/w/empty",), (("/w/made", "it is being made"), ("/w/full", "it has files"))
    )
    assert scene.repository.done == ["discard empty"]
    assert scene.repository.asked == [("full", True, True), ("empty", False, True)]
    scene.away = "the store is away."
    assert problems(prune_worktrees(scene.needs())) == ["the store is away."]
