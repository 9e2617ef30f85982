"""Which of several rules goes first, and what its record says of one."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import TypeAlias

from holdfast.rules.rule import Rule

Rank: TypeAlias = tuple[int, bool, float, str, str]
_Z = 1.96


def wilson(helped: int, failed: int) -> float:
    """Give the lower bound of how often a rule helps, at 95 %: a short record promises little.

    >>> [round(wilson(*record), 3) for record in ((0, 0), (1, 0), (10, 0), (10, 10))]
    [0.0, 0.207, 0.722, 0.299]
    """
    count = helped + failed
    if count == 0:
        return 0.0
    share = helped / count
    middle = share + _Z * _Z / (2 * count)
    spread = _Z * sqrt(share * (1 - share) / count + _Z * _Z / (4 * count * count))
    return max(0.0, (middle - spread) / (1 + _Z * _Z / count))


def rank_of(rule: Rule) -> Rank:
    """Give what rules are compared by; the largest wins. The id makes it one order, whatever the rest is."""
    return rule.priority, rule.pinned, rule.confidence, rule.created, rule.id


def counted(rule: Rule, *, helped: bool) -> Rule:
    """Give the rule with one more on its record; one that fails more than it helps is demoted.

    The program that it was learned from is one that it has helped: else a single refusal would end a rule that nobody
    has needed yet, and the fix be paid for again. Not a pinned one: somebody has answered for it, and a production
    build must not lose it by itself.
    """
    applied, failed = rule.applied + helped, rule.failed + (not helped)
    demoted = failed > max(applied, 1) and rule.status in {"active", "proposed"}
    return replace(
        rule,
        applied=applied,
        failed=failed,
        confidence=round(wilson(applied, failed), 6),
        status="demoted" if demoted else rule.status,
    )
