"""A restored turn is gone altogether, and can come back: turns, proposals, applies, undo and redo, as commands."""

from __future__ import annotations

import json
import subprocess
from copy import copy
from pathlib import Path
from typing import Any

import pytest

from holdfast.testing import Reply, ScriptedServer, call, say
from tests.end_to_end.run.in_process import QuickProject
from tests.end_to_end.run.project import TEXT, Project, Ran

pytestmark = pytest.mark.e2e

EDITED = TEXT.replace("x = 1", "x = 2")


@pytest.fixture
def project(tmp_path: Path) -> QuickProject:
    return QuickProject(tmp_path)


def turn(project: Project, *calls: Reply, session: str | None = None, mode: str = "auto") -> Ran:
    """Run one turn in which the model makes these calls."""
    words = ["Go on.", "--approve", mode]
    if session is not None:
        words += ["--continue", session]
    with ScriptedServer([*calls], otherwise=say("Done.")) as server:
        ran = project.run(*words, server=server)
    assert ran.code == 0, (ran.out, ran.err)
    return ran


def told(project: Project, *words: str, given: str = "") -> Any:
    ran = project.holdfast(*words, "--json", given=given)
    assert ran.code == 0, (ran.out, ran.err)
    return json.loads(ran.out)


def states(project: Project) -> list[tuple[str, str]]:
    """Return origin and state of the changes, newest first."""
    listed = told(project, "changes", "list")["changes"]
    return [(each["origin"], each["state"]) for each in listed]


def last_checkpoint(project: Project) -> str:
    checkpoint = told(project, "checkpoint", "list")["checkpoints"][0]["id"]
    assert isinstance(checkpoint, str)
    return checkpoint


def in_repository(project: Project, *words: str) -> None:
    """Run git in the user's repository."""
    subprocess.run(["git", "-C", str(project.root), *words], check=True)


def edit(old: str = "x = 1", new: str = "x = 2") -> Reply:
    return call("edit_file", path="a.py", old=old, new=new)


def test_the_proposals_of_a_restored_turn_are_gone_for_the_next_model(project: Project) -> None:
    ran = turn(project, edit(), mode="review")
    assert states(project) == [("proposal", "proposed")]
    told(project, "checkpoint", "restore", last_checkpoint(project))
    assert states(project) == []
    read = turn(project, call("read_file", path="a.py"), session=ran.session, mode="review")
    (answer,) = (event["text"] for event in read.events if event["kind"] == "call_ended")
    assert "x = 1" in answer
    assert "x = 2" not in answer


def test_undo_and_redo_bring_the_proposals_of_a_turn_back_and_out_again(project: Project) -> None:
    turn(project, edit(), mode="review")
    told(project, "checkpoint", "restore", last_checkpoint(project))
    told(project, "checkpoint", "undo")
    assert states(project) == [("proposal", "proposed")]
    redone = told(project, "redo")
    assert (redone["outcome"], redone["restored"]["messages_deleted"]) == ("redone", 1)
    assert states(project) == []
    told(project, "checkpoint", "undo")
    assert states(project) == [("proposal", "proposed")]


def test_a_restore_of_files_alone_takes_the_changes_along_and_leaves_the_messages(
    project: Project,
) -> None:
    ran = turn(project, edit())
    before = project.transcript(ran.session)
    told(project, "checkpoint", "restore", last_checkpoint(project), "--files")
    assert (project.texts()["a.py"], states(project)) == (TEXT, [])
    assert project.transcript(ran.session) == before
    told(project, "checkpoint", "undo")
    assert (project.texts()["a.py"], states(project)) == (EDITED, [("apply", "applied")])


def test_a_restore_of_the_conversation_alone_leaves_what_is_in_the_files(project: Project) -> None:
    turn(project, edit())
    turn(project, edit("y = 2", "y = 3"), mode="review")
    both = told(project, "checkpoint", "list")["checkpoints"]
    for each in both:
        told(project, "checkpoint", "restore", each["id"], "--conversation")
    # The proposal left with its turn; `undo` must find the applied change, which is in the file.
    assert states(project) == [("apply", "applied")]
    assert told(project, "undo")["files"] == [{"path": "a.py", "action": "restored"}]
    assert project.texts()["a.py"] == TEXT


