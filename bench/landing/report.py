"""The result of a run: tables for people, JSON for machines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from difflib import unified_diff
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.landing.cases import raw_edit
from bench.landing.tally import Fault, Row, Tally, by_kind, tally

Results = Mapping[str, Sequence[Row]]
"""Rows by engine."""


def print_results(console: Console, results: Results) -> None:
    """The kinds, then one line an engine."""
    console.print(_kinds_table(results))
    console.print(_engines_table(results))


def print_faults(console: Console, faults: Sequence[Fault], limit: int) -> None:
    """The first `limit` faults of each engine, the worst first, with the edit and what came of it."""
    for engine in dict.fromkeys(fault.row.engine for fault in faults):
        own = [fault for fault in faults if fault.row.engine == engine]
        for fault in sorted(own, key=_gravity)[:limit]:
            _print_fault(console, fault)


def write_json(path: Path, results: Results, about: Mapping[str, Any]) -> None:
    """Everything: what was run, the counts by engine and kind, and each row."""
    report = {
        "about": dict(about),
        "engines": {engine: _engine_json(rows) for engine, rows in results.items()},
        "rows": [asdict(row) for rows in results.values() for row in rows],
    }
    path.write_text(json.dumps(report, indent=1), encoding="utf-8")


def _engine_json(rows: Sequence[Row]) -> dict[str, Any]:
    kinds = {kind: tally(group).as_json() for kind, group in by_kind(rows).items()}
    return {**tally(rows).as_json(), "kinds": kinds}


def _engines_table(results: Results) -> Table:
    table = Table(title="landing", caption="corrupted: wrong / indent / ctx / cosmetic")
    table.add_column("engine")
    for heading in (
        "cases",
        "landed",
        "%",
        "loose",
        "corrupted",
        "by class",
        "on must-refuse",
        "refused rightly",
        "refused wrongly",
        "raised or hung",
        "median ms",
        "p99 ms",
    ):
        table.add_column(heading, justify="right")
    for engine, rows in results.items():
        table.add_row(engine, *_engine_cells(tally(rows)))
    return table


def _engine_cells(counts: Tally) -> Iterable[str]:
    share = f"{100 * counts.landed / counts.land_cases:.1f}" if counts.land_cases else "–"
    return (
        str(counts.cases),
        f"{counts.landed} of {counts.land_cases}",
        share,
        f"{counts.loose_landed} of {counts.loose_cases}",
        _alarm(counts.corrupted),
        f"{counts.wrong}/{counts.indent}/{counts.ctx}/{counts.cosmetic}",
        f"{counts.landed_on_must_refuse} of {counts.refuse_cases}",
        str(counts.refused_rightly),
        str(counts.refused_wrongly),
        _alarm(counts.exceptions),
        f"{counts.median_ms:.2f}",
        f"{counts.p99_ms:.2f}",
    )


def _kinds_table(results: Results) -> Table:
    table = Table(
        title="by kind",
        caption="right (landed, or refused where it must be) / corrupted / refused wrongly",
    )
    table.add_column("kind")
    table.add_column("n", justify="right")
    for engine in results:
        table.add_column(engine, justify="right")
    groups = {engine: by_kind(rows) for engine, rows in results.items()}
    for kind in sorted({kind for group in groups.values() for kind in group}):
        sizes = [len(group.get(kind, ())) for group in groups.values()]
        table.add_row(
            kind, str(max(sizes)), *(_kind_cell(group.get(kind, [])) for group in groups.values())
        )
    return table


def _kind_cell(rows: Sequence[Row]) -> str:
    if not rows:
        return "–"
    counts = tally(rows)
    right = counts.landed + counts.loose_landed + counts.refused_rightly
    raised = f" {_alarm(counts.exceptions)} raised" if counts.exceptions else ""
    return f"{right} / {_alarm(counts.corrupted)} / {counts.refused_wrongly}{raised}"


def _alarm(count: int) -> str:
    return f"[bold red]{count}[/bold red]" if count else "0"


def _gravity(fault: Fault) -> int:
    return 0 if fault.row.corrupted else 1 if fault.row.error else 2


def _print_fault(console: Console, fault: Fault) -> None:
    row, case = fault.row, fault.case
    console.print(
        f"\n[bold]{row.engine}: {row.verdict}[/bold] {row.id} {row.error or ''}", highlight=False
    )
    console.print(
        f"{case.file_name} ({case.lang}), lines {case.region}", highlight=False, markup=False
    )
    for name, value in raw_edit(case.edit).items():
        shown = value if isinstance(value, str) else json.dumps(value, indent=1, ensure_ascii=False)
        console.print(f"--- {name}\n{shown}", highlight=False, markup=False)
    if fault.text is not None:
        console.print(
            "--- what it did to the file",
            *_diff(case.before, fault.text),
            sep="\n",
            highlight=False,
            markup=False,
        )
    if case.expected:
        wanted = _diff(case.before, case.expected[0])
        console.print("--- what was meant", *wanted, sep="\n", highlight=False, markup=False)


def _diff(before: str, after: str) -> list[str]:
    """Changed lines, quoted where white space is all that differs."""
    old, new = before.split("\n"), after.split("\n")
    return [line.replace("\r", "␍") for line in unified_diff(old, new, lineterm="", n=2)][2:]
