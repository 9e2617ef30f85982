"""Which project and worktree a folder is."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.adapters.places import folder_id as ids
from holdfast.adapters.places.folder_id import folder_id
from holdfast.adapters.places.place_records import (
    claim_place,
    find_place,
    find_root,
    has_other_worktrees,
    is_known,
)
from holdfast.adapters.places.worktree_folder import worktree_folder

_USER = ("-c", "user.name=User", "-c", "user.email=user@example.com")


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


def repository(folder: Path) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    git(folder, *_USER, "commit", "-q", "--allow-empty", "-m", "1")
    return folder


# ------------------------------------------------------------------------------------------------- the id of a folder


def test_a_folder_keeps_its_id_when_it_is_moved_and_filled(tmp_path: Path) -> None:
    folder = tmp_path / "one"
    folder.mkdir()
    before = folder_id(folder)
    (folder / "file").write_text("x")
    folder.rename(tmp_path / "two")
    assert folder_id(tmp_path / "two") == before


def test_a_folder_that_gets_the_inode_of_a_removed_one_has_another_id(tmp_path: Path) -> None:
    folder = tmp_path / "one"
    seen: set[str] = set()
    for _ in range(8):
        folder.mkdir()
        seen.add(folder_id(folder))
        folder.rmdir()
        # The clock of a file system ticks every few milliseconds.
        time.sleep(0.02)
    assert len(seen) == 8


def test_without_a_birth_time_a_folder_is_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ids, "_birth", lambda *_: 0)
    folder = tmp_path / "one"
    folder.mkdir()
    (tmp_path / "link").symlink_to(folder)
    before = folder_id(folder)
    assert folder_id(tmp_path / "link") == before
    folder.rename(tmp_path / "two")
    assert folder_id(tmp_path / "two") != before
    folder.mkdir()
    assert folder_id(folder) == before


@pytest.fixture
def overlay(tmp_path: Path) -> Iterator[Path]:
    """A folder `project` of a lower layer, as a container's image has it."""
    lower, upper, work, merged = (tmp_path / each for each in ("lower", "upper", "work", "merged"))
    for each in (lower / "project", upper, work, merged):
        each.mkdir(parents=True)
    options = f"lowerdir={lower},upperdir={upper},workdir={work}"
    mount = ["mount", "-t", "overlay", "overlay", "-o", options, str(merged)]
    if shutil.which("mount") is None or subprocess.run(mount, check=False).returncode != 0:
        pytest.skip("overlays cannot be mounted here")
    try:
        yield merged / "project"
    finally:
        subprocess.run(["umount", str(merged)], check=True)


def test_a_folder_of_a_lower_layer_keeps_the_id_that_it_was_claimed_with(
    overlay: Path, state: Path
) -> None:
    claimed = claim_place(overlay, state)
    (overlay / "file").write_text("x")
    assert find_place(overlay, state) == claimed
    assert claim_place(overlay, state) == claimed


# --------------------------------------------------------------------------------------------------------- the root


def test_the_root_is_the_nearest_worktree_else_the_nearest_known_folder(
    tmp_path: Path, state: Path
) -> None:
    plain = tmp_path / "plain"
    deep = plain / "a" / "b"
    deep.mkdir(parents=True)
    assert find_root(deep, state) == deep
    claim_place(plain, state)
    assert find_root(deep, state) == plain
    claim_place(plain / "a", state)
    assert find_root(deep, state) == plain / "a"
    repository(plain / "a" / "repository")
    (plain / "a" / "repository" / "sub").mkdir()
    claim_place(plain / "a" / "repository" / "sub", state)
    assert find_root(plain / "a" / "repository" / "sub", state) == plain / "a" / "repository"


