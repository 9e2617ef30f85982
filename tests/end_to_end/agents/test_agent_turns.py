"""Turns of an external agent, through the command: the same records as for a turn of our own."""

from __future__ import annotations

import json
import shlex
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from holdfast.testing import ScriptedAgent, ScriptedServer, say
from tests.end_to_end.agents.agent_project import AgentProject, files_below, kinds, states, text_of
from tests.end_to_end.run.project import TEXT, Project, Ran

pytestmark = pytest.mark.e2e


def test_an_edit_in_a_worktree_is_observed_and_the_project_is_not_touched(
    project: AgentProject,
) -> None:
    ran = project.agent("say I begin.", "write b.txt new", "say Done.")
    assert ran.code == 0, ran
    # Each state of a call is whole: those that come within a tenth of a second are one event.
    shown: list[str] = []
    for kind in kinds(ran):
        if (kind, shown[-1:]) != ("agent_call", ["agent_call"]):
            shown.append(kind)
    assert shown == [
        "turn_started",
        "checkpoint_taken",
        "agent_state",
        "agent_state",
        "text",
        "said",
        "agent_call",
        "text",
        "said",
        "agent_state",
        "change_moved",
        "edit_observed",
        "turn_ended",
    ]
    assert states(ran) == [("starting", True), ("busy", True), ("warm", False)]
    assert (ran.events[0]["agent"], ran.events[0]["continued"]) == ("scripted", False)
    observed = ran.events[-2]
    assert (observed["path"], observed["by"]) == ("b.txt", "agent")
    assert ran.ended["files"] == ["b.txt"]
    assert project.texts() == {"a.py": TEXT}
    assert project.files(ran.session) == {"a.py": TEXT, "b.txt": "new\n"}
    assert project.agent_states() == [("closed", 0)]
    assert project.query("select origin, state from changes") == [("observed", "applied")]


def test_a_session_goes_on_in_its_worktree_with_its_agent_by_its_id_alone(
    project: AgentProject,
) -> None:
    first = project.agent("write b.txt new", "remember the word", "say The plan is ready.")
    second = project.go_on(first.session, "recall", "transcript", "read b.txt")
    assert second.code == 0, second
    assert (second.events[0]["agent"], second.events[0]["continued"]) == ("scripted", True)
    said = text_of(second)
    # Another process of the agent: it remembers nothing, and gets the transcript.
    assert "Remembered: nothing" in said
    assert "Assistant: The plan is ready." in said
    assert "Tool: Write b.txt (done)" in said
    assert said.endswith("new\n")


def test_holdfasts_own_model_can_go_on_after_an_agent(project: AgentProject) -> None:
    first = project.agent("say I begin.", "write b.txt new", "say The plan is ready.")
    with ScriptedServer([say("I have read it.")]) as server:
        words = ("And now?", "--agent", "holdfast", "--continue", first.session)
        second = project.run(*words, server=server)
        assert second.code == 0, second
        sent = json.dumps(server.requests[0].body)
    assert "I begin.\\n\\n\\n[edit: Write b.txt]\\n\\nThe plan is ready." in sent
    roles = [message["role"] for message in json.loads(sent)["messages"]]
    assert roles == ["system", "user", "assistant", "user"]


def test_the_work_can_be_in_place_and_is_where_there_is_no_git(tmp_path: Path) -> None:
    project = AgentProject(tmp_path, git=False)
    ran = project.agent("write b.txt new")
    assert ran.code == 0, ran
    assert project.texts() == {"a.py": TEXT, "b.txt": "new\n"}
    checkpoint = ran.ended["checkpoint_id"]
    assert project.holdfast("checkpoint", "restore", checkpoint).code == 0
    assert project.texts() == {"a.py": TEXT}


def test_a_worktree_with_the_users_uncommitted_work(project: AgentProject) -> None:
    project.write("a.py", "changed\n")
    project.write("new.py", "new\n")
    ran = project.agent("read a.py", words=("--with-changes",))
    assert text_of(ran) == "changed\n"
    assert project.files(ran.session) == {"a.py": "changed\n", "new.py": "new\n"}


