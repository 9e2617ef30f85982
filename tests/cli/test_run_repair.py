"""`holdfast run` in this process: after a turn, the changed files are checked as their project checks them, and repaired."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from holdfast.testing import Reply, call, calls, say
from tests.cli.project import Project, Ran
from tests.cli.talk import ended, events, of_kind, talk, user_file

BROKEN = "def load(text):\n    return json.loads(text)\n"
FIXED = "import json\n\n\ndef load(text):\n    return json.loads(text)\n"
TYPO = "def total(prices):\n    return sum(prcs)\n"
RIGHT = "def total(prices):\n    return sum(prices)\n"
CLEAN = "def one():\n    return 1\n"

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _own_settings(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    home = project.root.parent / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("HOLDFAST_CONFIG_FILE", str(user_file(project)))
    for name in [
        name for name in os.environ if name.startswith("HOLDFAST_") and name != "HOLDFAST_STATE_DIR"
    ]:
        if name != "HOLDFAST_CONFIG_FILE":
            monkeypatch.delenv(name)


@pytest.fixture
def python(project: Project) -> Project:
    """A project that says of itself that it is Python."""
    beside = Path(sys.executable).parent
    if shutil.which("ruff") is None and shutil.which("ruff", path=str(beside)) is None:
        pytest.skip("ruff is not installed: install ruff")
    project.write("pyproject.toml", b'[project]\nname = "shop"\n')
    return project


def write(name: str, text: str) -> Reply:
    return call("write_file", path=name, content=text)


def fix(code: str) -> Reply:
    return say(json.dumps({"code": code, "confidence": 0.9, "reasoning": "a slip of the pen"}))


def turn(project: Project, script: Sequence[Reply], *words: str) -> tuple[Ran, int]:
    """Run a turn; gives how often the model was asked, too."""
    with talk(project, script) as run:
        return run("Do it.", *words), len(run.server.requests)


def repairs(ran: Ran) -> list[tuple[str, str, bool]]:
    return [(event["path"], event["outcome"], event["success"]) for event in of_kind(ran, "repair")]


def kept(project: Project) -> list[dict[str, Any]]:
    """Give the repairs in the transcript."""
    with closing(sqlite3.connect(project.state / "holdfast.sqlite3")) as store:
        rows = store.execute(
            "select e.body from message_parts p join events e on e.part_id = p.id"
            " join messages m on m.id = p.message_id"
            " where p.kind = 'repair' and m.left_with is null"
        ).fetchall()
    return [json.loads(body) for (body,) in rows]


# ---------------------------------------------------------------------------------------------------------- repaired


def test_a_rule_repairs_what_a_turn_wrote_and_the_model_is_not_asked_again(python: Project) -> None:
    ran, asked = turn(python, [write("load.py", BROKEN), say("Done.")])
    assert (ran.code, asked, repairs(ran)) == (0, 2, [("load.py", "RuleRepaired", True)])
    assert python.files()["load.py"].decode() == FIXED
    [repair] = of_kind(ran, "repair")
    assert len(repair["rule_ids"]) == 1
    first, second = of_kind(ran, "edit_landed")
    assert (second["path"], second["action"], second["change_id"]) == (
        "load.py",
        "edit",
        repair["change_id"],
    )
    assert "+import json" in second["diff"]
    assert [event["kind"] for event in events(ran)][-3:] == ["edit_landed", "repair", "turn_ended"]
    assert (ended(ran)["files"], ended(ran)["stop_reason"]) == (["load.py"], "done")
    listed = python.run("changes", "list", "--root", str(python.root), "--json").told["changes"]
    assert {change["id"]: change["state"] for change in listed} == {
        first["change_id"]: "applied",
        second["change_id"]: "applied",
    }
    assert [(part["path"], part["change_id"]) for part in kept(python)] == [
        ("load.py", second["change_id"])
    ]


def test_a_restore_of_the_turn_takes_the_repair_back_with_all_that_it_wrote(
    python: Project,
) -> None:
    before = python.files()
    ran, _ = turn(python, [write("load.py", BROKEN), say("Done.")])
    assert repairs(ran) == [("load.py", "RuleRepaired", True)]
    place = ["--root", str(python.root)]
    assert python.run("checkpoint", "restore", ended(ran)["checkpoint_id"], *place).code == 0
    now = {name: data for name, data in python.files().items() if not name.startswith(".git/")}
    assert now == before
    assert kept(python) == []


def test_what_a_command_broke_is_repaired_as_an_edit_is(python: Project) -> None:
    python.write("load.py", FIXED.encode())
    script = [call("run_command", command="sed -i 1,3d load.py"), say("Done.")]
    ran, _ = turn(python, script, "--approve", "auto")
    assert repairs(ran) == [("load.py", "RuleRepaired", True)]
    assert python.files()["load.py"].decode() == FIXED


def test_undo_takes_the_repair_back_and_then_the_edit(python: Project) -> None:
    python.write("load.py", CLEAN.encode())
    assert turn(python, [write("load.py", BROKEN), say("Done.")])[0].code == 0
    for text in (FIXED, BROKEN, CLEAN):
        assert python.files()["load.py"].decode() == text
        python.run("undo", "--root", str(python.root))


def test_the_turns_model_is_asked_where_no_rule_helps_and_what_that_takes_is_counted(
    python: Project,
) -> None:
    ran, asked = turn(python, [write("cart.py", TYPO), say("Done."), fix(RIGHT)])
    assert (ran.code, asked, repairs(ran)) == (0, 3, [("cart.py", "Repaired", True)])
    assert python.files()["cart.py"].decode() == RIGHT
    used = of_kind(ran, "usage")
    assert len(used) == 3
    assert ended(ran)["prompt_tokens"] == sum(event["prompt"] for event in used)


def test_a_repair_that_fails_leaves_the_turns_bytes_and_the_turn_is_done(python: Project) -> None:
    worse = TYPO.replace("prcs", "prizes")
    ran, _ = turn(python, [write("cart.py", TYPO), say("Done."), fix("\n"), fix(worse), fix(worse)])
    assert (ran.code, ended(ran)["stop_reason"]) == (0, "done")
    [(path, outcome, success)] = repairs(ran)
    assert (path, success) == ("cart.py", False)
    assert outcome in {"VerificationRejected", "Exhausted", "NoProgress"}
    assert python.files()["cart.py"].decode() == TYPO


def test_the_next_turn_sends_what_was_sent_before_and_then_says_what_became_of_it(
    python: Project,
) -> None:
    script = [
        calls(write("load.py", BROKEN), write("cart.py", TYPO)),
        say("Done."),
        fix("\n"),
        fix("\n"),
        say("Yes."),
    ]
    with talk(python, script) as run:
        first = run("Do it.")
        assert run("Well?", "--continue", ended(first)["session"]).code == 0
        before, after = run.payloads[1], run.payloads[-1]
    assert ended(first)["message"].endswith("Its check still fails: cart.py.")
    assert after[: len(before)] == before
    assert [message["role"] for message in after[len(before) :]] == ["assistant", "user"]
    said = after[-1]["content"]
    assert (
        "[load.py failed the check after your turn and was repaired; read it again before you edit it.]"
        in said
    )
    assert "[cart.py fails the check since your turn:\n" in said
    assert "Undefined name `prcs`" in said
    assert said.endswith("\n\nWell?")


def test_a_person_reads_how_it_ended(python: Project) -> None:
    with talk(python, [write("load.py", BROKEN), say("Done.")]) as run:
        out = run("Do it.", as_json=False).err
    assert "check: load.py: repaired by a rule\n" in out
    assert "+import json\n" in out


# ----------------------------------------------------------------------------------------------- nothing to be repaired


def test_only_what_the_turn_changed_is_looked_at(python: Project) -> None:
    python.write("old.py", BROKEN.encode())
    ran, asked = turn(python, [write("new.py", CLEAN), say("Done.")])
    assert (asked, repairs(ran)) == (2, [("new.py", "FirstTrySuccess", True)])
    assert python.files()["old.py"].decode() == BROKEN


def test_a_turn_that_changes_nothing_and_one_in_a_project_without_a_check_have_none(
    project: Project,
) -> None:
    ran, _ = turn(project, [write("load.py", BROKEN), say("Done.")])
    assert (ran.code, repairs(ran)) == (0, [])
    project.write("pyproject.toml", b"")
    ran, _ = turn(project, [call("read_file", path="load.py"), say("Done.")])
    assert (ran.code, repairs(ran)) == (0, [])
    assert project.files()["load.py"].decode() == BROKEN


def test_types_are_checked_only_where_the_project_says_so(python: Project) -> None:
    wrong = "def one() -> int:\n    return 'one'\n"
    ran, _ = turn(python, [write("one.py", wrong), say("Done.")])
    assert repairs(ran) == [("one.py", "FirstTrySuccess", True)]


@pytest.mark.parametrize("words", [["--plan"], ["--approve", "review"]])
def test_plan_and_review_have_none(python: Project, words: list[str]) -> None:
    ran, _ = turn(python, [write("load.py", BROKEN), say("Done."), say("Really.")], *words)
    assert repairs(ran) == []
    assert "load.py" not in python.files()


def test_a_turn_that_was_stopped_has_none(python: Project) -> None:
    ran, _ = turn(python, [write("load.py", BROKEN), say("Tired.")], "--max-steps", "1")
    assert (ran.code, repairs(ran)) == (12, [])
    assert python.files()["load.py"].decode() == BROKEN


def test_it_can_be_switched_off(python: Project) -> None:
    python.write(".holdfast/config.toml", b'repair = "off"\n')
    ran, _ = turn(python, [write("load.py", BROKEN), say("Done.")])
    assert (ran.code, repairs(ran)) == (0, [])
    assert python.files()["load.py"].decode() == BROKEN


def test_files_with_secrets_and_our_own_are_not_looked_at(python: Project) -> None:
    script = [calls(write("id_rsa", "x"), write(".holdfast/notes.py", BROKEN)), say("Done.")]
    ran, _ = turn(python, script, "--approve", "auto")
    assert repairs(ran) == []


# ---------------------------------------------------------------------------------------------------- before the turn

OLD = "def old():\n    return nope\n"


def test_an_error_from_before_the_turn_is_reported_and_not_repaired(python: Project) -> None:
    python.write("old.py", OLD.encode())
    ran, asked = turn(python, [write("old.py", OLD + "\n\n" + CLEAN), say("Done.")])
    assert (ran.code, asked, repairs(ran)) == (0, 2, [("old.py", "FailedBefore", True)])
    assert ended(ran)["message"] == "Done after 2 steps."
    [report] = of_kind(ran, "repair")
    assert report["message"].startswith(
        "1 error was there before, and is left alone:\nold.py:2:12: error: Undefined name"
    )
    assert python.files()["old.py"].decode() == OLD + "\n\n" + CLEAN


def test_only_what_the_turn_broke_is_repaired_and_reported_to_the_model(python: Project) -> None:
    python.write("old.py", OLD.encode())
    with talk(
        python, [write("old.py", f"{OLD}\n\n{TYPO}"), say("Done."), fix(f"{OLD}\n\n{RIGHT}")]
    ) as run:
        ran = run("Do it.")
        question = json.dumps(run.payloads[-1])
    assert repairs(ran) == [("old.py", "Repaired", True)]
    assert "Undefined name `prcs`" in question
    assert "Undefined name `nope`" not in question
    assert python.files()["old.py"].decode() == f"{OLD}\n\n{RIGHT}"


def test_an_old_error_in_a_line_that_the_turn_rewrote_is_repaired(python: Project) -> None:
    python.write("old.py", OLD.encode())
    again = OLD.replace("nope", "nope + 1")
    ran, _ = turn(
        python, [write("old.py", again), say("Done."), fix(again.replace("old()", "old(nope=1)"))]
    )
    assert repairs(ran) == [("old.py", "Repaired", True)]


def test_a_command_that_failed_before_in_the_same_words_is_not_held_against_the_turn(
    project: Project,
) -> None:
    project.write(".holdfast/config.toml", b'check = "false"\n')
    ran, asked = turn(project, [write("c.txt", "1\n"), say("Done.")], "--approve", "auto")
    assert (ran.code, asked, repairs(ran)) == (0, 2, [("", "FailedBefore", True)])


# ---------------------------------------------------------------------------------------------------------- strictness


def test_the_strictness_of_the_settings_holds_for_a_turn_and_for_the_command_whose_flag_wins(
    python: Project,
) -> None:
    python.write(".holdfast/config.toml", b'strictness = "production"\n')
    ran, asked = turn(python, [write("load.py", BROKEN), say("Done.")])
    assert (ran.code, asked, repairs(ran)) == (0, 2, [("load.py", "ProductionBlocked", False)])
    assert python.files()["load.py"].decode() == BROKEN
    place = ["load.py", "--root", str(python.root), "--no-model"]
    assert python.run("repair", *place).code == 4
    assert python.run("repair", *place, "--strictness", "development").code == 0
    assert python.files()["load.py"].decode() == FIXED


def test_a_strictness_that_there_is_not_is_wrong_usage(python: Project) -> None:
    python.write(".holdfast/config.toml", b'strictness = "prod"\n')
    ran = python.run("repair", "a.py", "--root", str(python.root))
    assert ran.code == 2
    assert "did you mean production?" in ran.err


# ------------------------------------------------------------------------------------------------------------ commands


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("let x = (1;\n", "Repaired"),
        ("const a = <b/>;\n", "FirstTrySuccess"),
        ("f(1, 'x').y;\n", "FirstTrySuccess"),
    ],
)
def test_a_plain_javascript_project_has_its_syntax_checked_and_nothing_else(
    project: Project, text: str, outcome: str
) -> None:
    if shutil.which("node") is None:
        pytest.skip("node is not installed: apt install nodejs")
    project.write("package.json", b"{}")
    script = [
        write("a.js", text),
        say("Done."),
        *([fix("let x = (1);\n")] if outcome == "Repaired" else []),
    ]
    assert repairs(turn(project, script)[0]) == [("a.js", outcome, True)]


def test_a_compiler_that_is_missing_is_said_and_the_turn_is_done(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    only = project.root.parent / "only"
    only.mkdir()
    git = shutil.which("git")
    assert git is not None
    (only / "git").symlink_to(git)
    monkeypatch.setenv("PATH", str(only))
    project.write("tsconfig.json", b"{}")
    ran, _ = turn(project, [write("a.ts", "const a: number = 'x';\n"), say("Done.")])
    assert (ran.code, repairs(ran)) == (0, [("a.ts", "NotRun", False)])
    assert "npm install --save-dev typescript" in of_kind(ran, "repair")[0]["message"]


@pytest.mark.parametrize(
    ("files", "name", "subject"),
    [
        ({"Makefile": "check:\n\ttouch ran\n"}, "a.c", "Makefile (build, new)"),
        (
            {".holdfast/config.toml": 'check = "touch ran"\n'},
            "a.txt",
            ".holdfast/config.toml (check, new)",
        ),
    ],
)
def test_a_command_of_the_project_is_not_run_where_nobody_can_be_asked(
    project: Project, files: dict[str, str], name: str, subject: str
) -> None:
    for file, text in files.items():
        project.write(file, text.encode())
    ran, _ = turn(project, [write(name, "int a\n"), say("Done.")])
    assert (ran.code, repairs(ran)) == (0, [(name, "NotRun", False)])
    assert [(event["what"], event["subject"]) for event in of_kind(ran, "approval_asked")] == [
        ("trust", subject)
    ]
    message = of_kind(ran, "repair")[0]["message"]
    assert message == (
        f"not run, because it is not trusted: {subject}. "
        "Trust it with `holdfast trust`, or for one command with --trust."
    )
    assert "ran" not in project.files()


@pytest.mark.parametrize(
    ("files", "name", "subjects"),
    [
        (
            {"Cargo.toml": "[package]\n", "build.rs": "fn main() {}\n"},
            "src/main.rs",
            "build.rs (build, new), Cargo.toml (build, new)",
        ),
        (
            {"pyproject.toml": '[tool.mypy]\nplugins = ["own.py"]\n', "own.py": "1/0\n"},
            "a.py",
            "pyproject.toml (configuration, new), own.py (plugin, new)",
        ),
    ],
)
def test_a_check_that_needs_code_of_the_project_does_not_pass_without_it(
    project: Project, files: dict[str, str], name: str, subjects: str
) -> None:
    for file, text in files.items():
        project.write(file, text.encode())
    ran, _ = turn(project, [write(name, ""), say("Done.")])
    assert (ran.code, repairs(ran)) == (0, [("", "NotRun", False), (name, "NotRun", False)])
    [asked] = of_kind(ran, "approval_asked")
    assert (asked["what"], asked["subject"]) == ("trust", subjects)
    message = of_kind(ran, "repair")[1]["message"]
    assert "would load code of the project that is not trusted" in message


def test_a_tool_that_the_project_brings_is_not_run_unasked(python: Project) -> None:
    python.write(".venv/bin/ruff", b"#!/bin/sh\ntouch ran\n", 0o755)
    ran, _ = turn(python, [write("a.py", BROKEN), say("Done.")])
    assert repairs(ran) == [("", "NotRun", False), ("a.py", "RuleRepaired", True)]
    assert [event["subject"] for event in of_kind(ran, "approval_asked")] == [
        ".venv/bin/ruff (tool, new)"
    ]
    assert of_kind(ran, "repair")[0]["message"] == (
        "not run, because it is not trusted: .venv/bin/ruff (tool, new). "
        "Trust it with `holdfast trust`, or for one command with --trust. "
        "The files were checked with tools outside the project."
    )
    assert "ran" not in python.files()


def test_the_check_that_is_set_runs_once_for_all_files_and_the_one_it_names_is_repaired(
    project: Project,
) -> None:
    check, runs = project.root.parent / "check", project.root.parent / "runs"
    complain = "grep -Hno bad *.txt | sed 's/:bad/:1: error: bad/' | grep . && exit 1"
    check.write_text(f"#!/bin/sh\necho run >> {runs}\n{complain}\nexit 0\n")
    check.chmod(0o755)
    project.write(".holdfast/config.toml", f'check = "{check}"\n'.encode())
    script = [
        calls(write("a.txt", "good\n"), write("b.txt", "bad\n")),
        say("Done."),
        fix("good too\n"),
    ]
    # The count is outside the project, where a check in a sandbox cannot write.
    ran, asked = turn(project, script, "--approve", "auto", "--sandbox", "off")
    assert (ran.code, asked, repairs(ran)) == (0, 3, [("b.txt", "Repaired", True)]), ran.out
    assert project.files()["b.txt"] == b"good too\n"
    # Once for both files, then for the broken one before and after.
    assert runs.read_text().count("run") == 3


def test_a_check_that_passes_is_reported_once_and_a_check_that_names_no_line_repairs_nothing(
    project: Project,
) -> None:
    project.write(".holdfast/config.toml", b'check = "true"\n')
    script = [calls(write("a.txt", "1\n"), write("b.txt", "2\n")), say("Done.")]
    assert repairs(turn(project, script, "--approve", "auto")[0]) == [("", "FirstTrySuccess", True)]
    project.write(".holdfast/config.toml", b'check = "test ! -e c.txt"\n')
    ran, asked = turn(project, [write("c.txt", "1\n"), say("Done.")], "--approve", "auto")
    assert (ran.code, asked, repairs(ran)) == (0, 2, [("", "NotRepaired", False)])
    assert ended(ran)["message"] == "Done after 2 steps. Its check still fails: the project."


IMPORTS = "import cart, load\nassert cart.total([1]) == 1\n"


@pytest.fixture
def tested(python: Project) -> Project:
    """A Python project whose check imports what it has, and names no line."""
    python.write("verify.py", IMPORTS.encode())
    python.write("cart.py", RIGHT.encode())
    python.write("load.py", FIXED.encode())
    python.write(".holdfast/config.toml", b'check = "python3 -B verify.py"\n')
    return python


def test_a_fix_with_which_the_projects_tests_fail_is_refused(tested: Project) -> None:
    wrong = RIGHT.replace("sum(prices)", "max(prices) + 1")
    script = [write("cart.py", TYPO), say("Done."), fix(wrong), fix(RIGHT)]
    ran, asked = turn(tested, script, "--approve", "auto")
    assert (asked, repairs(ran)) == (
        4,
        [("cart.py", "Repaired", True), ("", "FirstTrySuccess", True)],
    )
    assert tested.files()["cart.py"].decode() == RIGHT


def test_two_broken_files_do_not_bar_each_others_repair_by_the_tests(tested: Project) -> None:
    breaks = BROKEN + "\n\njson.loads('1')\n"
    script = [
        calls(write("load.py", breaks), write("cart.py", TYPO + "\n\ntotal([])\n")),
        say("Done."),
    ]
    ran, _ = turn(tested, [*script, fix(RIGHT + "\n\ntotal([])\n")], "--approve", "auto")
    assert sorted(repairs(ran)) == [
        ("", "FirstTrySuccess", True),
        ("cart.py", "Repaired", True),
        ("load.py", "RuleRepaired", True),
    ]


def test_a_check_that_may_not_run_bars_no_other(tested: Project) -> None:
    ran, _ = turn(tested, [write("load.py", BROKEN), say("Done.")])
    assert repairs(ran) == [("load.py", "NotRun", False), ("load.py", "RuleRepaired", True)]
    assert of_kind(ran, "repair")[0]["message"] == (
        "not run, because it is not trusted: .holdfast/config.toml (check, new), "
        "verify.py (plugin, new). Trust it with `holdfast trust`, or for one command with --trust."
    )
