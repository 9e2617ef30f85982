"""How long it takes to find a rule among many: it must not depend on how many there are.

Each book holds the rules that come with holdfast and as many learned ones as are asked for, over a thousand templates,
each with names of its own; the same complaints are looked up in all of them.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from holdfast.repair.builtin import builtin_rules
from holdfast.repair.rule_lookup import Applied, lookup
from holdfast.rules.rule import Rule, diagnostic_of
from holdfast.rules.rule_book import RuleBook
from holdfast.vocab.diagnostics import Diagnostic

SIZES = (10, 1_000, 100_000)
MOST_GROWTH = 3.0
_TEMPLATES = 1_000


@dataclass(frozen=True, slots=True)
class Measured:
    """How long one lookup takes in a book of this size, in microseconds."""

    rules: int
    hit: float
    miss: float


def measure(sizes: Sequence[int] = SIZES, rounds: int = 30) -> list[Measured]:
    """Look the same complaints up in books of several sizes."""
    return [_measure_one(size, rounds) for size in sizes]


def growth(measured: Sequence[Measured]) -> list[float]:
    """Give how much slower the next size is each time, in the worse of hit and miss."""
    return [
        max(large.hit / small.hit, large.miss / small.miss) for small, large in pairwise(measured)
    ]


def _measure_one(size: int, rounds: int) -> Measured:
    builtin = [rule for rule in builtin_rules() if rule.examples]
    book = RuleBook([*builtin[:10], *_learned(builtin, size - 10)])
    asked = [
        (rule, rule.examples[0].before, diagnostic_of(rule, rule.examples[0]))
        for rule in builtin[:10]
    ]
    for rule, text, complaint in asked:
        assert isinstance(lookup(book, [complaint], text, rule.target, "development"), Applied)
    missed = [(rule, text, replace(complaint, code="none")) for rule, text, complaint in asked]
    return Measured(len(book), _time(book, asked, rounds), _time(book, missed, rounds * 20))


def _time(book: RuleBook, asked: Sequence[tuple[Rule, str, Diagnostic]], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        for rule, text, complaint in asked:
            lookup(book, [complaint], text, rule.target, "development")
        times.append((time.perf_counter() - begin) / len(asked) * 1e6)
    return median(times)


def _learned(builtin: Sequence[Rule], count: int) -> list[Rule]:
    """Make rules as a large project would have them: many for the same templates, each for names of its own."""
    made = []
    for number in range(max(count, 0)):
        model = builtin[number % len(builtin)]
        template = model.template if number % 2 else f"complaint {number % _TEMPLATES} about {{0}}"
        held = {0: (f"name_{number}",)} if "{0}" in template else {}
        code = model.code if held else f"X{number}"
        made.append(replace(model, id=f"{number:016x}", template=template, code=code, values=held))
    return made


def report(measured: Sequence[Measured]) -> str:
    """Give the table, and whether it grows as little as it must."""
    lines = [f"{'rules':>8} {'hit, us':>10} {'miss, us':>10}"]
    lines += [f"{each.rules:>8} {each.hit:>10.1f} {each.miss:>10.1f}" for each in measured]
    worst = max(growth(measured), default=1.0)
    verdict = "as it must be" if worst <= MOST_GROWTH else "TOO MUCH"
    lines.append(f"growth per 100 times the rules: {worst:.2f} (at most {MOST_GROWTH}): {verdict}")
    return "\n".join(lines)
