"""A worktree of its own for each session; what is the user's stays as it is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.end_to_end.checkpoints.repo import Folder
from tests.end_to_end.worktrees.session_worktrees import Project

COMMITTED = [".gitignore", "docs/a.md", "run.sh", "src/app.py", "src/util.py"]


def files_of(folder: Folder) -> list[str]:
    names = (path.relative_to(folder.root) for path in folder.root.rglob("*") if not path.is_dir())
    return sorted(str(name) for name in names if name.name != ".git")


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path): path.read_bytes() for path in files}


def test_a_worktree_has_the_files_of_head_on_a_branch_of_its_session(project: Project) -> None:
    before = project.users()
    made = project.worktree("new")
    session, worktree = made["session"], Folder(Path(made["path"]))
    assert worktree.root == project.state() / "worktrees" / session
    assert worktree.git("symbolic-ref", "HEAD").strip() == f"refs/heads/holdfast/{session}/work"
    assert worktree.git("rev-parse", "HEAD") == project.user.git("rev-parse", "HEAD")
    assert files_of(worktree) == COMMITTED
    assert worktree.path("src/app.py").read_text() == "print('one')\n"
    assert worktree.git("status", "--porcelain") == ""
    assert project.users() == before
    (listed,) = project.worktree("list")["worktrees"]
    assert listed["state"] == "there"
    assert {name: made[name] for name in listed} == listed
    assert project.worktree("path", session[:6])["path"] == str(worktree.root)


def test_with_changes_it_has_the_uncommitted_and_untracked_work_too(project: Project) -> None:
    before = project.users()
    session, worktree = project.new("--with-changes")
    assert files_of(worktree) == [*COMMITTED[:2], "notes.txt", *COMMITTED[2:]]
    assert worktree.path("src/app.py").read_text() == "print('unstaged')\n"
    assert worktree.git("status", "--porcelain") == " M src/app.py\n?? notes.txt\n"
    assert project.users() == before
    assert project.worktree("diff", session)["files"] == []


def test_an_index_that_is_locked_is_no_obstacle(project: Project) -> None:
    project.user.write(".git/index.lock", "")
    _, worktree = project.new("--with-changes")
    assert worktree.path("notes.txt").read_text() == "untracked\n"
    assert project.user.path(".git/index.lock").exists()


def test_ignored_files_that_are_named_are_copied_and_never_linked_or_over_a_file(
    project: Project,
) -> None:
    user = project.user
    user.write(".worktreeinclude", ".env\ncache/\nnotes.txt\n")
    user.write(".holdfast/config.toml", '[worktree]\ncopy = ["*.log"]\n')
    user.git("add", "-f", "src/util.py")
    user.link("cache/inside", "big.bin")
    user.link("cache/outside", "/etc/hostname")
    before = project.users()
    made = project.worktree("new")
    worktree = Folder(Path(made["path"]))
    assert made["copied"] == [".env", "cache/big.bin", "cache/inside", "debug.log"]
    assert [note.partition(":")[0] for note in made["notes"]] == ["cache/outside"]
    assert worktree.path(".env").read_text() == "SECRET=1\n"
    assert worktree.path(".env").stat().st_mode & 0o777 == 0o600
    assert worktree.path(".env").stat().st_nlink == 1
    assert not worktree.path("notes.txt").exists()
    assert project.users() == before


def test_a_tracked_file_is_not_replaced_by_the_ignored_one_of_the_same_name(
    project: Project,
) -> None:
    user = project.user
    user.commit()
    user.git("switch", "-q", "-c", "other")
    user.write("debug.log", "tracked there\n")
    user.git("add", "-f", "debug.log")
    user.git("commit", "-q", "-m", "log")
    user.git("switch", "-q", "main")
    user.write("debug.log", "ignored here\n")
    user.write(".worktreeinclude", "debug.log\n")
    made = project.worktree("new", "--from", "other")
    assert Path(made["path"], "debug.log").read_text() == "tracked there\n"
    assert made["copied"] == []


def test_a_project_without_git_and_one_without_a_commit_are_refused(tmp_path: Path) -> None:
    plain = Project(Folder(tmp_path / "plain"))
    assert "has no git repository" in plain.refused("new")
    empty = Project(Folder(tmp_path / "empty").init())
    assert "has no commit yet" in empty.refused("new")
    assert not (plain.state() / "worktrees").exists() or plain.sessions() == {}
    sub = Project(Folder(tmp_path / "empty" / "sub"))
    assert "is a folder in the repository" in sub.refused("new")


def test_a_ref_that_is_not_there_is_refused_and_nothing_is_made(project: Project) -> None:
    assert "nothing-like-it: there is no such commit" in project.refused(
        "new", "--from", "nothing-like-it"
    )
    assert project.session_refs() == []


def test_names_that_differ_only_in_case_are_refused_where_they_are_one_file(
    project: Project,
) -> None:
    project.user.write("docs/A.md", "other\n")
    project.user.git("add", "docs/A.md")
    project.user.git("commit", "-q", "-m", "two")
    project.new()
    project.user.git("config", "core.ignorecase", "true")
    assert "docs/A.md and docs/a.md differ only in case" in project.refused("new")


def test_submodules_lfs_pointers_and_repositories_inside_are_named(
    project: Project, tmp_path: Path
) -> None:
    library = Folder(tmp_path / "library").init()
    library.write("lib.py", "l = 1\n")
    library.commit()
    user = project.user
    user.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library.root), "lib")
    user.write(".gitattributes", "*.bin filter=lfs -text\n")
    user.write("big.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")
    user.commit()
    inner = Folder(user.path("inner"))
    inner.init()
    inner.write("x", "x")
    inner.commit()
    notes = " ".join(project.worktree("new", "--with-changes")["notes"])
    assert "lib: submodules are not checked out" in notes
    assert "big.bin: only the LFS pointer" in notes
    assert "inner: a repository of its own" in notes or "inner/: a repository of its own" in notes


def test_a_sparse_checkout_gets_a_sparse_worktree(project: Project) -> None:
    project.user.git("sparse-checkout", "set", "--no-cone", "src/")
    made = project.worktree("new", "--with-changes")
    assert "sparse checkout" in " ".join(made["notes"])
    assert project.worktree("diff", made["session"])["files"] == []


def test_the_setup_runs_once_in_the_new_worktree_if_the_rules_allow_it(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.user.write(".holdfast/config.toml", '[worktree]\nsetup = "touch made-by-setup"\n')
    made = project.worktree("new")
    assert made["setup"]["exit_code"] is None
    assert "nobody is there to allow it" in made["setup"]["why"]
    assert not Path(made["path"], "made-by-setup").exists()
    Path(os.environ["HOLDFAST_CONFIG_FILE"]).write_text('allow_commands = ["touch *"]\n')
    made = project.worktree("new")
    assert made["setup"] == {
        "command": "touch made-by-setup",
        "exit_code": 0,
        "output": "",
        "why": "",
    }
    assert Path(made["path"], "made-by-setup").exists()
    assert not project.user.path("made-by-setup").exists()


def test_the_setup_runs_in_auto_mode_only_where_the_sandbox_leaves_no_gaps(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_SANDBOX", "landlock")
    monkeypatch.setenv("HOLDFAST_APPROVE", "auto")
    project.user.write(".holdfast/config.toml", '[worktree]\nsetup = "touch made-by-setup"\n')
    made = project.worktree("new")
    assert made["setup"]["exit_code"] is None
    assert made["setup"]["why"].startswith("nobody is there to allow it although ")
    assert not Path(made["path"], "made-by-setup").exists()
    monkeypatch.setenv("HOLDFAST_WEAK_SANDBOX", "run")
    made = project.worktree("new")
    assert made["setup"]["exit_code"] == 0, made


def test_eight_worktrees_are_made_at_once(project: Project) -> None:
    before = project.users()
    command = [sys.executable, "-m", "holdfast.cli.main", "worktree", "new", "--with-changes"]

    def make(_: int) -> int:
        ran = subprocess.run(
            [*command, "--root", str(project.root)], capture_output=True, check=False
        )
        return ran.returncode

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(make, range(8))) == [0] * 8
    assert list(project.sessions().values()) == ["there"] * 8
    assert project.users() == before


def filtering(folder: Folder, ran: Path, name: str = "x") -> None:
    """Set filters in a repository's own settings that leave a mark."""
    for verb in ("clean", "smudge"):
        folder.git("config", f"filter.{name}.{verb}", f"touch {ran}-{verb}; tr a-z n-za-m")


