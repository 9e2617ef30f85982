"""What `checkpoint prune` takes from an undo checkpoint is its conversation; its files come back with their changes."""

from __future__ import annotations

import pytest

from holdfast.testing import ScriptedServer, call, say
from tests.end_to_end.going_back.project import Project, reply
from tests.samples import sample


def states(project: Project) -> list[tuple[str, str]]:
    listed = project.told("changes", "list")["changes"]
    return [(each["state"], each["files"][0]["path"]) for each in listed]


@pytest.mark.slow
@pytest.mark.parametrize("scope", sample([(), ("--files",)], 1))
def test_after_a_prune_the_undo_of_a_restore_brings_files_back_with_their_changes(
    project: Project, scope: tuple[str, ...]
) -> None:
    project.told("apply", "-", given=reply("first\n", "a.txt"))
    target = project.told("checkpoint", "create")["id"]
    with ScriptedServer(
        [call("write_file", path="b.txt", content="turn\n")], otherwise=say("Done.")
    ) as server:
        ran = project.holdfast(
            "run",
            "Do it.",
            "--approve",
            "auto",
            "--base-url",
            server.base_url,
            "--model",
            "scripted",
        )
    assert ran.code == 0, ran
    project.told("apply", "-", given=reply("second\n", "a.txt"))
    before = states(project)
    project.told("checkpoint", "restore", target, *scope)
    assert (project.texts(), states(project)) == (["first\n", "one\n"], [("applied", "a.txt")])
    project.told("checkpoint", "prune", "--keep", "9")
    project.told("checkpoint", "undo")
    assert (project.texts(), states(project)) == (["second\n", "turn\n"], before)
    project.told("undo")
    project.told("undo")
    assert project.texts() == ["first\n", "one\n"]
