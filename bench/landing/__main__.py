"""`python -m bench.landing`: run the engines over generated cases or a corpus, and print who landed what."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path

from rich.console import Console

from bench.landing.cases import Case
from bench.landing.corpus import load_corpus
from bench.landing.engines import Engine, Holdfast
from bench.landing.generator import generate, make_case
from bench.landing.peers.catalog import CALL_LIMIT_SECONDS, find_peers
from bench.landing.report import Results, print_faults, print_results, write_json
from bench.landing.run import run_cases
from bench.landing.speed import (
    PEER_LIMIT_SECONDS,
    measure_peers,
    measure_speed,
    print_peers,
    print_speed,
    speed_is_kept,
    speed_json,
)

CORPUS_ROWS = """
A corpus is a folder with two files of JSON lines:
  files.<split>.jsonl  {ref, text}
  cases.<split>.jsonl  {id, lang, kind, polarity: land|refuse, file_name, before: {ref}, edit, expected, refuse_ok?,
                       region?}
edit is one of
  {format: search_replace, old_string, new_string}
  {format: unified_diff, diff}                      (kinds ud-prose-* may have a fence or prose around it)
  {format: line_edits, edits: [{start_line, end_line, new_text, old_text?}]}
expected lists every acceptable file as {splice: [start, end, text]} of the file before; it is empty for refuse.
region is [first, last + 1] of the lines meant, 0-based, for the diagnosis only.

Verdicts: landed is equal to an expected file, byte for byte. Corrupted is cosmetic (blanks, newlines or typography
differ), indent, ctx (the model's copy of lines it did not mean to change replaced the file's own) or wrong.
Exit code 0: our engine corrupted nothing and raised nothing.
"""


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0 where our engine corrupted nothing and raised nothing."""
    options = _parser().parse_args(arguments)
    console = _wide_console()
    return (
        _run_speed(options, console)
        if options.speed
        else _run_cases(options, console, arguments or sys.argv[1:])
    )


def _run_cases(options: argparse.Namespace, console: Console, arguments: list[str]) -> int:
    ours = list(_our_engines(gate=options.gate))
    engines = [*ours, *_peers(options, console, CALL_LIMIT_SECONDS)]
    total = None if options.corpus or options.case else options.cases * len(options.seed)
    results, faults = run_cases(_cases(options), engines, total, console)
    for engine in engines:
        engine.close()
    print_faults(console, faults, options.show)
    print_results(console, results)
    if options.json:
        write_json(options.json, results, {"arguments": arguments})
    return 0 if _is_clean(results, [engine.name for engine in ours]) else 1


def _run_speed(options: argparse.Namespace, console: Console) -> int:
    probes, import_ms = measure_speed(console)
    print_speed(console, probes, import_ms)
    peers = _peers(options, console, PEER_LIMIT_SECONDS)
    figures = measure_peers(peers, console)
    if figures:
        print_peers(console, figures)
    for peer in peers:
        peer.close()
    if options.json:
        report = {**speed_json(probes, import_ms), "peers": figures}
        options.json.write_text(json.dumps(report, indent=1), encoding="utf-8")
    return 0 if speed_is_kept(probes, import_ms) else 1


def _peers(options: argparse.Namespace, console: Console, limit_seconds: float) -> list[Engine]:
    if not options.peers:
        return []
    peers, missing = find_peers(options.peers, limit_seconds)
    for line in missing:
        console.print(line)
    return peers


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.landing",
        description=__doc__,
        epilog=CORPUS_ROWS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--cases", type=int, default=2000, help="how many cases to generate for each seed"
    )
    parser.add_argument(
        "--seed", type=_seeds, default=(1,), help="one seed, or several with commas"
    )
    parser.add_argument(
        "--case", type=_ids, help="only these generated cases, by their ids with commas"
    )
    parser.add_argument(
        "--corpus", type=Path, help="run the corpus in this folder instead of generated cases"
    )
    parser.add_argument("--split", default="dev", help="which part of the corpus")
    parser.add_argument(
        "--kinds",
        type=re.compile,
        default=re.compile("."),
        help="only kinds that match this pattern",
    )
    parser.add_argument(
        "--gate", action=argparse.BooleanOptionalAction, help="only with, or only without the path"
    )
    parser.add_argument("--peers", help="run these as well: all, or names with commas")
    parser.add_argument(
        "--speed", action="store_true", help="measure the times on one large file instead"
    )
    parser.add_argument("--json", type=Path, help="write everything to this file")
    parser.add_argument(
        "--show", type=int, default=0, help="print this many faults of each engine in full"
    )
    return parser


def _wide_console() -> Console:
    """The terminal, or a page wide enough for the tables where there is none."""
    console = Console()
    return console if console.is_terminal else Console(width=320)


def _seeds(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(","))


def _ids(text: str) -> tuple[tuple[int, int, str], ...]:
    """Seed, turn and kind of each id, such as `7-0-twin-name`."""
    parts = (part.strip().split("-", 2) for part in text.split(","))
    return tuple((int(seed), int(turn), kind) for seed, turn, kind in parts)


def _cases(options: argparse.Namespace) -> Iterable[Case]:
    if options.case:
        return [case for one in options.case if (case := make_case(*one)) is not None]
    if options.corpus:
        return (
            case
            for case in load_corpus(options.corpus, options.split)
            if options.kinds.search(case.kind)
        )
    return chain.from_iterable(_generated(seed, options) for seed in options.seed)


def _generated(seed: int, options: argparse.Namespace) -> Iterator[Case]:
    return islice(generate(seed, options.kinds), options.cases)


def _our_engines(*, gate: bool | None) -> Iterator[Engine]:
    if gate is not True:
        yield Holdfast(gate=False)
    if gate is not False:
        yield Holdfast(gate=True)


def _is_clean(results: Results, ours: list[str]) -> bool:
    return not any(row.corrupted or row.error for name in ours for row in results[name])


if __name__ == "__main__":
    sys.exit(main())
