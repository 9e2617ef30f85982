"""Rules in the JSON of an earlier version, learned anew from their examples, once."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from holdfast.rules.learn_rule import NotLearned, learn_from
from holdfast.rules.rule import Example, Rule
from holdfast.rules.rule_yaml import BadRule, dump_rule
from holdfast.vocab.diagnostics import Area, Diagnostic

if TYPE_CHECKING:
    from holdfast.rules.ports import OlderRuleFiles


def convert_older_rules(files: OlderRuleFiles) -> list[str]:
    """Write each older rule as YAML and remove its JSON; return what could not be converted.

    Raises OSError.
    """
    problems: list[str] = []
    for name, data in files.older_rules():
        try:
            rule = parse_older_rule(data)
        except BadRule as error:
            problems.append(f"rules/{name}.json: {error}; remove the file.")
            continue

        written = dump_rule(rule)
        files.update(f"{rule.target}/{rule.id}", partial(_keep_or_write, written=written))
        files.remove_older(name)

    return problems


def _keep_or_write(found: bytes | None, *, written: bytes) -> bytes:
    return found or written


def parse_older_rule(data: bytes) -> Rule:
    """Return the rule that the examples of an older rule show; raise `BadRule` without one."""
    try:
        raw = json.loads(data)
        examples = list(map(_example, raw["examples"]))
        first, *_ = examples
        diagnostic = _diagnostic(raw, first)
    except (ValueError, TypeError, KeyError) as error:
        raise BadRule("it is not a rule of an earlier version") from error

    rule = learn_from(examples, diagnostic, raw["target"])
    if isinstance(rule, NotLearned):
        rule = learn_from([first], diagnostic, raw["target"])

    if isinstance(rule, NotLearned):
        raise BadRule(f"it cannot be converted ({rule.reason})")

    status = raw.get("status", "active")
    return replace(rule, status=status, approved=bool(raw.get("priority")))


def _example(raw: dict[str, Any]) -> Example:
    area = Area(*raw["area"]) if raw["area"] else None
    return Example(raw["before"], raw["after"], raw["message"], tuple(raw["args"]), area)


def _diagnostic(raw: dict[str, Any], example: Example) -> Diagnostic:
    return Diagnostic(
        tool=raw["tool"],
        tool_version="",
        code=raw["code"],
        severity="error",
        message=example.message,
        template=raw["template"],
        args=example.args,
        path="",
        area=example.area,
    )
