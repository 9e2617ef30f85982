"""`holdfast repair` with real compilers and a scripted provider over HTTP."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from holdfast.testing import Reply, ScriptedServer, fail, say
from tests.end_to_end.repair.workshop import CASES, COMMAND, Ran, Workshop, fix, need
from tests.waiting import FOREVER, has_text, limit_to_begin, wait_until_gone

pytestmark = pytest.mark.slow

NAME, BAD, GOOD, OTHER = CASES["gcc"]


@pytest.fixture(autouse=True)
def _gcc() -> None:
    need("gcc")


# ------------------------------------------------------------------------------------------------------ every compiler


@pytest.mark.parametrize("tool", CASES)
def test_each_compiler_finds_the_error_and_says_yes_to_the_fix(
    workshop: Workshop, tool: str
) -> None:
    need(tool)
    name, bad, good, other = CASES[tool]
    file = workshop.write(name, bad)
    ran = workshop.repair(name, script=[fix(other), fix(good)])
    assert (ran.code, ran.outcomes) == (0, {name: "Repaired"}), (ran.out, ran.err)
    assert file.read_text() == good
    assert ran.questions == 2
    [file_report] = ran.told["files"]
    assert file_report["attempts"] == 2
    assert file_report["oracle"]
    assert file_report["written"] is True
    assert workshop.repair(name).outcomes == {name: "FirstTrySuccess"}
    listed = workshop.run("changes", "list", "--root", str(workshop.root), "--json").told["changes"]
    assert [change["state"] for change in listed] == ["applied"]


@pytest.mark.parametrize("tool", CASES)
@pytest.mark.parametrize("spoiled", ["", "everything is fine"])
def test_no_compiler_is_fooled_by_a_file_without_code(
    workshop: Workshop, tool: str, spoiled: str
) -> None:
    need(tool)
    name, bad, _, _ = CASES[tool]
    file = workshop.write(name, bad)
    comment = f"{'#' if tool == 'python' else '//'} {spoiled}\n" if spoiled else "\n"
    ran = workshop.repair(name, script=[fix(comment), fix(comment + "\n")])
    assert (ran.code, ran.outcomes) == (1, {name: "VerificationRejected"}), (ran.out, ran.err)
    assert file.read_text() == bad


# ------------------------------------------------------------------------------------------------------------ endings


@pytest.mark.parametrize(
    ("script", "outcome"),
    [
        ([fix(OTHER), fix(OTHER)], "NoProgress"),
        ([fix(BAD.replace("zzqx", "0 + zzqx"))], "NoProgress"),
        ([fix(OTHER), fix(BAD.replace("zzqx", "vvqx"))], "Exhausted"),
        ([fix(GOOD, 0.74)], "RejectedLowConfidence"),
        ([fix(GOOD, 7)], "ProviderError"),
        ([fix(GOOD, True)], "ProviderError"),
        ([fix(GOOD, "0.9")], "ProviderError"),
        ([fix(GOOD, None)], "ProviderError"),
        ([say('{"code": "x", "confidence": NaN}')], "ProviderError"),
        ([say(f"```c\n{GOOD}```")], "ProviderError"),
        ([say("I am sorry, I cannot do that.")], "ProviderError"),
        ([fail(400, "no")], "ProviderError"),
        ([fix(GOOD.replace("int total", "int sum_up"))] * 2, "NoProgress"),
        (
            [
                fix('#pragma GCC diagnostic ignored "-Wall"\n' + GOOD),
                fix("#pragma GCC system_header\n" + GOOD),
            ],
            "VerificationRejected",
        ),
    ],
)
def test_what_does_not_pass_leaves_the_exact_bytes(
    workshop: Workshop, script: list[Reply], outcome: str
) -> None:
    file = workshop.write(NAME, BAD)
    before = file.stat()
    ran = workshop.repair(NAME, script=script)
    assert (ran.code, ran.outcomes) == (1, {NAME: outcome}), (ran.out, ran.err)
    assert file.read_bytes() == BAD.encode()
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert "zzqx" in ran.told["files"][0]["compiler_error"]
    assert workshop.decisions("list").told["decisions"] != []


def test_a_fenced_and_a_thoughtful_reply_are_read(workshop: Workshop) -> None:
    file = workshop.write(NAME, BAD)
    body = json.dumps({"code": GOOD, "confidence": 0.8, "reasoning": "x"})
    ran = workshop.repair(
        NAME, script=[say(f"<think>hm {{</think>Here it is:\n```json\n{body}\n```\n")]
    )
    assert (ran.code, file.read_text()) == (0, GOOD), (ran.out, ran.err)


def test_bytes_that_are_no_text_stay_as_they_are(workshop: Workshop) -> None:
    file = workshop.write(NAME, BAD)
    file.write_bytes("/* → ".encode() + b"\xe9 */\r\n" + BAD.replace("\n", "\r\n").encode())
    ran = workshop.repair(NAME, script=lambda asked: fix(_fixed(asked.messages[1]["content"])))
    assert (ran.code, ran.outcomes) == (0, {NAME: "Repaired"}), (ran.out, ran.err)
    assert (
        file.read_bytes() == "/* → ".encode() + b"\xe9 */\r\n" + GOOD.replace("\n", "\r\n").encode()
    )


def _fixed(question: str) -> str:
    shown = question.split("```\n")[1]
    return (
        shown.rstrip("\n").replace(
            BAD.replace("\n", "\r\n").rstrip(), GOOD.replace("\n", "\r\n").rstrip()
        )
        + "\n"
    )


def test_strict_asks_for_ninety_percent(workshop: Workshop) -> None:
    workshop.write(NAME, BAD)
    assert workshop.repair(NAME, "--strict", script=[fix(GOOD, 0.89)]).outcomes == {
        NAME: "RejectedLowConfidence"
    }
    assert workshop.repair(NAME, "--strict", script=[fix(GOOD, 0.90)]).outcomes == {
        NAME: "Repaired"
    }


def test_the_model_receives_all_diagnostics_and_no_key(workshop: Workshop) -> None:
    workshop.settings["HOLDFAST_API_KEY"] = "sk-very-secret-key"
    names = [f"zzqx{n}" for n in range(12)]
    workshop.write(NAME, f"int f(void) {{ return {' + '.join(names)}; }}\n")
    with ScriptedServer([fix("x")]) as server:
        workshop.run(
            "repair",
            NAME,
            "--root",
            str(workshop.root),
            "--base-url",
            server.base_url,
            "--model",
            "scripted",
        )
        asked, *_ = server.requests
    assert all(f"'{name}'" in asked.raw.decode() for name in names)
    assert b"sk-very-secret-key" not in asked.raw


def test_a_dry_run_writes_nothing_at_all(workshop: Workshop) -> None:
    file = workshop.write(NAME, BAD)
    ran = workshop.repair(NAME, "--dry-run", script=[fix(GOOD)])
    assert (ran.code, ran.outcomes) == (0, {NAME: "Repaired"})
    assert ran.told["files"][0]["written"] is False
    assert "+int twice(int x);" in ran.told["files"][0]["diff"]
    assert file.read_text() == BAD
    assert not (workshop.root / ".holdfast").exists()


def test_the_response_is_paid_for_once(workshop: Workshop) -> None:
    file = workshop.write(NAME, BAD)
    workshop.repair(NAME, script=[fix(GOOD)])
    file.write_text(BAD)
    ran = workshop.repair(NAME, script=[])
    assert (ran.code, ran.questions, file.read_text()) == (0, 0, GOOD), (ran.out, ran.err)


# --------------------------------------------------------------------------------------------------------- production


def test_production_is_blocked_until_the_decision_is_pinned_and_then_needs_nobody(
    workshop: Workshop,
) -> None:
    file = workshop.write(NAME, BAD)
    assert (blocked := workshop.repair(NAME, "--strictness", "production")).code == 4
    assert blocked.outcomes == {NAME: "ProductionBlocked"}
    assert workshop.repair(NAME, script=[fix(GOOD)]).code == 0
    file.write_text(BAD)
    assert workshop.repair(NAME, "--strictness", "production").code == 4
    assert workshop.decisions("gate").code == 4
    [decision] = workshop.decisions("list").told["decisions"]
    pinned = workshop.decisions("pin", decision["id"][:6], "--reason", "looked at it")
    assert (pinned.code, pinned.told["decision"]["pin_reason"]) == (0, "looked at it")
    assert (workshop.decisions("gate").code, workshop.decisions("gate").told) == (
        0,
        {"open": True, "unpinned": []},
    )
    ran = workshop.repair(NAME, "--strictness", "production")
    assert (ran.code, ran.outcomes, file.read_text()) == (0, {NAME: "Replayed"}, GOOD)
    file.write_text(BAD)
    workshop.decisions("unpin", decision["id"])
    assert workshop.repair(NAME, "--strictness", "production").code == 4


def test_a_person_puts_their_own_code_in_the_place_of_a_decision(
    workshop: Workshop, tmp_path: Path
) -> None:
    file = workshop.write(NAME, BAD)
    workshop.repair(NAME, script=[fix(GOOD)])
    [old] = workshop.decisions("list").told["decisions"]
    own = tmp_path / "own.c"
    own.write_text(GOOD.replace("+ prices", "+ 100"))
    done = workshop.decisions("override", old["id"], str(own))
    assert (done.code, done.told["decision"]["pinned"]) == (0, True), done.out
    assert (
        workshop.decisions("show", old["id"]).told["decision"]["superseded_by"]
        == done.told["decision"]["id"]
    )
    assert file.read_text() == GOOD
    file.write_text(BAD)
    ran = workshop.repair(NAME, "--strictness", "production")
    assert (ran.outcomes, file.read_text()) == ({NAME: "Replayed"}, own.read_text())


# ----------------------------------------------------------------------------------------------------------- compilers


def test_the_compiler_runs_once_for_each_candidate(workshop: Workshop) -> None:
    workshop.counted("gcc")
    workshop.write(NAME, GOOD)
    assert workshop.repair(NAME).outcomes == {NAME: "FirstTrySuccess"}
    assert workshop.runs() == 1
    workshop.write(NAME, BAD)
    assert workshop.repair(NAME).outcomes == {NAME: "NoProvider"}
    assert workshop.runs() == 2
    assert workshop.repair(NAME, script=[fix(OTHER), fix(GOOD)]).outcomes == {NAME: "Repaired"}
    assert workshop.runs() == 5


def test_a_compiler_that_hangs_is_ended_with_all_its_children(
    workshop: Workshop, tmp_path: Path
) -> None:
    child = tmp_path / "child.pid"
    workshop.compiler("gcc", f"{FOREVER} & echo $! > {child}\nwait")
    file = workshop.write(NAME, BAD)

    def repair(limit: float) -> Ran:
        workshop.settings["HOLDFAST_COMMAND_TIMEOUT"] = f"{limit:.0f}"
        return workshop.repair(NAME, script=[])

    _, ran = limit_to_begin(repair, lambda _: has_text(child))
    assert (ran.code, ran.outcomes, ran.questions) == (1, {NAME: "TimedOut"}, 0), (ran.out, ran.err)
    assert file.read_text() == BAD
    assert wait_until_gone(int(child.read_text()))


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("yes all is well", "MB and was ended"),
        ("kill -SEGV $$", "SIGSEGV"),
        ("echo oops >&2; exit 3", "oops"),
    ],
)
def test_a_compiler_that_floods_or_crashes_leaves_the_bytes_and_a_clear_answer(
    workshop: Workshop, script: str, words: str
) -> None:
    workshop.compiler("gcc", script)
    file = workshop.write(NAME, BAD)
    ran = workshop.repair(NAME, script=[])
    assert (ran.code, ran.outcomes) == (1, {NAME: "Trouble"}), (ran.out, ran.err)
    assert words in ran.told["files"][0]["message"]
    assert file.read_text() == BAD


def test_a_compiler_that_is_missing_is_named_with_what_to_install(
    workshop: Workshop, tmp_path: Path
) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    workshop.settings["PATH"] = str(bare)
    file = workshop.write(NAME, BAD)
    ran = workshop.repair(NAME)
    assert (ran.code, ran.outcomes) == (1, {NAME: "Trouble"})
    assert "gcc" in ran.told["files"][0]["message"]
    assert "nstall" in ran.told["files"][0]["message"]
    assert file.read_text() == BAD


def test_a_type_checker_that_is_configured_and_missing_is_no_pass(
    workshop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    (bare / "python").symlink_to(os.path.realpath(sys.executable))
    monkeypatch.setattr(sys, "executable", str(bare / "python"))
    workshop.settings["PATH"] = str(bare)
    workshop.write("pyproject.toml", "[tool.mypy]\nstrict = true\n")
    workshop.write("a.py", "x: int = 'a'\n")
    ran = workshop.repair("a.py")
    assert (ran.code, ran.outcomes) == (1, {"a.py": "Trouble"})
    assert ran.told["outcome"] == "failing"
    message = "a.py: the project has settings for mypy, which is not installed;"
    assert ran.told["files"][0]["message"].startswith(message)


def test_a_manifest_that_cannot_be_written_stops_before_the_file(workshop: Workshop) -> None:
    file = workshop.write(NAME, BAD)
    workshop.write(".holdfast/decisions", "a file")
    ran = workshop.repair(NAME, script=[fix(GOOD)])
    assert (ran.code, ran.outcomes) == (1, {NAME: "Trouble"})
    assert file.read_text() == BAD


# --------------------------------------------------------------------------------------------------------------- kills


@pytest.mark.e2e
@pytest.mark.parametrize("moment", ["compiling", "asking"])
def test_kill_9_in_the_middle_leaves_the_exact_bytes(
    workshop: Workshop, tmp_path: Path, moment: str
) -> None:
    file = workshop.write(NAME, BAD)
    reached = tmp_path / "reached"
    os.mkfifo(reached)
    never = threading.Event()
    if moment == "compiling":
        workshop.compiler("gcc", f"echo here > {reached}\nexec sleep 600")
    with ScriptedServer([Reply(hang=never)], on_request=lambda _: _tell(reached)) as server:
        child = subprocess.Popen(
            [
                *COMMAND,
                "repair",
                NAME,
                "--root",
                str(workshop.root),
                "--base-url",
                server.base_url,
                "--model",
                "m",
            ],
            env=workshop.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        assert reached.read_text() == "here\n"
        child.send_signal(signal.SIGKILL)
        child.wait()
        never.set()
    assert file.read_bytes() == BAD.encode()
    assert sorted(path.name for path in workshop.root.rglob("*") if path.is_file()) == [NAME]
    (workshop.bin / "gcc").unlink(missing_ok=True)
    assert workshop.repair(NAME, script=[fix(GOOD)]).outcomes == {NAME: "Repaired"}


def _tell(reached: Path) -> None:
    reached.write_text("here\n")


def test_a_file_that_somebody_edits_meanwhile_is_left_to_them(workshop: Workshop) -> None:
    file = workshop.write(NAME, BAD)

    def answer(_: object) -> Reply:
        file.write_text(BAD + "/* mine */\n")
        return fix(GOOD)

    ran = workshop.repair(NAME, script=answer)
    assert ran.code == 1
    assert "changed while it was repaired" in ran.told["files"][0]["message"]
    assert file.read_text() == BAD + "/* mine */\n"
    assert [each["verdict"] for each in workshop.decisions("list").told["decisions"]] == ["failed"]
    assert workshop.decisions("gate").code == 0


# --------------------------------------------------------------------------------------------------------------- trees


def test_a_whole_tree_is_repaired_many_files_at_once(workshop: Workshop) -> None:
    files = [workshop.write(f"src/m{n}.c", BAD.replace("zzqx", f"zzqx{n}")) for n in range(6)]
    workshop.write("src/well.c", GOOD)
    workshop.write("README.md", "# not code\n")

    ran = workshop.repair("src", script=lambda _: fix(GOOD))
    assert ran.code == 0, (ran.out, ran.err)
    assert sum(outcome == "FirstTrySuccess" for outcome in ran.outcomes.values()) == 1
    assert list(ran.outcomes) == sorted(ran.outcomes)
    assert {file.read_text() for file in files} == {GOOD}
    assert ran.told["outcome"] == "repaired"
    built = workshop.root / ".holdfast/decisions/build"
    modules = sorted(path.name.rpartition(".c.")[0] for path in built.iterdir())
    assert modules == [f"src.m{n}" for n in range(6)]


@pytest.mark.parametrize(
    "words",
    [
        ["no/such.c"],
        ["README.md"],
        ["a.c", "--strictness", "lax"],
        ["a.c", "--target", "cobol"],
        [],
        ["../x.c"],
    ],
)
def test_wrong_usage_is_exit_2(workshop: Workshop, words: list[str]) -> None:
    workshop.write("a.c", GOOD)
    workshop.write("README.md", "# not code\n")
    assert workshop.repair(*words).code == 2


def test_any_file_is_checked_by_the_projects_own_command(workshop: Workshop) -> None:
    workshop.write(".holdfast/config.toml", 'check = "sh check.sh"\n')
    workshop.write(
        "check.sh",
        "grep -q '^ok$' notes.txt || { echo 'notes.txt:1:1: error: this is not ok'; exit 1; }\n",
    )
    file = workshop.write("notes.txt", "no\n")
    ran = workshop.repair("notes.txt", "--target", "any", "--trust", script=[fix("ok\n")])
    assert (ran.outcomes, file.read_text()) == ({"notes.txt": "Repaired"}, "ok\n"), (
        ran.out,
        ran.err,
    )


def test_the_projects_own_tests_must_pass(workshop: Workshop) -> None:
    workshop.write(".holdfast/config.toml", 'check = "sh tests.sh"\n')
    workshop.write(
        "tests.sh", f"grep -q ') + prices;' {NAME} || {{ echo 'total is wrong'; exit 1; }}\n"
    )
    file = workshop.write(NAME, BAD)
    wrong = GOOD.replace("+ prices;", "+ prices + prices;")
    ran = workshop.repair(NAME, "--trust", script=[fix(wrong), fix(GOOD)])
    assert (ran.outcomes, file.read_text()) == ({NAME: "Repaired"}, GOOD), (ran.out, ran.err)
    assert "tests.sh" in ran.told["files"][0]["oracle"] or "sh" in ran.told["files"][0]["oracle"]


# --------------------------------------------------------------------------------------------------------------- rules


def test_an_error_that_a_syntax_error_had_hidden_is_repaired_after_it(workshop: Workshop) -> None:
    file = workshop.write(
        "a.py", 'def load(text)\n    print "reading", text\n    return json.loads(text)\n'
    )
    ran = workshop.repair("a.py")
    assert (ran.code, ran.outcomes) == (0, {"a.py": "RuleRepaired"}), (ran.out, ran.err)
    fixed = 'def load(text):\n    print("reading", text)\n    return json.loads(text)\n'
    assert file.read_text() == f"import json\n\n\n{fixed}"


def test_a_fix_is_paid_for_once_and_other_names_need_no_model(workshop: Workshop) -> None:
    need("python")
    first = "def total(prices):\n    return np.sum(prices)\n"
    second = '"""Circles."""\n\n\ndef area(radius):\n    """Give the area."""\n    return np.pi * radius**2\n'
    workshop.write("first.py", first)
    ran = workshop.repair("first.py", script=[fix(f"import numpy as np\n\n\n{first}")])
    assert ran.outcomes == {"first.py": "Repaired"}, (ran.out, ran.err)
    file = workshop.write("second.py", second)
    ran = workshop.repair("second.py", script=[])
    assert (ran.outcomes, ran.questions) == ({"second.py": "RuleRepaired"}, 0), (ran.out, ran.err)
    assert "\nimport numpy as np\n" in file.read_text()
    [decision] = [
        each for each in workshop.decisions("list").told["decisions"] if each["path"] == "second.py"
    ]
    assert (decision["decision_type"], decision["verdict"]) == ("rule_applied", "accepted")
    assert decision["rule_id"] == ran.told["files"][0]["rule_ids"][0]
    file.write_text(second)
    blocked = workshop.repair("second.py", "--strictness", "production")
    assert (blocked.code, blocked.told["files"][0]["needs_pin"]) == (
        4,
        [decision["rule_id"], decision["id"]],
    )
