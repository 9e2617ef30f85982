"""The table of outcomes, attempts, decisions, gate and production, each row by the command."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from holdfast.testing import Reply, say
from tests.end_to_end.repair.workshop import Ran, Workshop, fix, need

pytestmark = pytest.mark.e2e

BAD = "int total(int prices) {\n  return prices + zzqx;\n}\n"
GOOD = BAD.replace("zzqx", "prices")
OTHER = BAD.replace("zzqx", "wwqx")
TWO_ERRORS = "int total(int prices, int rate) {\n  int sum = prises;\n  return sum * rat;\n}\n"
ONE_ERROR = TWO_ERRORS.replace("prises", "prices")
NO_ERROR = ONE_ERROR.replace("rat;", "rate;")
GUARDED = "int limit = 5;\nint pick(int at, int size) {\n  if (at >= sise)\n    return -1;\n  return at;\n}\n"


@pytest.fixture
def code(workshop: Workshop) -> Path:
    need("gcc")
    return workshop.write("cart.c", BAD)


def file_of(ran: Ran) -> dict[str, object]:
    [entry] = ran.told["files"]
    assert isinstance(entry, dict)
    return entry


def decided(workshop: Workshop) -> list[dict[str, object]]:
    listed = workshop.decisions("list").told["decisions"]
    assert isinstance(listed, list)
    return listed


# ----------------------------------------------------------------------------------- outcomes


@pytest.mark.parametrize(
    ("text", "words", "script", "exit_code", "outcome"),
    [
        (GOOD, (), None, 0, "FirstTrySuccess"),
        (BAD.replace("zzqx;", "prices"), (), None, 0, "FixItRepaired"),
        (BAD, (), None, 1, "NoProvider"),
        (BAD, ("--strictness", "production"), None, 4, "ProductionBlocked"),
        (BAD, ("--strictness", "production"), [fix(GOOD)], 4, "ProductionBlocked"),
        (BAD, (), [fix(GOOD)], 0, "Repaired"),
        (BAD, (), [fix(GOOD, 0.75)], 0, "Repaired"),
        (BAD, (), [fix(GOOD, 0.7499999)], 1, "RejectedLowConfidence"),
        (BAD, (), [fix(OTHER), fix(GOOD)], 0, "Repaired"),
        (BAD, (), [fix(OTHER), fix(OTHER.replace("ww", "vv"))], 1, "Exhausted"),
        (BAD, (), [fix(OTHER), fix(OTHER)], 1, "NoProgress"),
        (BAD, (), [fix("int zzqx;\n"), fix("int zzqx = 0;\n")], 1, "VerificationRejected"),
        (BAD, (), [fix(BAD.replace("zzqx", "19"))], 1, "NeedsReview"),
    ],
)
def test_each_ending_has_its_outcome_and_exit_code(
    workshop: Workshop,
    code: Path,
    text: str,
    words: tuple[str, ...],
    script: list[Reply] | None,
    exit_code: int,
    outcome: str,
) -> None:
    code.write_text(text)
    ran = workshop.repair("cart.c", *words, script=script)
    assert (ran.code, ran.outcomes) == (exit_code, {"cart.c": outcome}), (ran.out, ran.err)
    if exit_code:
        assert code.read_text() == text


def test_a_check_that_hangs_is_timed_out(workshop: Workshop, code: Path) -> None:
    workshop.compiler("gcc", "sleep 60")
    ran = workshop.repair(code.name, "--timeout", "1")
    assert (ran.code, ran.outcomes) == (1, {"cart.c": "TimedOut"}), (ran.out, ran.err)


@pytest.mark.parametrize("value", ["NaN", "Infinity", "1e400", "-0.1", "true", "null", '"0.9"'])
def test_a_confidence_that_is_no_number_from_0_to_1_is_named(
    workshop: Workshop, code: Path, value: str
) -> None:
    reply = say(f'{{"code": {json.dumps(GOOD)}, "confidence": {value}}}')
    ran = workshop.repair(code.name, script=[reply])
    assert ran.outcomes == {"cart.c": "ProviderError"}
    message = str(file_of(ran)["message"])
    assert message.startswith("the confidence is "), message
    assert ("NaN" in message) == (value == "NaN")


def test_a_server_that_does_not_answer_is_a_provider_error(workshop: Workshop, code: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
    ran = workshop.run(
        "repair", code.name, "--root", str(workshop.root), "--json", "--base-url", url
    )
    assert (ran.code, ran.outcomes) == (1, {"cart.c": "ProviderError"}), (ran.out, ran.err)
    entry = file_of(ran)
    assert url.removesuffix("/v1") in str(entry["message"])
    assert "zzqx" in str(entry["compiler_error"])


# ----------------------------------------------------------------------------------- attempts


@pytest.mark.parametrize(("words", "questions"), [((), 2), (("--attempts", "1"), 1)])
def test_attempts_are_how_often_the_model_is_asked(
    workshop: Workshop, code: Path, words: tuple[str, ...], questions: int
) -> None:
    texts = [OTHER.replace("ww", f"w{number}") for number in range(4)]
    ran = workshop.repair(code.name, *words, script=[fix(text) for text in texts])
    assert (ran.outcomes, ran.questions) == ({"cart.c": "Exhausted"}, questions)


def test_a_partial_fix_is_followed_by_the_next_attempt_with_the_new_error(
    workshop: Workshop, code: Path
) -> None:
    code.write_text(TWO_ERRORS)
    ran = workshop.repair(code.name, script=[fix(ONE_ERROR), fix(NO_ERROR)])
    assert (ran.outcomes, ran.questions) == ({"cart.c": "Repaired"}, 2), (ran.out, ran.err)
    assert code.read_text() == NO_ERROR


def test_a_partial_fix_that_a_guess_has_made_before_is_followed_by_the_next_attempt(
    workshop: Workshop, code: Path
) -> None:
    text = "struct item { int count; };\n\nint total(const struct item *head) {\n"
    text += "    int n = head->cont;\n    return n + missing;\n}\n"
    partial = text.replace("->cont;", "->count;")
    code.write_text(text)
    replies = [fix(partial), fix(partial.replace("missing", "n"))]
    ran = workshop.repair(code.name, "--unsafe-fixes", script=replies)
    assert ran.outcomes == {"cart.c": "Repaired"}, (ran.out, ran.err)


@pytest.mark.parametrize(
    ("project", "user", "words", "outcome"),
    [
        ("confidence = 0.95", "", (), "RejectedLowConfidence"),
        ("confidence = 0.5", "", (), "RejectedLowConfidence"),
        ("confidence = 1", "", ("--confidence", "0.6"), "Repaired"),
        ("", "confidence = 0.5", (), "Repaired"),
        ("confidence = 0.9", "confidence = 0.5", (), "RejectedLowConfidence"),
    ],
)
def test_a_project_can_only_tighten_the_confidence(
    workshop: Workshop, code: Path, project: str, user: str, words: tuple[str, ...], outcome: str
) -> None:
    workshop.write(".holdfast/config.toml", f"{project}\n")
    own = workshop.root.parent / "own.toml"
    own.write_text(f"{user}\n")
    workshop.settings["HOLDFAST_CONFIG_FILE"] = str(own)
    ran = workshop.repair(code.name, *words, script=[fix(GOOD, 0.7)])
    assert ran.outcomes == {"cart.c": outcome}, (ran.out, ran.err)


@pytest.mark.parametrize(
    ("project", "words", "questions"),
    [
        ("attempts = 1", (), 1),
        ("attempts = 4", (), 2),
        ("attempts = 1", ("--attempts", "3"), 3),
    ],
)
def test_a_project_can_only_lower_the_attempts(
    workshop: Workshop, code: Path, project: str, words: tuple[str, ...], questions: int
) -> None:
    workshop.write(".holdfast/config.toml", f"{project}\n")
    texts = [OTHER.replace("ww", f"w{number}") for number in range(5)]
    ran = workshop.repair(code.name, *words, script=[fix(text) for text in texts])
    assert ran.questions == questions, (ran.out, ran.err)


# ---------------------------------------------------------------------------------- honest fixes


def test_a_fix_that_needs_a_review_is_shown_with_its_reason_and_never_becomes_a_rule(
    workshop: Workshop, code: Path
) -> None:
    code.write_text(GUARDED)
    weaker = GUARDED.replace("at >= sise", "at > size")
    ran = workshop.repair(code.name, script=[fix(weaker)])
    entry = file_of(ran)
    assert (ran.code, entry["outcome"]) == (1, "NeedsReview")
    assert entry["reasons"] == ["it changes a condition (`>=` is gone)."]
    assert "+  if (at > size)" in str(entry["proposal"])
    assert not (workshop.root / ".holdfast/rules").exists()
    # A person who pins the proposal accepts it.
    assert workshop.decisions("pin", str(entry["decision_id"])).code == 0
    again = workshop.repair(code.name)
    assert (again.outcomes, code.read_text()) == ({"cart.c": "Replayed"}, weaker), again.out


def test_a_change_that_no_error_points_at_is_refused_with_the_cure(
    workshop: Workshop, code: Path
) -> None:
    code.write_text(GUARDED)
    fixed = GUARDED.replace("sise", "size")
    replies = [fix(fixed.replace("limit = 5", "limit = 5000")), fix(fixed)]
    ran = workshop.repair(code.name, script=replies)
    assert (ran.outcomes, ran.questions) == ({"cart.c": "Repaired"}, 2), (ran.out, ran.err)
    [rejected] = [each for each in decided(workshop) if each["verdict"] == "rejected"]
    assert rejected["detail"] == (
        "it changes `5` in line 1, which no error points at; change only what the errors are about."
    )


def test_a_refused_pin_is_said(workshop: Workshop, code: Path) -> None:
    first = workshop.repair(code.name, script=[fix("int zzqx;\n"), fix("int zzqx = 0;\n")])
    decision = str(file_of(first)["decision_id"])
    assert workshop.decisions("pin", decision).code == 0
    ran = workshop.repair(code.name)
    assert ran.outcomes == {"cart.c": "NoProvider"}
    note = str(file_of(ran)["message"])
    assert f"the pinned decision {decision} was tried and refused: it makes up zzqx" in note


# ---------------------------------------------------------------------------------------- verify


@pytest.mark.parametrize(
    ("oracle", "outcome"),
    [("tests", "VerificationRejected"), ("check", "Repaired"), ("compile", "Repaired")],
)
def test_the_projects_tests_run_on_the_candidate_unless_less_is_asked_for(
    workshop: Workshop, code: Path, oracle: str, outcome: str
) -> None:
    workshop.write(".holdfast/config.toml", 'check = "sh tests.sh"\n')
    workshop.write("tests.sh", "grep -q 'prices + zzqx' cart.c || { echo 'wrong'; exit 1; }\n")
    again = GOOD.replace("+ prices", "* prices").replace("*", "+ 1 *")
    ran = workshop.repair(code.name, "--trust", "--verify", oracle, script=[fix(GOOD), fix(again)])
    assert ran.outcomes == {"cart.c": outcome}, (ran.out, ran.err)


def test_verify_compile_runs_the_compiler_alone(workshop: Workshop) -> None:
    workshop.write("a.py", "def total(prices):\n    return sum(prcs)\n")
    ran = workshop.repair("a.py", "--verify", "compile")
    assert ran.outcomes == {"a.py": "FirstTrySuccess"}, (ran.out, ran.err)
    assert "ruff" not in str(file_of(ran)["oracle"])
    assert workshop.repair("a.py", "--verify", "check").outcomes == {"a.py": "NoProvider"}


@pytest.mark.parametrize("kind", ["bubblewrap", "landlock", "off"])
def test_the_projects_tests_run_in_the_sandbox(workshop: Workshop, code: Path, kind: str) -> None:
    workshop.settings["HOLDFAST_SANDBOX"] = kind
    shown = workshop.run("config", "show", "--root", str(workshop.root), "--json").told
    if kind != "off" and shown["sandbox"]["kind"] != kind:
        pytest.skip(f"{kind} does not work on this machine")
    outside = workshop.root.parent / "outside"
    workshop.write(".holdfast/config.toml", 'check = "sh tests.sh"\n')
    workshop.write("tests.sh", f"touch {outside}\nexit 0\n")
    ran = workshop.repair(code.name, "--trust", script=[fix(GOOD)])
    assert ran.outcomes == {"cart.c": "Repaired"}, (ran.out, ran.err)
    assert outside.exists() == (kind == "off")


# ------------------------------------------------------------------- decisions, gate, production


def test_a_learned_rule_is_named_by_its_decision_and_by_each_use(
    workshop: Workshop, code: Path
) -> None:
    text = "#include <stdio.h>\n\nint ask(char *line) {\n    return fgets(line, 80) != NULL;\n}\n"
    code.write_text(text)
    learned = workshop.repair(code.name, script=[fix(text.replace("80)", "80, stdin)"), 0.8)])
    rule = file_of(learned)["rule_added"]
    [first] = decided(workshop)
    assert (first["rule_id"], first["confidence"], first["model_id"]) == (rule, 0.8, "scripted")
    workshop.write("b.c", text.replace("line", "row"))
    assert workshop.repair("b.c").outcomes == {"b.c": "RuleRepaired"}
    [used] = [each for each in decided(workshop) if each["decision_type"] == "rule_applied"]
    assert (used["rule_id"], used["model_id"], used["pinned"]) == (rule, "scripted", False)
    assert isinstance(used["confidence"], float)
    # One file for each decision.
    files = list((workshop.root / ".holdfast/decisions/build").rglob("*.json"))
    assert len(files) == 2
    # `pin --rule` pins what the rule was learned from and what it made; then the gate is open.
    assert workshop.decisions("gate").code == 4
    pinned = workshop.decisions("pin", "--rule", str(rule)).told["pinned"]
    assert {each["id"] for each in pinned} == {first["id"], used["id"]}
    assert workshop.decisions("gate").code == 0


@pytest.mark.parametrize(
    ("strictness", "questions", "first", "rules", "second"),
    [
        ("sketch", 1, "Repaired", 1, "RuleRepaired"),
        ("development", 1, "Repaired", 1, "RuleRepaired"),
        ("production", 0, "ProductionBlocked", 0, "ProductionBlocked"),
    ],
)
def test_the_strictness_says_who_is_asked_what_is_learned_and_what_is_applied(
    workshop: Workshop,
    code: Path,
    strictness: str,
    questions: int,
    first: str,
    rules: int,
    second: str,
) -> None:
    text = "#include <stdio.h>\n\nint ask(char *line) {\n    return fgets(line, 80) != NULL;\n}\n"
    code.write_text(text)
    reply = fix(text.replace("80)", "80, stdin)"))
    ran = workshop.repair(code.name, "--strictness", strictness, script=[reply])
    assert (ran.outcomes, ran.questions) == ({"cart.c": first}, questions), (ran.out, ran.err)
    words = ("rules", "list", "--unreviewed", "--root", str(workshop.root), "--json")
    assert len(workshop.run(*words).told["rules"]) == rules
    # A rule that is not pinned, learned at another strictness if not at this one.
    if not rules:
        assert workshop.repair(code.name, script=[reply]).code == 0
    workshop.write("b.c", text.replace("line", "row"))
    ran = workshop.repair("b.c", "--strictness", strictness, script=[])
    assert (ran.outcomes, ran.questions) == ({"b.c": second}, 0), (ran.out, ran.err)
    needs = (
        []
        if second == "RuleRepaired"
        else [rule["id"] for rule in workshop.run(*words).told["rules"]]
    )
    assert file_of(ran).get("needs_pin", []) == needs


def test_what_a_person_decides_about_a_rule_is_what_the_next_repair_does(
    workshop: Workshop, code: Path
) -> None:
    text = "#include <stdio.h>\n\nint ask(char *line) {\n    return fgets(line, 80) != NULL;\n}\n"
    code.write_text(text)
    learned = file_of(workshop.repair(code.name, script=[fix(text.replace("80)", "80, stdin)"))]))
    rule = str(learned["rule_added"])
    for verdict, outcome in (
        ("reject", "NoProvider"),
        ("approve", "RuleRepaired"),
        ("demote", "NoProvider"),
        ("pin", "RuleRepaired"),
        ("unpin", "RuleRepaired"),
    ):
        assert workshop.run("rules", verdict, rule, "--root", str(workshop.root)).code == 0
        workshop.write("b.c", text.replace("line", f"row_{verdict}"))
        ran = workshop.repair("b.c")
        assert ran.outcomes == {"b.c": outcome}, (verdict, ran.out)


def test_pin_all_opens_the_gate_and_a_rule_that_nobody_knows_is_refused(
    workshop: Workshop, code: Path
) -> None:
    assert workshop.repair(code.name, script=[fix(GOOD)]).code == 0
    assert workshop.decisions("gate").code == 4
    refused = workshop.decisions("pin", "--rule", "none")
    assert refused.code == 1
    assert "no decision names this rule" in refused.out + refused.err
    assert workshop.decisions("pin", "--all").code == 0
    assert workshop.decisions("gate").code == 0
    code.write_text(BAD)
    ran = workshop.repair(code.name, "--strictness", "production")
    assert ran.outcomes == {"cart.c": "Replayed"}, (ran.out, ran.err)
    assert workshop.decisions("gate").code == 0


def test_an_error_that_a_syntax_error_had_hidden_is_one_that_a_fix_may_be_about(
    workshop: Workshop, code: Path
) -> None:
    middle = "".join(f"int f{number}(int n) {{ return n; }}\n" for number in range(9))
    text = f"int one(int n) {{\n  return n\n}}\n{middle}int two(int n) {{ return n + zzqx; }}\n"
    first = text.replace("return n\n", "return n;\n")
    code.write_text(text)
    ran = workshop.repair(code.name, script=[fix(first.replace("zzqx", "n"))])
    assert ran.outcomes == {"cart.c": "Repaired"}, (ran.out, ran.err)


def test_two_doubtful_halves_do_not_make_an_honest_fix(workshop: Workshop, code: Path) -> None:
    text = "int f(int a, int n) {\n  if (a >= m) return 0;\n  return a + zzqx;\n}\n"
    half = text.replace("a >= m", "a > n")
    code.write_text(text)
    ran = workshop.repair(code.name, script=[fix(half), fix(half.replace("zzqx", "n"))])
    assert ran.outcomes == {"cart.c": "NeedsReview"}, (ran.out, ran.err)
    assert file_of(ran)["reasons"] == ["it changes a condition (`>=` is gone)."]
