"""A folder without git has a private repository in the state directory; and some folders are refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.end_to_end.checkpoints.repo import Folder


def test_a_plain_folder_goes_back_and_forth_and_stays_plain(folder: Folder) -> None:
    folder.write("a.txt", "a\n")
    folder.write("mixed.txt", b"dos\r\nunix\n")
    folder.write("deep/run", "#!/bin/sh\n", 0o755)
    folder.write(".gitignore", "*.log\n")
    folder.write(".gitattributes", "* text=auto eol=crlf\n*.txt ident filter=lfs\n")
    folder.write("kept.log", "log\n")
    taken, before = folder.checkpoint(), folder.tree()
    folder.write("a.txt", "agent\n")
    folder.path("mixed.txt").unlink()
    folder.write("new.txt", "new\n")
    folder.write("kept.log", "agent's\n")
    changed = folder.tree()
    restored = folder.restore(taken)
    assert folder.tree() == before
    assert restored["commits"] == []
    folder.undo()
    assert folder.tree() == changed
    assert sorted(entry.name for entry in folder.root.iterdir()) == [
        ".gitattributes",
        ".gitignore",
        "a.txt",
        "deep",
        "kept.log",
        "new.txt",
    ]


def test_to_list_and_to_undo_in_a_folder_without_checkpoints_makes_nothing(
    folder: Folder, tmp_path: Path
) -> None:
    assert folder.run("list", "--json").told == {"checkpoints": []}
    assert "no checkpoint" in folder.run("undo", "--json").why
    assert "no checkpoint" in folder.run("restore", "x", "--json").why
    assert folder.run("prune", "--json").told == {
        "removed": [],
        "emptied": [],
        "left": 0,
        "seq": None,
    }
    assert not (tmp_path / "state").exists()


def test_a_state_directory_that_is_named_from_here_is_the_same_for_git(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOLDFAST_STATE_DIR", "near")
    folder.write("a.txt", "a\n")
    taken, before = folder.checkpoint(), folder.tree()
    folder.write("a.txt", "agent\n")
    folder.restore(taken)
    assert folder.tree() == before
    assert len(list((tmp_path / "near").glob("worktrees/*/checkpoints.git"))) == 1


def test_a_global_autocrlf_changes_no_byte_of_a_plain_folder(
    folder: Folder, tmp_path: Path
) -> None:
    (tmp_path / "home" / ".gitconfig").write_text("[core]\n\tautocrlf = true\n")
    folder.write("unix.txt", "one\ntwo\n")
    taken, before = folder.checkpoint(), folder.tree()
    folder.write("unix.txt", "agent\n")
    folder.restore(taken)
    assert folder.tree() == before


def test_an_agent_that_runs_git_init_does_not_lose_the_checkpoints(folder: Folder) -> None:
    folder.write("a.txt", "a\n")
    taken = folder.checkpoint()
    folder.init()
    folder.write("a.txt", "agent\n")
    head = folder.commit("agent")
    folder.restore(taken)
    assert folder.path("a.txt").read_text() == "a\n"
    assert folder.git("rev-parse", "HEAD").strip() == head
    # Once it is empty, the private repository makes way for the new one.
    assert folder.run("prune", "--keep", "0", "--json").told["left"] == 0
    later = folder.checkpoint()
    assert folder.ids() == [later]


def test_repositories_in_a_plain_folder_are_skipped_and_untouched(folder: Folder) -> None:
    inner = Folder(folder.root / "project").init()
    inner.write("x", "x\n")
    inner.commit()
    folder.write("note", "n\n")
    told = folder.create()
    assert told["skipped"] == ["project"]
    inner.write("x", "agent\n")
    folder.write("note", "agent\n")
    folder.restore(told["id"])
    assert inner.path("x").read_text() == "agent\n"
    assert folder.path("note").read_text() == "n\n"


def test_a_folder_that_the_repository_around_it_ignores_is_a_plain_one(repo: Folder) -> None:
    repo.write(".gitignore", "cache/\n:*\n")
    for name in ("cache/project", "cache", ":(top)x/project"):
        inside = Folder(repo.root / name)
        inside.write("a.txt", "a\n")
        around, users = repo.tree(), repo.users()
        taken, before = inside.checkpoint(), inside.tree()
        inside.write("a.txt", "agent\n")
        inside.write("new.txt", "agent\n")
        changed = inside.tree()
        inside.restore(taken)
        assert inside.tree() == before
        assert (repo.tree(), repo.users(), repo.ids()) == (around, users, [])
        inside.undo()
        assert inside.tree() == changed


def test_a_folder_that_is_ignored_but_for_tracked_files_belongs_to_the_repository(
    repo: Folder,
) -> None:
    repo.git("add", "-f", "cache/big.bin")
    told = repo.run("create", "--json", root=repo.root / "cache").told
    assert repo.ids() == [told["id"]]
    assert repo.private("show", f"{told['commit']}:cache/big.bin") == "cached\n"


def test_a_folder_that_is_ignored_since_still_goes_back(repo: Folder) -> None:
    inside = Folder(repo.root / "project")
    inside.write("a.txt", "a\n")
    taken = inside.checkpoint()
    inside.write("a.txt", "agent\n")
    repo.write(".gitignore", "project/\n")
    inside.restore(taken)
    assert inside.path("a.txt").read_text() == "a\n"


@pytest.mark.parametrize("below", ["", "deep"])
def test_a_folder_in_the_place_of_a_submodule_that_was_never_filled_is_a_plain_one(
    repo: Folder, below: str
) -> None:
    head = repo.git("rev-parse", "HEAD").strip()
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{head},2:sub")
    inside = Folder(repo.root / "2:sub" / below)
    inside.write("a.txt", "a\n")
    taken = inside.checkpoint()
    inside.write("a.txt", "agent\n")
    inside.restore(taken)
    assert inside.path("a.txt").read_text() == "a\n"
    assert repo.ids() == []


def test_home_and_everything_above_it_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Folder(tmp_path / "home")
    assert "home directory" in home.run("create", "--json").why
    for above in (tmp_path, Path("/")):
        # The state directory is inside.
        assert home.run("create", "--json", root=above).code == 2
    link = tmp_path / "link"
    link.symlink_to(home.root)
    assert "home directory" in home.run("create", "--json", root=link).why
    home.init()
    assert "home directory" in home.run("create", "--json").why
    inside = Folder(home.root / "project")
    assert "git init" in inside.run("create", "--json").why
    assert not (tmp_path / "state").exists()
    inside.init()
    inside.checkpoint()
    (made,) = (tmp_path / "state" / "worktrees").iterdir()
    assert {file.name for file in made.iterdir()} == {
        "checkpoints.git",
        "had-checkpoints",
        "lock",
        "place.json",
        "user-repository",
    }


def test_prune_keeps_the_latest_and_gives_the_room_back(folder: Folder, tmp_path: Path) -> None:
    ids = []
    for number in range(5):
        folder.write("a.bin", os.urandom(300_000))
        folder.write("n", str(number))
        ids.append(folder.checkpoint())

    def size() -> int:
        return sum(
            file.stat().st_size for file in (tmp_path / "state").rglob("*") if file.is_file()
        )

    full = size()
    told = folder.run("prune", "--keep", "2", "--json").told
    assert told == {"removed": [ids[2], ids[1], ids[0]], "emptied": [], "left": 2, "seq": 6}
    assert size() < full - 600_000
    folder.restore(ids[3])
    assert folder.path("n").read_text() == "3"
    assert "no such checkpoint" in folder.run("restore", ids[0], "--json").why
