"""The figures as tables, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.checkpoints.measure import CASES, Figures, limit_of

HEADINGS = {
    "first": "first",
    "ignored": "ignored files, first",
    "nothing": "nothing changed",
    "ten": "10 changed",
    "restore": "restore of 10",
}


def print_figures(console: Console, size: str, figures: Sequence[Figures]) -> None:
    """One repository's table: the ratio to `git status`, and the time."""
    status = sum(each.status() for each in figures) / len(figures)
    table = Table(
        title=f"{size} files (tracked-untracked-ignored); × `git status`, which took {status * 1000:.0f} ms"
    )
    table.add_column("recipe")
    for case in CASES:
        table.add_column(HEADINGS[case], justify="right")
    for each in figures:
        table.add_row(each.recipe, *(_cell(each, position) for position in range(len(CASES))))
    table.add_section()
    table.add_row("limit for ours", *(_limit(limit_of(case)) for case in CASES))
    console.print(table)
    console.print(
        "A restore of ours includes an undo checkpoint; the others take none, and cannot be undone."
    )


def as_json(figures: Sequence[Figures]) -> list[dict[str, Any]]:
    """Every sample."""
    return [
        asdict(each) | {"ratios": {case: each.ratio(case) for case in CASES}} for each in figures
    ]


def _limit(limit: float | None) -> str:
    if limit is None:
        return "–"
    return f"{limit:.1f}"


def _cell(figures: Figures, position: int) -> str:
    case = CASES[position]
    ratio, took = figures.ratio(case), figures.took(case)
    if ratio is None or took is None:
        return "–"
    ratios = [sample.ratio for sample in figures.samples[case]]
    return f"{ratio:.2f} ({min(ratios):.2f}–{max(ratios):.2f}), {took * 1000:,.0f} ms"