def test_an_empty_git_directory_makes_no_worktree(tmp_path: Path, state: Path) -> None:
    (tmp_path / "one" / ".git").mkdir(parents=True)
    (tmp_path / "one" / "sub").mkdir()
    assert find_root(tmp_path / "one" / "sub", state) == tmp_path / "one" / "sub"
    (tmp_path / "one" / ".git").rmdir()
    (tmp_path / "one" / ".git").write_text("not git's\n")
    assert find_root(tmp_path / "one" / "sub", state) == tmp_path / "one" / "sub"


def test_the_home_directory_is_never_found_from_below(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = repository(tmp_path / "people" / "me")
    git(home.parent, "init", "-q")
    monkeypatch.setenv("HOME", str(home))
    inner = home / "work"
    inner.mkdir()
    assert find_root(inner, state) == inner
    assert find_root(home, state) == home


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives folders to others")
def test_a_folder_of_another_owner_is_never_found_from_below(tmp_path: Path, state: Path) -> None:
    outer = repository(tmp_path / "outer")
    inner = outer / "inner"
    inner.mkdir()
    assert find_root(inner, state) == outer
    os.chown(outer, 12345, 12345)
    assert find_root(inner, state) == inner


# -------------------------------------------------------------------------------------------------------- the place


def test_a_linked_worktree_belongs_to_the_main_one(tmp_path: Path, state: Path) -> None:
    main = repository(tmp_path / "main")
    linked = tmp_path / "linked"
    git(main, "worktree", "add", "-q", str(linked))
    place, whole = find_place(linked, state), find_place(main, state)
    assert (place.project_id, place.project_root) == (whole.worktree_id, str(main))
    assert place.worktree_id == folder_id(linked)
    assert (whole.is_main, place.is_main) == (True, False)


def test_a_linked_worktree_of_a_submodule_belongs_to_the_submodule(
    tmp_path: Path, state: Path
) -> None:
    source, outer = repository(tmp_path / "source"), repository(tmp_path / "outer")
    allow = ("-c", "protocol.file.allow=always")
    git(outer, *allow, "submodule", "-q", "add", str(source), "inner")
    linked = tmp_path / "linked"
    git(outer / "inner", "worktree", "add", "-q", str(linked))
    assert find_place(outer / "inner", state).project_root == str(outer / "inner")
    assert find_place(linked, state).project_root == str(outer / "inner")


def test_variables_of_git_do_not_change_the_place(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main, other = repository(tmp_path / "main"), repository(tmp_path / "other")
    before = find_place(main, state)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    assert find_place(main, state) == before
    assert find_root(main, state) == main


def test_to_look_records_nothing_and_to_claim_records_it_once(tmp_path: Path, state: Path) -> None:
    main = repository(tmp_path / "main")
    linked = tmp_path / "linked"
    git(main, "worktree", "add", "-q", str(linked))
    place = find_place(linked, state)
    assert not is_known(place, state)
    assert not state.exists()
    assert claim_place(linked, state) == place
    assert is_known(place, state)
    assert is_known(find_place(main, state), state)
    assert has_other_worktrees(find_place(main, state), state)
    record = worktree_folder(state, linked) / "place.json"
    written = record.stat().st_mtime_ns
    claim_place(linked, state)
    assert record.stat().st_mtime_ns == written


def test_a_record_that_cannot_be_read_is_written_anew(tmp_path: Path, state: Path) -> None:
    main = repository(tmp_path / "main")
    linked = tmp_path / "linked"
    git(main, "worktree", "add", "-q", str(linked))
    claimed = claim_place(linked, state)
    record = worktree_folder(state, linked) / "place.json"
    record.write_text("{")
    assert claim_place(linked, state) == claimed
    (linked / ".git").unlink()
    assert find_place(linked, state) == claimed


def test_a_path_that_is_not_text_is_recorded_as_it_is(tmp_path: Path, state: Path) -> None:
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    claim_place(folder, state)
    record = worktree_folder(state, folder) / "place.json"
    written = record.stat().st_mtime_ns
    claim_place(folder, state)
    assert record.stat().st_mtime_ns == written
