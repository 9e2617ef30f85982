"""Rules of an earlier version become rules of now, once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdfast.rules.older_rules import convert_older_rules, parse_older_rule
from holdfast.rules.ports import UpdateBytes
from holdfast.rules.rule import TreeRewrite
from holdfast.rules.rule_yaml import BadRule, dump_rule
from holdfast.vocab.diagnostics import Area


def _example(name: str, after: str = "", area: list[int] | None = None) -> dict[str, Any]:
    before = f"load({name}, 1)\n"
    return {
        "before": before,
        "after": after or before.replace(")", ", None)"),
        "message": "few load",
        "args": ["load"],
        "area": area or [1, 1, 1, 5],
    }


def _older(*examples: dict[str, Any], **others: object) -> bytes:
    raw: dict[str, object] = {
        "target": "python",
        "tool": "mypy",
        "code": "call-arg",
        "template": "few {0}",
        "examples": list(examples),
    }
    return json.dumps(raw | others).encode()


class MemoryOlderFiles:
    """Files of both versions in memory (port `OlderRuleFiles`)."""

    def __init__(self, **older: bytes) -> None:
        self.older = older
        self.kept: dict[str, bytes] = {}

    def older_rules(self) -> list[tuple[str, bytes]]:
        return sorted(self.older.items())

    def remove_older(self, name: str) -> None:
        del self.older[name]

    def update(self, name: str, change: UpdateBytes) -> bytes | None:
        data = change(self.kept.get(name))
        assert data is not None
        self.kept[name] = data
        return data


def test_an_older_rule_is_learned_anew_from_all_its_examples() -> None:
    rule = parse_older_rule(_older(_example("a"), _example("LIMIT")))
    assert rule.rewrite == TreeRewrite(
        "load($A, $B)",
        "load($A, $B, None)",
        {"A": ("reference:constant", "reference:variable"), "B": ("integer:number",)},
    )
    assert (rule.target, rule.key) == ("python", ("python", "mypy", "call-arg", "few {0}"))
    assert (rule.status, rule.approved, rule.safe) == ("active", False, True)
    assert [each.area for each in rule.examples] == [Area(1, 1, 1, 5)] * 2


def test_of_examples_that_make_no_rule_together_the_first_makes_one() -> None:
    rule = parse_older_rule(_older(_example("a"), _example("b", "load(b, 1, True)\n")))
    assert [each.before for each in rule.examples] == ["load(a, 1)\n"]
    assert rule.rewrite == TreeRewrite(
        "load($A, $B)",
        "load($A, $B, None)",
        {"A": ("reference:variable",), "B": ("integer:number",)},
    )


@pytest.mark.parametrize(("priority", "approved"), [(0, False), (2, True)])
def test_what_a_person_decided_about_an_older_rule_stays(priority: int, approved: bool) -> None:
    rule = parse_older_rule(_older(_example("a"), status="pinned", priority=priority))
    assert (rule.status, rule.approved) == ("pinned", approved)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"{", "it is not a rule of an earlier version"),
        (b"[]", "it is not a rule of an earlier version"),
        (b"{}", "it is not a rule of an earlier version"),
        (_older(), "it is not a rule of an earlier version"),
        (_older(_example("a", area=[1])), "it is not a rule of an earlier version"),
        (
            _older(_example("a", "load(a, 1)\n")),
            "it cannot be converted (nothing but blanks differs)",
        ),
    ],
)
def test_what_is_no_older_rule_is_not_converted(data: bytes, reason: str) -> None:
    with pytest.raises(BadRule) as caught:
        parse_older_rule(data)
    assert str(caught.value) == reason


def test_older_files_are_converted_once_and_what_is_there_already_stays() -> None:
    files = MemoryOlderFiles(bad=b"{}", good=_older(_example("a")), known=_older(_example("B")))
    good, known = (parse_older_rule(files.older[name]) for name in ("good", "known"))
    files.kept[f"python/{known.id}"] = b"of now"
    problem = "rules/bad.json: it is not a rule of an earlier version; remove the file."
    assert convert_older_rules(files) == [problem]
    assert files.kept == {f"python/{good.id}": dump_rule(good), f"python/{known.id}": b"of now"}
    assert list(files.older) == ["bad"]
    assert convert_older_rules(files) == [problem]
