"""Rules through the command line: what is applied, what is only a hint, and what a person decides."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from holdfast.testing import RecordedRequest, Reply, say
from tests.end_to_end.repair.workshop import Ran, Workshop, fix, need

ASK = "#include <stdio.h>\n\nint ask(char *line) {\n    return fgets(line, 80) != NULL;\n}\n"
ASKED = ASK.replace("80)", "80, stdin)")
BEST = (
    "int min_price(int a, int b) { return a < b ? a : b; }\n\n"
    "int best(int a, int b) {\n    return max_price(a, b);\n}\n"
)
CONDITION = "def f(n: int) -> int:\n    if n\n        return 1\n    return 2\n"


@pytest.fixture(autouse=True)
def _compilers() -> None:
    need("gcc")
    need("g++")


def _rules(workshop: Workshop, *words: str) -> Ran:
    return workshop.run("rules", *words, "--root", str(workshop.root), "--json")


def _own(workshop: Workshop) -> list[dict[str, object]]:
    found = _rules(workshop, "list", "--own").told["rules"]
    assert isinstance(found, list)
    return found


def _suggesting(code: str, pattern: str, made: str) -> str:
    rule = {"pattern": pattern, "fix": made}
    return json.dumps({"code": code, "confidence": 0.9, "reasoning": "a slip", "rule": rule})


# ------------------------------------------------------------------------------------------------ safe and unsafe


def test_a_compiler_s_spelling_guess_is_applied_only_if_the_user_allows_it(
    workshop: Workshop,
) -> None:
    file = workshop.write("best.cpp", BEST)
    left = workshop.repair("best.cpp")
    assert (left.code, file.read_text()) == (1, BEST)
    blocked = workshop.repair("best.cpp", "--unsafe-fixes", "--strictness", "production")
    assert (blocked.code, file.read_text()) == (4, BEST)
    guessed = workshop.repair("best.cpp", "--unsafe-fixes")
    assert guessed.outcomes == {"best.cpp": "FixItRepaired"}
    assert file.read_text() == BEST.replace("max_price", "min_price")


def test_a_guess_is_a_hint_for_the_model_which_is_asked(workshop: Workshop) -> None:
    asked: list[str] = []

    def model(request: object) -> object:
        asked.append(str(request))
        return fix(BEST.replace("max_price(a, b)", "a > b ? a : b"))

    file = workshop.write("best.cpp", BEST)
    workshop.repair("best.cpp", script=model)  # type: ignore[arg-type]
    assert "a guess of g++, which may be wrong" in asked[0]
    assert "min_price(a, b);\n}" not in file.read_text()


def test_a_rule_that_is_not_safe_is_applied_only_if_the_user_allows_it(workshop: Workshop) -> None:
    workshop.write("fgets.yaml", _documented_rule() + "safe: false\n")
    assert _rules(workshop, "add", str(workshop.root / "fgets.yaml")).code == 0
    file = workshop.write("ask.c", ASK)
    assert (workshop.repair("ask.c").code, file.read_text()) == (1, ASK)
    allowed = workshop.repair("ask.c", "--unsafe-fixes")
    assert (allowed.outcomes, file.read_text()) == ({"ask.c": "RuleRepaired"}, ASKED)


def test_a_rule_that_is_not_safe_is_a_hint_for_the_model_or_the_person(workshop: Workshop) -> None:
    workshop.write("fgets.yaml", _documented_rule() + "safe: false\n")
    rule = _rules(workshop, "add", str(workshop.root / "fgets.yaml")).told["rule"]["id"]
    workshop.write("ask.c", ASK)
    [told] = workshop.repair("ask.c").told["files"]
    [hint] = told["hints"]
    assert hint.startswith(f"rule {rule}:\n@@ ")
    assert "+    return fgets(line, 80, stdin) != NULL;" in hint
    assert f"applied only with --unsafe-fixes:\n{hint}" in told["message"]
    asked: list[str] = []

    def model(request: RecordedRequest) -> Reply:
        asked.append(request.messages[-1]["content"])
        return fix(ASKED)

    assert workshop.repair("ask.c", script=model).outcomes == {"ask.c": "Repaired"}
    assert f"A fix that may be wrong, of {hint}" in asked[0]


def test_a_person_without_a_model_is_shown_a_guess_and_not_after_it_was_tried(
    workshop: Workshop,
) -> None:
    workshop.write("best.cpp", BEST)
    [told] = workshop.repair("best.cpp").told["files"]
    [hint] = told["hints"]
    assert hint.startswith("a guess of the compiler:\n@@ ")
    assert "+    return min_price(a, b);" in hint
    worse = BEST.replace("return max", "return zzqx + max")
    workshop.write("best.cpp", worse)
    [told] = workshop.repair("best.cpp", "--unsafe-fixes").told["files"]
    assert (told["outcome"], told["hints"]) == ("NoProvider", [])


# ------------------------------------------------------------------------------------------------ written by a person


def _documented_rule() -> str:
    text = (Path(__file__).parents[3] / "docs" / "repair.md").read_text()
    found = re.search(r"```yaml\n(language: c\n.*?)```", text, re.DOTALL)
    assert found is not None
    return found[1]


def test_the_rule_of_the_docs_is_added_as_it_is_there_and_repairs_a_program(
    workshop: Workshop,
) -> None:
    workshop.write("fgets.yaml", _documented_rule())
    added = _rules(workshop, "add", str(workshop.root / "fgets.yaml")).told["rule"]
    assert added["scope"].startswith("`fgets` called with two arguments")
    file = workshop.write("ask.c", ASK)
    assert workshop.repair("ask.c").outcomes == {"ask.c": "RuleRepaired"}
    assert file.read_text() == ASKED
    assert _rules(workshop, "test").code == 0


def test_a_second_example_and_then_a_person_widen_a_rule(workshop: Workshop) -> None:
    workshop.write("a.c", ASK)
    learned = workshop.repair("a.c", script=[fix(ASKED)]).told["files"][0]["rule_added"]
    number = ASK.replace("char *line", "char *line, int n").replace("80)", "n)")
    file = workshop.write("b.c", number)
    assert (workshop.repair("b.c").code, file.read_text()) == (1, number)

    workshop.repair("b.c", script=[fix(number.replace(", n)", ", n, stdin)"))])
    [rule] = _own(workshop)
    shown = _rules(workshop, "show", learned).told["rule"]
    assert (rule["id"], len(shown["examples"])) == (learned, 2)
    sized = number.replace("n)", "size)").replace("int n", "int size")
    file = workshop.write("c.c", sized)
    assert workshop.repair("c.c").code == 0
    assert file.read_text() == sized.replace(", size)", ", size, stdin)")
    call = ASK.replace("80)", "80 + 1)")
    file = workshop.write("d.c", call)
    assert (workshop.repair("d.c").code, file.read_text()) == (1, call)

    wide = _rules(workshop, "widen", learned).told["rule"]
    assert (wide["widened"], wide["reviewed"]) == (True, True)
    assert workshop.repair("d.c").code == 0
    assert file.read_text() == call.replace("80 + 1)", "80 + 1, stdin)")


# --------------------------------------------------------------------------------------------- suggested by a model


def test_a_model_s_rule_that_repeats_the_fix_waits_for_a_person(workshop: Workshop) -> None:
    asked: list[str] = []

    def model(request: object) -> object:
        asked.append(str(request))
        return say(_suggesting(ASKED, "fgets($X, $Y)", "fgets($X, $Y, stdin)"))

    workshop.write("a.c", ASK)
    workshop.repair("a.c", script=model)  # type: ignore[arg-type]
    assert '"rule"' in asked[0].replace("\\", "")
    [proposed] = [rule for rule in _own(workshop) if rule["status"] == "proposed"]
    assert (proposed["provenance"], proposed["reviewed"]) == ("model", False)
    call = ASK.replace("80)", "sizeof line)")
    file = workshop.write("b.c", call)
    assert (workshop.repair("b.c").code, file.read_text()) == (1, call)
    assert _rules(workshop, "approve", str(proposed["id"])).told["rule"]["status"] == "active"
    assert workshop.repair("b.c").outcomes == {"b.c": "RuleRepaired"}
    assert file.read_text() == call.replace("sizeof line)", "sizeof line, stdin)")


@pytest.mark.parametrize("pattern", ["fgets($X, $Y)", "fgets($A, $B)"])
def test_a_model_s_rule_takes_nothing_from_what_is_learned_of_the_same_fix(
    workshop: Workshop, pattern: str
) -> None:
    workshop.write("a.c", ASK)
    suggested = say(_suggesting(ASKED, pattern, pattern.replace(")", ", stdin)")))
    learned = workshop.repair("a.c", script=[suggested]).told["files"][0]["rule_added"]
    statuses = {rule["id"]: rule["status"] for rule in _own(workshop)}
    assert statuses.pop(learned) == "active"
    assert list(statuses.values()) == ["proposed"]
    file = workshop.write("b.c", ASK.replace("line", "row"))
    assert workshop.repair("b.c").outcomes == {"b.c": "RuleRepaired"}
    assert file.read_text() == ASKED.replace("line", "row")


def test_a_model_s_rule_that_makes_something_else_is_dropped(workshop: Workshop) -> None:
    workshop.write("a.c", ASK)
    wrong = say(_suggesting(ASKED, "fgets($X, $Y)", "fgets($X, $Y, stdout)"))
    workshop.repair("a.c", script=[wrong])
    assert [rule["status"] for rule in _own(workshop)] == ["active"]


# ------------------------------------------------------------------------------------------------- files and counters


def test_using_a_rule_changes_no_file_of_the_project_and_a_builtin_is_not_copied(
    workshop: Workshop,
) -> None:
    workshop.write("a.c", ASK)
    learned = workshop.repair("a.c", script=[fix(ASKED)]).told["files"][0]["rule_added"]
    [file] = (workshop.root / ".holdfast/rules").rglob("*.yaml")
    before = file.read_bytes()
    workshop.write("b.c", ASK.replace("line", "row"))
    assert workshop.repair("b.c").outcomes == {"b.c": "RuleRepaired"}
    workshop.write("c.py", CONDITION)
    assert workshop.repair("c.py").outcomes == {"c.py": "RuleRepaired"}
    assert list((workshop.root / ".holdfast/rules").rglob("*.yaml")) == [file]
    assert file.read_bytes() == before
    assert _rules(workshop, "show", learned).told["rule"]["helped"] == 1


def test_a_json_rule_of_an_earlier_version_is_converted_once(workshop: Workshop) -> None:
    example = {
        "before": ASK,
        "after": ASKED,
        "message": "too few arguments to function 'fgets'",
        "args": ["fgets"],
        "area": [4, 12, 4, 17],
    }
    older = {
        "id": "bd699c748cb85a16",
        "target": "c",
        "tool": "gcc",
        "code": "",
        "template": "too few arguments to function {0}",
        "status": "pinned",
        "priority": 0,
        "examples": [example],
    }
    place = ".holdfast/rules/c"
    workshop.write(f"{place}/bd699c748cb85a16.json", json.dumps(older))
    [rule] = _own(workshop)
    assert (rule["status"], rule["scope"]) == (
        "pinned",
        (
            "`fgets` called with two arguments `fgets($A, $B)`, $A a variable,"
            " $B a number literal, where the message names `fgets` ({0}),"
            " where no comment says what is meant, in C"
        ),
    )
    [file] = (workshop.root / place).iterdir()
    assert file.suffix == ".yaml"
    written = file.read_bytes()
    assert _own(workshop) == [rule]
    assert file.read_bytes() == written


def test_an_older_rule_that_cannot_be_converted_is_reported_and_kept(workshop: Workshop) -> None:
    file = workshop.write(".holdfast/rules/c/old.json", "{}")
    told = _rules(workshop, "list", "--own").told
    assert (told["rules"], told["problems"]) == (
        [],
        ["rules/c/old.json: it is not a rule of an earlier version; remove the file."],
    )
    assert file.exists()


# ------------------------------------------------------------------------------------------------- what a person has seen


@pytest.mark.parametrize("verdict", ["pin", "approve"])
def test_production_applies_no_width_that_nobody_has_seen(workshop: Workshop, verdict: str) -> None:
    workshop.write("a.c", ASK)
    seen = workshop.repair("a.c", script=[fix(ASKED)]).told["files"][0]["rule_added"]
    assert _rules(workshop, verdict, seen).code == 0
    [before] = _own(workshop)
    other = ASK.replace("line, 80", "line + 1, 79")
    workshop.write("b.c", other)
    told = workshop.repair("b.c", script=[fix(other.replace("79)", "79, stdin)"))]).told["files"][0]
    assert (told["outcome"], told["rule_added"] != seen) == ("Repaired", True)
    third = ASK.replace("line, 80", "line + 2, 78")
    workshop.write("c.c", third)
    blocked = workshop.repair("c.c", "--strictness", "production")
    assert blocked.outcomes == {"c.c": "ProductionBlocked"}
    rules = {str(rule["id"]): rule for rule in _own(workshop)}
    assert rules[seen] == before
    assert [rules[told["rule_added"]][key] for key in ("status", "reviewed")] == ["active", False]
    assert workshop.repair("c.c").outcomes == {"c.c": "RuleRepaired"}


def test_the_same_repair_by_a_rule_is_one_decision_however_often_the_rule_was_used(
    workshop: Workshop,
) -> None:
    for _ in range(3):
        workshop.write("c.py", CONDITION)
        assert workshop.repair("c.py").outcomes == {"c.py": "RuleRepaired"}
    [made] = workshop.decisions("list").told["decisions"]
    [file] = (workshop.root / ".holdfast/decisions").rglob("*.json")
    written = file.read_bytes()
    rule = _rules(workshop, "show", made["rule_id"]).told["rule"]
    assert (rule["helped"], isinstance(made["confidence"], float)) == (3, True)
    # Another machine, on which the rule was never used.
    workshop.state = workshop.state.with_name("other")
    workshop.write("c.py", CONDITION)
    assert workshop.repair("c.py").outcomes == {"c.py": "RuleRepaired"}
    assert list((workshop.root / ".holdfast/decisions").rglob("*.json")) == [file]
    assert file.read_bytes() == written


@pytest.mark.parametrize("verdict", ["reject", "demote"])
def test_a_rule_that_a_person_disabled_is_not_reported_as_learned_again(
    workshop: Workshop, verdict: str
) -> None:
    workshop.write("a.c", ASK)
    learned = workshop.repair("a.c", script=[fix(ASKED)]).told["files"][0]["rule_added"]
    assert _rules(workshop, verdict, learned).code == 0
    other = ASK.replace("line", "row")
    workshop.write("b.c", other)
    [told] = workshop.repair("b.c", script=[fix(other.replace("80)", "80, stdin)"))]).told["files"]
    assert (told["outcome"], told["rule_added"]) == ("Repaired", None)
    assert "learned" not in told["message"]
    decisions = workshop.decisions("list").told["decisions"]
    assert [each["rule_id"] for each in decisions if each["path"] == "b.c"] == [None]
    assert [rule["id"] for rule in _own(workshop)] == [learned]
