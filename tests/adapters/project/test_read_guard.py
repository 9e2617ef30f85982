"""What git may print unasked, and which of its programs are switched off."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from holdfast.adapters.project import read_guard
from holdfast.adapters.project.project_files import git as project_git
from holdfast.adapters.project.read_guard import DiskReadGuard

OUTSIDE = "the repository has files outside the project"
UNREACHED = "git may print an object that no branch, tag or reflog reaches"
NO_ANSWER = "git did not list what it has, so it may print files with secrets"
PRINTS_ENV = "git may print .env, which may hold secrets"


def git(root: Path, *words: str) -> None:
    identity = ("-c", "user.name=A", "-c", "user.email=a@b.c")
    subprocess.run(["git", "-C", str(root), *identity, *words], check=True, capture_output=True)


def id_of(root: Path, name: str) -> str:
    words = ["git", "-C", str(root), "rev-parse", name]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    root.mkdir()
    git(root, "init", "-q")
    (root / "a.txt").write_text("a\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "1")
    return root


def test_a_repository_without_secrets_may_be_printed(repo: Path) -> None:
    guard = DiskReadGuard(str(repo))
    (repo / ".env").write_text("KEY=1\n")
    assert [guard.why_not_git(each) for each in ("none", "present", "history")] == [None] * 3


def test_names_in_git_are_searched_again_only_after_the_index_or_head_has_changed(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []

    def recorded(root: str, *words: str) -> bytes | None:
        ran.append(words[0])
        return project_git(root, *words)

    monkeypatch.setattr(read_guard, "git", recorded)
    guard = DiskReadGuard(str(repo))
    assert [guard.why_not_git("present") for _ in range(3)] == [None] * 3
    assert ran == ["rev-parse", "ls-files", "ls-tree", "rev-parse", "rev-parse"]
    (repo / ".env").write_text("KEY=1\n")
    git(repo, "add", "-f", ".env")
    assert guard.why_not_git("present") == PRINTS_ENV
    git(repo, "commit", "-qm", "2")
    git(repo, "update-index", "--force-remove", ".env")
    assert guard.why_not_git("present") == PRINTS_ENV
    git(repo, "update-ref", "HEAD", "HEAD~1")
    assert guard.why_not_git("present") is None


def test_a_repository_without_a_commit_may_be_printed(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    guard = DiskReadGuard(str(tmp_path))
    assert guard.why_not_git("present") is None
    (tmp_path / ".env").write_text("KEY=1\n")
    git(tmp_path, "add", "-f", ".env")
    assert guard.why_not_git("present") == PRINTS_ENV


def test_a_root_with_a_newline_in_its_name_is_its_own_repository(tmp_path: Path) -> None:
    root = tmp_path / "odd\nname"
    root.mkdir()
    git(root, "init", "-q")
    assert DiskReadGuard(str(root)).why_not_git("present") is None
    (tmp_path / "odd").mkdir()
    git(root, "config", "core.worktree", str(tmp_path / "odd"))
    assert DiskReadGuard(str(root)).why_not_git("present") == OUTSIDE


def test_a_tracked_secret_is_asked_for_and_one_of_the_history_where_that_is_printed(
    repo: Path,
) -> None:
    guard = DiskReadGuard(str(repo))
    assert guard.why_not_git("history") is None
    (repo / ".env").write_text("KEY=1\n")
    git(repo, "add", "-f", ".env")
    assert guard.why_not_git("none") is None
    assert guard.why_not_git("present") == PRINTS_ENV
    git(repo, "commit", "-qm", "2")
    git(repo, "rm", "-q", "--cached", ".env")
    assert guard.why_not_git("present") == PRINTS_ENV
    git(repo, "commit", "-qm", "3")
    assert guard.why_not_git("present") is None
    assert guard.why_not_git("history") == PRINTS_ENV


def test_a_commit_that_only_the_reflog_reaches_counts(repo: Path) -> None:
    (repo / ".env").write_text("KEY=1\n")
    git(repo, "add", "-f", ".env")
    git(repo, "commit", "-qm", "2")
    git(repo, "reset", "-q", "--hard", "HEAD~1")
    assert DiskReadGuard(str(repo)).why_not_git("history") == PRINTS_ENV


def test_the_history_is_searched_again_when_only_a_reflog_has_changed(repo: Path) -> None:
    guard = DiskReadGuard(str(repo))
    assert guard.why_not_git("history") is None
    (repo / ".env").write_text("KEY=1\n")
    git(repo, "add", "-f", ".env")
    git(repo, "commit", "-qm", "2")
    git(repo, "reset", "-q", "--hard", "HEAD~1")
    assert guard.why_not_git("history", ["HEAD@{1}"]) == PRINTS_ENV


def test_the_history_is_searched_again_when_it_goes_further_back_by_the_same_refs(
    repo: Path, tmp_path: Path
) -> None:
    (repo / ".env").write_text("KEY=1\n")
    git(repo, "add", "-f", ".env")
    git(repo, "commit", "-qm", "2")
    git(repo, "rm", "-q", ".env")
    git(repo, "commit", "-qm", "3")
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{repo}", "shallow")
    shallow = tmp_path / "shallow"
    guard = DiskReadGuard(str(shallow))
    assert guard.why_not_git("history") is None
    git(shallow, "fetch", "-q", "--unshallow")
    assert guard.why_not_git("history") == PRINTS_ENV


def test_an_object_that_nothing_reaches_is_asked_for(repo: Path) -> None:
    guard = DiskReadGuard(str(repo))
    head, blob = id_of(repo, "HEAD"), id_of(repo, "HEAD:a.txt")
    (repo / ".env").write_text("KEY=1\n")
    git(repo, "add", "-f", ".env")
    added = id_of(repo, ":.env")
    git(repo, "commit", "-qm", "2")
    git(repo, "update-ref", "FETCH_HEAD", "HEAD")
    git(repo, "reset", "-q", "--hard", "HEAD~1")
    shutil.rmtree(repo / ".git/logs")
    (repo / ".git/ORIG_HEAD").unlink()
    for operand in ("FETCH_HEAD", "HEAD..FETCH_HEAD", id_of(repo, "FETCH_HEAD"), added[:12]):
        assert guard.why_not_git("history", [operand]) == UNREACHED, operand
    for operand in ("HEAD", "HEAD:a.txt", head[:12], blob, "a.txt", ":a.txt", "--"):
        assert guard.why_not_git("history", [operand]) is None, operand


def test_the_values_of_secrets_are_found_in_old_versions_too(repo: Path) -> None:
    for number in (1, 2):
        (repo / ".env").write_text(f"KEY=value-{number}\n")
        git(repo, "add", "-f", ".env")
        git(repo, "commit", "-qm", "2")
    guard = DiskReadGuard(str(repo))
    assert guard.secret_values() == ("value-2",)
    assert sorted(guard.secret_values(git=True) or ()) == ["value-1", "value-2"]


def test_a_repository_around_the_project_has_files_outside_of_it(repo: Path) -> None:
    (repo / "sub").mkdir()
    why = DiskReadGuard(str(repo / "sub")).why_not_git("none")
    assert why == "the repository has files outside the project"


def test_only_filters_of_the_repository_itself_are_switched_off(
    repo: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    config = tmp_path / "config"
    config.write_text('[filter "lfs"]\n\tclean = git-lfs clean\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    git(repo, "config", "filter.x.y.clean", "touch pwned; cat")
    assert DiskReadGuard(str(repo)).git_settings() == (
        "filter.x.y.clean=",
        "filter.x.y.smudge=",
        "filter.x.y.process=",
        "filter.x.y.required=false",
    )


@pytest.mark.parametrize("place", ["config", "included", "worktree", "linked"])
def test_a_filter_that_is_defined_between_two_commands_is_switched_off(
    repo: Path, tmp_path: Path, place: str
) -> None:
    """Git is asked again after a file with settings has changed, and always if that may be any."""
    root = repo
    if place == "included":
        git(repo, "config", "include.path", "more")
    if place == "worktree":
        git(repo, "config", "extensions.worktreeConfig", "true")
    if place == "linked":
        root = tmp_path / "linked"
        git(repo, "worktree", "add", "-q", str(root))
    guard = DiskReadGuard(str(root))
    assert guard.git_settings() == ()
    files = {"included": ".git/more", "worktree": ".git/config.worktree"}
    git(
        repo, "config", "--file", str(repo / files.get(place, ".git/config")), "filter.x.clean", "y"
    )
    assert "filter.x.clean=" in guard.git_settings()


def test_a_secret_that_has_a_harmless_name_later_is_one_of_the_history(repo: Path) -> None:
    (repo / ".env").write_text("KEY=value-1\n")
    git(repo, "add", "-f", ".env")
    git(repo, "commit", "-qm", "2")
    git(repo, "mv", ".env", ".env.example")
    git(repo, "commit", "-qm", "3")
    (repo / ".env.example").write_text("KEY=\n")
    git(repo, "commit", "-qam", "4")
    guard = DiskReadGuard(str(repo))
    assert guard.why_not_git("present") is None
    assert guard.why_not_git("history") == PRINTS_ENV
    assert guard.secret_values(git=True) == ("value-1",)


def test_a_secret_that_only_a_merge_adds_is_one_of_the_history(repo: Path) -> None:
    git(repo, "checkout", "-qb", "other")
    git(repo, "commit", "-qm", "2", "--allow-empty")
    git(repo, "checkout", "-q", "-")
    git(repo, "commit", "-qm", "3", "--allow-empty")
    git(repo, "merge", "-q", "--no-commit", "other")
    (repo / ".env").write_text("KEY=value-1\n")
    git(repo, "add", "-f", ".env")
    git(repo, "commit", "-qm", "merge")
    git(repo, "rm", "-q", ".env")
    git(repo, "commit", "-qm", "4")
    guard = DiskReadGuard(str(repo))
    assert guard.why_not_git("history") == PRINTS_ENV
    assert guard.secret_values(git=True) == ("value-1",)


def test_a_tree_that_is_in_no_commit_is_asked_for(repo: Path) -> None:
    (repo / ".env").write_text("KEY=1\n")
    git(repo, "add", "-f", ".env")
    tree = subprocess.run(
        ["git", "-C", str(repo), "write-tree"], check=True, capture_output=True, text=True
    )
    git(repo, "reset", "-q")
    git(repo, "tag", "tree", tree.stdout.strip())
    why = DiskReadGuard(str(repo)).why_not_git("history")
    assert why == "git may print what refs/tags/tree leads to, a file without a name"


def test_values_of_a_history_that_is_not_searched_to_its_end_are_not_known(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_guard, "_VERSIONS", ("log", "--no-such-option"))
    assert DiskReadGuard(str(repo)).secret_values(git=True) is None


def test_a_value_that_is_only_staged_is_found(repo: Path) -> None:
    (repo / ".env").write_text("KEY=value-1\n")
    git(repo, "add", "-f", ".env")
    (repo / ".env").unlink()
    assert DiskReadGuard(str(repo)).secret_values(git=True) == ("value-1",)


def test_a_value_is_known_after_its_file_has_another_name(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("KEY=value-1\n")
    guard = DiskReadGuard(str(tmp_path))
    assert guard.secret_values() == ("value-1",)
    (tmp_path / ".env").rename(tmp_path / "moved")
    assert guard.secret_values() == ("value-1",)


@pytest.mark.parametrize("shape", ["link", "file", "commondir"])
def test_git_of_a_repository_elsewhere_that_does_not_name_the_project_is_asked_for(
    repo: Path, tmp_path: Path, shape: str
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    git(here, "init", "-q")
    if shape == "commondir":
        (here / ".git/commondir").write_text(f"{repo}/.git\n")
    else:
        shutil.rmtree(here / ".git")
    if shape == "link":
        (here / ".git").symlink_to(repo / ".git")
    if shape == "file":
        (here / ".git").write_text(f"gitdir: {repo}/.git\n")
    why = "the repository is elsewhere, and does not name this project"
    assert DiskReadGuard(str(here)).why_not_git("none") == why


def test_git_of_a_linked_worktree_runs_unasked(repo: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    git(repo, "worktree", "add", "-q", str(linked))
    assert DiskReadGuard(str(linked)).why_not_git("present") is None


def test_a_repository_whose_files_git_cannot_list_is_asked_for(repo: Path) -> None:
    """`.env` is in HEAD and no longer in the index; a tree of HEAD that git lacks keeps it from listing HEAD."""
    (repo / ".env").write_text("KEY=1\n")
    (repo / "z").mkdir()
    (repo / "z/f").write_text("f\n")
    git(repo, "add", "--force", ".")
    git(repo, "commit", "-qm", "2")
    git(repo, "rm", "-q", "--cached", ".env")
    missing = id_of(repo, "HEAD:z")
    (repo / ".git/objects" / missing[:2] / missing[2:]).unlink()
    assert DiskReadGuard(str(repo)).why_not_git("present") == NO_ANSWER


def test_a_repository_that_git_cannot_read_is_asked_for_and_a_folder_without_one_is_not(
    repo: Path, tmp_path: Path
) -> None:
    (repo / ".git/HEAD").write_text("nothing\n")
    assert DiskReadGuard(str(repo)).why_not_git("none") == NO_ANSWER
    bare = tmp_path / "bare"
    git(tmp_path, "init", "-q", "--bare", str(bare))
    assert DiskReadGuard(str(bare)).why_not_git("history") == NO_ANSWER
    plain = tmp_path / "plain"
    plain.mkdir()
    assert DiskReadGuard(str(plain)).why_not_git("history") is None