def test_an_apply_of_the_user_after_the_checkpoint_leaves_and_comes_back(project: Project) -> None:
    first = told(project, "checkpoint", "create")["id"]
    told(project, "apply", given='{"path": "a.py", "old": "x = 1", "new": "x = 2"}')
    told(project, "checkpoint", "restore", first)
    assert (project.texts()["a.py"], states(project)) == (TEXT, [])
    assert json.loads(project.holdfast("undo", "--json").out)["outcome"] == "refused"
    told(project, "checkpoint", "undo")
    assert (project.texts()["a.py"], states(project)) == (EDITED, [("apply", "applied")])
    assert told(project, "undo")["outcome"] == "undone"


def test_a_change_that_was_undone_after_the_checkpoint_is_applied_again(project: Project) -> None:
    told(project, "apply", given='{"path": "a.py", "old": "x = 1", "new": "x = 2"}')
    taken = told(project, "checkpoint", "create")["id"]
    told(project, "undo")
    told(project, "checkpoint", "restore", taken)
    assert (project.texts()["a.py"], states(project)) == (EDITED, [("apply", "applied")])
    told(project, "checkpoint", "undo")
    assert (project.texts()["a.py"], states(project)) == (TEXT, [("apply", "rewound")])


def test_a_checkpoint_that_a_restore_went_past_has_its_changes_again(project: Project) -> None:
    first = told(project, "checkpoint", "create")["id"]
    told(project, "apply", given='{"path": "a.py", "old": "x = 1", "new": "x = 2"}')
    second = told(project, "checkpoint", "create")["id"]
    told(project, "checkpoint", "restore", first)
    told(project, "apply", given='{"path": "a.py", "old": "y = 2", "new": "y = 3"}')
    told(project, "checkpoint", "restore", second)
    assert (project.texts()["a.py"], states(project)) == (EDITED, [("apply", "applied")])
    assert told(project, "undo")["files"] == [{"path": "a.py", "action": "restored"}]
    assert project.texts()["a.py"] == TEXT


def test_undo_says_which_change_it_undid(project: Project) -> None:
    told(project, "apply", given='{"path": "a.py", "old": "x = 1", "new": "x = 2"}')
    change = told(project, "changes", "list")["changes"][0]["id"]
    ran = project.holdfast("undo")
    lines = [f"undid change {change}: apply, just now, 1 file", "restored a.py"]
    assert (ran.code, ran.out.splitlines()) == (0, lines)
    ran = project.holdfast("redo")
    assert (ran.code, ran.out.splitlines()) == (
        0,
        [f"redid change {change}: apply, 1 file", "edited a.py"],
    )


def test_undo_turn_undoes_all_files_of_the_last_turn_and_redo_brings_them_back(
    project: Project,
) -> None:
    turn(project, call("write_file", path="first.py", text="a = 1\n"))
    before = project.texts()
    calls = [edit(), call("write_file", path="b.py", text="b = 1\n"), edit("y = 2", "y = 3")]
    ran = turn(project, *calls)
    after = project.texts()
    undone = told(project, "undo", "--turn")
    assert undone["outcome"] == "undone"
    assert undone["turn_id"] == ran.events[0]["turn"]
    assert len(undone["change_ids"]) == 3
    assert {each["path"] for each in undone["files"]} == {"a.py", "b.py"}
    assert project.texts() == before
    redone = told(project, "redo")
    assert sorted(redone["change_ids"]) == sorted(undone["change_ids"])
    assert project.texts() == after
    told(project, "undo", "--turn")
    told(project, "undo", "--turn")
    assert project.texts() == {"a.py": TEXT}
    nothing = project.holdfast("undo", "--turn")
    assert nothing.code == 1
    assert "no change of a turn below this root is on record" in nothing.out


def test_undo_turn_undoes_what_the_commands_of_the_turn_changed(project: Project) -> None:
    command = call("run_command", command="printf 'z = 1\\n' > c.py; printf 'x = 9\\n' > a.py")
    turn(project, edit(), command)
    assert project.texts() == {"a.py": "x = 9\n", "c.py": "z = 1\n"}
    undone = told(project, "undo", "--turn")
    assert len(undone["change_ids"]) == 2
    assert project.texts() == {"a.py": TEXT}
    told(project, "redo")
    assert project.texts() == {"a.py": "x = 9\n", "c.py": "z = 1\n"}


def test_undo_turn_keeps_later_edits_or_is_refused_whole(project: Project) -> None:
    turn(project, edit(), call("write_file", path="b.py", text="b = 1\n"))
    project.write("a.py", EDITED + "z = 9\n")
    told(project, "undo", "--turn")
    assert project.texts() == {"a.py": TEXT + "z = 9\n"}
    told(project, "redo")
    project.write("b.py", "b = 2\n")
    before = project.texts()
    refused = project.holdfast("undo", "--turn", "--json")
    assert refused.code == 1
    (refusal,) = json.loads(refused.out)["refusals"]
    assert "it was edited, and would have to be removed whole" in refusal["message"]
    assert project.texts() == before


