"""The rule lookup before any model call: a rule that matches, and the rewritten text."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from holdfast.repair.strictness import TABLE, Strictness
from holdfast.rules.apply_rule import Rewritten, rewrite
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from holdfast.rules.rule import Rule
    from holdfast.rules.rule_book import RuleBook
    from holdfast.vocab.diagnostics import Diagnostic, Target


@dataclass(frozen=True, slots=True)
class Applied:
    """A rule that matches `diagnostic`; `code` is the whole new text, which is not verified yet."""

    rule: Rule
    code: str
    diagnostic: Diagnostic


@dataclass(frozen=True, slots=True)
class Miss:
    """No rule matches."""


RuleLookup: TypeAlias = Applied | Miss


def lookup(
    book: RuleBook,
    diagnostics: Sequence[Diagnostic],
    text: str,
    target: Target,
    strictness: Strictness,
    *,
    without: Collection[str] = (),
    unsafe: bool = False,
) -> RuleLookup:
    """Find the best rule for the first diagnostic that has one, other than those in `without`.

    Without `unsafe`, only safe rules are looked at; with it, only the others.

    The caller verifies the text and reports with `RuleBook.record` whether the rule helped.
    """
    pinned_only = TABLE[strictness].rules_applied == "pinned"
    errors_first = sorted(diagnostics, key=lambda diagnostic: diagnostic.severity != "error")
    for diagnostic in errors_first:
        for rule in book.candidates(diagnostic, target):
            if rule.id in without or rule.safe is unsafe:
                continue
            if pinned_only and not rule.pinned:
                continue
            rewritten = rewrite(rule, text, diagnostic)
            if isinstance(rewritten, Rewritten):
                return Applied(rule, rewritten.text, diagnostic)

    return Miss()