def test_edits_go_ahead_and_a_command_that_nobody_can_allow_ends_the_turn(
    project: AgentProject,
) -> None:
    ran = project.agent("permission b.txt new", "ask touch c.txt", "write d.txt not reached")
    assert ran.code == 3, ran
    assert ran.ended["stop_reason"] == "needs_approval"
    message = "touch c.txt needs approval, and no user is present to ask."
    assert ran.ended["message"] == message
    assert "c.txt" not in project.files(ran.session)
    assert [answer for (answer,) in project.query("select answer from approvals")] == ["nobody"]


def test_with_auto_all_is_allowed_but_what_is_never_run(project: AgentProject) -> None:
    words = ("--approve", "auto")
    ran = project.agent("ask touch c.txt", "ask rm -rf /", "say On.", words=words)
    assert ran.code == 0, ran
    assert "Not permitted: rm -rf /" in text_of(ran)
    assert project.files(ran.session)["c.txt"] == ""
    notes = [event for event in ran.events if event["kind"] == "agent_note"]
    assert [note["note_kind"] for note in notes] == ["denied"]


def test_a_crash_is_a_failed_turn_whose_edits_are_on_record(project: AgentProject) -> None:
    ran = project.agent("write b.txt new", "stderr 1", "crash 7")
    assert ran.code == 1, ran
    assert "exit code 7" in ran.ended["message"]
    assert "the end of stderr" in ran.ended["message"]
    assert ran.ended["files"] == ["b.txt"]
    assert states(ran)[-1] == ("crashed", False)
    assert project.agent_states() == [("crashed", 0)]
    assert project.go_on(ran.session, "say Again.").code == 0
    assert project.agent_states() == [("closed", 0)]


def test_an_agent_that_does_not_start_is_a_failed_turn(project: AgentProject) -> None:
    project.configure(ScriptedAgent("exit"))
    ran = project.agent("say hello")
    assert ran.code == 1
    assert "no settings were found" in ran.ended["message"]
    project.configure(ScriptedAgent("login"))
    ran = project.agent("say hello")
    assert (ran.code, ran.ended["stop_reason"]) == (3, "needs_login")


@pytest.mark.parametrize(
    ("line", "reason"), [("stop refusal", "refused"), ("stop max_tokens", "max_tokens")]
)
def test_other_ends_are_said_plainly(project: AgentProject, line: str, reason: str) -> None:
    ran = project.agent(line)
    assert (ran.code, ran.ended["stop_reason"]) == (1, reason)
    assert ran.ended["message"].startswith("scripted ")


def test_an_error_that_the_agent_reports_is_a_failed_turn(project: AgentProject) -> None:
    ran = project.agent("error the model is away")
    assert (ran.code, ran.ended["stop_reason"]) == (1, "failed")
    assert "the model is away" in ran.ended["message"]


def test_keys_of_holdfast_are_masked(project: AgentProject) -> None:
    key = "sk-secret-123456"
    ran = project.run(
        f"say the key is {key}", "--agent", "scripted", server=None, HOLDFAST_API_KEY=key
    )
    assert ran.code == 0, ran
    assert key not in ran.out
    assert key not in json.dumps(project.transcript(ran.session))


def test_the_command_to_go_back_works_from_the_project(project: AgentProject) -> None:
    ran = project.holdfast("run", "write b.txt new", "--agent", "scripted")
    (line,) = [line for line in ran.err.splitlines() if line.startswith("to go back: holdfast ")]
    words = shlex.split(line.removeprefix("to go back: holdfast "))
    assert project.plain_command(*words).code == 0
    (session,) = project.query("select id from sessions")[0]
    assert project.files(session) == {"a.py": TEXT}


def test_a_restore_and_its_undo_take_files_and_messages(project: AgentProject) -> None:
    first = project.agent("write b.txt one", "say One.")
    second = project.go_on(first.session, "write b.txt two", "write c.txt two", "say Two.")
    session = first.session
    after, said = project.files(session), project.transcript(session)
    checkpoint = second.ended["checkpoint_id"]
    facts = project.at_worktree(session, "checkpoint", "restore", checkpoint)
    assert facts["checkpoint_id"] == checkpoint
    assert (facts["messages_deleted"], facts["worktree_reset"]) == (1, True)
    # The agent of the last command has ended with it.
    assert facts["backend_reset"] is False
    assert project.files(session) == {"a.py": TEXT, "b.txt": "one\n"}
    # The prompt stays, so that it can be sent again.
    assert [role for role, _, _ in project.transcript(session)][-1] == "user"
    project.at_worktree(session, "checkpoint", "undo")
    assert (project.files(session), project.transcript(session)) == (after, said)


