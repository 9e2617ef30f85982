"""The work of a worktree becomes a change of the project, or stays on its branch; the base can be merged into it."""

from __future__ import annotations

import pytest

from tests.end_to_end.checkpoints.repo import Folder
from tests.end_to_end.worktrees.session_worktrees import Project

FORTY = "".join(f"{number}\n" for number in range(1, 41))


def work(project: Project, *words: str, text: str = FORTY) -> tuple[str, Folder]:
    """Commit a longer file, and make a worktree."""
    project.user.write("lines.txt", text)
    project.user.git("add", "lines.txt")
    project.user.git("commit", "-q", "-m", "lines", "--", "lines.txt")
    return project.new(*words)


def proposed(project: Project, session: str, *words: str) -> str:
    """Merge as changes, and return the id of the change."""
    change = project.worktree("merge", session, *words)["change_id"]
    assert isinstance(change, str)
    return change


def test_the_work_is_proposed_and_nothing_of_the_user_changes_before_it_is_applied(
    project: Project,
) -> None:
    session, worktree = work(project)
    worktree.write("lines.txt", FORTY.replace("3\n", "three\n", 1))
    worktree.git("commit", "-q", "-a", "-m", "by the agent")
    worktree.write("new/tool.sh", "#!/bin/sh\n", 0o755)
    worktree.path("docs/a.md").unlink()
    worktree.path("run.sh").chmod(0o644)
    before, head = project.users(), project.user.git("rev-parse", "HEAD")
    change = proposed(project, session)
    assert project.users() == before
    assert project.run("changes", "apply", change).code == 0
    user = project.user
    assert user.path("lines.txt").read_text() == worktree.path("lines.txt").read_text()
    assert user.path("new/tool.sh").stat().st_mode & 0o111
    assert not user.path("run.sh").stat().st_mode & 0o111
    assert not user.path("docs/a.md").exists()
    assert user.path("src/app.py").read_text() == "print('unstaged')\n"
    assert user.git("rev-parse", "HEAD") == head


def test_a_rename_to_another_case_is_no_loss_whatever_the_setting_of_case_says(
    project: Project,
) -> None:
    user = project.user
    user.git("config", "core.ignorecase", "true")
    user.write("name.txt", "text\n")
    user.write("folder/file.txt", "text\n")
    user.git("add", "name.txt", "folder")
    user.git("commit", "-q", "-m", "names", "--", "name.txt", "folder")
    if user.path("NAME.txt").exists():
        pytest.skip("this file system has no case")
    user.path("name.txt").rename(user.path("Name.txt"))
    session, worktree = project.new("--with-changes")
    assert worktree.path("Name.txt").read_text() == "text\n"
    assert not worktree.path("name.txt").exists()
    worktree.path("Name.txt").rename(worktree.path("NAME.txt"))
    worktree.path("folder").rename(worktree.path("Folder"))
    assert project.run("changes", "apply", proposed(project, session)).code == 0
    assert user.path("NAME.txt").read_text() == "text\n"
    assert user.path("Folder/file.txt").read_text() == "text\n"
    assert not user.path("Name.txt").exists()
    assert not user.path("folder/file.txt").exists()


def test_a_moved_folder_is_not_left_behind_empty_and_what_is_not_in_git_stays(
    project: Project,
) -> None:
    user = project.user
    for name in ("old/in/a.txt", "old/b.txt", "kept/c.txt"):
        user.write(name, "text\n")
    user.git("add", "old", "kept")
    user.git("commit", "-q", "-m", "folders", "--", "old", "kept")
    user.write("kept/debug.log", "ignored\n")
    session, worktree = project.new()
    worktree.path("old").rename(worktree.path("new"))
    worktree.path("kept/c.txt").unlink()
    before = user.tree()
    assert project.run("changes", "apply", proposed(project, session)).code == 0
    assert user.path("new/in/a.txt").read_text() == "text\n"
    assert not user.path("old").exists()
    assert [file.name for file in user.path("kept").iterdir()] == ["debug.log"]
    assert project.run("undo").code == 0
    assert (user.tree(), user.path("new").exists()) == (before, False)
    assert project.run("redo").code == 0
    assert not user.path("old").exists()


def test_only_the_hunks_that_are_named_are_proposed_and_the_rest_can_follow(
    project: Project,
) -> None:
    session, worktree = work(project)
    worktree.write("lines.txt", FORTY.replace("3\n", "three\n", 1).replace("38\n", "last\n"))
    hunks = project.worktree("diff", session)["hunks"]
    assert [each["number"] for each in hunks] == [1, 2]
    change = proposed(project, session, "--hunks", "2")
    project.run("changes", "apply", change)
    assert project.user.path("lines.txt").read_text() == FORTY.replace("38\n", "last\n")
    assert "has work that is not merged" in project.refused("remove", session)
    project.run("changes", "apply", proposed(project, session))
    assert project.user.path("lines.txt").read_text() == worktree.path("lines.txt").read_text()
    assert project.worktree("merge", session)["outcome"] == "unchanged"


