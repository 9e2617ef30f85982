"""What a book does with rules: find, rank, count, widen, and keep what somebody has decided."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from holdfast.repair.rule_lookup import Applied, Miss, MissNeedsPin, lookup
from holdfast.rules.learn.learn_rule import NotLearned, learn
from holdfast.rules.learn.merge_rules import NotMerged, explains, merge
from holdfast.rules.match.apply_rule import NoFit, Rewritten, rewrite
from holdfast.rules.rule import Rule, example_of
from holdfast.rules.rule_book import RuleBook, rank_of, read_book, with_result, with_verdict
from holdfast.rules.rule_json import BadRule, dump_rule, parse_rule, rule_to_json
from tests.rules.complaint import complaint, learned, undefined

PRINT = learned("pritn(1)\n", "print(1)\n", undefined("pritn"))
RENAME = learned(
    "a = totl\n", "a = total\n", complaint("{0} is not there; maybe {1}", "totl", "total", column=5)
)


class MemoryRuleFiles:
    """Rule files in memory (port `RuleFiles`)."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def read_all(self) -> list[tuple[str, bytes]]:
        return sorted(self.kept.items())

    def update(self, name: str, change: object) -> bytes | None:
        assert callable(change)
        data: bytes = change(self.kept.get(name))
        self.kept[name] = data
        return data


# ------------------------------------------------------------------------------------------------------------- looking


def test_a_rule_for_the_complaint_is_applied_at_its_place() -> None:
    found = lookup(
        RuleBook([PRINT]),
        [undefined("pritn", 2, 5)],
        "if x:\n    pritn(x, 2)\n",
        "python",
        "development",
    )
    assert found == Applied(PRINT, "if x:\n    print(x, 2)\n", undefined("pritn", 2, 5))


def test_another_name_code_template_or_language_is_a_miss() -> None:
    book = RuleBook([PRINT])
    assert lookup(book, [undefined("prnt")], "prnt(1)\n", "python", "sketch") == Miss()
    assert (
        lookup(book, [replace(undefined("pritn"), code="X2")], "pritn(1)\n", "python", "sketch")
        == Miss()
    )
    assert (
        lookup(
            book, [replace(undefined("pritn"), template="{0}")], "pritn(1)\n", "python", "sketch"
        )
        == Miss()
    )
    assert lookup(book, [undefined("pritn")], "pritn(1)\n", "javascript", "sketch") == Miss()


def test_in_production_only_a_pinned_rule_is_applied_and_the_other_needs_a_pin() -> None:
    asked = [undefined("pritn")], "pritn(1)\n", "python", "production"
    assert lookup(RuleBook([PRINT]), *asked) == MissNeedsPin(PRINT)  # type: ignore[arg-type]
    pinned = with_verdict(PRINT, "pin")
    assert lookup(RuleBook([pinned]), *asked) == Applied(pinned, "print(1)\n", undefined("pritn"))  # type: ignore[arg-type]


def test_what_is_demoted_rejected_or_proposed_is_not_applied() -> None:
    for status in ("demoted", "rejected", "proposed"):
        book = RuleBook([replace(PRINT, status=status)])
        assert lookup(book, [undefined("pritn")], "pritn(1)\n", "python", "sketch") == Miss()


def test_a_rule_that_has_failed_here_gives_way_to_the_next() -> None:
    other = learned("pritn(1)\n", "sprint(1)\n", undefined("pritn"))
    book = RuleBook([replace(PRINT, priority=1), other])
    asked = [undefined("pritn")], "pritn(1)\n", "python", "sketch"
    first = lookup(book, *asked)  # type: ignore[arg-type]
    assert isinstance(first, Applied)
    assert first.rule.id == PRINT.id
    second = lookup(book, *asked, without={PRINT.id})  # type: ignore[arg-type]
    assert isinstance(second, Applied)
    assert second.code == "sprint(1)\n"


def test_the_winner_is_by_priority_then_pin_then_record_then_date() -> None:
    rules = [
        replace(PRINT, id="c", confidence=0.9),
        replace(PRINT, id="b", status="pinned"),
        replace(PRINT, id="a", priority=1),
        replace(PRINT, id="d", confidence=0.5, created="2027"),
        replace(PRINT, id="e", confidence=0.5, created="2026"),
    ]
    assert [rule.id for rule in sorted(rules, key=rank_of, reverse=True)] == [
        "a",
        "b",
        "c",
        "d",
        "e",
    ]


# ------------------------------------------------------------------------------------------------------------ counting


def test_a_rule_that_fails_more_than_it_helps_is_demoted_and_a_pinned_one_is_not() -> None:
    once = with_result(with_result(PRINT, helped=True), helped=False)
    assert (once.applied, once.failed, once.status) == (1, 1, "active")
    twice = with_result(once, helped=False)
    assert (twice.failed, twice.status) == (2, "demoted")
    assert with_result(PRINT, helped=False).status == "active"
    assert with_result(with_result(PRINT, helped=False), helped=False).status == "demoted"
    assert (
        with_result(with_result(with_verdict(PRINT, "pin"), helped=False), helped=False).status
        == "pinned"
    )


def test_the_record_is_kept_in_the_file_as_it_is_there_now() -> None:
    files = MemoryRuleFiles()
    one, other = RuleBook([PRINT], files), RuleBook([PRINT], files)
    one.record(PRINT.id, helped=True)
    other.record(PRINT.id, helped=True)
    assert one.record(PRINT.id, helped=True).applied == 3
    assert parse_rule(files.kept[f"python/{PRINT.id}"]).applied == 3


# ------------------------------------------------------------------------------------------------------------ learning


