"""Whatever state the repository is in, it stays in it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.end_to_end.checkpoints.repo import Folder, ravage, ref_of


def test_the_agent_committed_and_head_is_left_and_the_commits_are_told(repo: Folder) -> None:
    taken, before = repo.checkpoint(), repo.tree()
    repo.write("src/app.py", "agent one\n")
    repo.write("agent.txt", "agent\n")
    one = repo.commit("agent one")
    repo.write("src/app.py", "agent two\n")
    two = repo.commit("agent two")
    users = repo.users()
    restored = repo.restore(taken)
    assert repo.tree() == before
    assert repo.users() == users
    assert restored["commits"] == [two, one]
    assert repo.git("rev-parse", "HEAD").strip() == two


def test_a_detached_head_stays_detached(repo: Folder) -> None:
    repo.git("checkout", "-q", "--detach")
    taken, before = repo.checkpoint(), repo.tree()
    users = repo.users()
    ravage(repo)
    repo.restore(taken)
    assert repo.tree() == before
    assert repo.users() == users


def test_a_repository_without_a_commit_works(folder: Folder) -> None:
    folder.init()
    folder.write("a.txt", "a\n")
    folder.write("b.txt", "b\n")
    folder.git("add", "a.txt")
    before, users = folder.tree(), folder.users()
    taken = folder.checkpoint()
    folder.write("a.txt", "changed\n")
    folder.path("b.txt").unlink()
    folder.write("c.txt", "c\n")
    folder.restore(taken)
    assert (folder.tree(), folder.users()) == (before, users)
    assert folder.private("show", f"{ref_of(taken)}:a.txt") == "a\n"


def test_an_empty_repository_works(folder: Folder) -> None:
    folder.init()
    taken = folder.checkpoint()
    folder.write("a.txt", "a\n")
    folder.restore(taken)
    assert folder.tree() == {}
    folder.undo()
    assert folder.tree() == {b"a.txt": ("file", b"a\n", 0o644)}


def test_in_the_middle_of_a_merge_the_merge_goes_on(folder: Folder) -> None:
    folder.init()
    folder.write("both.txt", "base\n")
    folder.write("gone.txt", "base\n")
    folder.commit()
    folder.git("checkout", "-q", "-b", "other")
    folder.write("both.txt", "other\n")
    folder.write("gone.txt", "other\n")
    folder.commit()
    folder.git("checkout", "-q", "main")
    folder.write("both.txt", "main\n")
    folder.path("gone.txt").unlink()
    folder.commit()
    folder.git("merge", "-q", "other", check=False)
    before, users = folder.tree(), folder.users()
    assert b"<<<<<<<" in before[b"both.txt"][1]
    taken = folder.checkpoint()
    folder.write("both.txt", "the agent's resolution\n")
    folder.path("gone.txt").unlink(missing_ok=True)
    folder.write("extra.txt", "x\n")
    folder.restore(taken)
    assert (folder.tree(), folder.users()) == (before, users)
    assert "both modified" in folder.git("status")


def test_a_linked_worktree_has_its_own_checkpoints_and_the_main_one_is_untouched(
    repo: Folder, tmp_path: Path
) -> None:
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    linked = Folder(tmp_path / "linked")
    linked.write("untracked.txt", "u\n")
    main, main_users = repo.tree(), repo.users()
    taken, before, users = linked.checkpoint(), linked.tree(), linked.users()
    linked.write("src/app.py", "agent\n")
    linked.path("untracked.txt").unlink()
    linked.restore(taken)
    assert (linked.tree(), linked.users()) == (before, users)
    assert (repo.tree(), repo.users()) == (main, main_users)
    assert [each["id"] for each in linked.run("list", "--json").told["checkpoints"]][-1] == taken
    listed = repo.run("list", "--json").told["checkpoints"]
    assert {each["worktree"] for each in listed} == {str(linked.root)}
    assert str(linked.root) in repo.run("restore", taken, "--json").why


def test_a_linked_worktree_that_is_called_main_is_not_the_main_one(
    repo: Folder, tmp_path: Path
) -> None:
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "elsewhere" / "main"))
    linked = Folder(tmp_path / "elsewhere" / "main")
    main = repo.tree()
    taken = linked.create()
    assert taken["worktree"] == "worktrees/main"
    linked.write("src/app.py", "agent\n")
    linked.restore(taken["id"])
    assert "no checkpoint was ever taken here" in repo.run("undo", "--json").why
    listed = repo.run("list", "--json").told["checkpoints"]
    assert {each["worktree"] for each in listed} == {str(linked.root)}
    assert repo.run("prune", "--keep", "0", "--json").told["removed"] == []
    assert repo.tree() == main
    assert repo.create()["worktree"] == "main"
    linked.undo()
    assert linked.path("src/app.py").read_text() == "agent\n"


@pytest.mark.parametrize("name", ["a\nb", "end\n", "\n", "HEAD^{commit}\n", "a\n.git\n"])
@pytest.mark.parametrize("is_born", [True, False])
def test_a_newline_in_the_name_of_the_root_is_a_character_like_any_other(
    tmp_path: Path, name: str, is_born: bool
) -> None:
    repo = Folder(tmp_path / name).init()
    repo.write("src/a.txt", "a\n")
    if is_born:
        repo.commit()
    before = repo.tree()
    taken = repo.create()
    repo.write("src/a.txt", "agent\n")
    assert repo.run("restore", taken["id"], root=repo.root / "src").code == 0
    assert repo.tree() == before
    assert taken["branch"] == ("refs/heads/main" if is_born else None)
    assert taken["id"] in repo.ids()
    assert [entry.name for entry in tmp_path.iterdir() if entry.name not in {"home", "state"}] == [
        name
    ]


def test_a_newline_in_the_name_of_a_git_directory_elsewhere_is_no_hindrance(tmp_path: Path) -> None:
    repo = Folder(tmp_path / "wt")
    repo.git("init", "-q", "-b", "main", "--separate-git-dir", str(tmp_path / "git\ndir"))
    repo.write("a.txt", "a\n")
    repo.commit()
    taken, before = repo.checkpoint(), repo.tree()
    repo.write("a.txt", "agent\n")
    repo.restore(taken)
    assert repo.tree() == before


def test_a_sparse_checkout_stays_sparse(folder: Folder) -> None:
    folder.init()
    folder.write("in/a.txt", "a\n")
    folder.write("out/b.txt", "b\n")
    folder.write("top.txt", "t\n")
    folder.commit()
    folder.git("sparse-checkout", "set", "in")
    assert not folder.path("out").exists()
    taken, before, users = folder.checkpoint(), folder.tree(), folder.users()
    folder.write("in/a.txt", "agent\n")
    folder.write("out/new.txt", "outside the cone\n")
    folder.write("top.txt", "agent\n")
    changed = folder.tree()
    folder.restore(taken)
    assert (folder.tree(), folder.users()) == (before, users)
    folder.undo()
    assert folder.tree() == changed
    names = folder.names_in(taken)
    assert names == ["in/a.txt", "top.txt"]


def test_a_sparse_checkout_that_was_widened_and_narrowed_loses_nothing(folder: Folder) -> None:
    folder.init()
    folder.write("in/a.txt", "a\n")
    folder.write("out/b.txt", "b\n")
    folder.commit()
    folder.checkpoint()
    folder.git("sparse-checkout", "set", "in")
    narrow, tree = folder.checkpoint(), folder.tree()
    folder.write("in/a.txt", "agent\n")
    folder.restore(narrow)
    assert folder.tree() == tree
    folder.git("sparse-checkout", "disable")
    wide = folder.tree()
    folder.restore(narrow)
    assert folder.tree() == wide


def test_files_that_git_was_told_not_to_look_at_are_captured_all_the_same(repo: Folder) -> None:
    repo.git("update-index", "--assume-unchanged", "src/util.py")
    repo.git("update-index", "--skip-worktree", "docs/a.md")
    repo.write("src/util.py", "hidden edit\n")
    repo.write("docs/a.md", "hidden too\n")
    taken, before, users = repo.checkpoint(), repo.tree(), repo.users()
    repo.write("src/util.py", "agent\n")
    repo.write("docs/a.md", "agent\n")
    repo.restore(taken)
    assert (repo.tree(), repo.users()) == (before, users)


def test_started_in_a_subdirectory_the_whole_worktree_is_meant(repo: Folder) -> None:
    before = repo.tree()
    ran = repo.run("create", "--json", root=repo.root / "src")
    repo.write("notes.txt", "agent\n")
    repo.write("src/app.py", "agent\n")
    assert repo.run("restore", ran.told["id"], "--json", root=repo.root / "docs").code == 0
    assert repo.tree() == before


def test_intent_to_add_and_a_deletion_that_is_staged_are_captured_as_the_disk_has_them(
    repo: Folder,
) -> None:
    repo.git("add", "-N", "notes.txt")
    repo.git("rm", "-q", "--cached", "docs/a.md")
    taken, before, users = repo.checkpoint(), repo.tree(), repo.users()
    ravage(repo)
    repo.restore(taken)
    assert repo.tree() == before
    assert repo.users() == users


def test_what_is_staged_is_kept_in_the_checkpoint_too(repo: Folder) -> None:
    told = repo.create()
    repo.git("reset", "-q", "--hard")
    assert repo.private("show", f"{told['staged']}:src/app.py") == "print('staged')\n"
    assert repo.private("show", f"{told['commit']}:src/app.py") == "print('unstaged')\n"


def test_a_split_index_is_read_and_left_split(repo: Folder) -> None:
    repo.git("update-index", "--split-index")
    taken, before, users = repo.checkpoint(), repo.tree(), repo.users()
    repo.write("src/app.py", "agent\n")
    repo.restore(taken)
    assert (repo.tree(), repo.users()) == (before, users)


def test_a_moved_repository_keeps_its_checkpoints(repo: Folder, tmp_path: Path) -> None:
    taken, before = repo.checkpoint(), repo.tree()
    repo.root.rename(tmp_path / "moved")
    moved = Folder(tmp_path / "moved")
    moved.write("src/app.py", "agent\n")
    moved.restore(taken)
    assert moved.tree() == before


def test_an_inherited_git_dir_is_not_used(
    repo: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Folder(tmp_path / "other").init()
    other.write("x", "x")
    other.commit()
    untouched = other.users()
    for name, value in {
        "GIT_DIR": str(other.root / ".git"),
        "GIT_WORK_TREE": str(other.root),
        "GIT_INDEX_FILE": str(other.root / ".git" / "index"),
        "GIT_OBJECT_DIRECTORY": str(other.root / ".git" / "objects"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.bare",
        "GIT_CONFIG_VALUE_0": "true",
    }.items():
        monkeypatch.setenv(name, value)
    taken, before = repo.checkpoint(), repo.tree()
    repo.write("src/app.py", "agent\n")
    repo.restore(taken)
    assert repo.tree() == before
    assert other.users() == untouched
    assert other.ids() == []


def test_a_repository_of_another_owner_is_reported_and_not_stepped_over(repo: Folder) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a directory away")
    os.chown(repo.root, 12345, 12345)
    os.chown(repo.root / ".git", 12345, 12345)
    why = repo.run("create", "--json").why
    os.chown(repo.root, 0, 0)
    os.chown(repo.root / ".git", 0, 0)
    assert "dubious ownership" in why
    assert repo.ids() == []


def test_inside_a_git_directory_and_in_a_bare_repository_it_is_refused(
    repo: Folder, tmp_path: Path
) -> None:
    assert repo.run("create", "--json", root=repo.root / ".git").why
    bare = Folder(tmp_path / "bare")
    bare.git("init", "-q", "--bare")
    assert bare.run("create", "--json").why


def test_a_git_directory_whose_files_are_elsewhere_is_refused_and_nothing_is_made(
    tmp_path: Path,
) -> None:
    elsewhere = Folder(tmp_path / "elsewhere")
    elsewhere.write("a.txt", "a\n")
    repo = Folder(tmp_path / "repo").init()
    repo.git("config", "core.worktree", str(elsewhere.root))
    for root in (repo.root, repo.root / ".git", repo.root / ".git" / "refs"):
        refused = repo.run("create", "--json", root=root)
        assert refused.code == 2
        assert (
            f"{repo.root}: core.worktree in its git settings leads to {elsewhere.root}"
            in refused.err
        )
    assert repo.ids() == []
    elsewhere.checkpoint()
