"""A turn in one process asks, and a command in another process answers."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.config.settings import Settings
from holdfast.testing import ScriptedServer, call, say
from holdfast.wiring.sandboxes import sandbox_status
from holdfast.wiring.settings import settings_at
from tests.adapters.store.postgres import CannotStart, running_postgres
from tests.end_to_end.run.in_process import QuickProject
from tests.end_to_end.run.project import TEXT, Project, finish, read_until
from tests.end_to_end.run.terminal import on_terminal

pytestmark = pytest.mark.e2e

TOUCH = call("run_command", command="touch z")


@pytest.fixture
def project(tmp_path: Path) -> QuickProject:
    return QuickProject(tmp_path)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, project: Project) -> Iterator[str]:
    """Where the store is."""
    if request.param == "sqlite":
        yield str(project.place / "chosen.sqlite3")
        return
    try:
        with running_postgres() as server, server.database() as url:
            yield url
    except CannotStart as error:
        pytest.skip(str(error))


def waiting(project: Project, url: str = "") -> list[dict[str, Any]]:
    ran = project.holdfast("approvals", "list", "--json", HOLDFAST_DATABASE_URL=url)
    assert (ran.code, ran.err) == (0, "")
    found: list[dict[str, Any]] = json.loads(ran.out)["approvals"]
    return found


def test_another_process_allows_a_command_once_and_a_second_answer_is_told_so(
    project: QuickProject, url: str
) -> None:
    with (
        ScriptedServer([TOUCH, say("Done.")]) as server,
        project.running(
            "Do it.", "--wait-for-approval", server=server, HOLDFAST_DATABASE_URL=url
        ) as process,
    ):
        asked = read_until(process.stdout, "approval_asked")[-1]
        (question,) = waiting(project, url)
        assert question["id"] == asked["approval_id"]
        assert question["options"] == asked["options"] == ["once", "session", "always", "deny"]
        assert (question["subject"], question["waits"], question["answer"]) == (
            "touch z",
            True,
            None,
        )
        assert waiting(project, str(project.place / "none.sqlite3")) == []
        answer = ("approvals", "answer", question["id"][:8])
        ran = project.holdfast(*answer, "once", "--json", HOLDFAST_DATABASE_URL=url)
        assert ran.code == 0, ran
        assert json.loads(ran.out) == {
            "outcome": "answered",
            "approval_id": question["id"],
            "session": question["session"],
            "turn": question["turn"],
            "answer": "once",
            "reason": "",
            "always": "",
        }
        late = project.holdfast(*answer, "deny", "--json", HOLDFAST_DATABASE_URL=url)
        assert late.code == 1
        told = json.loads(late.out)
        assert (told["outcome"], told["approval"]["answer"]) == ("refused", "once")
        assert f"question {question['id']}: it was answered before: once, at " in late.err
        done = finish(process)
    assert done.code == 0, done
    assert project.texts() == {"a.py": TEXT, "z": ""}
    given = next(event for event in done.events if event["kind"] == "approval_given")
    assert (given["approval_id"], given["answer"]) == (question["id"], "once")
    assert waiting(project, url) == []


def test_another_process_denies_with_a_reason(project: QuickProject) -> None:
    with (
        ScriptedServer([TOUCH, say("Done.")]) as server,
        project.running("Do it.", "--wait-for-approval", server=server) as process,
    ):
        asked = read_until(process.stdout, "approval_asked")[-1]
        answer = ("approvals", "answer", asked["approval_id"], "deny", "--reason", "use the tool")
        assert project.holdfast(*answer).code == 0
        assert finish(process).code == 0
        (told,) = [each for each in server.requests[1].messages if each["role"] == "tool"]
    assert told["content"] == "touch z: the user does not allow this, and says: use the tool"


def test_for_this_session_holds_in_the_next_process_until_a_restore_takes_the_turn_out(
    project: QuickProject,
) -> None:
    script = [TOUCH, say("Done.")]
    with (
        ScriptedServer(script) as server,
        project.running("Do it.", "--wait-for-approval", server=server) as process,
    ):
        asked = read_until(process.stdout, "approval_asked")[-1]
        assert project.holdfast("approvals", "answer", asked["approval_id"], "session").code == 0
        first = finish(process)
    assert first.code == 0

    def go_on() -> int:
        with ScriptedServer(script) as server:
            return project.run("Again.", "--continue", first.session, server=server).code

    assert go_on() == 0
    with ScriptedServer(script) as server:
        assert project.run("Another session.", server=server).code == 3
    checkpoint = first.ended["checkpoint_id"]
    assert project.holdfast("checkpoint", "restore", checkpoint, "--files").code == 0
    assert go_on() == 0
    assert project.holdfast("checkpoint", "restore", checkpoint).code == 0
    assert go_on() == 3


def test_always_by_prefix_from_another_process_is_a_rule_of_the_project(
    project: QuickProject,
) -> None:
    adds = [call("run_command", command=f"git add {name}") for name in ("-N a.py", "a.py")]
    with (
        ScriptedServer([*adds, say("Done.")]) as server,
        project.running("Do it.", "--wait-for-approval", server=server) as process,
    ):
        asked = read_until(process.stdout, "approval_asked")[-1]
        (question,) = waiting(project)
        assert question["prefix"] == "git add *"
        ran = project.holdfast("approvals", "answer", asked["approval_id"], "always", "--prefix")
        assert ran.out == (
            f"question {asked['approval_id']}: answered always. Always allowed now: git add *\n"
        )
        done = finish(process)
    assert done.code == 0
    kinds = [event["kind"] for event in done.events]
    assert (kinds.count("approval_asked"), kinds.count("command_ran")) == (0, 2)


def test_always_is_for_exactly_a_command_that_runs_what_its_words_say(
    project: QuickProject,
) -> None:
    runs = [call("run_command", command=f"uv run python -c 'print({n})'") for n in (1, 2)]
    with (
        ScriptedServer([*runs, say("Done.")]) as server,
        project.running("Do it.", "--wait-for-approval", server=server) as process,
    ):
        first = read_until(process.stdout, "approval_asked")[-1]
        (question,) = waiting(project)
        assert question["prefix"] is None
        by_rule = project.holdfast(
            "approvals", "answer", first["approval_id"], "always", "--prefix"
        )
        assert by_rule.code != 0
        assert project.holdfast("approvals", "answer", first["approval_id"], "always").code == 0
        second = read_until(process.stdout, "approval_asked")[-1]
        assert second["subject"] == "uv run python -c 'print(2)'"
        assert project.holdfast("approvals", "answer", second["approval_id"], "deny").code == 0
        assert finish(process).code == 0


def test_an_answer_elsewhere_ends_the_question_on_a_terminal(project: QuickProject) -> None:
    with (
        ScriptedServer([TOUCH, say("Done.")]) as server,
        on_terminal(project, "Do it.", server=server) as terminal,
    ):
        terminal.wait_for("n [REASON]: no) ")
        (question,) = waiting(project)
        assert project.holdfast("approvals", "answer", question["id"], "once").code == 0
        terminal.wait_for("  answered elsewhere: once\n")
        assert terminal.finish() == 0, terminal.screen
    assert project.texts() == {"a.py": TEXT, "z": ""}


def test_a_turn_that_is_cancelled_or_killed_takes_its_question_with_it(
    project: QuickProject,
) -> None:
    with ScriptedServer([TOUCH, TOUCH]) as server:
        with project.running("Do it.", "--wait-for-approval", server=server) as process:
            asked = read_until(process.stdout, "approval_asked")[-1]
            assert project.holdfast("cancel", waiting(project)[0]["session"]).code == 0
            assert finish(process).code == 130
        late = project.holdfast("approvals", "answer", asked["approval_id"], "once")
        assert late.code == 1
        assert "its turn ended before it was answered, at " in late.err
        with project.running("Do it.", "--wait-for-approval", server=server) as process:
            asked = read_until(process.stdout, "approval_asked")[-1]
            process.send_signal(signal.SIGKILL)
            process.wait()
    assert waiting(project) == []
    late = project.holdfast("approvals", "answer", asked["approval_id"], "once")
    assert (late.code, "nobody waits for an answer any more" in late.err) == (1, True)
    assert project.texts() == {"a.py": TEXT}


def test_without_the_option_nobody_waits_and_the_question_is_on_record(
    project: QuickProject,
) -> None:
    with ScriptedServer([TOUCH]) as server:
        ran = project.run("Do it.", server=server)
    asked, given = (
        event for event in ran.events if event["kind"] in {"approval_asked", "approval_given"}
    )
    assert (ran.code, given["answer"]) == (3, "nobody")
    assert project.query("select id, answer from approvals") == [(asked["approval_id"], "nobody")]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("answer", "123", "once"), 1, "123: there is no such question: no turn has run yet."),
        (("answer", "123", "perhaps"), 2, "Invalid value"),
        (("answer", "123", "once", "--prefix"), 2, "only with the answer always"),
        (("answer", "123", "once", "--reason", "x"), 2, "only with the answer deny"),
        (("answer", "123"), 2, "Missing argument"),
    ],
)
def test_wrong_usage_is_2_and_a_refusal_is_1(
    project: QuickProject, words: tuple[str, ...], code: int, message: str
) -> None:
    ran = project.holdfast("approvals", *words)
    assert (ran.code, message in ran.err) == (code, True), ran
    assert not project.state.exists()


def test_a_command_of_a_turn_answers_nothing_and_edits_are_never_allowed_always(
    project: QuickProject,
) -> None:
    edit = call("edit_file", path="a.py", old="x = 1", new="x = 2")
    with (
        ScriptedServer([edit, say("Done.")]) as server,
        project.running("Do it.", "--wait-for-approval", server=server) as process,
    ):
        asked = read_until(process.stdout, "approval_asked")[-1]
        answer = ("approvals", "answer", asked["approval_id"])
        refused = project.holdfast(*answer, "once", HOLDFAST_TURN="t1")
        assert (refused.code, "a turn cannot answer questions" in refused.err) == (1, True)
        refused = project.holdfast(*answer, "always")
        assert (refused.code, "answer one of once, session, deny." in refused.err) == (1, True)
        assert project.holdfast(*answer, "once").code == 0
        assert finish(process).code == 0
    assert project.texts() == {"a.py": TEXT.replace("1", "2", 1)}


def test_no_command_of_the_model_can_allow_commands(project: QuickProject) -> None:
    settings = settings_at(project.root, {})
    assert isinstance(settings, Settings)
    if sandbox_status(project.root, settings).kind == "none":
        pytest.skip("there is no sandbox on this machine")
    grants = project.state / "grants"
    write = call("run_command", command=f"mkdir -p {grants}; touch {grants}/forged.json; touch y")
    with ScriptedServer([write, say("Done.")]) as server:
        project.run("Do it.", "--approve", "auto", server=server)
    assert project.texts() == {"a.py": TEXT, "y": ""}
    assert not grants.exists()