def test_hunks_are_counted_as_diff_shows_them_whatever_the_project_has(project: Project) -> None:
    session, worktree = work(project)
    edited = FORTY.replace("3\n", "three\n", 1).replace("38\n", "last\n")
    worktree.write("lines.txt", edited)
    worktree.write("new.txt", "new\n")
    project.user.write("lines.txt", FORTY.replace("3\n", "by the user\n", 1))
    assert "lines.txt: line 3 " in project.refused("merge", session)
    for number in ("2", "3"):
        project.run("changes", "apply", proposed(project, session, "--hunks", number))
    assert project.user.path("lines.txt").read_text() == (
        FORTY.replace("3\n", "by the user\n", 1).replace("38\n", "last\n")
    )
    assert project.user.path("new.txt").read_text() == "new\n"
    assert project.worktree("merge", session, "--hunks", "2,3")["outcome"] == "unchanged"
    assert "lines.txt: line 3 " in project.refused("merge", session, "--hunks", "1")


def test_a_merge_of_all_hunks_by_their_numbers_is_a_whole_one(project: Project) -> None:
    session, worktree = work(project)
    worktree.write("lines.txt", FORTY.replace("3\n", "three\n", 1).replace("38\n", "last\n"))
    assert project.worktree("merge", session, "--hunks", "1")["partly"]
    assert not project.worktree("merge", session, "--hunks", "2,1")["partly"]
    project.worktree("remove", session)


def test_a_hunk_that_is_not_there_is_refused(project: Project) -> None:
    session, worktree = work(project)
    worktree.write("lines.txt", "other\n")
    assert "has no hunk 9" in project.refused("merge", session, "--hunks", "9")


def test_a_project_that_moved_on_gets_both_sides(project: Project) -> None:
    session, worktree = work(project)
    worktree.write("lines.txt", FORTY.replace("3\n", "three\n", 1))
    project.user.write("lines.txt", FORTY.replace("38\n", "last\n"))
    project.run("changes", "apply", proposed(project, session))
    both = FORTY.replace("3\n", "three\n", 1).replace("38\n", "last\n")
    assert project.user.path("lines.txt").read_text() == both


def test_a_conflict_is_refused_with_the_file_and_the_lines(project: Project) -> None:
    session, worktree = work(project)
    worktree.write("lines.txt", FORTY.replace("3\n4\n", "three\nfour\n", 1))
    project.user.write("lines.txt", "0\n" + FORTY.replace("4\n", "vier\n", 1))
    before = project.users()
    why = project.refused("merge", session)
    assert "lines.txt: line 5 of the project's file" in why
    assert project.users() == before
    assert project.run("changes", "list").told["changes"] == []


def test_work_on_uncommitted_work_is_only_what_was_added_to_it(project: Project) -> None:
    session, worktree = project.new("--with-changes")
    worktree.write("notes.txt", "untracked\nand more\n")
    change = proposed(project, session)
    shown = project.run("changes", "show", change).told
    assert [file["path"] for file in shown["files"]] == ["notes.txt"]
    project.run("changes", "apply", change)
    assert project.user.path("notes.txt").read_text() == "untracked\nand more\n"


def test_as_a_branch_everything_is_committed_there(project: Project) -> None:
    session, worktree = work(project)
    worktree.write("lines.txt", "other\n")
    worktree.write("new.txt", "new\n")
    before = project.users()
    merged = project.worktree("merge", session, "--as", "branch")
    assert merged["branch"] == f"holdfast/{session}/work"
    assert project.user.git("show", f"{merged['branch']}:new.txt") == "new\n"
    assert worktree.git("status", "--porcelain") == ""
    assert project.users() == before
    removed = project.worktree("remove", session)
    assert removed["branch"] == merged["branch"]
    assert project.user.git("show", f"{merged['branch']}:lines.txt") == "other\n"


def test_line_ends_that_a_checkout_converts_are_no_difference(project: Project) -> None:
    project.user.git("config", "core.autocrlf", "true")
    project.user.write("lines.txt", FORTY.replace("\n", "\r\n"))
    project.user.git("add", "lines.txt")
    project.user.git("commit", "-q", "-m", "lines", "--", "lines.txt")
    session, worktree = project.new()
    assert worktree.path("lines.txt").read_bytes() == FORTY.replace("\n", "\r\n").encode()
    worktree.write("lines.txt", FORTY.replace("3\n", "three\n", 1).replace("\n", "\r\n"))
    project.run("changes", "apply", proposed(project, session))
    assert project.user.path("lines.txt").read_bytes() == worktree.path("lines.txt").read_bytes()


