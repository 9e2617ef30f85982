"""Rows of verdicts, counted."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bench.landing.cases import Case, Polarity
from bench.landing.engines import Answer
from bench.landing.judge import CORRUPTED, Verdict, judge


@dataclass(frozen=True, slots=True)
class Row:
    """One engine's verdict on one case."""

    engine: str
    id: str
    kind: str
    polarity: Polarity
    refuse_ok: bool
    verdict: Verdict
    ms: float
    error: str | None

    @property
    def corrupted(self) -> bool:
        """Whether the engine wrote a file that nobody meant."""
        return self.verdict in CORRUPTED


@dataclass(frozen=True, slots=True)
class Fault:
    """A row that should not be, with what is needed to see why."""

    row: Row
    case: Case
    text: str | None
    """The file that the engine made."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts over some rows. `loose` are the cases that may also be refused; they are counted apart."""

    cases: int
    land_cases: int
    refuse_cases: int
    loose_cases: int
    landed: int
    loose_landed: int
    wrong: int
    indent: int
    ctx: int
    cosmetic: int
    landed_on_must_refuse: int
    refused_rightly: int
    refused_wrongly: int
    exceptions: int
    median_ms: float
    p99_ms: float

    @property
    def corrupted(self) -> int:
        """All classes of corruption together."""
        return self.wrong + self.indent + self.ctx + self.cosmetic

    def as_json(self) -> dict[str, Any]:
        """The counts as plain data."""
        return {**asdict(self), "corrupted": self.corrupted}


def row_of(engine: str, case: Case, answer: Answer) -> Row:
    """Judge an answer."""
    verdict = judge(case, answer.text)
    return Row(
        engine, case.id, case.kind, case.polarity, case.refuse_ok, verdict, answer.ms, answer.error
    )


def tally(rows: Sequence[Row]) -> Tally:
    """Count the rows."""
    strict = [row for row in rows if row.polarity == "land" and not row.refuse_ok]
    loose = [row for row in rows if row.polarity == "land" and row.refuse_ok]
    must_refuse = [row for row in rows if row.polarity == "refuse"]
    return Tally(
        cases=len(rows),
        land_cases=len(strict),
        refuse_cases=len(must_refuse),
        loose_cases=len(loose),
        landed=_count(strict, "landed"),
        loose_landed=_count(loose, "landed"),
        wrong=_count(rows, "wrong"),
        indent=_count(rows, "indent"),
        ctx=_count(rows, "ctx"),
        cosmetic=_count(rows, "cosmetic"),
        landed_on_must_refuse=sum(row.corrupted for row in must_refuse),
        refused_rightly=_count(rows, "refused_ok"),
        refused_wrongly=_count(rows, "wrongly_refused"),
        exceptions=sum(row.error is not None for row in rows),
        median_ms=round(statistics.median([row.ms for row in rows]), 3) if rows else 0.0,
        p99_ms=round(percentile([row.ms for row in rows], 0.99), 3),
    )


def by_kind(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows in groups, kinds in the order of the alphabet."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.kind, []).append(row)
    return dict(sorted(groups.items()))


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of the values lie; 0.0 for none.

    >>> percentile([3.0, 1.0, 2.0], 0.99)
    3.0
    """
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0


def _count(rows: Iterable[Row], verdict: Verdict) -> int:
    return sum(row.verdict == verdict for row in rows)
