"""`holdfast sessions`, and `run --continue` without an id."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdfast.testing import call, say
from tests.cli.project import Project, Ran
from tests.cli.talk import ended, events, talk

pytestmark = pytest.mark.integration

WRITES = call("write_file", path="b.py", content="y = 2\n")


def sessions(project: Project, *words: str) -> Ran:
    return project.run("sessions", *words, "--root", str(project.root), "--json")


def told(ran: Ran) -> Any:
    assert ran.code == 0, ran.out
    return json.loads(ran.out)


def two_sessions(project: Project) -> tuple[str, str]:
    """Let a session write a file, and another one only answer."""
    with talk(project, [WRITES, say("Wrote it."), say("Forty-two.")]) as run:
        first = ended(run("Write b."))["session"]
        second = ended(run("What is the answer?"))["session"]
    return first, second


def test_every_line_of_a_turn_has_its_number_in_the_log(project: Project) -> None:
    with talk(project, [WRITES, say("Wrote it.")]) as run:
        shown = events(run("Write b."))
    log = project.run("events", "--root", str(project.root), "--json").out.splitlines()
    logged = {line["seq"]: line for line in map(json.loads, log)}
    numbers = [line["seq"] for line in shown]
    assert numbers == sorted(set(numbers))
    added = {"exit_code", "session", "checkpoint_id", "continue", "at", "turn"}
    for line in shown:
        there = logged[line["seq"]]
        kept = set(line) - added
        assert {name: line[name] for name in kept} == {name: there[name] for name in kept}
    assert {line["kind"] for line in shown} == {line["kind"] for line in logged.values()}


def test_sessions_are_listed_by_state_and_by_their_words(project: Project) -> None:
    first, second = two_sessions(project)
    listed = told(sessions(project, "list"))["sessions"]
    assert [(each["id"], each["state"], each["last_words"]) for each in listed] == [
        (second, "done", "Forty-two."),
        (first, "done", "Wrote it."),
    ]
    assert [each["files_changed"] for each in listed] == [0, 1]
    found = told(sessions(project, "list", "--search", "FORTY"))["sessions"]
    assert [each["id"] for each in found] == [second]
    assert told(sessions(project, "list", "--state", "running")) == {"sessions": []}
    assert sessions(project, "list", "--state", "odd").code == 2


def test_a_session_is_shown_renamed_and_put_away(project: Project) -> None:
    first, second = two_sessions(project)
    assert told(sessions(project, "rename", first[:8], "The file b"))["title"] == "The file b"
    shown = told(sessions(project, "show", first))
    assert (shown["title"], shown["place"], shown["turns"]) == ("The file b", "in_place", 1)
    assert told(sessions(project, "archive", first))["archived"] is True
    assert [each["id"] for each in told(sessions(project, "list"))["sessions"]] == [second]
    away = told(sessions(project, "list", "--archived"))["sessions"]
    assert [each["id"] for each in away] == [first]
    assert told(sessions(project, "archive", first, "--undo"))["archived"] is False
    missing = sessions(project, "show", "nothing")
    assert missing.code == 1
    assert "no such session" in json.loads(missing.out)["problems"][0]
    words = project.run("sessions", "show", first, "--root", str(project.root)).out
    assert "The file b" in words
    assert "1 file changed" in words


def test_a_session_is_exported_with_all_that_was_said_and_done(project: Project) -> None:
    first, _ = two_sessions(project)
    exported = told(sessions(project, "export", first))
    assert exported["session"]["id"] == first
    assert [each["role"] for each in exported["messages"]] == ["user", "assistant"]
    kinds = [part["kind"] for each in exported["messages"] for part in each["parts"]]
    assert kinds == ["text", "said", "call_ended", "said"]
    text = project.run("sessions", "export", first, "--root", str(project.root)).out
    assert text.startswith("# Write b.\n")
    assert "`write_file`, done:" in text
    assert text.endswith("Wrote it.\n")


def test_continue_without_an_id_goes_on_with_the_last_session(project: Project) -> None:
    first, second = two_sessions(project)
    with talk(
        project, [say("More."), say("And more."), say("First again."), say("And again.")]
    ) as run:
        assert ended(run("And?", "--continue"))["session"] == second
        assert ended(run("--continue", "and so on"))["session"] == second
        assert ended(run("Go.", "--continue", first[:7]))["session"] == first
        assert ended(run("Go.", "--continue"))["session"] == first
        assert run.payloads[1][-1]["content"] == "and so on"


def test_continue_where_there_is_nothing_to_continue_is_refused(project: Project) -> None:
    with talk(project, []) as run:
        ran = run("--continue")
    assert ran.code == 1
    assert "no session here to continue" in ended(ran)["message"]


def test_a_restore_on_the_command_line_keeps_a_file(project: Project) -> None:
    with talk(project, [WRITES, say("Wrote it.")]) as run:
        checkpoint = ended(run("Write b."))["checkpoint_id"]
    (project.root / "mine.py").write_text("mine = 1\n", encoding="utf-8")
    words = ("checkpoint", "restore", checkpoint, "--keep", "mine.py", "--json")
    restored = told(project.run(*words, "--root", str(project.root)))
    assert restored["kept_why"] == {"mine.py": "you asked to keep it"}
    assert (project.root / "mine.py").exists()
    assert not (project.root / "b.py").exists()
