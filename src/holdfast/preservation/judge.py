"""The judgement of a fix: what it loses, what it hides, and what it changes beyond the errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from holdfast.preservation.meaning import changes_of_meaning
from holdfast.preservation.meaning_change import MeaningChange, refused, review
from holdfast.preservation.reports import reports_of
from holdfast.preservation.silenced_checks import raw_types_added
from holdfast.preservation.suppression_comments import suppressions_between, suppressions_in_text
from holdfast.syntax.dead_code import conditions_of
from holdfast.syntax.parse_check import language_of
from holdfast.syntax.source import ParsedSource, parse_source
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.vocab.diagnostics import Diagnostic, Target

_DIALECTS: Final = {"javascript": ("tsx",), "typescript": ("javascript", "tsx")}
"""The languages that the name of a file may say, where the target says only the checker."""
_NO_TEXT: Final = lazy_pattern("[\udc80-\udcff]")


def language_for(path: str, target: Target) -> str:
    """Return the language of a file for `parse_source`; "" if its tree is not understood."""
    named = language_of(path) or ""
    if target == "any":
        return named

    if named in _DIALECTS.get(target, ()):
        return named

    return target


def parse_errors(text: str, path: str, target: Target) -> int | None:
    """Count the places that do not parse; None if the language is not understood."""
    found = parse_source(text, language_for(path, target))
    if found is None:
        return None

    return found.errors


def judge_fix(
    before: str, after: str, path: str, target: Target, diagnostics: Sequence[Diagnostic] = ()
) -> list[MeaningChange]:
    """Return what a fix does that a fix may not do, or that a person must see; the worst first.

    `diagnostics` are those of the old text: what they are about may change.
    """
    language = language_for(path, target)
    old, new = _parse_both(before, after, language)
    found: list[MeaningChange] = []
    if _count_no_text(after) < _count_no_text(before):
        found.append(refused("it loses bytes of the file that are not text; keep their lines."))

    if old is None or new is None:
        found += _judge_text(before, after)
        return found

    reports = reports_of(old.text, path, diagnostics)
    found += map(refused, _lost(old, new))
    found += changes_of_meaning(old, new, path, reports, diagnostics)
    return sorted(found, key=lambda change: change.severity != "refused")


def _judge_text(before: str, after: str) -> Iterator[MeaningChange]:
    """Judge texts without a tree: without it no deletion can be judged."""
    added = suppressions_in_text(before, after)
    if added:
        yield _silences(added)

    had, has = len(before.split()), len(after.split())
    if before.strip() and not after.strip():
        yield refused("it deletes the whole text; keep the code and fix it.")
    elif has < had:
        yield review(f"it deletes {had - has} of {had} words, in a language that is not parsed.")


def _parse_both(
    before: str, after: str, language: str
) -> tuple[ParsedSource | None, ParsedSource | None]:
    old = parse_source(before, language)
    kept: frozenset[str] = frozenset()
    if old is not None and old.errors:
        # The old tree may not show what was under a condition: so no old condition makes code dead.
        kept = conditions_of(before)
        old = parse_source(before, language, kept)

    new = parse_source(after, language, kept)
    return old, new


def _lost(old: ParsedSource, new: ParsedSource) -> Iterator[str]:
    """Yield a sentence for each thing that is lost or hidden."""
    # No grammar knows the macros of C: where it failed before, only the compiler can judge.
    has_macros = old.errors and old.language in {"c", "cpp"}
    if new.errors > old.errors and not has_macros:
        yield f"it adds syntax errors: {new.errors} now, {old.errors} before."

    raw = raw_types_added(old, new)
    if raw:
        yield f"it removes the type arguments of {', '.join(raw)}; keep them."

    if len(new.dead_words) > len(old.dead_words):
        yield "it puts code where it can never run; fix the code instead."

    added = suppressions_between(old, new)
    if added:
        yield _silences(added).reason


def _silences(added: Sequence[str]) -> MeaningChange:
    return refused(f"it silences the checker ({', '.join(added)}); fix the code instead.")


def _count_no_text(text: str) -> int:
    return len(_NO_TEXT.findall(text))
