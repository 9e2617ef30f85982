"""Outcomes in words."""

from __future__ import annotations

import json

from holdfast import Landed, Patch, Refused, Replace, explain, land

AMBIGUOUS = land("a\nb\na\n", Replace("a", "c"), path="x.py")
MALFORMED = land("a\n", Patch("nonsense"), path="x.py")


def test_the_text_for_a_model_is_one_sentence_and_the_changed_lines() -> None:
    outcome = land("a\nb\nc\n", Replace("b", "x"))
    assert explain(outcome) == "Landed at line 2.\n-b\n+x"


def test_a_looser_landing_says_how_it_was_found() -> None:
    outcome = land("\ta()\n\tb()\n", Replace("  a()\n  b()", "  a()\n  c()"))
    assert explain(outcome).startswith("Landed at line 2 (white space differed).")


def test_a_refusal_says_where_what_and_the_next_step() -> None:
    assert isinstance(AMBIGUOUS, Refused)
    sentence = (
        "x.py: the old text is at lines 1, 3; add a line of context above or below it to pick one:\n"
        + AMBIGUOUS.closest
    )
    assert explain(AMBIGUOUS) == sentence
    assert explain(AMBIGUOUS, "person") == f"Refused (ambiguous): {sentence}"


def test_as_json_a_refusal_has_its_kind_and_the_format_that_is_expected() -> None:
    assert isinstance(AMBIGUOUS, Refused)
    record = json.loads(explain(AMBIGUOUS, "json"))
    assert record == {
        "kind": "edit_error",
        "reason": "ambiguous",
        "message": explain(AMBIGUOUS),
        "closest": AMBIGUOUS.closest,
        "candidates": [1, 3],
        "expected_format": "",
    }
    malformed = json.loads(explain(MALFORMED, "json"))
    assert malformed["kind"] == "patch_error"
    assert "@@ -1,3 +1,3 @@" in malformed["expected_format"]


def test_the_expected_format_lands() -> None:
    example = json.loads(explain(MALFORMED, "json"))["expected_format"]
    assert isinstance(land("def main():\n    return 1\n", Patch(example)), Landed)


def test_as_json_a_landing_has_its_rung_and_diff() -> None:
    record = json.loads(explain(land("a\n", Replace("a", "b")), "json"))
    assert record == {
        "kind": "landed",
        "rung": "exact",
        "similarity": 1.0,
        "lines": [1],
        "diff": "@@ -1 +1 @@\n-a\n+b\n",
        "warning": None,
    }


def test_a_long_change_is_cut_for_a_model() -> None:
    outcome = land("a\n", Replace("a", "\n".join(map(str, range(100)))))
    assert explain(outcome).endswith("more changed lines)")