@pytest.mark.parametrize("name", ["x", "a=b", ""])
def test_filters_of_the_repository_run_in_no_command_of_worktrees_unless_they_are_trusted(
    project: Project, tmp_path: Path, name: str
) -> None:
    user, ran = project.user, tmp_path / "ran"
    user.write("a.txt", "abc\n")
    user.write(".gitattributes", f"*.txt filter={name}\n")
    user.commit()
    filtering(user, ran, name)
    user.write("notes.txt", "changed\n")
    made = project.worktree("new", "--with-changes")
    session, worktree = made["session"], Folder(Path(made["path"]))
    note = (
        "a.txt, notes.txt: filters that the repository itself defines are not trusted, so these "
        "files are as git has them; run `holdfast trust`, and make a new worktree."
    )
    assert [each for each in made["notes"] if "filters" in each] == [note]
    assert worktree.path("a.txt").read_text() == "abc\n"
    worktree.write("a.txt", "changed\n")
    assert [each["path"] for each in project.worktree("diff", session)["files"]] == ["a.txt"]
    project.worktree("update", session)
    change = project.worktree("merge", session)["change_id"]
    assert project.run("changes", "apply", change).code == 0
    assert user.path("a.txt").read_text() == "changed\n"
    assert list(tmp_path.glob("ran-*")) == []

    assert project.run("trust", "--yes").code == 0
    _, trusted = project.new()
    assert trusted.path("a.txt").read_text() == "nop\n"
    assert list(tmp_path.glob("ran-*")) != []


