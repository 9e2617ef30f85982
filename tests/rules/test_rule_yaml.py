"""A rule file as a whole: what is read of it, what is written, and how large it may be."""

from __future__ import annotations

from dataclasses import replace

import pytest

from holdfast.rules.rule import Example, Rule, TokenRewrite, TreeRewrite
from holdfast.rules.rule_yaml import BadRule, args_of, dump_rule, parse_rule, rule_to_dict
from holdfast.vocab.diagnostics import Area

TEXT = """\
id: a-1
language: python
diagnostic:
  tool: mypy
  code: 7
  message: few {0} of {1}
pattern: load($A, $B)
fix: |-
  if $A:
      load($A, $B)
kinds:
  A: reference
  B: [integer, string]
uses:
  A: call 0
mentions:
  A: [ARG0, ARG1]
inside: [block, call]
elsewhere: true
needs: self.$A
kind: call
imports:
- import a
where:
  1: str
  0: [load, save]
safe: false
status: pinned
approved: true
widened: true
uncommented: true
provenance: model
model: m
examples:
- message: few 'load' of str
  at: [1, 2]
  before: a
  after: b
- message: few load
  args: [load, str]
  at: [1, 2, 3, 4]
  before: a
  after: b
- message: few load
  before: a
  after: ''
counter_examples:
- message: few load of str
  before: c
"""
RULE = Rule(
    id="a-1",
    target="python",
    tool="mypy",
    code="7",
    template="few {0} of {1}",
    rewrite=TreeRewrite(
        "load($A, $B)",
        "if $A:\n    load($A, $B)",
        {"A": ("reference",), "B": ("integer", "string")},
        {"A": ("call 0",)},
        {"A": ("ARG0", "ARG1")},
        ("block", "call"),
        True,
        ("self.$A",),
        "call",
    ),
    imports=("import a",),
    values={0: ("load", "save"), 1: ("str",)},
    safe=False,
    provenance="model",
    status="pinned",
    approved=True,
    widened=True,
    uncommented=True,
    examples=(
        Example("a", "b", "few 'load' of str", ("load", "str"), Area(1, 2, 1, 2)),
        Example("a", "b", "few load", ("load", "str"), Area(1, 2, 3, 4)),
        Example("a", "", "few load", (), None),
    ),
    counter_examples=(Example("c", None, "few load of str", ("load", "str"), None),),
    model="m",
)


def test_all_that_a_rule_file_can_say_is_read() -> None:
    assert parse_rule(TEXT) == RULE


def test_what_is_written_is_read_again_as_the_same_rule() -> None:
    assert parse_rule(dump_rule(RULE)) == RULE
    tokens = replace(RULE, rewrite=TokenRewrite("$A $EOL", "$A;", {"A": ("name",)}, ("line",)))
    assert parse_rule(dump_rule(tokens)) == tokens
    imports = replace(RULE, rewrite=None)
    assert parse_rule(dump_rule(imports)) == imports


def test_what_is_usual_is_not_written() -> None:
    rule = Rule("r", "c", "gcc", "", "bad", TokenRewrite("a", ""))
    assert rule_to_dict(rule) == {
        "id": "r",
        "language": "c",
        "diagnostic": {"tool": "gcc", "code": "", "message": "bad"},
        "tokens": "a",
        "fix": "",
        "provenance": "extracted",
    }
    changed = replace(rule, status="demoted", safe=False, imports=("a",), values={2: ("b",)})
    assert {
        key: value for key, value in rule_to_dict(changed).items() if key not in rule_to_dict(rule)
    } == {"imports": ["a"], "where": {2: "b"}, "safe": False, "status": "demoted"}


def test_an_example_has_its_names_only_if_its_message_does_not_show_them() -> None:
    shown = Example("a\n", "b\n", "bad x", ("x",), Area(1, 2, 3, 4))
    hidden = replace(shown, args=("y",), area=None, after=None)
    rule = Rule("r", "c", "gcc", "", "bad {0}", examples=(shown,), counter_examples=(hidden,))
    made = rule_to_dict(rule)
    assert made["examples"] == [
        {"message": "bad x", "at": [1, 2, 3, 4], "before": "a\n", "after": "b\n"}
    ]
    assert made["counter_examples"] == [{"message": "bad x", "args": ["y"], "before": "a\n"}]


@pytest.mark.parametrize(
    ("message", "template", "args"),
    [
        ("few 'load' of str", "few {0} of {1}", ("load", "str")),
        ("str has no `x`", "{1} has no {0}", ("x", "str")),
        ("a.b is (c)", "{0} is ({1})", ("a.b", "c")),
        ("few a\nb", "few {0}", ("a\nb",)),
        ("few", "few {0}", ()),
        ("bad", "bad", ()),
        ("few 'a", "few {0}", ("'a",)),
        ("".join(f"{at};" for at in range(11)), "".join(f"{{{at}}};" for at in range(11)), tuple(map(str, range(11)))),
    ],
)  # fmt: skip
def test_the_names_in_a_message_are_those_of_its_template(
    message: str, template: str, args: tuple[str, ...]
) -> None:
    assert args_of(message, template) == args


