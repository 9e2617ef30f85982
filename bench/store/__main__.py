"""`python -m bench.store`: the CPU that a turn of 60 steps spends in the store, beside plain sqlite3.

Both make the same rows of the same events, and write them in as many transactions with the same pragmas. Rounds
alternate, and the least of each side counts. With `--writers 8`, so many processes write at once instead, and the
table has what a transaction waited for the others. With `--turns 1000`, it has the size of the store and of the private
repository after so many turns. Exit code 0: the limits are kept.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from bench.store.size import measure_sizes
from bench.store.turn import (
    TRANSACTIONS,
    open_plain,
    plain_transactions,
    record_turn,
    steps,
    write_plain,
)
from bench.store.writers import measure_waits
from holdfast.adapters.store.store import open_store

MOST_RATIO = 3.0
MOST_WAIT_RATIO = 20


def main(arguments: list[str] | None = None) -> int:
    """Print the figures as a Markdown table; exit code 0 where the limit holds."""
    options = _parser().parse_args(arguments)
    if options.turns:
        return _report_sizes(options.turns)
    if options.writers:
        return _report_waits(options.writers, options.transactions, limits=options.limits)
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-store-") as name:
        rounds = [
            (_ours(Path(name), number), _plain(Path(name), number))
            for number in range(options.rounds)
        ]
    ours, plain = min(each[0] for each in rounds), min(each[1] for each in rounds)
    ratio = ours / plain
    print("| transactions | store, CPU ms | plain sqlite3, CPU ms | ratio |")
    print("| --- | --- | --- | --- |")
    print(f"| {TRANSACTIONS} | {1000 * ours:.1f} | {1000 * plain:.1f} | {ratio:.2f} |")
    if not options.limits or ratio <= MOST_RATIO:
        return 0
    sys.stderr.write(
        f"the store costs {ratio:.2f} times plain sqlite3, and {MOST_RATIO:g} is the limit\n"
    )
    return 1


def _report_sizes(turns: int) -> int:
    """Print how large the store and the private repository are after so many turns."""
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-store-") as name:
        sizes = measure_sizes(Path(name), turns)
    print("| turns | store, KB | a turn, KB | events | parts | changes | private repository, KB |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    tables = " | ".join(f"{size / 1000:,.0f}" for size in sizes.tables.values())
    store, repository = sizes.store / 1000, sizes.repository / 1000
    print(f"| {turns:,} | {store:,.0f} | {store / turns:.1f} | {tables} | {repository:,.0f} |")
    return 0


def _report_waits(writers: int, transactions: int, *, limits: bool) -> int:
    """Print what each transaction of several writers waited, with the queue and without it."""
    print("| writers | | median ms | 99 % ms | longest ms | longest / median | all, s |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-store-") as name:
        for queue in (False, True):
            waits = measure_waits(Path(name), writers, transactions, queue=queue)
            times = " | ".join(
                f"{1000 * each:.1f}" for each in (waits.median, waits.p99, waits.longest)
            )
            ratio = waits.longest / waits.median
            side = "the store" if queue else "BEGIN IMMEDIATE alone"
            print(f"| {writers} | {side} | {times} | {ratio:,.0f} | {waits.total:.1f} |")
    if not limits or ratio <= MOST_WAIT_RATIO:
        return 0
    sys.stderr.write(
        f"the longest wait is {ratio:.0f} times the median, {MOST_WAIT_RATIO} is the limit\n"
    )
    return 1


def _ours(place: Path, number: int) -> float:
    root = place / f"ours-{number}"
    root.mkdir()
    turn = steps()
    with open_store(str(place / f"ours-{number}.sqlite3")) as store:
        # What is compiled once in a process is not counted: here a first turn has done so.
        record_turn(store, root, place / "state", steps())
        begun = time.process_time()
        record_turn(store, root, place / "state", turn)
        return time.process_time() - begun


def _plain(place: Path, number: int) -> float:
    file = place / f"plain-{number}.sqlite3"
    with open_store(str(file)):
        pass
    connection = open_plain(file)
    write_plain(connection, plain_transactions(place / "first", steps()))
    turn = steps()
    begun = time.process_time()
    count = write_plain(connection, plain_transactions(place / "second", turn))
    spent = time.process_time() - begun
    assert count == TRANSACTIONS
    connection.close()
    return spent


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.store",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--turns", type=int, default=0, help="measure the size after so many turns")
    parser.add_argument("--writers", type=int, default=0, help="measure so many writers at once")
    parser.add_argument("--transactions", type=int, default=150, help="of each writer")
    parser.add_argument(
        "--limits", action=argparse.BooleanOptionalAction, default=True, help="fail if it is broken"
    )
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