def test_a_trusted_filter_runs_its_script_only_as_it_was_trusted(
    project: Project, tmp_path: Path
) -> None:
    user, ran = project.user, tmp_path / "ran"
    user.write("a/rot.sh", "tr a-z n-za-m\n")
    user.write("z.txt", "abc\n")
    user.write(".gitattributes", "*.txt filter=x\n")
    user.commit()
    for verb in ("clean", "smudge"):
        user.git("config", f"filter.x.{verb}", "sh ./a/rot.sh")
    assert project.run("trust", "--yes").code == 0
    session, worktree = project.new()
    assert worktree.path("z.txt").read_text() == "nop\n"

    # The script is written by the same git that could run it for the file after it.
    user.write("a/rot.sh", f"touch {ran}; cat\n")
    user.write("z.txt", "changed\n")
    _, changed = project.new("--with-changes")
    assert changed.path("z.txt").read_text() == "changed\n"
    user.git("-c", "filter.x.clean=", "commit", "-qam", "two")
    ran.unlink(missing_ok=True)
    project.run("worktree", "update", session)
    _, committed = project.new()
    assert committed.path("z.txt").read_text() == "changed\n"
    assert not ran.exists()


def test_a_filter_of_settings_that_hold_only_in_the_new_worktree_does_not_run(
    project: Project, tmp_path: Path
) -> None:
    user, ran = project.user, tmp_path / "ran"
    user.write("a.txt", "abc\n")
    user.write(".gitattributes", "*.txt filter=x\n")
    user.commit()
    included = tmp_path / "included"
    included.write_text(f'[filter "x"]\n\tsmudge = "touch {ran}; cat"\n')
    user.git("config", "includeIf.onbranch:holdfast/**.path", str(included))
    _, worktree = project.new()
    assert worktree.path("a.txt").read_text() == "abc\n"
    assert not ran.exists()


def test_no_command_of_worktrees_runs_git_in_a_submodule(project: Project, tmp_path: Path) -> None:
    user, ran = project.user, tmp_path / "ran"
    inner = Folder(user.path("sub")).init()
    inner.write("s.txt", "s\n")
    inner.write(".gitattributes", "*.txt filter=x\n")
    inner.commit()
    user.git("add", "sub")
    user.commit()
    filtering(inner, ran)
    inner.write("s.txt", "t\n")
    head = user.git("rev-parse", "HEAD:sub")
    session, worktree = project.new("--with-changes")
    assert worktree.git("rev-parse", "HEAD:sub") == head
    # The same submodule in the worktree of the session, with a new commit and a dirty file.
    shutil.copytree(user.path("sub"), worktree.path("sub"), dirs_exist_ok=True)
    copy = Folder(worktree.path("sub"))
    copy.git("-c", "filter.x.clean=", "-c", "filter.x.smudge=", "commit", "-qam", "more")
    copy.write("s.txt", "u\n")
    assert [each["path"] for each in project.worktree("diff", session)["files"]] == ["sub"]
    project.run("worktree", "update", session)
    project.run("worktree", "merge", session)
    project.run("worktree", "remove", session)
    project.run("checkpoint", "create")
    assert list(tmp_path.glob("ran*")) == []


@pytest.mark.parametrize("name", ["m=n", ""])
def test_a_merge_driver_of_the_repository_does_not_run_and_its_files_are_merged_as_text(
    project: Project, tmp_path: Path, name: str
) -> None:
    user, ran = project.user, tmp_path / "ran"
    user.write("list.md", "a\nb\nc\nd\n")
    user.write(".gitattributes", f"*.md merge={name}\n")
    user.commit()
    user.git("config", f"merge.{name}.driver", f"touch {ran}; true")
    session, worktree = project.new()
    worktree.write("list.md", "one\nb\nc\nd\n")
    user.write("list.md", "a\nb\nc\ntwo\n")
    user.commit()
    project.worktree("update", session)
    assert worktree.path("list.md").read_text() == "one\nb\nc\ntwo\n"
    assert not ran.exists()


