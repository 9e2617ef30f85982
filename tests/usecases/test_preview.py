"""What a restore would do, and how files differ from a checkpoint, before anything is done."""

from __future__ import annotations

from dataclasses import replace

import pytest

from holdfast.changes.change import FOR_REVIEW, Change, ChangeState, RequestedEdits
from holdfast.changes.change_log import LogUnavailable
from holdfast.changes.plan import ChangePlan
from holdfast.changes.swaps import Content, Swap
from holdfast.checkpoints.ports import Blocked, FileVersion, FileVersions, NoCheckpoints
from holdfast.usecases.checkpoints.file_history import FilesCompared, compare_files, file_at
from holdfast.usecases.checkpoints.preview import PreviewedFile, RestorePreview, preview_restore
from holdfast.usecases.events.ports import LoggedEvent
from holdfast.usecases.sessions.ports import RunningTurn
from holdfast.usecases.workspace import NothingDone
from tests.changes.memory_log import MemoryLog
from tests.usecases.memory_worktrees import MemoryWorktrees
from tests.usecases.test_restore import TALK, refusal


class Files:
    """The files on the disk (part of the port `Tree`)."""

    def __init__(self, worktrees: MemoryWorktrees) -> None:
        self._worktrees = worktrees

    def side(self, swap: Swap) -> str:
        present = self._worktrees.files.get(swap.path)
        after = swap.after.data.decode() if swap.after else None
        return "after" if present == after else "neither"


class Scene:
    """A checkpoint `c1` of `a=1` and `d=1`, and changes since (part of the port `Workspace`)."""

    def __init__(self) -> None:
        self.worktrees = MemoryWorktrees(a="1", d="1")
        self.worktrees.take("c1", logged=4, **TALK)
        self.log = MemoryLog()
        self.tree = Files(self.worktrees)
        self.observed: list[LoggedEvent] = []
        self.asked: list[tuple[int, str | None]] = []

    def after(
        self, seq: int, *, session: str | None = None, limit: int | None = None
    ) -> list[LoggedEvent]:
        self.asked.append((seq, session))
        return self.observed

    def last(self) -> int:
        return 0

    def change(
        self, name: str, path: str, after: str | None, state: ChangeState = "applied"
    ) -> None:
        swap = Swap(path, None, None if after is None else Content(after.encode()))
        plan = ChangePlan((), (swap,), ())
        change = Change(name, state, FOR_REVIEW, RequestedEdits(), plan, session="s")
        self.log.add(change, lambda _: ())

    def preview(self, wanted: str = "c1", **named: object) -> RestorePreview | NothingDone:
        return preview_restore(wanted, self.worktrees.port(), self, self, **named)  # type: ignore[arg-type]


@pytest.fixture
def scene() -> Scene:
    return Scene()


def test_a_preview_names_each_file_what_becomes_of_it_and_who_left_it_so(scene: Scene) -> None:
    scene.worktrees.files = {"a": "2", "b": "2", "c": "2", "e": "3"}
    scene.worktrees.transcript.count = 3
    scene.worktrees.stays = {"e": "it is kept"}
    scene.change("x1", "a", "9")
    scene.change("x2", "a", "2")
    scene.change("x3", "b", "2")
    scene.change("x4", "c", "2", "rewound")
    scene.change("x5", "d", None)
    scene.observed = [
        LoggedEvent(5, "now", "s", "t", "edit_observed", {"by": "outside", "change_id": "x3"}),
        LoggedEvent(6, "now", "s", "t", "edit_observed", {"by": "command", "change_id": "x2"}),
        LoggedEvent(7, "now", "s", "t", "edit_landed", {"by": "outside", "change_id": "x5"}),
    ]
    assert scene.preview() == RestorePreview(
        (
            PreviewedFile("a", "modified", "session"),
            PreviewedFile("b", "deleted", "other"),
            PreviewedFile("c", "deleted", "other"),
            PreviewedFile("d", "added", "session"),
        ),
        3,
        will_stop_turn=False,
        kept=(("e", "it is kept"),),
    )
    assert scene.asked == [(4, "s")]
    assert scene.worktrees.files == {"a": "2", "b": "2", "c": "2", "e": "3"}
    assert [each.id for each in scene.worktrees.kept] == ["c1"]


