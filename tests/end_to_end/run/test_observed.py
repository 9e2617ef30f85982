"""What commands change is known: listed, published, recorded, checked, and undone by `holdfast undo`."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from holdfast.testing import Reply, ScriptedServer, call, say
from tests.end_to_end.run.project import Project, Ran
from tests.trees import tree_of

OLD = "one\ntwo\nthree\n"


def git(project: Project, *words: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words],
        cwd=project.root,
        check=True,
        env=project.environment(),
        capture_output=True,
    )


def turn(project: Project, *replies: Reply, approve: str = "auto") -> Ran:
    with ScriptedServer(list(replies), otherwise=say("All finished.")) as server:
        return project.run("Do it.", "--approve", approve, server=server)


def command(line: str, **more: Any) -> Reply:
    return call("run_command", command=line, **more)


def observed(ran: Ran) -> list[tuple[str, str, str]]:
    found = [event for event in ran.events if event["kind"] == "edit_observed"]
    return [(event["path"], event["action"], event["by"]) for event in found]


@pytest.fixture
def repository(project: Project) -> Project:
    """A project with a commit, and an edit that Holdfast applied before the turn."""
    project.write("b.txt", OLD)
    git(project, "add", "-A")
    git(project, "commit", "-qm", "first")
    edit = '{"path": "a.py", "edits": [{"oldText": "x = 1", "newText": "x = 10"}]}'
    applied = project.holdfast("apply", "-", given=edit)
    assert applied.code == 0, applied
    return project


def test_a_file_that_a_command_changed_is_known_and_undone_before_older_edits(
    repository: Project,
) -> None:
    before = tree_of(repository.root)
    ran = turn(repository, command("sed -i s/two/2/ b.txt"))
    assert (ran.code, ran.ended["files"], ran.ended["observed"]) == (0, ["b.txt"], ["b.txt"])
    assert observed(ran) == [("b.txt", "edit", "command")]
    assert repository.texts()["b.txt"] == "one\n2\nthree\n"
    undone = repository.holdfast("undo")
    assert (undone.code, tree_of(repository.root)) == (0, before), undone
