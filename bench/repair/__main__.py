"""`python -m bench.repair`: run the parts of the benchmark; exit 1 if one is not as it must be."""

from __future__ import annotations

import sys

from bench.repair import lookup


def main() -> int:
    measured = lookup.measure()
    print("Lookup of a rule\n")
    print(lookup.report(measured))
    return int(max(lookup.growth(measured)) > lookup.MOST_GROWTH)


if __name__ == "__main__":
    sys.exit(main())