@pytest.mark.parametrize(
    "place",
    ["refs/heads/holdfast", "logs", "logs/refs/heads/holdfast", "objects/pack", "worktrees"],
)
def test_git_writes_by_no_link_out_of_the_repository(
    project: Project, tmp_path: Path, place: str
) -> None:
    session, worktree = project.new()
    worktree.write("a.txt", "new\n")
    outside, link = tmp_path / "outside", project.user.path(".git") / place
    link.rename(outside)
    link.symlink_to(outside)
    project.user.write("b.txt", "b\n")
    before = contents(outside)
    made = project.run("worktree", "new")
    assert f"{link} is a symbolic link, and git would write where it leads" in made.err
    codes = [
        project.run("worktree", *words).code
        for words in (["update", session], ["remove", "--force", session])
    ]
    assert (made.code, *codes) == (1, 1, 1)
    assert contents(outside) == before


def test_the_users_files_are_captured_by_no_link_out_of_the_repository(
    project: Project, tmp_path: Path
) -> None:
    outside, objects = tmp_path / "outside", project.user.path(".git/objects")
    outside.mkdir()
    for number in range(256):
        place = objects / f"{number:02x}"
        place.mkdir(exist_ok=True)
        place.rename(outside / place.name)
        place.symlink_to(outside / place.name)
    before = contents(outside)
    project.user.write("b.txt", "work of the user\n")
    refused = project.refused("new", "--with-changes")
    assert "is a symbolic link, and git would write where it leads" in refused
    assert contents(outside) == before


@pytest.mark.parametrize("way", ["file", "link", "commondir"])
def test_git_writes_to_no_repository_that_does_not_name_the_folder(
    project: Project, tmp_path: Path, way: str
) -> None:
    other = Folder(tmp_path / "other").init()
    other.write("a.txt", "a\n")
    other.commit()
    git, theirs = project.user.path(".git"), other.path(".git")
    if way == "commondir":
        (git / "commondir").write_text(f"{theirs}\n")
    else:
        shutil.rmtree(git)
    if way == "file":
        git.write_text(f"gitdir: {theirs}\n")
    if way == "link":
        git.symlink_to(theirs)
    before = contents(theirs)
    refused = project.run("worktree", "new")
    assert refused.code == 1
    assert f"{git} leads to the repository {theirs}, which does not name this folder" in refused.err
    assert contents(theirs) == before


def test_worktrees_are_made_of_a_linked_worktree_a_submodule_and_a_separate_git_directory(
    project: Project, tmp_path: Path
) -> None:
    other = Folder(tmp_path / "other").init()
    other.write("a.txt", "a\n")
    other.commit()
    allow = ("-c", "protocol.file.allow=always")
    project.user.git(*allow, "submodule", "add", "-q", str(other.root), "lib")
    project.user.git("worktree", "add", "-q", str(tmp_path / "linked"))
    for place in (project.root / "lib", tmp_path / "linked"):
        user = Folder(place)
        _, worktree = Project(user).new()
        assert worktree.git("rev-parse", "HEAD") == user.git("rev-parse", "HEAD")
    project.user.git("init", "-q", f"--separate-git-dir={tmp_path / 'apart'}")
    _, worktree = project.new()
    assert worktree.git("rev-parse", "HEAD") == project.user.git("rev-parse", "HEAD")


def test_a_packed_branch_is_not_removed_by_a_link_out_of_the_repository(
    project: Project, tmp_path: Path
) -> None:
    session, _ = project.new()
    project.user.git("pack-refs", "--all")
    outside, link = tmp_path / "outside", project.user.path(".git/packed-refs")
    link.rename(outside)
    link.symlink_to(outside)
    before = outside.read_bytes()
    assert f"{link} is a symbolic link" in project.refused("remove", "--force", session)
    assert outside.read_bytes() == before


def test_a_new_worktree_is_written_to_its_own_folder_whatever_core_worktree_says(
    project: Project,
) -> None:
    user = project.user
    user.git("config", "core.worktree", str(project.root))
    # With this, git takes that setting for linked worktrees too.
    user.git("config", "extensions.worktreeConfig", "true")
    before = project.users()
    _, worktree = project.new()
    assert files_of(worktree) == COMMITTED
    assert "not a worktree of git" in project.run("worktree", "new", "--with-changes").err
    assert user.path("src/app.py").read_text() == "print('unstaged')\n"
    assert project.users() == before
