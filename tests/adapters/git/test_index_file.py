"""The index that this process writes is the one that git would have written."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.adapters.git.objects.index_file import (
    UnknownIndexError,
    changed_entries,
    empty_index,
    encode_entry,
    is_whole,
    mode_of,
    parse_index,
)
from holdfast.adapters.git.objects.object_store import ObjectStore
from holdfast.adapters.git.objects.tree_cache import complete_trees

pytestmark = pytest.mark.integration

NAMES = st.sampled_from(["a", "a-b", "a.c", "a0", "b", "é", "z"])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
CONTENT = st.binary(max_size=20)


def _git(root: Path, *words: str, **variables: str) -> str:
    ran = subprocess.run(
        ["git", *words], cwd=root, check=True, capture_output=True, env={**os.environ, **variables}
    )
    return os.fsdecode(ran.stdout)


def _repository(root: Path, hash_name: str = "sha1") -> ObjectStore:
    root.mkdir()
    _git(root, "init", "-q", f"--object-format={hash_name}")
    return ObjectStore(root / ".git", hash_name)


def _update(root: Path, store: ObjectStore, changes: dict[str, bytes | None]) -> str:
    """Write files and the index in this process; return the tree."""
    file = root / ".git" / "index"
    index = empty_index(store.hash_size)
    if file.exists():
        index = parse_index(file.read_bytes(), store.hash_size)
    batch = store.batch()
    entries: dict[bytes, bytes | None] = {}
    for path, content in changes.items():
        entry = None
        if content is not None:
            (root / path).write_bytes(content)
            status = (root / path).lstat()
            mode = mode_of(status)
            assert mode is not None
            entry = encode_entry(os.fsencode(path), status, mode, batch.add("blob", content))
        entries[os.fsencode(path)] = entry
    index = index.with_entries(entries)
    trees = complete_trees(index, index.trees, lambda body: batch.add("tree", body))
    batch.flush()
    data = index.with_trees(trees).encode()
    assert is_whole(data, store.hash_size)
    file.write_bytes(data)
    return trees.root_id()


def _check(root: Path, tree: str, expected: dict[str, bytes]) -> None:
    """Compare with git: the same entries, the same tree, and every cached tree is right."""
    listed = _git(root, "ls-files", "-z").split("\0")[:-1]
    assert sorted(listed) == sorted(expected)
    assert _git(root, "write-tree").strip() == tree
    # A second index, of which git has cached nothing.
    _git(root, "read-tree", tree, GIT_INDEX_FILE=str(root / ".git" / "again"))
    assert _git(root, "write-tree", GIT_INDEX_FILE=str(root / ".git" / "again")).strip() == tree
    _git(root, "fsck", "--strict", "--no-dangling", tree)
    shown = {name: _git(root, "ls-files", "-s", "--", name).split()[1] for name in expected}
    for name, content in expected.items():
        hashed = subprocess.run(
            ["git", "hash-object", "--stdin"],
            cwd=root,
            input=content,
            capture_output=True,
            check=True,
        )
        assert shown[name] == hashed.stdout.decode().strip()


@pytest.mark.parametrize("hash_name", ["sha1", "sha256"])
def test_entries_and_trees_are_those_of_git(tmp_path: Path, hash_name: str) -> None:
    root = tmp_path / "root"
    store = _repository(root, hash_name)
    for directory in ("d/e", "d-f", "d.g"):
        (root / directory).mkdir(parents=True)
    files = {"a": b"1", "d/e/x": b"2", "d/y": b"3", "d-f/z": b"4", "d.g/z": b"5", "d/e/w": b"6"}
    _check(root, _update(root, store, dict(files)), files)
    assert _git(root, "status", "--porcelain=v1", "-uall").strip().startswith("A")
    changed: dict[str, bytes | None] = {"d/e/x": b"other", "d-f/z": None, "a": None}
    rest = {"d/e/x": b"other", "d/y": b"3", "d.g/z": b"5", "d/e/w": b"6"}
    _check(root, _update(root, store, changed), rest)
    assert _git(root, "diff-files", "--name-only").strip() == ""


def test_a_name_longer_than_the_field_for_its_length(tmp_path: Path) -> None:
    root = tmp_path / "root"
    store = _repository(root)
    directory = "/".join(["d" * 200] * 20)
    here = os.open(root, os.O_RDONLY)
    for _ in range(20):
        os.mkdir("d" * 200, dir_fd=here)
        inner = os.open("d" * 200, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    status = root.lstat()
    long = f"{directory}/{'x' * 100}".encode()
    index = empty_index(20).with_entries(
        {long: encode_entry(long, status, 0o100644, bytes(20)), b"e": None}
    )
    again = parse_index(index.encode(), store.hash_size)
    assert again.paths() == [long]


def test_directories_too_deep_for_recursion(tmp_path: Path) -> None:
    store = _repository(tmp_path / "root")
    status = tmp_path.lstat()
    deep = b"/".join([b"d"] * 1500)
    batch = store.batch()
    blob = batch.add("blob", b"deep\n")
    index = empty_index(20).with_entries({deep: encode_entry(deep, status, 0o100644, blob)})
    trees = complete_trees(index, index.trees, lambda body: batch.add("tree", body))
    batch.flush()
    (tmp_path / "root" / ".git" / "index").write_bytes(index.with_trees(trees).encode())
    assert parse_index(index.with_trees(trees).encode(), 20).trees == trees
    shown = _git(tmp_path / "root", "ls-tree", "-r", "--name-only", trees.root_id()).strip()
    assert shown.encode() == deep


def test_a_file_replaces_a_directory_and_a_directory_a_file(tmp_path: Path) -> None:
    root = tmp_path / "root"
    store = _repository(root)
    (root / "d").mkdir()
    _update(root, store, {"d/x": b"1", "d/y": b"2", "f": b"3"})
    for name in ("d/x", "d/y", "f"):
        (root / name).unlink()
    (root / "d").rmdir()
    (root / "f").mkdir()
    files = {"d": b"4", "f/x": b"5"}
    _check(root, _update(root, store, dict(files)), files)


def test_all_stages_of_a_merge_are_replaced(tmp_path: Path) -> None:
    root = tmp_path / "root"
    store = _repository(root)
    _update(root, store, {"a": b"1", "b": b"2"})
    blob = _git(root, "rev-parse", ":a").strip()
    stages = "".join(f"100644 {blob} {stage}\ta\n" for stage in (1, 2, 3))
    subprocess.run(
        ["git", "update-index", "--index-info"],
        cwd=root,
        check=True,
        input=f"0 {'0' * 40}\ta\n{stages}".encode(),
    )
    data = (root / ".git" / "index").read_bytes()
    assert parse_index(data, 20).is_merging()
    _check(root, _update(root, store, {"a": b"both"}), {"a": b"both", "b": b"2"})
    assert not parse_index((root / ".git" / "index").read_bytes(), 20).is_merging()


def test_what_git_has_written_is_read_with_its_trees(tmp_path: Path) -> None:
    root = tmp_path / "root"
    _repository(root)
    (root / "d").mkdir()
    for name in ("a", "d/b", "d/c"):
        (root / name).write_text(name)
    _git(root, "add", "-A")
    tree = _git(root, "write-tree").strip()
    index = parse_index((root / ".git" / "index").read_bytes(), 20)
    assert index.paths() == [b"a", b"d/b", b"d/c"]
    assert index.trees.root_id() == tree
    assert index.trees.by_directory[b"d/"].count == 2


@pytest.mark.parametrize("option", ["--index-version=4", "--split-index"])
def test_an_index_that_only_git_can_read_is_refused(tmp_path: Path, option: str) -> None:
    root = tmp_path / "root"
    _repository(root)
    (root / "a").write_text("a")
    _git(root, "add", "-A")
    _git(root, "update-index", *option.split("="))
    with pytest.raises(UnknownIndexError, match=r"the version is 4|the extension b'link'"):
        parse_index((root / ".git" / "index").read_bytes(), 20)


def test_a_damaged_index_is_not_whole(tmp_path: Path) -> None:
    root = tmp_path / "root"
    store = _repository(root)
    _update(root, store, {"a": b"1"})
    data = bytearray((root / ".git" / "index").read_bytes())
    assert is_whole(bytes(data), 20)
    data[30] ^= 1
    assert not is_whole(bytes(data), 20)
    with pytest.raises(UnknownIndexError, match="too short"):
        parse_index(bytes(data[:20]), 20)


def test_entries_whose_stat_data_git_has_written_anew(tmp_path: Path) -> None:
    root = tmp_path / "root"
    store = _repository(root)
    _update(root, store, {f"f{number}": b"1" for number in range(200)})
    before = (root / ".git" / "index").read_bytes()
    for name in ("f0", "f77", "f199"):
        os.utime(root / name, (5, 5))
    _git(root, "update-index", "--refresh")
    after = parse_index((root / ".git" / "index").read_bytes(), 20)
    assert changed_entries(before, after) == [b"f0", b"f199", b"f77"]


@given(st.lists(st.dictionaries(PATHS, st.none() | CONTENT, max_size=6), min_size=1, max_size=4))
@settings(max_examples=max(1, settings().max_examples // 2))
def test_any_sequence_of_changes_has_the_tree_that_git_writes(
    tmp_path_factory: pytest.TempPathFactory, rounds: list[dict[str, bytes | None]]
) -> None:
    root = tmp_path_factory.mktemp("law") / "root"
    store = _repository(root)
    present: dict[str, bytes] = {}
    for changes in rounds:
        consistent = _without_conflicts(changes, present)
        for path, content in consistent.items():
            _place(root, path, content)
        tree = _update(root, store, consistent)
        _check(root, tree, present)


def _without_conflicts(
    changes: dict[str, bytes | None], present: dict[str, bytes]
) -> dict[str, bytes | None]:
    """Apply changes to `present`; leave out paths that need the place of another one."""
    consistent: dict[str, bytes | None] = {}
    for path, content in changes.items():
        others = [each for each in present if each != path]
        beside = [each for each in others if f"{each}/".startswith(f"{path}/")]
        beside += [each for each in others if f"{path}/".startswith(f"{each}/")]
        if beside:
            continue
        consistent[path] = content
        present.pop(path, None)
        if content is not None:
            present[path] = content
    return consistent


def _place(root: Path, path: str, content: bytes | None) -> None:
    file = root / path
    if content is None:
        file.unlink(missing_ok=True)
        for parent in file.parents:
            if parent == root or not parent.is_dir() or any(parent.iterdir()):
                return
            parent.rmdir()
        return
    file.parent.mkdir(parents=True, exist_ok=True)
