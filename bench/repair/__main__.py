"""`python -m bench.repair`: what a rule costs to find, what it saves, a job in CI, and what a repair costs beside other tools.

Exit code 0: a lookup does not grow with the rules, and no rule has mended anything wrongly.
"""

from __future__ import annotations

import argparse

from bench.repair import beside, ci_job, lookup, paid_once

_PARTS = ("lookup", "cases", "ci", "beside")


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0 where the limits hold."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.repair",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--part", choices=_PARTS, action="append", help="only this; without it, all"
    )
    parser.add_argument("--files", type=int, default=ci_job.FILES, help="of the job in CI")
    parser.add_argument("--rounds", type=int, default=5, help="of the comparison with other tools")
    options = parser.parse_args(arguments)
    parts = options.part or _PARTS
    holds = True
    if "lookup" in parts:
        measured = lookup.measure()
        print("Lookup of a rule\n")
        print(lookup.report(measured))
        holds = max(lookup.growth(measured)) <= lookup.MOST_GROWTH
    if "cases" in parts:
        shares = paid_once.measure()
        print("\nErrors mended without a model\n")
        print(paid_once.report(shares))
        holds = holds and not any(share.wrong for share in shares)
    if "ci" in parts:
        timed = ci_job.measure(options.files)
        print("\nA job in CI\n")
        print(ci_job.report(timed, options.files))
        holds = holds and all(each.whole for each in timed)
    if "beside" in parts:
        print("\nBeside other tools\n")
        print(beside.report(beside.measure(options.rounds)))
        print()
        print(beside.report_command(beside.measure_command(options.rounds)))
    return 0 if holds else 1


if __name__ == "__main__":
    raise SystemExit(main())
