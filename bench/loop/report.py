"""The figures as a table, and the limits they have to keep."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from bench.loop.measure import Figures

MOST_CPU = 15.0
MOST_RATIO = 1.5
MOST_GROWTH = 8.0
_HEAD = (
    "turn", "steps", "messages", "CPU ms", "mean", "first", "last", "ratio", "children's ms", "wall ms", "memory MB",
    "grown by", "ended",
)  # fmt: skip


def print_figures(figures: Sequence[Figures]) -> None:
    """Print them as a Markdown table."""
    rows = [_HEAD, tuple("---" for _ in _HEAD), *map(_row, figures)]
    sys.stdout.write("".join(f"| {' | '.join(row)} |\n" for row in rows))


def broken(figures: Sequence[Figures]) -> list[str]:
    """Name the limits that do not hold."""
    lines = [f"{each.case.name}: {fault}" for each in figures for fault in _faults(each)]
    least = figures[0].own() if figures else 0
    lines += [
        f"{each.case.name}: a step costs {each.own() / least:.2f} times one of the first turn, not {MOST_RATIO:g}"
        for each in figures[1:]
        if each.own() > least * MOST_RATIO
    ]
    return lines


def _faults(figures: Figures) -> Iterator[str]:
    if figures.stop_reason != "done":
        yield f"the turn ended with {figures.stop_reason}, and not done"
    if figures.own() > MOST_CPU:
        yield f"{figures.own():.1f} ms CPU a step, and {MOST_CPU:g} is the limit"
    if figures.ratio() > MOST_RATIO:
        yield f"the last steps cost {figures.ratio():.2f} times the first, and {MOST_RATIO:g} is the limit"
    if figures.growth() > MOST_GROWTH:
        yield f"the memory has grown by {figures.growth():.1f} MB, and {MOST_GROWTH:g} is the limit"


def _row(figures: Figures) -> tuple[str, ...]:
    edge = figures.edge()
    first, last = figures.own(slice(None, edge)), figures.own(slice(-edge, None))
    case = figures.case
    times = (figures.own(), figures.own_mean(), first, last)
    return (
        case.name, f"{case.steps:,}", f"{case.messages:,}", *(f"{each:.1f}" for each in times),
        f"{figures.ratio():.2f}", f"{figures.children():.1f}", f"{figures.wall():.0f}",
        f"{figures.readings[-1].memory / 1e6:.0f}", f"{figures.growth():.1f}", figures.stop_reason,
    )  # fmt: skip
