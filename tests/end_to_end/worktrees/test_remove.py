"""A worktree is removed without a loss, and made anew from its last checkpoint."""

from __future__ import annotations

import os
import shutil

from holdfast.adapters.filesystem.turn_locks import TurnLocks
from holdfast.testing import ScriptedServer, call, say
from tests.end_to_end.worktrees.session_worktrees import Project


def test_work_that_is_not_merged_is_not_removed(project: Project) -> None:
    session, worktree = project.new()
    worktree.write("new.txt", "work\n")
    why = project.refused("remove", session)
    assert "has work that is not merged (1 file differs)" in why
    assert "--force" in why
    assert worktree.path("new.txt").exists()
    worktree.path("new.txt").unlink()
    before = project.users()
    assert project.worktree("remove", session)["branch"] is None
    assert project.users() == before
    assert not worktree.root.exists()
    assert project.session_refs() == []
    assert project.sessions() == {session: "removed"}
    assert str(worktree.root) not in project.user.git("worktree", "list")


def test_a_commit_that_no_branch_has_is_not_removed(project: Project) -> None:
    session, worktree = project.new()
    worktree.git("switch", "-q", "--detach")
    worktree.write("new.txt", "work\n")
    worktree.commit()
    worktree.path("new.txt").unlink()
    worktree.git("commit", "-q", "-a", "-m", "gone again")
    assert "no branch has the commit" in project.refused("remove", session)


def test_with_force_a_last_checkpoint_is_taken_and_can_be_restored_into_a_new_worktree(
    project: Project,
) -> None:
    project.user.write(".worktreeinclude", ".env\n")
    session, worktree = project.new()
    worktree.write("new.txt", "work\n")
    worktree.write("src/util.py", "x = 'agent'\n")
    worktree.git("commit", "-q", "-a", "-m", "by the agent")
    worktree.write("docs/a.md", "uncommitted\n")
    tree = worktree.tree()
    removed = project.worktree("remove", session, "--force")
    assert removed["branch"] == f"holdfast/{session}/work"
    assert not worktree.root.exists()
    listed = project.run("checkpoint", "list").told["checkpoints"]
    assert [(each["id"], each["worktree_gone"]) for each in listed] == [
        (removed["checkpoint_id"], True)
    ]
    cure = f"holdfast worktree new --session {session} --from {removed['checkpoint_id']}"
    assert cure in project.run("checkpoint", "restore", removed["checkpoint_id"]).why
    before = project.users()
    made = project.worktree("new", "--session", session[:8])
    assert (made["session"], made["path"]) == (session, str(worktree.root))
    assert made["checkpoint_id"] == removed["checkpoint_id"]
    assert worktree.tree() == tree
    assert worktree.git("log", "-1", "--format=%s") == "by the agent\n"
    assert project.users() == before
    assert project.sessions() == {session: "there"}


def test_a_worktree_that_was_merged_and_removed_comes_back_with_its_last_turn(
    project: Project,
) -> None:
    session, worktree = project.new()
    worktree.write("first.txt", "first\n")
    before_last = project.user.run("create", "--json", root=worktree.root).told["id"]
    worktree.write("last.txt", "last\n")
    tree = worktree.tree()
    project.worktree("merge", session)
    removed = project.worktree("remove", session)
    listed = project.run("checkpoint", "list").told["checkpoints"]
    assert [each["id"] for each in listed] == [removed["checkpoint_id"], before_last]
    assert (
        project.worktree("new", "--session", session)["checkpoint_id"] == removed["checkpoint_id"]
    )
    assert worktree.tree() == tree


def test_a_worktree_that_was_deleted_by_hand_is_noticed_and_made_anew(project: Project) -> None:
    session, worktree = project.new("--with-changes")
    worktree.write("new.txt", "first\n")
    first = project.user.run("create", "--json", root=worktree.root).told["id"]
    tree = worktree.tree()
    worktree.write("new.txt", "second\n")
    second = project.user.run("create", "--json", root=worktree.root).told["id"]
    shutil.rmtree(worktree.root)
    assert project.sessions() == {session: "gone"}
    assert f"holdfast worktree new --session {session}" in project.refused("path", session)
    project.worktree("new", "--session", session)
    assert worktree.path("new.txt").read_text() == "second\n"
    shutil.rmtree(worktree.root)
    project.worktree("new", "--session", session, "--from", first)
    assert worktree.tree() == tree
    ids = {each["id"] for each in project.run("checkpoint", "list").told["checkpoints"]}
    assert {first, second} <= ids
    names = [file["path"] for file in project.worktree("diff", session)["files"]]
    assert names == ["new.txt"]


