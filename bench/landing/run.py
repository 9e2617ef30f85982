"""Every engine over every case, one engine's answer at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bench.landing.cases import Case
from bench.landing.engines import Engine
from bench.landing.tally import Fault, Row, row_of


def run_cases(
    cases: Iterable[Case], engines: Sequence[Engine], total: int | None, console: Console
) -> tuple[dict[str, list[Row]], list[Fault]]:
    """Rows by engine, and what somebody got wrong."""
    results: dict[str, list[Row]] = {engine.name: [] for engine in engines}
    faults: list[Fault] = []
    with _progress(console) as progress:
        task = progress.add_task("landing", total=total)
        for case in cases:
            for engine in engines:
                answer = engine.answer(case)
                if answer is None:
                    continue
                row = row_of(engine.name, case, answer)
                results[engine.name].append(row)
                if row.corrupted or row.error or row.verdict == "wrongly_refused":
                    faults.append(Fault(row, case, answer.text))
            progress.advance(task)
    return results, faults


def _progress(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
    )
