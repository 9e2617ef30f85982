"""How a fix is judged as a whole: the language it is read in, and which reason comes first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from holdfast.preservation.judge import judge_fix, language_for, parse_errors
from holdfast.vocab.diagnostics import Area, Diagnostic, Related, Target


@pytest.mark.parametrize(
    ("path", "target", "language"),
    [
        ("a.py", "any", "python"),
        ("a.notes", "any", ""),
        ("a.py", "c", "c"),
        ("a", "python", "python"),
        ("a.tsx", "typescript", "tsx"),
        ("a.js", "typescript", "javascript"),
        ("a.ts", "typescript", "typescript"),
        ("a.jsx", "javascript", "javascript"),
        ("a.ts", "javascript", "javascript"),
    ],
)
def test_the_target_says_the_language_and_the_name_its_dialect(
    path: str, target: Target, language: str
) -> None:
    assert language_for(path, target) == language


def test_places_that_do_not_parse_are_counted_where_the_language_is_understood() -> None:
    assert parse_errors("x = 1\n", "a.py", "python") == 0
    assert (parse_errors("x = = 1\n", "a.py", "python") or 0) > 0
    assert parse_errors("x = = 1\n", "a.notes", "any") is None


GUARDED = (
    "limit = 5\n\n\ndef pick(at, size):\n    if at >= sise:\n        return -1\n    return at\n"
)
SAID = Diagnostic(
    "ruff",
    "1",
    "F821",
    "error",
    "Undefined name `sise`",
    "Undefined name {0}",
    ("sise",),
    "a.py",
    Area(5, 14, 5, 18),
)


def test_what_is_refused_comes_before_what_is_shown() -> None:
    weaker = GUARDED.replace("at >= sise", "at > size")
    [doubt] = judge_fix(GUARDED, weaker, "a.py", "python", [SAID])
    assert doubt.severity == "review"
    both = weaker.replace("limit = 5", "limit = 6")
    severities = [each.severity for each in judge_fix(GUARDED, both, "a.py", "python", [SAID])]
    assert severities[0] == "refused"
    assert severities == sorted(severities, key=lambda each: each != "refused")
    assert "review" in severities


@pytest.mark.parametrize("name", ["a.py", "a.notes"])
def test_bytes_that_are_no_text_must_stay_in_any_language(name: str) -> None:
    before = "x = 1  # \udce9 \udce8\ny = zz\n"
    reason = "it loses bytes of the file that are not text; keep their lines."
    kept = before.replace("zz", "1")
    lost = kept.replace("\udce8", "e")
    assert reason not in {each.reason for each in judge_fix(before, kept, name, "any")}
    assert reason in {each.reason for each in judge_fix(before, lost, name, "any")}


def test_an_error_or_a_note_without_a_place_is_about_the_whole_file() -> None:
    fixed = GUARDED.replace("sise", "size")
    nowhere = replace(SAID, area=None, related=(Related("see the manual", "a.py"),))
    assert judge_fix(GUARDED, fixed, "a.py", "python", [nowhere]) == []
    noted = replace(SAID, related=(Related("see the manual", "a.py"),))
    assert judge_fix(GUARDED, fixed, "a.py", "python", [noted]) == []


def test_a_text_without_a_tree_keeps_its_words_and_its_checks() -> None:
    def judged(before: str, after: str) -> list[tuple[str, str]]:
        return [(each.severity, each.reason) for each in judge_fix(before, after, "a.notes", "any")]

    assert judged("a b c\n", "a b d\n") == []
    assert judged("a b c\n", "a b\n") == [
        ("review", "it deletes 1 of 3 words, in a language that is not parsed.")
    ]
    assert judged("a b c\n", "\n") == [
        ("refused", "it deletes the whole text; keep the code and fix it.")
    ]
    [(severity, reason)] = judged("a b\n", "a b  # noqa\n")
    assert (severity, reason.partition(" (")[0]) == ("refused", "it silences the checker")


def test_a_type_that_loses_its_arguments_is_refused_and_one_that_is_gone_is_not() -> None:
    before = "import java.util.*;\nclass A {\n  List<String> a;\n  Set<String> b = zz;\n}\n"
    said = replace(SAID, tool="javac", args=("zz",), area=Area(4, 19, 4, 21))
    raw = before.replace("Set<String> b = zz", "Set b = a")
    reasons = [each.reason for each in judge_fix(before, raw, "A.java", "java", [said])]
    assert "it removes the type arguments of Set; keep them." in reasons
    another = before.replace("zz", "null").replace("}\n", "  List c;\n}\n")
    reasons = [each.reason for each in judge_fix(before, another, "A.java", "java", [said])]
    assert not [reason for reason in reasons if "type arguments" in reason]


@pytest.mark.parametrize(
    ("path", "language", "before", "after", "reasons"),
    [
        ("a.c", "c", "int a = 1;\n", "int a = (1;\n", ["it adds syntax errors: 1 now, 0 before."]),
        ("a.c", "c", "int a = ];\n", "int a = ]; int b = [;\n", []),
        ("a.py", "python", "a = 1\n", "a = (1\n", ["it adds syntax errors: 1 now, 0 before."]),
        ("a.py", "python", "a = ]\n", "a = ]\nb = ]\n", ["it adds syntax errors: 2 now, 1 before."]),
        ("a.py", "python", "a = ]\nb = ]\n", "a = ]\nb = ]\n", []),
        ("a.py", "python", "a = ]\nb = ]\n", "a = 1\nb = ]\n", []),
    ],
)  # fmt: skip
def test_a_fix_adds_no_syntax_error_but_where_macros_may_be_the_reason(
    path: str, language: Target, before: str, after: str, reasons: list[str]
) -> None:
    found = [each.reason for each in judge_fix(before, after, path, language)]
    assert [reason for reason in found if "syntax errors" in reason] == reasons


@pytest.mark.parametrize(
    ("before", "after", "is_dead"),
    [
        ("f(1)\ng(2)\n", "if False:\n    f(1)\ng(2)\n", True),
        ("f(1)\ng(2)\n", "if a:\n    f(1)\ng(2)\n", False),
        ("if False:\n    f(1)\n", "if False:\n    f(2)\n", False),
        ("if False:\n    f(1)\n", "f(1)\n", False),
        ("if False:\n    f(1)\n", "if False:\n    f(1, 2)\n", True),
    ],
)
def test_code_is_not_put_where_it_can_never_run(before: str, after: str, is_dead: bool) -> None:
    reasons = [each.reason for each in judge_fix(before, after, "a.py", "python")]
    assert ("it puts code where it can never run; fix the code instead." in reasons) is is_dead
