"""`python -m bench.growth`: how the time to read a reply grows with its length, for texts that were made to be slow.

Exit code 0: no text of a million characters takes seconds, or more than thirty times as long as one of a hundred
thousand.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable

from rich.console import Console
from rich.table import Table

from bench.growth.measure import LONG, MOST_GROWTH, MOST_MS, SHORT, Growth, measure
from bench.growth.texts import NOTATIONS, REPLIES


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0 where the limits hold."""
    options = _parser().parse_args(arguments)
    texts = [
        text
        for text in (*NOTATIONS, *REPLIES)
        if options.only.search(f"{text.reader}: {text.name}")
    ]
    console = Console() if sys.stdout.isatty() else Console(width=160)
    growths = [measure(text) for text in texts]
    shown = growths if options.all else _slowest(growths)
    console.print(_table(shown, len(growths)))
    return 0 if all(each.kept for each in growths) else 1


def _slowest(growths: Iterable[Growth]) -> list[Growth]:
    """Return those over a limit, and the slowest twelve."""
    by_time = sorted(growths, key=lambda each: each.long_ms, reverse=True)
    return [each for place, each in enumerate(by_time) if place < 12 or not each.kept]


def _table(growths: Iterable[Growth], count: int) -> Table:
    table = Table(title=f"growth: {count} texts; limits: {MOST_GROWTH:.0f} times, {MOST_MS:.0f} ms")
    for heading in ("reader", "text", f"ms at {SHORT:,}", f"ms at {LONG:,}", "times", ""):
        table.add_column(heading, justify="left" if heading in ("reader", "text") else "right")
    for each in growths:
        table.add_row(
            each.text.reader,
            each.text.name,
            f"{each.short_ms:.1f}",
            f"{each.long_ms:.1f}",
            f"{each.ratio:.1f}",
            "ok" if each.kept else "[bold red]over[/bold red]",
        )
    return table


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.growth",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--only",
        type=re.compile,
        default=re.compile("."),
        help="only texts that match this pattern",
    )
    parser.add_argument("--all", action="store_true", help="print every text, not only the slowest")
    return parser


if __name__ == "__main__":
    sys.exit(main())