def test_a_rule_file_has_up_to_64_kilobytes() -> None:
    size = 64_000
    fitting = TEXT + "#" * (size - len(TEXT))
    assert parse_rule(fitting) == RULE
    with pytest.raises(BadRule, match=r"^it is larger than 64 KB$"):
        parse_rule(f"{fitting}#")


def test_a_rule_file_is_nested_up_to_twenty_deep() -> None:
    nested = "a: " + "[" * 19 + "]" * 19
    with pytest.raises(BadRule, match="unknown key `a`"):
        parse_rule(nested)
    with pytest.raises(BadRule, match=r"^it is nested too deeply in line 1$"):
        parse_rule(nested.replace("[]", "[[]]"))
    beside = "a:\n" + "- []\n" * 30
    with pytest.raises(BadRule, match="unknown key `a`"):
        parse_rule(beside)


def test_a_rule_file_has_no_alias() -> None:
    with pytest.raises(BadRule, match=r"^it has an alias in line 3$"):
        parse_rule("a: &a b\nc: d\ne: *a\n")


@pytest.mark.parametrize(
    ("line", "written", "problem"),
    [
        ("safe: false", "safe: 'false'", "`safe` must be true or false"),
        ("safe: false", "safe: flase", "`safe` must be true or false"),
        ("safe: false", 'safe: "no"', "`safe` must be true or false"),
        ("safe: false", "safe: 0", "`safe` must be true or false"),
        ("safe: false", "safe:", "`safe` must be true or false"),
        ("approved: true", "approved: maybe", "`approved` must be true or false"),
        ("widened: true", "widened: maybe", "`widened` must be true or false"),
        ("uncommented: true", "uncommented: 1", "`uncommented` must be true or false"),
        ("elsewhere: true", "elsewhere: [true]", "`elsewhere` must be true or false"),
        ("needs: self.$A", "needs: 3", "`needs` must be a text or a list of texts"),
        ("needs: self.$A", "needs: [a, 3]", "`needs` must be a text or a list of texts"),
        ("inside: [block, call]", "inside: true", "`inside` must be a text or a list of texts"),
        ("kind: call", "kind: 3", "`kind` must be a text"),
        ("model: m", "model: [m]", "`model` must be a text"),
        ("  1: str", "  1: 3", "`where` must have a text or a list of texts for each of its keys"),
        ("  A: reference", "  A: 3", "`kinds` must have a text or a list of texts for each of its keys"),
        ("  A: reference", "  C: reference", "`kinds` must name holes of the rule, and `C` is none"),
        ("  A: call 0", "  $A: call 0", "`uses` must name holes of the rule, and `$A` is none"),
        ("  A: [ARG0, ARG1]", "  ARG0: A", "`mentions` must name holes of the rule, and `ARG0` is none"),
        ("safe: false", "safe: false\nsafe: true", "`safe` must not be there twice, as in line 28"),
        ("  A: reference", "  A: reference\n  A: call", "`A` must not be there twice, as in line 13"),
        ("  before: c", "  before: c\n  before: d", "`before` must not be there twice, as in line 50"),
    ],
)  # fmt: skip
def test_a_value_that_a_rule_could_not_keep_to_is_refused(
    line: str, written: str, problem: str
) -> None:
    assert line in TEXT
    with pytest.raises(BadRule) as caught:
        parse_rule(TEXT.replace(line, written, 1))
    assert str(caught.value) == problem


@pytest.mark.parametrize(("word", "safe"), [("yes", True), ("off", False), ("True", True)])
def test_a_truth_value_may_be_any_that_yaml_has(word: str, safe: bool) -> None:
    assert parse_rule(TEXT.replace("safe: false", f"safe: {word}")).safe is safe


def test_a_rule_that_only_imports_has_no_holes_to_limit() -> None:
    text = TEXT.replace("pattern: load($A, $B)\nfix: |-\n  if $A:\n      load($A, $B)\n", "")
    with pytest.raises(BadRule, match=r"`kinds` must name holes of the rule, and `A` is none"):
        parse_rule(text)


def test_a_rule_with_the_markers_of_a_conflict_says_so_and_one_with_them_in_an_example_is_read() -> (
    None
):
    with pytest.raises(BadRule, match=r"^it has the markers of a git conflict$") as caught:
        parse_rule(TEXT.replace("model: m\n", "<<<<<<< HEAD\nmodel: m\n=======\n>>>>>>> x\n"))
    assert caught.value.cure == "keep one of the two sides,"
    shown = replace(
        RULE, examples=(Example("<<<<<<< HEAD\n", "a\n", "few a of b", ("a", "b"), None),)
    )
    assert parse_rule(dump_rule(shown)) == shown
