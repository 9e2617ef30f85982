"""What a fix must keep: the names, the bodies, most of the text, and the checker's right to speak."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from holdfast.landing.syntax import language_of
from holdfast.repair.declared import Declared, declared_in
from holdfast.repair.fixits import deleted_by_fixits
from holdfast.repair.ports import Target
from holdfast.repair.suppressions import suppressions_added
from holdfast.vocab.diagnostics import Diagnostic

_SMALL: Final = 8
"""So many tokens may go from any file, unless that is half of it."""
_SHARE: Final = 0.2
_NO_TEXT: Final = re.compile("[\udc80-\udcff]")
_STRINGS: Final = r'"(?:\\.|[^"\\\n])*"|' + r"'(?:\\.|[^'\\\n])*'"
_WORDS: Final = r"\w+|[^\w\s]"
_HASH: Final = re.compile(rf'(?s:"""(?:\\.|[^\\])*?""")|(?s:\'\'\'(?:\\.|[^\\])*?\'\'\')|{_STRINGS}|(#[^\n]*)|{_WORDS}')
_SLASH: Final = re.compile(rf"(//[^\n]*|/\*(?s:.*?)\*/)|{_STRINGS}|{_WORDS}")
_RUST: Final = re.compile(r"(//[^\n]*|/\*(?s:.*?)\*/)" + r"|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\\n])'|" + _WORDS)


def language_for(path: str, target: Target) -> str:
    """Give the language to read a unit in; "" where we have no eyes for it."""
    named = language_of(path)
    if target in {"any", "typescript"} or (target == "javascript" and named == "tsx"):
        return named or ("typescript" if target == "typescript" else "")
    return target


def what_is_lost(
    before: str, after: str, path: str, target: Target, diagnostics: Sequence[Diagnostic] = ()
) -> tuple[str, ...]:
    """Say what the new text loses or hides, a sentence each; nothing if it keeps all that it must.

    `diagnostics` are those of the old text: what the compiler itself would delete is not counted as lost.
    """
    language = language_for(path, target)
    old, new = declared_in(before, language), declared_in(after, language)
    reasons: list[str] = []
    if old is not None and new is not None:
        reasons += _broken(old, new) + _names_lost(old, new, after) + _emptied(old, new)
    reasons += _deleted(before, after, path, language, diagnostics)
    added = suppressions_added(before, after, language)
    if len(_NO_TEXT.findall(after)) < len(_NO_TEXT.findall(before)):
        reasons.append("it loses bytes of the file that are no text; leave the lines that hold them as they are.")
    if added:
        reasons.append(f"it silences the checker ({', '.join(added)}); mend the code instead.")
    return tuple(reasons)


def parse_errors(text: str, path: str, target: Target) -> int | None:
    """Count the places that do not parse; None where nobody can tell."""
    found = declared_in(text, language_for(path, target))
    return None if found is None else found.errors


def _broken(old: Declared, new: Declared) -> list[str]:
    if new.errors <= old.errors:
        return []
    return [f"it has {new.errors} places that do not parse, and before there were {old.errors}."]


def _names_lost(old: Declared, new: Declared, after: str) -> list[str]:
    gone = old.names - new.names
    if old.errors:
        # A text that does not parse is read by guesses: a name is lost only if it is nowhere any more.
        gone = {name for name in gone if not re.search(rf"\b{re.escape(name.rpartition('.')[2])}\b", after)}
    reasons = []
    if gone:
        reasons.append(f"it no longer declares {_listed(gone)}; keep every name that others may use.")
    unexported = old.exported - new.exported - gone
    if unexported and not old.errors:
        reasons.append(f"it no longer exports {_listed(unexported)}; keep every name that others may use.")
    return reasons


def _emptied(old: Declared, new: Declared) -> list[str]:
    emptied = {name for name in old.busy & new.idle if name not in new.busy}
    if not emptied:
        return []
    return [f"it leaves nothing of the body of {_listed(emptied)}; mend the body instead."]


def _deleted(before: str, after: str, path: str, language: str, diagnostics: Sequence[Diagnostic]) -> list[str]:
    had, has = _tokens(before, language), _tokens(after, language)
    forgiven = sum(
        max(0, _tokens(old, language) - _tokens(new, language))
        for old, new in deleted_by_fixits(before, path, diagnostics)
    )
    gone = had - has - forgiven
    budget = min(max(_SMALL, had * _SHARE), had / 2)
    if gone <= 0 or (gone <= budget and has):
        return []
    return [f"it deletes {had - has} of {had} words of code, more than a fix may; keep the code and mend it."]


def _tokens(text: str, language: str) -> int:
    """Count words and marks; a string is one, a comment is none, so to comment code out is to delete it."""
    shape = _HASH if language in {"python", ""} else _RUST if language == "rust" else _SLASH
    return sum(1 for found in shape.finditer(text) if found.group(1) is None)


def _listed(names: set[str]) -> str:
    first = sorted(names)[:5]
    more = len(names) - len(first)
    return ", ".join(first) + (f" and {more} more" if more else "")
