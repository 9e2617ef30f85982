"""The errors of a check: which they are, whether they are new, and how they are shown."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from holdfast.repair.ports import Checked
    from holdfast.vocab.diagnostics import Diagnostic

ErrorSignature: TypeAlias = tuple[str, str, str, str, tuple[str, ...]]


def errors_of(checked: Checked) -> tuple[Diagnostic, ...]:
    """Return the diagnostics that fail a check."""
    return tuple(each for each in checked.diagnostics if each.severity == "error")


def new_errors(then: Checked, now: Checked) -> Counter[ErrorSignature]:
    """Count the errors of `now` that `then` does not have, wherever they are in the file."""
    return _signatures(now) - _signatures(then)


def same_errors(one: Checked, other: Checked) -> bool:
    """Return whether two checks have the same errors; without errors, the same output."""
    ones, others = _signatures(one), _signatures(other)
    if not ones and not others:
        return one.output == other.output
    return ones == others


def signature(diagnostic: Diagnostic) -> ErrorSignature:
    """Return what identifies a diagnostic, without its place: a fix moves lines."""
    return (diagnostic.path, diagnostic.tool, diagnostic.code, diagnostic.template, diagnostic.args)


def describe_errors(checked: Checked) -> str:
    """Return the errors of a check, a line each; its output if that could not be parsed."""
    lines = "\n".join(map(describe, errors_of(checked)))
    if lines:
        return lines
    output = checked.output.strip()
    return output or "the check failed and printed nothing."


def describe(diagnostic: Diagnostic) -> str:
    """Return one diagnostic in the form that compilers print."""
    where = diagnostic.path
    if diagnostic.area is not None:
        where = f"{where}:{diagnostic.area.line}:{diagnostic.area.column}"

    line = f"{where}: {diagnostic.severity}: {diagnostic.message}"
    if diagnostic.code:
        line += f" [{diagnostic.code}]"

    return line


def _signatures(checked: Checked) -> Counter[ErrorSignature]:
    return Counter(map(signature, errors_of(checked)))
