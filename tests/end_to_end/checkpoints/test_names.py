"""Odd names are names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.end_to_end.checkpoints.repo import Folder

ODD = [
    b"new\nline",
    b"tab\there",
    b":(top)x",
    b":!not",
    b":/slash",
    b"latin-\xe9-\xff",
    b"-dash",
    b"--json",
    b"*.glob",
    b"a[b]c?",
    b"back\\slash",
    b'"quoted"',
    b" blank ",
    b"$(echo hi)",
    b"dir with blank/in\nner/:(glob)**",
    b"HEAD",
    b"@{u}",
]


def test_odd_names_are_captured_changed_deleted_and_restored(repo: Folder) -> None:
    for number, name in enumerate(ODD):
        repo.write(name, f"{number}\n")
    before = repo.tree()
    taken = repo.checkpoint()
    for number, name in enumerate(ODD):
        if number % 2:
            repo.path(name).unlink()
        else:
            repo.write(name, "agent\n")
    changed = repo.tree()
    told = repo.run("diff", taken, "--json").told["files"]
    assert sorted(os.fsencode(each["path"]) for each in told) == sorted(ODD)
    repo.restore(taken)
    assert repo.tree() == before
    repo.undo()
    assert repo.tree() == changed


def test_odd_names_that_are_new_go_and_ignored_ones_stay(repo: Folder) -> None:
    repo.write(".gitignore", b"*.log\n.env\ncache/\n\\:(top)x\nlatin-\xe9-\xff\n")
    taken, before = repo.checkpoint(), repo.tree()
    repo.write(".gitignore", b"")
    for name in ODD:
        repo.write(name, "agent\n")
    kept = repo.restore(taken)["kept"]
    stayed = dict.fromkeys((b":(top)x", b"latin-\xe9-\xff"), ("file", b"agent\n", 0o644))
    assert repo.tree() == before | stayed
    assert [os.fsencode(each) for each in kept] == sorted(
        stayed,
        key=lambda name: name.decode("utf-8", "surrogateescape"),
    )


@pytest.mark.parametrize("name", [b"sub \xff", b"new\nline", b":(top)d"])
def test_a_nested_repository_and_a_large_file_with_odd_names_are_told_by_name(
    repo: Folder, name: bytes
) -> None:
    Folder(repo.path(name)).init()
    told = repo.create()
    assert [os.fsencode(each) for each in told["skipped"]] == [name]
    repo.restore(told["id"])
    assert repo.path(name).is_dir()


def test_a_root_with_an_odd_name_works(tmp_path: Path) -> None:
    root = Folder(tmp_path / "a b'c\"d \udcff").init()
    root.write("a", "1")
    taken = root.checkpoint()
    root.write("a", "2")
    root.restore(taken)
    assert root.path("a").read_text() == "1"