def test_a_turn_after_a_restore_knows_nothing_of_the_discarded_one(project: AgentProject) -> None:
    first = project.agent("say One.")
    second = project.go_on(first.session, "say Discarded.")
    checkpoint = second.ended["checkpoint_id"]
    project.at_worktree(first.session, "checkpoint", "restore", checkpoint)
    third = project.go_on(first.session, "transcript")
    assert "One." in text_of(third)
    # Nor of its prompt, for another one was sent.
    assert "Discarded." not in text_of(third)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--agent", "nobody"), "nobody: there is no such agent."),
        (("--agent", "scripted", "--transport", "server"), "scripted has no transport server"),
    ],
)
def test_an_agent_that_cannot_be_used_makes_no_session(
    project: AgentProject, words: tuple[str, ...], sentence: str
) -> None:
    ran = project.run("say hello", *words, server=None)
    assert ran.code == 1
    assert sentence in ran.ended["message"]
    assert not (project.state / "worktrees").exists()


@pytest.mark.parametrize(
    "words", [("--agent", "scripted", "--plan"), ("--in-place",), ("--transport", "acp")]
)
def test_flags_that_contradict_each_other_are_wrong_usage(
    project: AgentProject, words: tuple[str, ...]
) -> None:
    assert project.holdfast("run", "say hello", *words).code == 2


def test_the_terminal_shows_calls_plans_and_notes(project: AgentProject) -> None:
    lines = ("say First.", "plan one; two", "write b.txt new", "unknown", "say Last.")
    ran = project.holdfast("run", "\n".join(lines), "--agent", "scripted")
    assert ran.code == 0, ran
    # In a pipe the answer is alone: what was said after the last call.
    assert ran.out.endswith("Last.\n")
    assert "First." not in ran.out
    for shown in ("agent scripted", "> edit Write b.txt", "▸ one", "note (mood_update)"):
        assert shown in ran.err
    assert "created by the agent: b.txt" in ran.err


def test_with_review_the_work_waits_in_the_worktree_and_is_not_done_in_place(
    project: AgentProject,
) -> None:
    review = ("--approve", "review")
    refused = project.agent("write b.txt new", words=(*review, "--in-place"))
    assert (refused.code, project.texts()) == (1, {"a.py": TEXT})
    assert "its edits in place cannot wait for a review" in refused.err + refused.out
    ran = project.agent("write b.txt new", words=review)
    assert (ran.code, project.texts()) == (0, {"a.py": TEXT})
    merged = project.holdfast("worktree", "merge", ran.session)
    assert merged.code == 0, merged
    assert project.query("select origin, state from changes where state = 'proposed'") != []
    assert project.texts() == {"a.py": TEXT}


@pytest.mark.slow
def test_eight_sessions_work_at_once_on_one_repository(project: AgentProject) -> None:
    (project.root / "a.py").write_text("uncommitted\n")
    commit = "git add -A; git -c user.name=A -c user.email=a@example.invalid commit -qm work"
    before = (project.git("status", "--porcelain"), files_below(project.root))

    def turn(number: int) -> Ran:
        lines = f"write {number}.txt by {number}\nrun {commit}"
        words = ("run", lines, "--agent", "scripted", "--json", "--approve", "auto")
        # A process of its own, not a call in this one: eight work at once.
        return Project.holdfast(project, *words)

    with ThreadPoolExecutor(8) as pool:
        ran = list(pool.map(turn, range(8)))
    assert [each.code for each in ran] == [0] * 8, ran
    for number, each in enumerate(ran):
        assert project.files(each.session) == {"a.py": TEXT, f"{number}.txt": f"by {number}\n"}
        shown = project.git("show", f"holdfast/{each.session}/work:{number}.txt")
        assert shown == f"by {number}\n"
    assert (project.git("status", "--porcelain"), files_below(project.root)) == before
    project.git("fsck", "--strict")
    assert project.marked() == []
