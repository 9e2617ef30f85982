"""The hook before any model call: whether a rule answers one of the complaints, and what it makes of the text."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from holdfast.repair.strictness import TABLE, Strictness
from holdfast.rules.match.apply_rule import Rewritten, rewrite
from holdfast.rules.rule import Rule
from holdfast.rules.rule_book import RuleBook
from holdfast.vocab.diagnostics import Diagnostic, Target


@dataclass(frozen=True, slots=True)
class Applied:
    """A rule fits: `code` is the whole new text, not yet verified. `diagnostic` is what it answers."""

    rule: Rule
    code: str
    diagnostic: Diagnostic


@dataclass(frozen=True, slots=True)
class Miss:
    """No rule fits."""


@dataclass(frozen=True, slots=True)
class MissNeedsPin:
    """A rule fits that would have to be pinned first."""

    rule: Rule


RuleLookup: TypeAlias = Applied | Miss | MissNeedsPin


def lookup(
    book: RuleBook,
    diagnostics: Sequence[Diagnostic],
    text: str,
    target: Target,
    strictness: Strictness,
    *,
    without: Collection[str] = (),
) -> RuleLookup:
    """Find the best rule for the first complaint that has one, other than those in `without`.

    The caller verifies the text and tells the book with `record` whether it helped.
    """
    pinned_only = TABLE[strictness].rules_applied == "pinned"
    unpinned: Rule | None = None
    for diagnostic in sorted(diagnostics, key=lambda each: each.severity != "error"):
        for rule in book.candidates(diagnostic, target, text):
            if rule.id in without or (pinned_only and not rule.pinned and unpinned is not None):
                continue
            rewritten = rewrite(rule, text, diagnostic)
            if not isinstance(rewritten, Rewritten):
                continue
            if not pinned_only or rule.pinned:
                return Applied(rule, rewritten.text, diagnostic)
            unpinned = unpinned or rule
    return Miss() if unpinned is None else MissNeedsPin(unpinned)