def test_an_update_merges_the_new_commits_with_what_is_uncommitted(project: Project) -> None:
    session, worktree = work(project)
    worktree.write("lines.txt", FORTY.replace("3\n", "three\n", 1))
    worktree.git("commit", "-q", "-a", "-m", "by the agent")
    worktree.write("lines.txt", FORTY.replace("3\n", "three\n", 1).replace("20\n", "twenty\n"))
    worktree.write("mine.txt", "untracked\n")
    project.user.write("lines.txt", FORTY.replace("38\n", "last\n"))
    project.user.git("commit", "-q", "-m", "by the user", "--", "lines.txt")
    before = project.users()
    updated = project.worktree("update", session)
    assert updated["outcome"] == "updated"
    assert project.users() == before
    merged = FORTY.replace("3\n", "three\n", 1).replace("20\n", "twenty\n")
    assert worktree.path("lines.txt").read_text() == merged.replace("38\n", "last\n")
    assert worktree.git("status", "--porcelain") == " M lines.txt\n?? mine.txt\n"
    assert worktree.git("merge-base", "--is-ancestor", "main", "HEAD") == ""
    names = [file["path"] for file in project.worktree("diff", session)["files"]]
    assert names == ["lines.txt", "mine.txt"]
    assert project.worktree("update", session)["outcome"] == "unchanged"


@pytest.mark.parametrize("words", [(), ("--with-changes",)], ids=" ".join)
def test_commits_that_were_merged_by_hand_leave_the_difference_with_an_update(
    project: Project, words: tuple[str, ...]
) -> None:
    session, worktree = work(project, *words)
    worktree.git("add", "--all")
    worktree.git("commit", "-q", "--allow-empty", "-m", "what was uncommitted")
    project.user.write("lines.txt", FORTY.replace("38\n", "last\n"))
    project.user.git("commit", "-q", "-m", "by the user", "--", "lines.txt")
    worktree.git("merge", "-q", "--no-edit", "main")
    worktree.write("mine.txt", "by the agent\n")
    head, files = worktree.git("rev-parse", "HEAD"), worktree.tree()
    updated = project.worktree("update", session)
    assert (updated["outcome"], updated["commit"]) == ("updated", head.strip())
    assert (worktree.git("rev-parse", "HEAD"), worktree.tree()) == (head, files)
    names = [file["path"] for file in project.worktree("diff", session)["files"]]
    assert names == ["mine.txt"]
    assert project.worktree("update", session)["outcome"] == "unchanged"


def test_a_conflict_of_an_update_names_the_files_and_changes_nothing(project: Project) -> None:
    session, worktree = work(project)
    worktree.write("lines.txt", FORTY.replace("3\n", "three\n", 1))
    project.user.write("lines.txt", FORTY.replace("3\n", "drei\n", 1))
    project.user.git("commit", "-q", "-m", "by the user", "--", "lines.txt")
    before, files = project.users(), worktree.tree()
    head = worktree.git("rev-parse", "HEAD")
    assert project.refused("update", session).startswith("lines.txt: changed in the worktree")
    assert (project.users(), worktree.tree()) == (before, files)
    assert worktree.git("rev-parse", "HEAD") == head


def test_an_update_with_changes_keeps_the_users_work_out_of_the_difference(
    project: Project,
) -> None:
    session, worktree = work(project, "--with-changes")
    worktree.write("notes.txt", "untracked\nand more\n")
    project.user.write("lines.txt", FORTY.replace("38\n", "last\n"))
    project.user.git("commit", "-q", "-m", "by the user", "--", "lines.txt")
    project.worktree("update", session)
    names = [file["path"] for file in project.worktree("diff", session)["files"]]
    assert names == ["notes.txt"]
    assert worktree.path("lines.txt").read_text() == FORTY.replace("38\n", "last\n")


def test_a_submodule_that_changed_can_only_be_merged_as_a_branch(
    project: Project,
) -> None:
    session, worktree = work(project)
    head = worktree.git("rev-parse", "HEAD").strip()
    worktree.git("update-index", "--add", "--cacheinfo", f"160000,{head},lib")
    worktree.git("commit", "-q", "-m", "a submodule")
    worktree.path("lib").mkdir()
    assert "lib: a submodule" in project.refused("merge", session)
    assert project.worktree("merge", session, "--as", "branch")["outcome"] == "committed"
