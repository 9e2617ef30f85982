"""What `holdfast repair` says and does when not all is well: others at work, tools that hang, things in the way."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
from pathlib import Path

import pytest

from holdfast.testing import RecordedRequest, Reply, ScriptedServer, hang
from tests.end_to_end.repair.workshop import CASES, COMMAND, Ran, Workshop, fix, need
from tests.waiting import limit_to_begin

pytestmark = pytest.mark.slow

NAME, BAD, GOOD, OTHER = CASES["gcc"]


@pytest.fixture(autouse=True)
def _gcc() -> None:
    need("gcc")


def people(workshop: Workshop, *words: str) -> Ran:
    """Run it as a person does: without --json."""
    return workshop.run("repair", "--root", str(workshop.root), *words)


# --------------------------------------------------------------------------------------------------------- others at work


@pytest.mark.e2e
def test_two_processes_that_repair_a_file_in_the_same_way_both_succeed_and_the_gate_stays_shut(
    workshop: Workshop,
) -> None:
    file = workshop.write(NAME, BAD)
    asked: list[RecordedRequest] = []
    both_asked = threading.Event()

    def answer(request: RecordedRequest) -> Reply:
        # When both ask, both have read the file as it was, and neither has written it.
        asked.append(request)
        if len(asked) == 2:
            both_asked.set()
        return hang(both_asked, fix(GOOD))

    with ScriptedServer(answer) as server:
        words = [*COMMAND, "repair", NAME, "--root", str(workshop.root), "--json"]
        children = [
            subprocess.Popen(
                [*words, "--base-url", server.base_url, "--model", "m"],
                env=workshop.environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                text=True,
            )
            for _ in range(2)
        ]
        answers = [json.loads(child.communicate()[0]) for child in children]
    assert [child.returncode for child in children] == [0, 0], answers
    files = [each["files"][0] for each in answers]
    assert [each["outcome"] for each in files] == ["Repaired", "Repaired"]
    assert sorted(each["written"] for each in files) == [False, True]
    [other] = [each for each in files if not each["written"]]
    assert "another process has written the very same text" in other["message"]
    assert file.read_text() == GOOD
    [decision] = workshop.decisions("list").told["decisions"]
    assert decision["verdict"] == "accepted"
    assert workshop.decisions("gate").code == 4
    changes = workshop.run("changes", "list", "--root", str(workshop.root), "--json").told[
        "changes"
    ]
    assert [change["state"] for change in changes] == ["applied"]


def test_a_file_that_is_edited_meanwhile_has_one_clear_outcome(workshop: Workshop) -> None:
    file = workshop.write(NAME, BAD)

    def answer(_: object) -> Reply:
        file.write_text(BAD + "/* mine */\n")
        return fix(GOOD)

    ran = workshop.repair(NAME, script=answer)
    assert (ran.code, ran.told["outcome"], ran.told["counts"]) == (1, "failing", {"Trouble": 1})
    [file_report] = ran.told["files"]
    assert (
        file_report["outcome"],
        file_report["success"],
        file_report["written"],
        file_report["diff"],
    ) == (
        "Trouble",
        False,
        False,
        "",
    )
    assert not {"attempts", "rule_added", "oracle", "cached"} & file_report.keys()
    file.write_text(BAD)
    with ScriptedServer(answer) as server:
        shown = people(workshop, NAME, "--base-url", server.base_url, "--model", "other")
    assert (shown.code, shown.out.splitlines()[0]) == (1, f"{NAME}: was not repaired")
    assert "repaired by" not in shown.out
    assert file.read_text() == BAD + "/* mine */\n"


# --------------------------------------------------------------------------------------------------------- why it failed


def test_what_was_wrong_with_the_last_proposal_is_said_with_where_it_is_on_record(
    workshop: Workshop,
) -> None:
    workshop.write(NAME, BAD)
    ran = workshop.repair(NAME, script=[fix(OTHER), fix(BAD.replace("zzqx", "vvqx"))])
    [file_report] = ran.told["files"]
    assert file_report["outcome"] == "Exhausted"
    assert any("vvqx" in reason for reason in file_report["reasons"])
    assert "vvqx" in file_report["message"]
    assert f"`holdfast decisions show {file_report['decision_id']}`" in file_report["message"]
    assert workshop.decisions("show", file_report["decision_id"]).code == 0


def test_why_the_guards_refused_a_proposal_is_said_when_the_model_repeats_it(
    workshop: Workshop,
) -> None:
    workshop.write(NAME, BAD)
    ran = workshop.repair(NAME, script=[fix(GOOD.replace("int total", "int sum_up"))] * 2)
    [file_report] = ran.told["files"]
    assert file_report["outcome"] == "NoProgress"
    assert any("total" in reason for reason in file_report["reasons"])
    assert file_report["reasons"][0] in file_report["message"]


def test_a_person_is_told_which_rule_was_learned_and_which_was_applied(workshop: Workshop) -> None:
    ask = "#include <stdio.h>\n\nint ask(char *line) {\n    return fgets(line, 80) != NULL;\n}\n"
    workshop.write("a.c", ask)
    with ScriptedServer([fix(ask.replace("80)", "80, stdin)"))]) as server:
        first = people(workshop, "a.c", "--base-url", server.base_url, "--model", "m")
    listed = workshop.run("rules", "list", "--own", "--root", str(workshop.root), "--json").told
    [rule] = [each["id"] for each in listed["rules"]]
    assert first.out.splitlines()[:2] == [
        "a.c: repaired by the model",
        f"  after 1 model request; learned rule {rule}",
    ]
    workshop.write("b.c", ask.replace("line", "row"))
    second = people(workshop, "b.c", "--no-model")
    assert second.out.splitlines()[:2] == ["b.c: repaired by a rule", f"  by rule {rule}"]


def test_a_confidence_that_is_just_too_low_is_not_rounded_up(workshop: Workshop) -> None:
    workshop.write(NAME, BAD)
    [told] = workshop.repair(NAME, script=[fix(GOOD, 0.7499999)]).told["files"]
    assert told["message"].startswith(
        "the model's confidence is 0.7499999, and 0.75 is asked for; look at its proposal"
    )


def test_without_a_model_the_next_step_is_said(workshop: Workshop) -> None:
    workshop.write(NAME, BAD)
    file_report = workshop.repair(NAME).told["files"][0]
    assert (file_report["outcome"], "--model" in file_report["message"]) == ("NoProvider", True)


def test_a_remembered_answer_is_not_called_the_models(workshop: Workshop) -> None:
    file = workshop.write(NAME, BAD)
    asked = workshop.repair(NAME, script=[fix(GOOD)]).told["files"][0]
    shutil.rmtree(workshop.root / ".holdfast")
    file.write_text(BAD)
    remembered = workshop.repair(NAME, "--dry-run", script=[]).told["files"][0]
    assert (asked["cached"], remembered["cached"]) == (False, True)
    shown = people(workshop, NAME, "--no-model", "--model", "scripted")
    assert shown.out.splitlines()[0] == f"{NAME}: repaired by a cached answer of the model"


# ------------------------------------------------------------------------------------------------------------ production


def test_what_production_says_would_help_does_help_once_it_is_pinned(workshop: Workshop) -> None:
    file = workshop.write(NAME, BAD)
    assert workshop.repair(NAME, script=[fix(GOOD)]).code == 0
    for rule in workshop.run("rules", "list", "--own", "--root", str(workshop.root), "--json").told[
        "rules"
    ]:
        workshop.run("rules", "reject", rule["id"], "--root", str(workshop.root))
    file.write_text(BAD)
    [blocked] = workshop.repair(NAME, "--strictness", "production").told["files"]
    [decision] = blocked["needs_pin"]
    assert blocked["decisions"] == [decision]
    assert f"`holdfast decisions pin {decision}`" in blocked["message"]
    assert workshop.decisions("pin", decision).code == 0
    assert workshop.repair(NAME, "--strictness", "production").outcomes == {NAME: "Replayed"}


# ------------------------------------------------------------------------------------------------------------- the tools


def test_a_compiler_that_hangs_is_given_up_and_the_limit_is_the_one_that_was_given(
    workshop: Workshop,
) -> None:
    workshop.compiler("gcc", f"echo gcc >> {workshop.log}\nexec sleep 600")
    names = [f"src/m{number}.c" for number in range(9)]
    for name in names:
        workshop.write(name, BAD)

    def attempt(limit: float) -> Ran:
        workshop.log.unlink(missing_ok=True)
        return workshop.repair("src", "--timeout", f"{limit:.0f}")

    limit, ran = limit_to_begin(
        attempt, lambda ran: workshop.runs() == ran.told["counts"].get("TimedOut")
    )
    assert ran.code == 1
    assert ran.told["counts"].keys() == {"TimedOut", "Trouble"}
    # Some may have been on their way already when the third was ended.
    assert 3 <= workshop.runs() == ran.told["counts"]["TimedOut"] <= 6
    left = [file for file in ran.told["files"] if file["outcome"] == "Trouble"]
    assert left
    assert all("timed out three times" in file["message"] for file in left)
    assert {each["seconds"] for each in ran.told["files"] if each["outcome"] == "TimedOut"} == {
        limit
    }
    assert workshop.repair("src", "--timeout", "0").code == 2


def test_the_file_is_named_once_when_its_compiler_is_missing(
    workshop: Workshop, tmp_path: Path
) -> None:
    (tmp_path / "bare").mkdir()
    workshop.settings["PATH"] = str(tmp_path / "bare")
    workshop.write(NAME, BAD)
    message = workshop.repair(NAME).told["files"][0]["message"]
    assert message.startswith(f"{NAME}: ")
    assert message.count(f"{NAME}: ") == 1


# --------------------------------------------------------------------------------------------------- things in the way


def test_a_walk_goes_past_links_and_what_is_no_text_and_says_so(
    workshop: Workshop, tmp_path: Path
) -> None:
    workshop.write("src/a.c", GOOD)
    (tmp_path / "outside.c").write_text(BAD)
    (workshop.root / "src/binary.c").write_bytes(b"\0\1")
    (workshop.root / "src/dangling.c").symlink_to("nothing.c")
    (workshop.root / "src/outside.c").symlink_to(tmp_path / "outside.c")
    # Git lists links; without it a walk does not see them.
    for words in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *words], cwd=workshop.root, check=True)
    ran = workshop.repair(".")
    assert (ran.code, ran.told["outcome"], ran.outcomes) == (
        0,
        "clean",
        {"src/a.c": "FirstTrySuccess"},
    )
    assert [each["path"] for each in ran.told["skipped"]] == [
        "src/binary.c",
        "src/dangling.c",
        "src/outside.c",
    ]
    shown = people(workshop, "src", "--no-model")
    assert (shown.code, shown.out.splitlines()[-1]) == (
        0,
        "4 files: 1 pass, 0 repaired, 0 still fail, 3 skipped.",
    )
    assert shown.err.count("holdfast: skipped src/") == 3
    named = workshop.repair(".", "src/binary.c")
    assert (named.code, named.outcomes["src/binary.c"]) == (1, "Trouble")


@pytest.mark.parametrize("url", ["postgresql://nobody@127.0.0.1:1/x", "/proc/nowhere/x.sqlite3"])
def test_without_a_place_for_the_change_nothing_is_written_and_no_decision_stands(
    workshop: Workshop, url: str
) -> None:
    file = workshop.write(NAME, BAD)
    other = workshop.write("well.c", GOOD)
    workshop.settings["HOLDFAST_DATABASE_URL"] = url
    ran = workshop.repair(NAME, "well.c", script=[fix(GOOD)])
    assert (ran.code, ran.outcomes) == (1, {NAME: "Trouble", "well.c": "FirstTrySuccess"}), (
        ran.out,
        ran.err,
    )
    assert ran.told["files"][0]["message"].startswith(f"{NAME}: nothing was written: ")
    assert (file.read_text(), other.read_text()) == (BAD, GOOD)
    assert [each["verdict"] for each in workshop.decisions("list").told["decisions"]] == ["failed"]


def test_a_directory_in_the_place_of_a_rule_or_a_manifest_bars_only_itself(
    workshop: Workshop,
) -> None:
    file = workshop.write(NAME, BAD)
    other = workshop.write("other.c", BAD)
    (workshop.root / ".holdfast/rules/c/dir.yaml").mkdir(parents=True)
    manifest = workshop.root / f".holdfast/decisions/build/{NAME}.json"
    manifest.mkdir(parents=True)
    ran = workshop.repair(NAME, "other.c", script=lambda _: fix(GOOD))
    assert (ran.code, ran.outcomes) == (1, {NAME: "Trouble", "other.c": "Repaired"}), (
        ran.out,
        ran.err,
    )
    assert (file.read_text(), other.read_text()) == (BAD, GOOD)
    assert "rules/c/dir.yaml: " in ran.err
    message = ran.told["files"][0]["message"]
    assert f".holdfast/decisions/build/{NAME}.json: " in message
    assert message.endswith(".")
