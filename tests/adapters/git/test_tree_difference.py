"""Two trees are compared as git compares them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.adapters.git.objects.object_store import ObjectStore
from holdfast.adapters.git.objects.tree_difference import TreeComparison, UnreadableTreeError

pytestmark = pytest.mark.integration

PATHS = st.lists(st.sampled_from(["a", "a-b", "a.c", "b", "é"]), min_size=1, max_size=4)
MODES = st.sampled_from(["100644", "100755", "120000", "160000"])
FILES = st.dictionaries(PATHS.map("/".join), st.tuples(MODES, st.integers(0, 2)), max_size=8)


def _git(root: Path, *words: str, stdin: bytes = b"") -> bytes:
    return subprocess.run(
        ["git", *words], cwd=root, check=True, capture_output=True, input=stdin
    ).stdout


def _write_tree(root: Path, files: dict[str, tuple[str, int]]) -> str:
    """Write a tree of these files; where two need the same place, the last one has it."""
    (root / ".git" / "index").unlink(missing_ok=True)
    for path, (mode, number) in files.items():
        oid = _git(root, "hash-object", "-w", "--stdin", stdin=b"%d" % number).strip().decode()
        line = f"{mode} {oid}\t{path}\n"
        _git(root, "update-index", "--add", "--replace", "--index-info", stdin=line.encode())
    return _git(root, "write-tree", "--missing-ok").strip().decode()


def _as_git(root: Path, before: str, after: str) -> list[tuple[str, str, str]]:
    """Return path and both entries, as `diff-tree` prints them."""
    output = _git(root, "diff-tree", "-r", "-z", "--raw", "--no-renames", before, after)
    fields = os.fsdecode(output).split("\0")
    found = []
    for head, path in zip(fields[::2], fields[1::2], strict=False):
        old_mode, new_mode, old, new, _ = head.removeprefix(":").split(" ")
        found.append((path, f"{old_mode} {old}", f"{new_mode} {new}"))
    return sorted(found)


def _compared(root: Path, before: str, after: str) -> list[tuple[str, str, str]]:
    store = ObjectStore(root / ".git", "sha1")
    found = []
    for each in TreeComparison(store.batch().read, store.hash_size).compare(before, after):
        entries = []
        for entry in (each.before, each.after):
            if entry is None:
                entries.append(f"000000 {'0' * 40}")
            else:
                entries.append(f"{entry.mode} {entry.oid}")
        found.append((each.path, entries[0], entries[1]))
    return sorted(found)


@given(FILES, FILES)
@settings(max_examples=max(1, settings().max_examples // 2))
def test_any_two_trees_differ_as_git_says(
    tmp_path_factory: pytest.TempPathFactory,
    old: dict[str, tuple[str, int]],
    new: dict[str, tuple[str, int]],
) -> None:
    root = tmp_path_factory.mktemp("trees")
    _git(root, "init", "-q")
    before, after = _write_tree(root, old), _write_tree(root, new)
    assert _compared(root, before, after) == _as_git(root, before, after)


def test_a_missing_tree_is_an_error_and_no_difference(tmp_path: Path) -> None:
    _git(tmp_path, "init", "-q")
    tree = _write_tree(tmp_path, {"a/b": ("100644", 1)})
    store = ObjectStore(tmp_path / ".git", "sha1")
    with pytest.raises(UnreadableTreeError, match="f" * 40):
        TreeComparison(store.batch().read, 20).compare(tree, "f" * 40)
