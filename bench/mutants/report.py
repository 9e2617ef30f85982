"""Show what became of the mutants: as a table, a list of survivors and JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.mutants.run import Result

_SURVIVING = ("survived", "not covered")


def survivors(results: list[Result]) -> list[Result]:
    return [result for result in results if result.fate in _SURVIVING]


def survivor_percent(results: list[Result]) -> float:
    return 100 * len(survivors(results)) / len(results) if results else 0.0


def as_text(root: Path, results: list[Result]) -> str:
    lines = [_row(result) for result in results]
    surviving = survivors(results)
    if surviving:
        lines += ["", "Survivors"]
    for result in surviving:
        old, new = _change(root, result)
        lines += [
            "",
            f"{_place(result)} ({result.fate}; {_tests(result)})",
            f"  - {old}",
            f"  + {new}",
        ]
    counts = ", ".join(
        f"{_count(results, fate)} {fate}" for fate in ("killed", "timeout", *_SURVIVING)
    )
    lines += ["", f"{len(results)} mutants: {counts}. Survivors: {survivor_percent(results):.1f} %"]
    return "\n".join(lines)


def as_json(root: Path, seed: str, results: list[Result]) -> dict[str, Any]:
    return {
        "seed": seed,
        "survivor_percent": round(survivor_percent(results), 1),
        "mutants": [_mutant_as_json(root, result) for result in results],
    }


def _mutant_as_json(root: Path, result: Result) -> dict[str, Any]:
    old, new = _change(root, result)
    mutation = result.mutant.mutation
    return {
        "path": mutation.path,
        "line": mutation.line,
        "kind": mutation.kind,
        "fate": result.fate,
        "old": old,
        "new": new,
        "tests": len(result.mutant.tests),
        "reaching": result.mutant.reaching,
        "seconds": round(result.seconds, 2),
        "killer": result.killer,
    }


def _row(result: Result) -> str:
    return f"{result.fate:<12} {result.mutant.mutation.kind:<13} {result.seconds:6.1f} s  {_place(result)}"


def _place(result: Result) -> str:
    return f"{result.mutant.mutation.path}:{result.mutant.mutation.line}"


def _tests(result: Result) -> str:
    return f"{len(result.mutant.tests)} of {result.mutant.reaching} tests that reach the line"


def _change(root: Path, result: Result) -> tuple[str, str]:
    mutation = result.mutant.mutation
    text = (root / mutation.path).read_text(encoding="utf-8")
    return mutation.old_line(text), mutation.new_line(text)


def _count(results: list[Result], fate: str) -> int:
    return sum(result.fate == fate for result in results)