def test_paths_of_a_session_are_those_below_its_root(scene: Scene) -> None:
    scene.worktrees.files = {"a": "2", "d": "1", "sub/b": "2", "sub/c": "2"}
    scene.worktrees.prefix = "sub/"
    scene.change("x1", "b", "9")
    scene.change("x2", "a", "2")
    preview = scene.preview()
    assert isinstance(preview, RestorePreview)
    assert [(each.path, each.by) for each in preview.files] == [
        ("a", "other"),
        ("sub/b", "other"),
        ("sub/c", "other"),
    ]


def test_a_preview_of_the_conversation_has_no_files_and_says_whether_a_turn_stops(
    scene: Scene,
) -> None:
    scene.worktrees.files = {}
    scene.worktrees.turns.running = [RunningTurn("t", "s")]
    assert scene.preview(scope="conversation") == RestorePreview((), 0, will_stop_turn=True)
    scene.worktrees.turns.failing = "the store is away."
    assert scene.preview(scope="conversation") == RestorePreview((), 0, will_stop_turn=False)


def test_without_a_session_nobody_is_known_to_have_changed_a_file(scene: Scene) -> None:
    scene.worktrees.take("n1")
    scene.worktrees.files["a"] = "2"
    scene.change("x1", "a", "2")
    preview = scene.preview("n1")
    assert isinstance(preview, RestorePreview)
    assert [(each.path, each.by) for each in preview.files] == [("a", "other")]
    assert scene.asked == []


def test_a_preview_of_what_cannot_be_restored_says_why(scene: Scene) -> None:
    assert refusal(scene.preview("x"))[0] == "not_found"
    assert refusal(scene.preview(session="other"))[0] == "not_found"
    scene.worktrees.transcript.count = None
    assert "its conversation is not in the store" in refusal(scene.preview())[1]
    scene.worktrees.transcript.count = 0
    scene.worktrees.blocked = Blocked("p", "p: a socket is in the way")
    assert refusal(scene.preview())[1] == "p: a socket is in the way; move it away, and try again."

    def away(**_: object) -> tuple[Change, ...]:
        raise LogUnavailable("the store is away.")

    scene.log.list = away  # type: ignore[method-assign]
    assert refusal(scene.preview())[1] == "the store is away."
    scene.worktrees.none = NoCheckpoints("there are none here.")
    assert refusal(scene.preview())[0] == "not_found"


# ---- files


def version(data: bytes | None, shape: str = "file") -> FileVersion:
    return FileVersion(shape, 0o644, 9, data)  # type: ignore[arg-type]


def test_files_are_compared_by_hunks_but_for_what_is_large_or_no_file(scene: Scene) -> None:
    here = scene.worktrees
    here.files["a"] = "2"
    here.changed = (
        FileVersions("a", version(b"1\n"), version(b"2\n"), 0),
        FileVersions("big", version(None), version(b"2\n"), 0),
        FileVersions("new", None, version(b"n\n"), 0),
        FileVersions("nested", None, version(b"", "other"), 0),
        FileVersions("link", version(b"x\n"), version(b"target", "link"), 0),
    )
    compared = compare_files("c1", here.port(), session="s")
    assert isinstance(compared, FilesCompared)
    assert [each.path for each in compared.files] == ["a"]
    assert sorted({each.path for each in compared.hunks}) == ["a", "link", "new"]
    here.changed = ()
    assert compare_files("c1", here.port()) == FilesCompared(compared.files, ())
    assert refusal(compare_files("c1", here.port(), session="other"))[0] == "not_found"
    here.none = NoCheckpoints("there are none here.")
    assert refusal(compare_files("c1", here.port()))[0] == "not_found"


def test_a_file_is_returned_as_a_checkpoint_has_it(scene: Scene) -> None:
    here = scene.worktrees
    assert file_at("c1", "a", here.port()) == replace(version(b"1"), size=1)
    assert refusal(file_at("c1", "x", here.port())) == (
        "not_found",
        "x: checkpoint c1 has no such file.",
    )
    assert refusal(file_at("c1", "a", here.port(), session="other"))[0] == "not_found"
    here.none = NoCheckpoints("there are none here.")
    assert refusal(file_at("c1", "a", here.port()))[0] == "not_found"
