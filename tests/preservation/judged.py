"""What is objected to in a fix."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.preservation.judge import judge_fix
from holdfast.vocab.diagnostics import Diagnostic, Target


def objections(
    before: str, after: str, path: str, target: Target, diagnostics: Sequence[Diagnostic] = ()
) -> tuple[str, ...]:
    """Return why a fix is refused, or shown to a person."""
    return tuple(each.reason for each in judge_fix(before, after, path, target, diagnostics))


def refusals(
    before: str, after: str, path: str, target: Target, diagnostics: Sequence[Diagnostic] = ()
) -> tuple[str, ...]:
    """Return why a fix is refused."""
    judged = judge_fix(before, after, path, target, diagnostics)
    return tuple(each.reason for each in judged if each.severity == "refused")
