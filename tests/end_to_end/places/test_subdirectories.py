"""A sub-directory is a part of its project, unless `--root` names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.testing import call
from tests.end_to_end.places.desk import Desk

CONFIG = 'check = "true the check"\n'


def make(desk: Desk, kind: str) -> Path:
    """Make a project of this kind, with rules and settings, that was used once."""
    if kind == "plain":
        root = desk.folder("project")
    elif kind == "repository":
        root = desk.repository("project")
    else:
        root = desk.worktree(desk.repository("main"), "project")
    (root / "AGENTS.md").write_text("The rule of the project.\n")
    (root / ".holdfast").mkdir()
    (root / ".holdfast" / "config.toml").write_text(CONFIG)
    (root / "sub" / "deep").mkdir(parents=True)
    desk.apply(root, "one", "two")
    return root


@pytest.mark.parametrize("kind", ["plain", "repository", "linked"])
def test_settings_rules_changes_and_undo_of_the_root_are_seen_in_a_sub_directory(
    desk: Desk, kind: str
) -> None:
    root = make(desk, kind)
    here = root / "sub" / "deep"
    settings = desk.json(here, "config", "show")["settings"]
    assert settings["check"]["value"] == "true the check"
    assert len(desk.changes(here)) == 1
    edit = call("write_file", path="new.txt", content="new\n")
    turn = desk.turn(here, edit)
    assert "The rule of the project." in turn.requests[0]
    assert (root / "new.txt").exists()
    assert not (here / "new.txt").exists()
    assert desk.turn(root, options=("--continue", turn.session)).code == 0
    assert desk.run(here, "undo").code == 0
    assert not (root / "new.txt").exists()
    assert desk.run(here, "undo").code == 0
    assert (root / "a.txt").read_text() == "one\n"


@pytest.mark.parametrize("kind", ["plain", "repository", "linked"])
def test_a_checkpoint_is_restored_from_a_sub_directory(desk: Desk, kind: str) -> None:
    root = make(desk, kind)
    taken = desk.checkpoint(root / "sub")
    (root / "a.txt").write_text("three\n")
    assert desk.run(root / "sub" / "deep", "checkpoint", "restore", taken).code == 0
    assert (root / "a.txt").read_text() == "two\n"


@pytest.mark.parametrize("kind", ["plain", "repository"])
def test_a_named_root_is_exactly_that_directory(desk: Desk, kind: str) -> None:
    root = make(desk, kind)
    sub = root / "sub"
    (sub / "a.txt").write_text("one\n")
    assert desk.changes(sub, "--root", str(sub)) == []
    assert desk.changes(sub, "--root", ".") == []
    assert desk.json(sub, "config", "show", "--root", ".")["settings"]["check"]["value"] is None
    assert desk.apply(root, "one", "four", "apply", "--root", str(sub)).code == 0
    assert (sub / "a.txt").read_text() == "four\n"
    assert len(desk.changes(sub, "--root", str(sub))) == 1


def test_a_repository_in_a_repository_is_a_project_of_its_own(desk: Desk) -> None:
    root = make(desk, "repository")
    inner = root / "sub"
    desk.git(inner, "init", "-q")
    assert desk.changes(inner / "deep") == []


def test_repair_finds_a_file_that_is_named_from_here(desk: Desk) -> None:
    root = desk.repository("project")
    (root / "sub").mkdir()
    (root / "x.py").write_text("x = 1\n")
    (root / "sub" / "x.py").write_text("x = 1\n")
    (root / "y.py").write_text("y = 1\n")
    names = {}
    for word in ("x.py", "y.py"):
        done = desk.json(root / "sub", "repair", word, "--no-model", "--dry-run")
        names[word] = [each["path"] for each in done["files"]]
    assert names == {"x.py": ["sub/x.py"], "y.py": ["y.py"]}