def test_undos_and_redos_of_changes_and_restores_go_back_and_forth(project: Project) -> None:
    first = told(project, "checkpoint", "create")["id"]
    told(project, "apply", given='{"path": "a.py", "old": "x = 1", "new": "x = 2"}')
    told(project, "checkpoint", "restore", first)
    told(project, "checkpoint", "undo")
    told(project, "undo")
    assert (project.texts()["a.py"], states(project)) == (TEXT, [("apply", "rewound")])
    told(project, "redo")
    assert (project.texts()["a.py"], states(project)) == (EDITED, [("apply", "applied")])
    told(project, "redo")
    assert (project.texts()["a.py"], states(project)) == (TEXT, [])
    nothing = project.holdfast("redo")
    assert nothing.code == 1
    assert "there is nothing to redo" in nothing.out
    told(project, "checkpoint", "undo")
    assert (project.texts()["a.py"], states(project)) == (EDITED, [("apply", "applied")])


def test_another_worktree_keeps_its_changes_and_clears_no_redo(project: QuickProject) -> None:
    in_repository(project, "add", "-A")
    in_repository(project, "-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "one")
    in_repository(project, "worktree", "add", "-q", str(project.place / "other"))
    other = copy(project)
    other.root = project.place / "other"
    first = told(project, "checkpoint", "create")["id"]
    told(project, "apply", given='{"path": "a.py", "old": "x = 1", "new": "x = 2"}')
    told(other, "apply", given='{"path": "a.py", "old": "y = 2", "new": "y = 3"}')
    told(project, "checkpoint", "restore", first)
    listed = told(other, "changes", "list")["changes"]
    assert [(each["state"], each["worktree"]) for each in listed] == [("applied", str(other.root))]
    told(project, "checkpoint", "undo")
    told(project, "undo")
    told(other, "apply", given='{"path": "a.py", "old": "x = 1", "new": "x = 5"}')
    told(project, "redo")
    assert project.texts()["a.py"] == EDITED
    assert told(other, "undo")["files"] == [{"path": "a.py", "action": "restored"}]
    assert (other.root / "a.py").read_text() == TEXT.replace("y = 2", "y = 3")


def test_a_proposal_after_a_restore_leaves_when_the_same_checkpoint_is_restored_again(
    project: Project,
) -> None:
    first = told(project, "checkpoint", "create")["id"]
    told(project, "apply", given='{"path": "a.py", "old": "x = 1", "new": "x = 2"}')
    told(project, "checkpoint", "restore", first)
    told(project, "changes", "propose", given='{"path": "a.py", "old": "x = 1", "new": "x = 3"}')
    told(project, "checkpoint", "restore", first)
    assert states(project) == []


def test_a_new_change_leaves_nothing_to_redo(project: Project) -> None:
    told(project, "apply", given='{"path": "a.py", "old": "x = 1", "new": "x = 2"}')
    told(project, "undo")
    told(project, "apply", given='{"path": "a.py", "old": "y = 2", "new": "y = 3"}')
    assert project.holdfast("redo").code == 1
    assert project.texts()["a.py"] == TEXT.replace("y = 2", "y = 3")


def test_a_redo_that_does_not_fit_any_more_is_refused_with_the_cure(project: Project) -> None:
    told(project, "apply", given='{"path": "a.py", "old": "x = 1", "new": "x = 2"}')
    told(project, "undo")
    project.write("a.py", "x = 7\ny = 2\n")
    refused = project.holdfast("redo")
    assert refused.code == 1
    assert "other edits touch the same lines" in refused.out
    assert project.texts()["a.py"] == "x = 7\ny = 2\n"


def test_a_prompt_whose_answer_was_taken_out_is_sent_again_or_not_at_all(
    project: QuickProject,
) -> None:
    with ScriptedServer([say("Yellow.")]) as server:
        first = project.run("Paint it blue.", server=server)
    told(project, "checkpoint", "restore", first.ended["checkpoint_id"])
    for words, prompts in [((), ["Paint it blue."]), (("Paint it red.",), ["Paint it red."])]:
        with ScriptedServer([say("Done.")]) as server:
            ran = project.run(*words, "--continue", first.session, server=server)
        assert ran.code == 0, ran
        sent = json.loads(server.requests[0].raw)["messages"]
        assert [each["content"] for each in sent if each["role"] == "user"] == prompts
        told(project, "checkpoint", "restore", ran.ended["checkpoint_id"])