def test_a_worktree_without_a_checkpoint_comes_back_as_it_was_made(project: Project) -> None:
    session, worktree = project.new("--with-changes")
    tree = worktree.tree()
    shutil.rmtree(worktree.root)
    assert project.worktree("new", "--session", session)["checkpoint_id"] is None
    assert worktree.tree() == tree


def test_another_folder_at_the_path_of_a_worktree_is_not_removed(project: Project) -> None:
    session, worktree = project.new()
    worktree.write("new.txt", "work\n")
    copy = worktree.root.with_name("copy")
    shutil.copytree(worktree.root, copy)
    shutil.rmtree(worktree.root)
    copy.rename(worktree.root)
    assert "new.txt" in project.refused("new", "--session", session)
    assert worktree.path("new.txt").read_text() == "work\n"


def test_a_session_goes_on_from_the_projects_root_after_its_worktree_was_made_anew(
    project: Project,
) -> None:
    session, worktree = project.new()
    turn = ("run", "Do it.", "--approve", "auto", "--continue", session)

    def go_on(path: str) -> int:
        script = [call("write_file", path=path, content="x\n"), say("Done.")]
        with ScriptedServer(script) as server:
            words = [*turn, "--base-url", server.base_url]
            return project.run_here(*words).code

    assert go_on("one.txt") == 0
    assert worktree.path("one.txt").exists()
    assert not project.user.path("one.txt").exists()
    project.worktree("remove", session, "--force")
    project.worktree("new", "--session", session)
    assert worktree.path("one.txt").exists()
    assert go_on("two.txt") == 0
    assert worktree.path("two.txt").exists()
    project.worktree("remove", session, "--force")
    assert go_on("three.txt") == 0
    shutil.rmtree(worktree.root)
    assert go_on("four.txt") == 0
    # What the last turn did before the folder was deleted by hand is on no checkpoint.
    there = {
        name for name in ("one", "two", "three", "four") if worktree.path(f"{name}.txt").exists()
    }
    assert there == {"one", "two", "four"}
    assert not project.user.path("four.txt").exists()


def test_a_worktree_in_which_a_turn_runs_is_neither_removed_nor_merged(project: Project) -> None:
    session, worktree = project.new()
    with project.running_turn(session, worktree.root):
        for words in (("remove", session, "--force"), ("merge", session), ("update", session)):
            assert f"session {session}: a turn of it is running" in project.refused(*words)
    assert project.worktree("remove", session)["outcome"] == "removed"


def test_prune_removes_what_no_session_leads_to_and_leaves_work(project: Project) -> None:
    kept, worktree = project.new()
    worktree.write("new.txt", "work\n")
    dropped, other = project.new()
    stays, third = project.new()
    for session in (kept, dropped):
        assert project.run("sessions", "delete", session, "--yes").code == 0
    pruned = project.worktree("prune")
    assert pruned["removed"] == [str(other.root)]
    assert pruned["kept"] == [
        {"path": str(worktree.root), "reason": "it has work that is not committed: new.txt"}
    ]
    assert third.root.exists()
    assert sorted(project.session_refs()) == sorted(
        f"refs/heads/holdfast/{session}/work" for session in (kept, stays)
    )


def test_what_is_being_made_is_not_pruned(project: Project) -> None:
    session, worktree = project.new()
    project.run("sessions", "delete", session, "--yes")
    makers = TurnLocks(project.state())
    makers.take(session)
    try:
        assert project.worktree("prune")["kept"][0]["reason"] == "it is being made"
    finally:
        makers.drop(session)
    assert worktree.root.exists()


def test_garbage_collection_leaves_files_of_worktrees_alone(project: Project) -> None:
    session, worktree = project.new()
    old = worktree.write("saved/old.txt", "kept\n")
    os.utime(old, (0, 0))
    worktree.write("place.json", '{"path": "/nowhere", "project": {"id": "x", "path": "/nowhere"}}')
    assert project.run("gc", "--now").code == 0
    assert old.exists()
    assert project.sessions() == {session: "there"}
