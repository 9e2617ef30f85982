"""For any sequence of edits, renames, deletes, mode changes, checkpoints and restores the tree comes back, exactly."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.usecases.checkpoints.checkpoint import Created, create_checkpoint
from holdfast.usecases.checkpoints.restore import restore, undo_restore
from holdfast.usecases.settled import Restored
from holdfast.usecases.workspace import NothingDone
from holdfast.wiring.worktrees import open_worktrees
from tests.end_to_end.checkpoints.repo import Folder, Tree, entry_of

pytestmark = pytest.mark.slow

NAMES = ["a", "b", "d", "d/a", "d/b", "d/e/f", "d/e", "x y", "é", ":(top)x", "s.log", "d/t.log"]
name = st.sampled_from(NAMES)
content = st.sampled_from([b"", b"1\n", b"2\n", b"one\r\ntwo\n", b"\0\xff"])
edit = st.one_of(
    st.tuples(st.just("write"), name, content),
    st.tuples(st.just("delete"), name),
    st.tuples(st.just("rename"), name, name),
    st.tuples(st.just("chmod"), name, st.sampled_from([0o644, 0o755, 0o600])),
    st.tuples(st.just("link"), name, st.sampled_from(["a", "d", "nowhere", "../out"])),
    st.tuples(st.just("stage"), name),
    st.tuples(st.just("commit")),
)
act = st.one_of(
    st.tuples(st.just("checkpoint")),
    st.tuples(st.just("restore"), st.integers(0, 9)),
    st.tuples(st.just("undo")),
)
# An act after a few edits: many examples, and few calls of git in each.
history = st.lists(st.tuples(st.lists(edit, min_size=1, max_size=4), act), min_size=1, max_size=4)


@dataclass
class Model:
    """What the commands have to give back."""

    taken: list[tuple[str, Tree]] = field(default_factory=list)
    undo: list[tuple[str, Tree]] = field(default_factory=list)


@pytest.fixture(scope="module")
def template() -> Iterator[Path]:
    with TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as place:
        repo = Folder(Path(place) / "root").init()
        for path in ("a", "d/a", "d/e/f", "x y"):
            repo.write(path, f"{path}\n")
        repo.write(".gitignore", "*.log\n")
        repo.commit()
        repo.write("s.log", "ignored\n")
        yield Path(place)


@given(history)
def test_any_history_gives_back_the_exact_tree(
    template: Path, history: list[tuple[list[tuple[object, ...]], tuple[object, ...]]]
) -> None:
    scene = template / "scene"
    shutil.rmtree(scene, ignore_errors=True)
    shutil.copytree(template / "root", scene / "root", symlinks=True)
    os.environ["HOLDFAST_STATE_DIR"] = str(scene / "state")
    repo, model = Folder(scene / "root"), Model()
    for edits, done in history:
        for each in edits:
            _edit(repo, *each)
        _act(repo, model, *done)
    _act(repo, model, "checkpoint")
    for index in range(len(model.taken)):
        _act(repo, model, "restore", index)
    while model.undo:
        _act(repo, model, "undo")


def _edit(repo: Folder, what: object, *args: object) -> None:
    path = repo.path(str(args[0])) if args else repo.root
    match what:
        case "write":
            _clear(repo, str(args[0]))
            path.write_bytes(bytes(args[1]))  # type: ignore[call-overload]
        case "link":
            _clear(repo, str(args[0]))
            path.symlink_to(str(args[1]))
        case "delete" if os.path.lexists(path):
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        case "rename" if path.is_file() and not path.is_symlink() and args[0] != args[1]:
            data = path.read_bytes()
            path.unlink()
            _clear(repo, str(args[1]))
            repo.path(str(args[1])).write_bytes(data)
        case "chmod" if (
            path.is_file() and not path.is_symlink() and not _beyond_link(repo, str(args[0]))
        ):
            path.chmod(int(str(args[1])))
        case "stage":
            repo.git("add", "-A", "--", f":(literal){args[0]}", check=False)
        case "commit":
            repo.commit()
        case _:
            pass


def _clear(repo: Folder, name: str) -> None:
    """Make room for a file: what is there goes, and what is in the way of its directories."""
    parts = name.split("/")
    for depth in range(1, len(parts) + 1):
        place = repo.path("/".join(parts[:depth]))
        if place.is_dir() and not place.is_symlink():
            if depth == len(parts):
                shutil.rmtree(place)
        else:
            if os.path.lexists(place):
                place.unlink()
            if depth < len(parts):
                place.mkdir()


def _beyond_link(repo: Folder, name: str) -> bool:
    return any(repo.path(str(parent)).is_symlink() for parent in Path(name).parents)


def _act(repo: Folder, model: Model, what: object, *args: object) -> None:
    worktrees = open_worktrees(repo.root)
    before, users = repo.tree(), repo.users()
    match what:
        case "checkpoint":
            created = create_checkpoint(worktrees)
            assert isinstance(created, Created), created
            model.taken.append((created.checkpoint.id, before))
            assert repo.tree() == before
        case "restore" if model.taken:
            wanted, tree = model.taken[int(str(args[0])) % len(model.taken)]
            outcome = restore(wanted, worktrees)
            assert isinstance(outcome, Restored), outcome
            _came_back(repo, before, tree)
            if outcome.undo_checkpoint_id not in [undo_id for undo_id, _ in model.undo]:
                model.undo.append((outcome.undo_checkpoint_id, before))
        case "undo":
            outcome = undo_restore(worktrees)
            if model.undo:
                assert isinstance(outcome, Restored), outcome
                _came_back(repo, before, model.undo.pop()[1])
            else:
                assert isinstance(outcome, NothingDone)
        case _:
            pass
    assert repo.users() == users


def _came_back(repo: Folder, before: Tree, tree: Tree) -> None:
    """The files are the checkpoint's, ignored ones too; an ignored one that is newer stays, if nothing needs its place."""
    newer: Tree = {}
    for path, entry in before.items():
        is_in_the_way = any(
            path.startswith(other + b"/") or other.startswith(path + b"/") for other in tree
        )
        if path.endswith(b".log") and path not in tree and not is_in_the_way:
            newer[path] = entry
    assert repo.tree() == tree | newer


def test_the_model_reads_links_and_modes(tmp_path: Path) -> None:
    (tmp_path / "l").symlink_to("nowhere")
    assert entry_of(tmp_path / "l") == ("link", b"nowhere", 0)
