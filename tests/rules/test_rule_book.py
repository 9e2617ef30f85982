"""What a book does with rules: find, rank, count, widen, and keep what somebody has decided."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import pytest

from holdfast.repair.rule_lookup import Applied, Miss, lookup
from holdfast.rules.apply_rule import NoFit, Rewritten, rewrite
from holdfast.rules.learn_rule import NotLearned, explains, learn
from holdfast.rules.rule import Rule, Status, TokenRewrite
from holdfast.rules.rule_book import (
    LearnVerdict,
    RuleBook,
    confidence_of,
    confidence_of_file,
    rank_of,
    read_book,
    widened,
    with_verdict,
)
from holdfast.rules.rule_yaml import BadRule, dump_rule, parse_rule, rule_from
from holdfast.rules.scope import scope_of
from holdfast.vocab.diagnostics import Area, Diagnostic
from tests.rules.complaint import complaint, learned, undefined

PRINT = learned("pritn(1)\n", "print(1)\n", undefined("pritn"))


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


class MemoryCounters:
    """Counters in memory (port `RuleCounters`)."""

    def __init__(self) -> None:
        self.kept: dict[str, tuple[int, int]] = {}

    def read(self) -> dict[str, tuple[int, int]]:
        return self.kept

    def add(self, rule_id: str, *, helped: bool) -> tuple[int, int]:
        before, failed = self.kept.get(rule_id, (0, 0))
        self.kept[rule_id] = (before + helped, failed + (not helped))
        return self.kept[rule_id]


# ------------------------------------------------------------------------------------------------------------- looking


def test_a_rule_for_the_complaint_is_applied_at_its_place() -> None:
    asked = undefined("pritn", 2, 5)
    found = lookup(RuleBook([PRINT]), [asked], "if x:\n    pritn(2)\n", "python", "development")
    assert found == Applied(PRINT, "if x:\n    print(2)\n", asked)


def test_another_name_code_template_or_language_is_a_miss() -> None:
    book = RuleBook([PRINT])
    text = "pritn(1)\n"
    assert lookup(book, [undefined("prnt")], "prnt(1)\n", "python", "sketch") == Miss()
    other_code = replace(undefined("pritn"), code="X2")
    assert lookup(book, [other_code], text, "python", "sketch") == Miss()
    other_template = replace(undefined("pritn"), template="{0}")
    assert lookup(book, [other_template], text, "python", "sketch") == Miss()
    assert lookup(book, [undefined("pritn")], text, "javascript", "sketch") == Miss()


def test_in_production_only_a_pinned_rule_is_applied_and_another_is_a_miss() -> None:
    asked = undefined("pritn")
    found = lookup(RuleBook([PRINT]), [asked], "pritn(1)\n", "python", "production")
    assert found == Miss()
    pinned = with_verdict(PRINT, "pin")
    found = lookup(RuleBook([pinned]), [asked], "pritn(1)\n", "python", "production")
    assert found == Applied(pinned, "print(1)\n", asked)


def test_what_is_demoted_rejected_or_proposed_is_not_applied() -> None:
    for status in ("demoted", "rejected", "proposed"):
        book = RuleBook([replace(PRINT, status=status)])
        assert lookup(book, [undefined("pritn")], "pritn(1)\n", "python", "sketch") == Miss()


def test_an_unsafe_rule_is_found_only_by_whoever_asks_for_one() -> None:
    book = RuleBook([replace(PRINT, safe=False)])
    asked = [undefined("pritn")], "pritn(1)\n"
    assert lookup(book, *asked, "python", "development") == Miss()
    found = lookup(book, *asked, "python", "development", unsafe=True)
    assert isinstance(found, Applied)


def test_the_winner_is_what_a_person_approved_then_a_pin_then_the_record() -> None:
    rules = [
        replace(PRINT, id="c", helped=9),
        replace(PRINT, id="b", status="pinned"),
        replace(PRINT, id="a", approved=True),
        replace(PRINT, id="d", helped=2),
    ]
    ranked = sorted(rules, key=rank_of, reverse=True)
    assert [rule.id for rule in ranked] == ["a", "b", "c", "d"]


# ------------------------------------------------------------------------------------------------------------ counting


def test_the_record_is_counted_apart_and_the_file_of_the_rule_stays_as_it_is() -> None:
    files, counters = MemoryRuleFiles(), MemoryCounters()
    files.kept[f"python/{PRINT.id}"] = dump_rule(PRINT)
    before = dict(files.kept)
    book = read_book(files, (), counters)
    book.record(PRINT.id, helped=True)
    book.record(PRINT.id, helped=False)
    assert files.kept == before
    again = read_book(files, (), counters).get(PRINT.id)
    assert again is not None
    assert (again.helped, again.failed) == (1, 1)


def test_a_rule_that_fails_more_than_it_helps_is_not_used_and_a_pinned_one_is() -> None:
    book = RuleBook([PRINT])
    for _ in range(2):
        book.record(PRINT.id, helped=False)
    assert lookup(book, [undefined("pritn")], "pritn(1)\n", "python", "sketch") == Miss()
    book.judge(PRINT.id, "pin")
    found = lookup(book, [undefined("pritn")], "pritn(1)\n", "python", "sketch")
    assert isinstance(found, Applied)


# ------------------------------------------------------------------------------------------------------------ learning


def test_learning_the_same_again_does_not_unpin_nor_bring_back_what_was_rejected() -> None:
    book = RuleBook([PRINT])
    for verdict, status in (("pin", "pinned"), ("reject", "rejected"), ("demote", "demoted")):
        book.judge(PRINT.id, verdict)  # type: ignore[arg-type]
        again = book.learn("pritn(2)\n", "print(2)\n", [undefined("pritn")], "python")
        assert isinstance(again, Rule)
        assert (again.id, again.status, len(book)) == (PRINT.id, status, 1)


def test_a_second_example_frees_what_differs_and_no_more() -> None:
    book = RuleBook()
    asked = complaint("bad argument of {0}", "load", column=1)
    first = book.learn("load(a, 1)\n", "load(a, 1, None)\n", [asked], "python")
    assert isinstance(first, Rule)
    assert scope_of(first) == (
        "`load` called with two arguments `load($A, $B)`, $A a variable, $B an integer,"
        " where the message names `load` ({0}), where no comment says what is meant, in Python"
    )
    second = book.learn("load(b, 'x')\n", "load(b, 'x', None)\n", [asked], "python")
    assert isinstance(second, Rule)
    assert (second.id, len(second.examples), len(book)) == (first.id, 2, 1)
    assert second.rewrite is not None
    assert second.rewrite.kinds == {
        "A": ("reference:variable",),
        "B": ("integer:number", "string:text"),
    }
    assert dict(second.values) == {0: ("load",)}
    assert all(explains(second, example) for example in second.examples)


def test_a_person_can_widen_a_rule() -> None:
    asked = complaint("bad argument of {0}", "load", column=1)
    rule = learned("load(a, 1)\n", "load(a, 1, None)\n", asked)
    book = RuleBook([rule])
    wide = book.judge(rule.id, "widen")
    assert (wide.widened, wide.reviewed, dict(wide.values)) == (True, True, {})
    found = lookup(book, [asked], "load(f(x), -y)\n", "python", "development")
    assert isinstance(found, Applied)
    assert found.code == "load(f(x), -y, None)\n"


COLON = learned(
    "if n > 1\n    f()\n", "if n > 1:\n    f()\n", complaint("expected ':'", line=1, column=9)
)
MISSING = replace(undefined("np"), tool="ruff", code="F821")
NUMPY = learned("np.sum(x)\n", "import numpy as np\n\nnp.sum(x)\n", MISSING)


def test_a_person_can_widen_a_rule_of_tokens_and_one_that_only_imports() -> None:
    wide = widened(COLON)
    assert isinstance(COLON.rewrite, TokenRewrite)
    assert wide.rewrite == replace(COLON.rewrite, kinds={})
    assert (wide.widened, wide.approved, wide.safe) == (True, True, True)
    # Which module a name needs, no width can tell.
    assert (widened(NUMPY).rewrite, widened(NUMPY).values) == (None, {0: ("np",)})


def test_what_a_person_has_widened_asks_for_no_other_reading_of_a_missing_name() -> None:
    text = "import re\n\n\ndef f(self, x):\n    self.np = x\n    return np.sum(x)\n"
    asked = replace(MISSING, area=Area(6, 12, 6, 14))
    assert isinstance(rewrite(NUMPY, text, asked), NoFit)
    made = rewrite(widened(NUMPY), text, asked)
    assert isinstance(made, Rewritten)
    assert made.text == text.replace("import re\n", "import numpy as np\nimport re\n")


def test_what_has_nothing_to_do_with_the_complaint_is_not_learned() -> None:
    assert isinstance(
        learn("a = 1\nb = 2\n", "a = 1\nb = 3\n", undefined("c"), "python"), NotLearned
    )
    assert learn("a\n", "a\n", undefined("a"), "python") == NotLearned("nothing but blanks differs")


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
        "rules/python/aa.yaml",
        "rules/python/bb.yaml",
    ]


def test_a_project_s_file_stands_before_the_builtin_of_that_name() -> None:
    files = MemoryRuleFiles()
    files.kept = {f"python/{PRINT.id}": dump_rule(with_verdict(PRINT, "pin"))}
    assert [rule.status for rule in read_book(files, [PRINT])] == ["pinned"]


@pytest.mark.parametrize("name", ["../../x", "a/b", "x.y", "ü", "a" * 65])
def test_a_name_that_could_be_a_path_is_no_rule_s_name(name: str) -> None:
    text = dump_rule(PRINT).decode().replace(f"id: {PRINT.id}", f"id: '{name}'")
    with pytest.raises(BadRule, match="`id`"):
        parse_rule(text)


def test_a_rule_is_written_as_a_person_would_write_it() -> None:
    rule = learned("load(a)\n", "load(a, 1)\n", complaint("bad argument of {0}", "load"))
    assert dump_rule(replace(rule, id="load-one", examples=())).decode() == (
        "id: load-one\n"
        "language: python\n"
        "diagnostic:\n"
        "  tool: tool\n"
        "  code: X1\n"
        "  message: bad argument of {0}\n"
        "pattern: load($A)\n"
        "fix: load($A, 1)\n"
        "kinds:\n"
        "  A: reference:variable\n"
        "where:\n"
        "  0: load\n"
        "safe: false\n"
        "uncommented: true\n"
        "provenance: extracted\n"
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("language: latin\npattern: f($A)\nfix: g", "`language` must be one of"),
        ("language: python\npattern: [f]\nfix: g", "`pattern` must be a text"),
        (
            "language: python\nwhere: 1\nexamples: {}",
            "`where` must be a mapping; `examples` must be a list",
        ),
        ("language: python\npattern: f\ntokens: f\nfix: g", "it has both `pattern` and `tokens`"),
        ("language: python\nexamples: [1]", "`before` of examples 1 is missing"),
        ("language: python\nexamples: [{before: a}]", "`after` of examples 1 is missing"),
        (
            "language: python\nexamples: [{at: [two, 5]}]",
            "`at` of examples 1 must be a line and a column",
        ),
        (
            "language: python\ncounter_examples: [{at: [1, 2, 3]}]",
            "`at` of counter_examples 1 must be",
        ),
        ("language: python\nimports: [5]", "`imports` must be a list of texts"),
        ("a: b: c", "it is not YAML in line 1"),
        ("\x07", "it is not YAML"),
        ("- language", "it is not a mapping"),
    ],
)
def test_a_rule_file_with_wrong_values_is_refused(text: str, problem: str) -> None:
    with pytest.raises(BadRule) as caught:
        parse_rule(text)
    assert problem in str(caught.value)


WHOLE: dict[str, object] = {
    "id": "a1",
    "language": "python",
    "diagnostic": {"tool": "ruff", "code": "F821", "message": "Undefined name {0}"},
    "where": {0: ["np"]},
    "pattern": "$ARG0($A)",
    "fix": "f($A)",
    "kinds": {"A": "call"},
    "uses": {"A": "call 0"},
    "mentions": {"A": "ARG0"},
    "inside": "call",
    "needs": "f($A)",
    "kind": "call",
    "imports": ["import f"],
    "examples": [
        {
            "message": "Undefined name `np`",
            "at": [1, 1],
            "args": ["np"],
            "before": "a",
            "after": "b",
        }
    ],
    "counter_examples": [{"message": "Undefined name `np`", "before": "a"}],
    "model": "m",
}


@pytest.mark.parametrize("junk", [None, 5, "x", [], [5], [[1]], {}, {"x": 5}, {5: None}])
@pytest.mark.parametrize("key", [*WHOLE, "status", "safe", "tokens"])
def test_any_value_of_a_rule_file_is_read_or_refused(key: str, junk: object) -> None:
    assert rule_from(WHOLE).id == "a1"
    with contextlib.suppress(BadRule):
        rule = rule_from({**WHOLE, key: junk})
        assert parse_rule(dump_rule(rule)) == rule
        assert scope_of(rule)


@pytest.mark.parametrize("junk", [None, 5, "x", [5], [None, None], ["a", "b"], {"x": 5}])
@pytest.mark.parametrize("key", ["message", "at", "args", "before", "after"])
def test_any_value_of_an_example_is_read_or_refused(key: str, junk: object) -> None:
    whole = {"message": "m x", "at": [1, 1, 1, 2], "args": ["x"], "before": "a", "after": "b"}
    for raw in (
        {**WHOLE, "examples": [{**whole, key: junk}]},
        {**WHOLE, "counter_examples": [{**whole, key: junk}]},
    ):
        with contextlib.suppress(BadRule):
            rule = rule_from(raw)
            assert parse_rule(dump_rule(rule)) == rule


def test_everything_that_is_wrong_with_a_rule_file_is_said_at_once() -> None:
    with pytest.raises(BadRule) as caught:
        parse_rule("language: python\nstatus: on\npattern: f($A\nextra: 1\n")
    assert str(caught.value).split("; ") == [
        "unknown key `extra`",
        "`status` must be one of proposed, active, pinned, demoted, rejected",
        "`diagnostic.tool` is missing",
        "`diagnostic.message` is missing",
        "`fix` is missing",
        "`pattern` is no code of this language: f($A",
    ]


@pytest.mark.parametrize(("before", "after"), [("import os\n", ""), ("(", "")])
def test_a_rule_that_only_drops_something_is_read_again(before: str, after: str) -> None:
    said = Diagnostic("tool", "1", "X", "error", "bad", "bad", (), "a", Area(1, 1, 1, 1))
    rule = learn(before, after, said, "python")
    assert isinstance(rule, Rule)
    assert parse_rule(dump_rule(rule)) == rule


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 60_000, "it is nested too deeply in line 1"),
        ("- " * 30_000, "it is nested too deeply in line 1"),
        ("a: &a [x, x]\nb: &b [*a, *a]\nid: *b\n", "it has an alias in line 2"),
        (f"id: {'9' * 6000}\n", "it is not YAML"),
        ("x: " + "a" * 70_000, "it is larger than 64 KB"),
    ],
)
def test_no_text_of_a_project_takes_all_memory_or_crashes(text: str, message: str) -> None:
    with pytest.raises(BadRule, match=message):
        parse_rule(text)


# ------------------------------------------------------------------------------------------------------ suggested by a model


def _suggest(book: RuleBook, pattern: str = "pritn") -> Rule | None:
    asked = [undefined("pritn")]
    return book.propose("pritn(1)\n", "print(1)\n", asked, "python", (pattern, "print"), model="m")


def test_a_rule_that_a_model_suggests_is_proposed_with_its_model() -> None:
    proposed = _suggest(RuleBook())
    assert proposed is not None
    assert (proposed.status, proposed.provenance, proposed.model) == ("proposed", "model", "m")
    assert _suggest(RuleBook(), "prtin") is None


def test_a_suggestion_does_not_replace_a_verdict_on_the_same_rule() -> None:
    book = RuleBook()
    proposed = _suggest(book)
    assert proposed is not None
    pinned = book.judge(proposed.id, "pin")
    assert _suggest(book) == pinned
    assert list(book) == [pinned]


def test_a_fix_is_learned_beside_a_rule_that_is_only_proposed() -> None:
    book = RuleBook()
    proposed = _suggest(book)
    rule = book.learn("pritn(1)\n", "print(1)\n", [undefined("pritn")], "python")
    assert isinstance(rule, Rule)
    assert (rule.status, rule.provenance) == ("active", "extracted")
    assert proposed in list(book)
    book.judge(rule.id, "reject")
    again = book.learn("pritn(1)\n", "print(1)\n", [undefined("pritn")], "python")
    assert isinstance(again, Rule)
    assert again.status == "rejected"


# ------------------------------------------------------------------------------------------------------ which rule is meant


def test_a_rule_is_found_by_the_beginning_of_its_id_and_before_others_by_all_of_it() -> None:
    rules = [replace(PRINT, id=name) for name in ("ab", "abc", "b")]
    book = RuleBook(rules)
    assert [rule.id for rule in book.starting("a")] == ["ab", "abc"]
    assert [rule.id for rule in book.starting("ab")] == ["ab"]
    assert [rule.id for rule in book.starting("abcd")] == []
    assert (book.get("ab"), book.get("a")) == (rules[0], None)


def test_the_rules_of_a_book_are_in_the_order_of_language_tool_code_and_id() -> None:
    rules = [
        replace(PRINT, id="d", target="c"),
        replace(PRINT, id="c", tool="a"),
        replace(PRINT, id="b", code="X0"),
        replace(PRINT, id="a"),
        replace(PRINT, id="e"),
    ]
    assert list(RuleBook(rules[::-1])) == rules


def test_candidates_are_the_rules_for_a_name_in_the_message_and_those_for_any() -> None:
    any_name = replace(PRINT, id="any", values={})
    second = replace(PRINT, id="second", values={1: ("str",)})
    listed = replace(PRINT, id="listed", values={0: ("load", "int*"), 1: ("str",)})
    element = replace(PRINT, id="element", values={0: ("list[_]",)})
    book = RuleBook([any_name, second, listed, element])

    def found(*args: str, template: str = PRINT.template) -> set[str]:
        said = replace(undefined("x"), args=args, template=template)
        return {rule.id for rule in book.candidates(said, "python")}

    general = {"any", "element"}
    assert found() == found("save") == found("str") == general
    assert found("load") == found("const load&") == found("int *") == {*general, "listed"}
    assert found("x", "str") == {*general, "second"}
    assert found("load", "int") == {*general, "listed"}
    assert found("load", template="another {0}") == set()


def test_candidates_come_the_best_first_and_follow_a_change() -> None:
    book = RuleBook([replace(PRINT, id="a", helped=1), replace(PRINT, id="b", helped=5)])
    said = undefined("pritn")
    assert [rule.id for rule in book.candidates(said, "python")] == ["b", "a"]
    book.judge("a", "pin")
    assert [rule.id for rule in book.candidates(said, "python")] == ["a", "b"]
    book.put_written(replace(PRINT, id="a", values={0: ("prnt",)}))
    assert [rule.id for rule in book.candidates(said, "python")] == ["b"]


def test_the_confidence_of_a_rule_counts_its_examples() -> None:
    assert confidence_of(replace(PRINT, examples=())) == 0.0
    assert confidence_of(PRINT) == 0.206543
    assert confidence_of(replace(PRINT, helped=1)) == confidence_of(
        replace(PRINT, helped=0, examples=PRINT.examples * 2)
    )
    assert confidence_of(replace(PRINT, helped=9, failed=10)) == 0.299295


def test_what_is_recorded_of_a_rule_s_confidence_is_what_its_file_shows() -> None:
    assert confidence_of_file(replace(PRINT, examples=())) == 0.0
    assert confidence_of_file(replace(PRINT, helped=9, failed=10)) == confidence_of(PRINT)
    twice = replace(PRINT, examples=PRINT.examples * 2)
    assert confidence_of_file(twice) == confidence_of(twice) > confidence_of(PRINT)


@pytest.mark.parametrize(
    ("verdict", "before", "after"),
    [
        ("approve", "proposed", ("active", True, True)),
        ("approve", "pinned", ("pinned", True, True)),
        ("reject", "active", ("rejected", False, False)),
        ("pin", "active", ("pinned", False, True)),
        ("unpin", "pinned", ("active", False, False)),
        ("unpin", "demoted", ("demoted", False, False)),
        ("demote", "active", ("demoted", False, False)),
    ],
)
def test_a_verdict_changes_the_status_and_what_a_person_lets_pass_is_safe(
    verdict: LearnVerdict, before: Status, after: tuple[str, bool, bool]
) -> None:
    rule = with_verdict(replace(PRINT, status=before, safe=False), verdict)
    assert (rule.status, rule.approved, rule.safe) == after


# --------------------------------------------------------------------------------------------------------- changes in files


def test_a_rule_that_is_learned_is_written_and_a_change_of_another_process_stays() -> None:
    files, counters = MemoryRuleFiles(), MemoryCounters()
    book = RuleBook([], files, counters)
    rule = book.learn("pritn(1)\n", "print(1)\n", [undefined("pritn")], "python")
    assert isinstance(rule, Rule)
    name = f"python/{rule.id}"
    assert files.kept == {name: dump_rule(rule)}
    book.record(rule.id, helped=True)
    files.kept[name] = dump_rule(replace(rule, model="other"))
    pinned = book.judge(rule.id, "pin")
    assert pinned == replace(rule, model="other", status="pinned", helped=1)
    assert files.kept == {name: dump_rule(pinned)}
    assert book.get(rule.id) == pinned


def test_no_verdict_is_for_an_unknown_rule() -> None:
    with pytest.raises(KeyError):
        RuleBook([]).judge("x", "pin")


def _cast(name: str, value: str) -> tuple[str, str, Diagnostic]:
    text = f"class A {{\n    String f(Object {name}) {{\n        String t = {value};\n        return t;\n    }}\n}}\n"
    said = complaint("no {0}", "java.lang.Object", line=3, column=20, end_column=20 + len(value))
    return text, text.replace(f"= {value}", f"= (String) {value}"), said


def test_a_certain_rule_does_not_become_a_hint_by_another_example() -> None:
    book = RuleBook()
    before, after, said = _cast("a", "a")
    hint = book.learn(before, after, [said], "java")
    assert isinstance(hint, Rule)
    approved = book.judge(hint.id, "approve")
    assert (hint.safe, approved.safe) == (False, True)
    before, after, said = _cast("b", "LIMIT")
    other = book.learn(before, after, [said], "java")
    assert isinstance(other, Rule)
    assert (other.safe, len(other.examples)) == (False, 1)
    assert {rule.id: rule for rule in book} == {hint.id: approved, other.id: other}


def test_a_hint_becomes_certain_by_the_same_fix_of_another_program() -> None:
    asked = complaint("bad argument of {0}", "load")
    book = RuleBook()
    hint = book.learn("load(a)\n", "load(a, 1)\n", [asked], "python")
    assert isinstance(hint, Rule)
    again = book.learn("load(a)\n", "load(a, 1)\n", [asked], "python")
    assert again == hint
    certain = book.learn("load(b)\n", "load(b, 1)\n", [asked], "python")
    assert isinstance(certain, Rule)
    assert (hint.safe, certain.safe, certain.id) == (False, True, hint.id)
    assert [example.before for example in certain.examples] == ["load(a)\n", "load(b)\n"]
    third = book.learn("load(c)\n", "load(c, 1)\n", [asked], "python")
    assert third == certain
    assert list(book) == [certain]


def test_a_hint_that_a_person_wrote_stays_a_hint() -> None:
    asked = complaint("bad argument of {0}", "load")
    hint = replace(learned("load(a)\n", "load(a, 1)\n", asked), provenance="manual")
    book = RuleBook([hint])
    assert book.learn("load(b)\n", "load(b, 1)\n", [asked], "python") == hint
    assert list(book) == [hint]


@pytest.mark.parametrize("changes", [{"provenance": "manual"}, {"widened": True}, {"examples": ()}])
def test_only_a_rule_that_was_learned_is_widened_by_an_example(changes: dict[str, object]) -> None:
    asked = complaint("bad argument of {0}", "load")
    narrow = learned("load(a)\n", "load(a, b)\n", asked)
    book = RuleBook([narrow])
    wider = book.learn("load(3)\n", "load(3, b)\n", [asked], "python")
    assert isinstance(wider, Rule)
    assert (wider.id, len(wider.examples), len(book)) == (narrow.id, 2, 1)
    kept = replace(narrow, **changes)  # type: ignore[arg-type]
    book = RuleBook([kept])
    other = book.learn("load(3)\n", "load(3, b)\n", [asked], "python")
    assert isinstance(other, Rule)
    assert (other.id != narrow.id, book.get(narrow.id), len(book)) == (True, kept, 2)


@pytest.mark.parametrize("verdict", ["pin", "approve"])
def test_what_a_person_allows_stays_as_seen_and_a_wider_rule_is_one_of_its_own(
    verdict: LearnVerdict,
) -> None:
    asked = complaint("bad argument of {0}", "load")
    files = MemoryRuleFiles()
    book = RuleBook([], files)
    narrow = book.learn("load(a)\n", "load(a, b)\n", [asked], "python")
    assert isinstance(narrow, Rule)
    seen = book.judge(narrow.id, verdict)
    wide = book.learn("load(3)\n", "load(3, b)\n", [asked], "python")
    assert isinstance(wide, Rule)
    assert (wide.status, wide.reviewed, wide.approved) == ("active", False, False)
    assert [each.before for each in wide.examples] == ["load(3)\n", "load(a)\n"]
    assert {rule.id: rule for rule in book} == {seen.id: seen, wide.id: wide}
    assert files.kept == {
        f"python/{seen.id}": dump_rule(seen),
        f"python/{wide.id}": dump_rule(wide),
    }
    # What a third fix frees goes to the rule that nobody has looked at.
    third = book.learn("load('x')\n", "load('x', b)\n", [asked], "python")
    assert isinstance(third, Rule)
    assert (third.id, len(third.examples), book.get(seen.id)) == (wide.id, 3, seen)


def test_a_wider_rule_has_an_id_of_its_own_if_only_a_type_of_the_message_differs() -> None:
    def said(name: str) -> Diagnostic:
        return complaint("bad argument of {0}", f"list[{name}]")

    book = RuleBook()
    narrow = book.learn("load(a)\n", "load(a, b)\n", [said("int")], "python")
    assert isinstance(narrow, Rule)
    seen = book.judge(narrow.id, "pin")
    wide = book.learn("load(a)\n", "load(a, b)\n", [said("float")], "python")
    assert isinstance(wide, Rule)
    assert (wide.rewrite, wide.values) == (seen.rewrite, {0: ("list[<number>]",)})
    assert {rule.id: rule for rule in book} == {seen.id: seen, wide.id: wide}


def test_a_wider_rule_leaves_alone_what_the_reviewed_one_must_not_change() -> None:
    asked = complaint("bad argument of {0}", "load")
    narrow = learned("load(a)\n", "load(a, b)\n", asked)
    never = replace(narrow.examples[0], before="skip(7)\n", after=None)
    seen = replace(narrow, status="pinned", counter_examples=(never,))
    wide = RuleBook([seen]).learn("load(3)\n", "load(3, b)\n", [asked], "python")
    assert isinstance(wide, Rule)
    assert (len(wide.examples), wide.counter_examples) == (2, (never,))


def test_what_a_person_disabled_takes_the_next_example_and_does_not_come_back() -> None:
    asked = complaint("bad argument of {0}", "load")
    narrow = learned("load(a)\n", "load(a, b)\n", asked)
    for status in ("rejected", "demoted"):
        book = RuleBook([replace(narrow, status=status, approved=True)])
        wider = book.learn("load(3)\n", "load(3, b)\n", [asked], "python")
        assert isinstance(wider, Rule)
        assert (wider.id, wider.status, len(wider.examples), len(book)) == (
            narrow.id,
            status,
            2,
            1,
        )


def test_a_hint_that_a_person_allows_as_a_hint_stays_one() -> None:
    asked = complaint("bad argument of {0}", "load")
    hint = replace(learned("load(a)\n", "load(a, 1)\n", asked), approved=True)
    book = RuleBook([hint])
    assert book.learn("load(b)\n", "load(b, 1)\n", [asked], "python") == hint
    assert list(book) == [hint]


def test_a_pin_that_another_process_writes_during_a_repair_stays() -> None:
    asked = complaint("bad argument of {0}", "load")
    files = MemoryRuleFiles()
    book = RuleBook([], files)
    narrow = book.learn("load(a)\n", "load(a, b)\n", [asked], "python")
    assert isinstance(narrow, Rule)
    pinned = read_book(files).judge(narrow.id, "pin")
    wide = book.learn("load(3)\n", "load(3, b)\n", [asked], "python")
    assert isinstance(wide, Rule)
    assert (wide.id != narrow.id, wide.status, len(wide.examples)) == (True, "active", 2)
    assert files.kept[f"python/{narrow.id}"] == dump_rule(pinned)


def test_a_rule_is_not_widened_to_what_it_must_not_change() -> None:
    asked = complaint("bad argument of {0}", "load")
    narrow = learned("load(a)\n", "load(a, b)\n", asked)
    never = replace(narrow.examples[0], before="load(7)\n", after=None)
    book = RuleBook([replace(narrow, counter_examples=(never,))])
    other = book.learn("load(3)\n", "load(3, b)\n", [asked], "python")
    assert isinstance(other, Rule)
    assert (other.id != narrow.id, len(other.examples), len(book)) == (True, 1, 2)


def test_each_tool_that_reports_an_error_has_a_rule_for_its_fix() -> None:
    first, second = undefined("pritn"), replace(undefined("pritn"), tool="other")
    book = RuleBook()
    rule = book.learn("pritn(1)\n", "print(1)\n", [first, second, first], "python")
    assert isinstance(rule, Rule)
    assert [(each.tool, each.values) for each in book] == [
        ("other", {0: ("pritn",)}),
        ("tool", {0: ("pritn",)}),
    ]
    assert rule.tool == "tool"
    assert RuleBook().learn("pritn(1)\n", "print(1)\n", [], "python") == NotLearned(
        "there is no diagnostic to tie the fix to"
    )


def test_what_a_person_writes_over_a_suggestion_of_a_model_is_not_proposed() -> None:
    book = RuleBook([replace(PRINT, status="proposed", provenance="model")])
    written = replace(PRINT, provenance="manual")
    assert book.put_written(written) == written
    assert list(book) == [written]


def test_of_several_rules_the_first_that_a_person_has_not_disabled_is_returned() -> None:
    first, second = undefined("pritn"), replace(undefined("pritn"), tool="other")
    book = RuleBook()
    rule = book.learn("pritn(1)\n", "print(1)\n", [first, second], "python")
    assert isinstance(rule, Rule)
    verdicts: tuple[LearnVerdict, ...] = ("reject", "demote")
    for verdict in verdicts:
        book.judge(rule.id, verdict)
        again = book.learn("pritn(1)\n", "print(1)\n", [first, second], "python")
        assert isinstance(again, Rule)
        assert (rule.tool, again.tool) == ("tool", "other")


# ------------------------------------------------------------------------------------------------------- what is wrong with it


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"pattern": None, "imports": []}, "it has no `pattern`, `tokens`, `function` or `imports`"),
        ({"fix": None}, "`fix` is missing"),
        ({"tokens": "$A", "kind": ""}, "it has both `pattern` and `tokens`"),
        ({"pattern": "f("}, "`pattern` is no code of this language: f("),
        ({"where": {"x": "a"}}, "`where` must have numbers of `{0}`, `{1}`, … of the message as its keys"),
        ({"language": "latin"}, "`language` must be one of python, javascript, typescript, c, cpp, rust, java, go, any"),
        ({"provenance": "x"}, "`provenance` must be one of builtin, extracted, manual, model"),
        ({"diagnostic": {"tool": "a"}}, "`diagnostic.message` is missing"),
        ({"diagnostic": []}, "`diagnostic.tool` is missing; `diagnostic.message` is missing"),
        ({"counter_examples": [{"before": "a"}]}, "`message` of counter_examples 1 is missing"),
        ({"examples": [{"before": "a", "message": "m", "after": "b", "at": [1, 2]}, 5]}, "`before` of examples 2 is missing; `message` of examples 2 is missing; `after` of examples 2 is missing"),
    ],
)  # fmt: skip
def test_a_rule_file_with_one_thing_wrong_has_one_problem(
    changes: dict[str, object], problem: str
) -> None:
    raw = {key: value for key, value in (WHOLE | changes).items() if value is not None}
    with pytest.raises(BadRule) as caught:
        rule_from(raw)
    assert str(caught.value) == problem


def test_a_rule_that_only_imports_needs_no_pattern() -> None:
    raw = {key: WHOLE[key] for key in ("language", "diagnostic", "imports")}
    rule = rule_from(raw)
    assert (rule.rewrite, rule.imports, rule.values) == (None, ("import f",), {})
    assert (rule.provenance, rule.status, rule.safe) == ("manual", "active", True)