def test_learning_the_same_again_does_not_unpin_nor_bring_back_what_was_rejected() -> None:
    book = RuleBook([PRINT])
    for verdict, status in (("pin", "pinned"), ("reject", "rejected"), ("demote", "demoted")):
        book.judge(PRINT.id, verdict)  # type: ignore[arg-type]
        again = book.learn(
            "pritn(2)\n", "print(2)\n", [undefined("pritn")], "python", created="2030"
        )
        assert isinstance(again, Rule)
        assert (again.id, again.status, len(book)) == (PRINT.id, status, 1)


def test_a_second_spelling_with_the_same_fix_is_one_rule() -> None:
    book = RuleBook([PRINT])
    merged = book.learn("x = 1\nprnt(x)\n", "x = 1\nprint(x)\n", [undefined("prnt", 2)], "python")
    assert isinstance(merged, Rule)
    assert (merged.id, merged.constants) == (PRINT.id, {0: ("pritn", "prnt")})
    assert all(explains(merged, example) for example in merged.examples)


def test_an_example_whose_new_text_comes_from_nowhere_is_not_merged() -> None:
    other = example_of("lne(x)\n", "len(x)\n", undefined("lne"))
    assert merge(PRINT, other) == NotMerged("a hole of the fix would have nothing to fill it")


def test_a_name_that_the_message_proposes_is_filled_in_anew() -> None:
    asked = complaint("{0} is not there; maybe {1}", "cuont", "count", line=2, column=8)
    made = rewrite(RENAME, "def f(count):\n    print(cuont, 'cuont')\n", replace(asked, area=None))
    assert isinstance(made, NoFit)
    made = rewrite(RENAME, "count = 3\nprint((cuont), 'cuont')\n", asked)
    assert isinstance(made, Rewritten)
    assert made.text == "count = 3\nprint((count), 'cuont')\n"


def test_what_has_nothing_to_do_with_the_complaint_is_not_learned() -> None:
    assert learn("a = 1\nb = 2\n", "a = 1\nb = 3\n", undefined("c"), "python") == NotLearned(
        "the differences are not tied to the message or to its place"
    )
    assert learn("a\n", "a\n", undefined("a"), "python") == NotLearned("nothing differs")


def test_two_places_that_fit_are_none() -> None:
    rule = learned(
        "def f():\n    x = 1\n    return y\n",
        "def f():\n    y = 1\n    return y\n",
        complaint("{0} for {1}", "x", "y", line=9),
    )
    assert rule.pattern.place == "elsewhere"
    twice = "def f():\n    a = 1\n    a = 2\n    return b\n"
    said = complaint("{0} for {1}", "a", "b", line=9)
    assert rewrite(rule, twice, said) == NoFit("the code there is different")
    assert isinstance(rewrite(rule, twice.replace("    a = 2\n", ""), said), Rewritten)


# -------------------------------------------------------------------------------------------------------------- files


def test_a_file_that_is_no_rule_or_another_one_is_reported_and_skipped() -> None:
    files = MemoryRuleFiles()
    files.kept = {
        "python/aa": b"{}",
        "python/bb": dump_rule(PRINT),
        f"python/{PRINT.id}": dump_rule(PRINT),
    }
    book = read_book(files)
    assert [rule.id for rule in book] == [PRINT.id]
    assert [problem.split(":")[0] for problem in book.problems] == [
        "rules/python/aa.json",
        "rules/python/bb.json",
    ]


def test_a_project_s_file_stands_before_the_builtin_of_that_name() -> None:
    files = MemoryRuleFiles()
    files.kept = {f"python/{PRINT.id}": dump_rule(with_verdict(PRINT, "pin"))}
    assert [rule.status for rule in read_book(files, [PRINT])] == ["pinned"]


@pytest.mark.parametrize("name", ["../../x", "", "a/b", "x.y", "ü", "a" * 65])
def test_a_name_that_could_be_a_path_is_no_rule_s_name(name: str) -> None:
    import json

    with pytest.raises(BadRule, match="the id"):
        parse_rule(json.dumps({**rule_to_json(PRINT), "id": name}).encode())


def test_a_rule_has_just_the_fields_of_the_design() -> None:
    assert list(rule_to_json(PRINT)) == [
        "id", "target", "tool", "code", "template", "node_kind", "pattern", "fix", "constants", "provenance", "status",
        "confidence", "priority", "examples", "counter_examples", "applied", "failed", "created",
    ]  # fmt: skip


def test_a_rule_that_somebody_writes_need_not_keep_a_record() -> None:
    rule = learned("x = xrange(3)\n", "x = range(3)\n", undefined("xrange", column=5))
    written = {
        name: value
        for name, value in json.loads(dump_rule(rule)).items()
        if name
        in {"id", "target", "tool", "code", "template", "pattern", "fix", "examples", "constants"}
    }
    read = parse_rule(json.dumps(written).encode())
    assert (read.provenance, read.status, read.applied, read.fix) == (
        "manual",
        "active",
        0,
        rule.fix,
    )


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"fix": None}, "a value has the wrong type"),
        ({"applied": -5}, "-5 is no count"),
        ({"confidence": float("nan")}, "nan is no share"),
        ({"template": ...}, "it has no 'template'"),
    ],
)
def test_what_is_wrong_with_a_rule_file_is_said_by_name(
    changed: dict[str, object], message: str
) -> None:
    rule = learned("x = xrange(3)\n", "x = range(3)\n", undefined("xrange", column=5))
    read = json.loads(dump_rule(rule)) | changed
    with pytest.raises(BadRule, match=message):
        parse_rule(
            json.dumps({name: value for name, value in read.items() if value is not ...}).encode()
        )
