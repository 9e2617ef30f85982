"""`holdfast decisions` as people use it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from holdfast.repair.decisions.decision import Decision
from holdfast.repair.decisions.decision_ids import sha_of
from holdfast.wiring.decisions import decisions_at
from tests.cli.project import Project, Ran

BUILD = Decision(
    id="a1" + "0" * 14,
    module="a.py",
    path="a.py",
    target="python",
    decision_type="repair",
    choice="the model's proposal",
    reasoning="a.py:1:1: error: no",
    model_id="m\x1b[31m",
    timestamp="2026-01-01T00:00:00+00:00",
    diff="@@ -1 +1 @@\n-a\n+b\n",
)
RUNTIME = replace(BUILD, id="b2" + "0" * 14, decision_type="adaptive_recovery")


@pytest.fixture
def recorded(project: Project) -> Project:
    manifest = decisions_at(project.root)
    manifest.record(BUILD)
    manifest.record(RUNTIME)
    return project


def run(project: Project, *words: str) -> Ran:
    return project.run("decisions", *words, "--root", str(project.root))


def test_without_decisions_there_is_nothing_to_list_and_the_gate_is_open(project: Project) -> None:
    assert (run(project, "list").code, run(project, "list").out) == (
        0,
        "no decisions in this project.\n",
    )
    assert (run(project, "gate").code, run(project, "gate").out) == (
        0,
        "every decision is pinned.\n",
    )
    assert project.files() == {}


def test_a_list_has_a_line_a_decision(recorded: Project) -> None:
    assert run(recorded, "list").out == (
        f"{BUILD.id}  a.py  repair: the model's proposal (accepted)\n"
        f"{RUNTIME.id}  a.py  adaptive_recovery: the model's proposal (accepted)\n"
    )
    scopes = [each["scope"] for each in run(recorded, "list", "--json").told["decisions"]]
    assert scopes == ["build", "runtime"]
    assert [
        each["id"]
        for each in run(recorded, "list", "--scope", "runtime", "--json").told["decisions"]
    ] == [RUNTIME.id]


def test_one_is_shown_with_its_diff_and_no_commands_for_the_terminal(recorded: Project) -> None:
    shown = run(recorded, "show", "a1").out
    assert "reasoning: a.py:1:1: error: no\n" in shown
    assert shown.endswith("@@ -1 +1 @@\n-a\n+b\n")
    assert "\x1b" not in shown


def test_the_error_of_a_decision_and_what_was_tried_are_shown_in_lines(project: Project) -> None:
    error = {"tool": "gcc", "code": "", "message": "no 'x'"}
    tried = ("a rule: it fails.", "the model's proposal: 'x' is gone.")
    decisions_at(project.root).record(replace(BUILD, diagnostic=error, alternatives=tried))
    shown = run(project, "show", "a1").out
    assert "\ndiagnostic:\n  message: no 'x'\n  tool: gcc\n" in shown
    assert f"\nalternatives:\n  {tried[0]}\n  {tried[1]}\n" in shown


def test_pin_gate_unpin(recorded: Project) -> None:
    shut = run(recorded, "gate")
    assert (shut.code, shut.out.splitlines()[-1]) == (
        4,
        "1 decision not pinned; review each, then pin it with `holdfast decisions pin`.",
    )
    assert (
        run(recorded, "pin", "a1", "--by", "ann", "--reason", "fine").out
        == f"{BUILD.id}  a.py  repair: the model's proposal (accepted, pinned)\n"
    )
    answer = run(recorded, "show", "a1", "--json").told["decision"]
    assert (answer["pinned"], answer["pinned_by"], answer["pin_reason"]) == (True, "ann", "fine")
    assert run(recorded, "gate").code == 0
    assert [
        each["id"] for each in run(recorded, "list", "--unpinned", "--json").told["decisions"]
    ] == [RUNTIME.id]
    assert run(recorded, "unpin", "a1").code == 0
    assert run(recorded, "gate").code == 4


def test_all_that_keep_the_gate_shut_are_pinned_at_once_or_those_of_a_rule(
    recorded: Project,
) -> None:
    ids = [f"c{number}" + "0" * 14 for number in range(3)]
    manifest = decisions_at(recorded.root)
    manifest.record(replace(BUILD, id=ids[0], rule_id="r-1"))
    manifest.record(replace(BUILD, id=ids[1], rule_id="r-1", verdict="rejected"))
    manifest.record(replace(BUILD, id=ids[2], rule_id="r-2"))
    of_rule = run(recorded, "pin", "--rule", "r-1", "--by", "ann", "--json").told["pinned"]
    assert [(each["id"], each["pinned_by"]) for each in of_rule] == [(ids[0], "ann")]
    assert run(recorded, "gate").code == 4
    pinned = run(recorded, "pin", "--all").out.splitlines()
    assert [line.partition(" ")[0] for line in pinned[:-1]] == [BUILD.id, ids[2]]
    assert pinned[-1] == "2 decisions pinned."
    assert run(recorded, "gate").code == 0
    unknown = run(recorded, "pin", "--rule", "r-3")
    assert (unknown.code, "r-3: no decision names this rule" in unknown.err) == (1, True)


def test_the_rule_of_decisions_is_named_by_the_beginning_of_its_id(recorded: Project) -> None:
    manifest = decisions_at(recorded.root)
    for number, rule in enumerate(("f4d2aa", "f4d2bb", "f4")):
        manifest.record(replace(BUILD, id=f"c{number}" + "0" * 14, rule_id=rule))
    several = run(recorded, "pin", "--rule", "f4d2")
    assert (several.code, "f4d2: 2 rules start so; write more of the id." in several.err) == (
        1,
        True,
    )
    for words, rule in (("f4d2a", "f4d2aa"), ("f4", "f4")):
        pinned = run(recorded, "pin", "--rule", words, "--json").told["pinned"]
        assert [each["rule_id"] for each in pinned] == [rule]
    assert run(recorded, "pin", "--rule", "").code == 1


@pytest.mark.parametrize("words", [(), ("a1", "--all"), ("--all", "--rule", "r-1")])
def test_what_to_pin_is_named_in_one_way(recorded: Project, words: tuple[str, ...]) -> None:
    refused = run(recorded, "pin", *words)
    assert refused.code == 2
    assert "name one decision by its ID, or use --all, or --rule RULE" in refused.err
    assert run(recorded, "gate").code == 4


def test_a_runtime_decision_is_promoted_into_the_project(recorded: Project) -> None:
    assert list(recorded.files()) == [f".holdfast/decisions/build/a.py.{BUILD.id}.json"]
    promoted = run(recorded, "promote", "b2", "--json")
    assert (promoted.code, promoted.told["decision"]["scope"]) == (0, "build")
    assert run(recorded, "list", "--scope", "runtime").out == "no decisions in this project.\n"
    again = run(recorded, "promote", "b2")
    new = promoted.told["decision"]["id"]
    assert (again.code, again.err) == (
        1,
        f"holdfast: {new}: this is in the project already (scope build).\n",
    )


@pytest.mark.parametrize("command", ["show", "pin", "unpin", "promote"])
def test_an_unknown_id_is_refused_with_the_next_step(recorded: Project, command: str) -> None:
    ran = run(recorded, command, "ff")
    assert (ran.code, ran.err) == (
        1,
        "holdfast: ff: there is no such decision; list them with `holdfast decisions list`.\n",
    )
    answer = run(recorded, command, "ff", "--json").told
    assert (answer["outcome"], [each.partition(":")[0] for each in answer["problems"]]) == (
        "refused",
        ["ff"],
    )


def test_what_came_to_nothing_cannot_be_pinned(project: Project) -> None:
    decisions_at(project.root).record(replace(BUILD, verdict="failed", diff=""))
    ran = run(project, "pin", "a1")
    assert (ran.code, "nothing to replay" in ran.err) == (1, True)


def test_a_decision_that_changed_no_code_is_agreed_to_and_opens_the_gate(project: Project) -> None:
    decisions_at(project.root).record(replace(RUNTIME, diff=""))
    promoted = run(project, "promote", "b2", "--json").told["decision"]
    assert (promoted["decision_type"], promoted["promoted_from"]) == ("repair", RUNTIME.id)
    assert run(project, "gate").code == 4
    assert run(project, "pin", promoted["id"]).code == 0
    assert run(project, "gate").code == 0


def test_what_was_superseded_cannot_be_pinned(recorded: Project) -> None:
    new = replace(BUILD, id="c3" + "0" * 14, pinned=True)
    decisions_at(recorded.root).override(BUILD, new)
    ran = run(recorded, "pin", "a1")
    assert (ran.code, f"{new.id} has replaced it" in ran.err) == (1, True)


def test_an_override_says_that_it_is_not_verified_and_takes_the_place_of_the_one_before(
    project: Project, tmp_path: Path
) -> None:
    decisions_at(project.root).record(replace(BUILD, before_sha=sha_of(b"a\n")))
    project.write("a.py", b"a\n")
    own = tmp_path / "own.py"
    ids = []
    for text in ("c\n", "d\n"):
        own.write_text(text)
        answer = run(project, "override", "a1", str(own), "--json").told
        assert answer["verified"] is False
        ids.append(answer["decision"]["id"])
    assert "It is not verified yet" in run(project, "override", "a1", str(own)).out
    listed = run(project, "list", "--json").told["decisions"]
    assert [each["id"] for each in listed if each["pinned"]] == [ids[1]]
    assert {each["superseded_by"] for each in listed if not each["pinned"]} == {ids[1]}


@pytest.mark.parametrize(("data", "code"), [(b"", 2), (b" \n", 2), (b"a\0b\n", 1)])
def test_an_override_needs_a_text(project: Project, tmp_path: Path, data: bytes, code: int) -> None:
    decisions_at(project.root).record(replace(BUILD, before_sha=sha_of(b"a\n")))
    project.write("a.py", b"a\n")
    own = tmp_path / "own.py"
    own.write_bytes(data)
    before = project.files()
    assert run(project, "override", "a1", str(own)).code == code
    assert project.files() == before


def test_an_override_needs_the_file_as_it_was(recorded: Project, tmp_path: Path) -> None:
    recorded.write("a.py", b"something else\n")
    own = tmp_path / "own.py"
    own.write_text("c\n")
    ran = run(recorded, "override", "a1", str(own))
    assert (ran.code, "neither as before the decision nor as after it" in ran.err) == (1, True)


def test_a_damaged_manifest_is_named(recorded: Project) -> None:
    damaged = f".holdfast/decisions/build/a.py.{BUILD.id}.json"
    (recorded.root / damaged).write_text("<<<<<<< ours\n")
    ran = run(recorded, "gate")
    assert ran.code == 1
    assert f"{damaged}: this decision has the markers of a git conflict" in ran.err


def test_what_is_in_the_place_of_a_manifest_is_reported_and_the_others_are_listed(
    recorded: Project,
) -> None:
    (recorded.root / ".holdfast/decisions/build/b.py.json").mkdir()
    ran = run(recorded, "list", "--scope", "build", "--json")
    assert (ran.code, [each["id"] for each in ran.told["decisions"]]) == (0, [BUILD.id])
    [problem] = ran.told["problems"]
    assert problem.startswith(".holdfast/decisions/build/b.py.json: ")
    assert problem in ran.err
    assert run(recorded, "show", "a1").code == 0
    missing = run(recorded, "show", "ff", "--json")
    assert (missing.code, missing.told["problems"][1:]) == (1, [problem])
    gate = run(recorded, "gate", "--json")
    assert (gate.code, gate.told) == (1, {"outcome": "refused", "problems": [problem]})


def test_a_root_that_is_none_is_wrong_usage(project: Project) -> None:
    assert project.run("decisions", "list", "--root", str(project.root / "no")).code == 2


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_the_gate_fails_with_the_reason_if_a_rule_cannot_be_read(
    recorded: Project, words: tuple[str, ...]
) -> None:
    assert run(recorded, "pin", "--all").code == 0
    assert run(recorded, "gate").code == 0
    recorded.write(".holdfast/rules/c/abc.yaml", b"nonsense: [\n")
    problem = "rules/c/abc.yaml: it is not YAML in line 2; fix or remove the file."
    gate = run(recorded, "gate", *words)
    assert (gate.code, gate.err) == (1, f"holdfast: {problem}\n")
    if words:
        assert gate.told == {"outcome": "refused", "problems": [problem]}
    (recorded.root / ".holdfast/rules/c/abc.yaml").unlink()
    assert run(recorded, "gate", *words).code == 0


def test_the_gate_fails_if_the_rules_cannot_be_read_at_all(recorded: Project) -> None:
    assert run(recorded, "pin", "--all").code == 0
    recorded.write(".holdfast/rules", b"a file")
    where = recorded.root / ".holdfast/rules"
    problem = f"the rules cannot be read: {where}: Not a directory."
    assert (run(recorded, "gate").code, run(recorded, "gate").err) == (1, f"holdfast: {problem}\n")
