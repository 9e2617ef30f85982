"""What a fix must preserve: names, bodies, signatures, most of the code, and active checks."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from holdfast.preservation.annotations import annotations_dropped
from holdfast.preservation.declarations import Function, declared_in, is_public
from holdfast.preservation.diagnostic_mentions import Mentions, mentions_of
from holdfast.preservation.dropped_statements import dropped, forgiven_words
from holdfast.preservation.function_bodies import BodyEffect, is_emptied
from holdfast.preservation.invented_names import invented
from holdfast.preservation.signatures import renamed, still_callable
from holdfast.preservation.silenced_checks import raw_types_added
from holdfast.preservation.suppression_comments import suppressions_added, suppressions_between
from holdfast.syntax.dead_code import conditions_of
from holdfast.syntax.fixits import deleted_by_fixits
from holdfast.syntax.parse_check import language_of
from holdfast.syntax.source import ParsedSource, parse_source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.vocab.diagnostics import Diagnostic, Target

_SMALL: Final = 8
"""The number of tokens that may be deleted from any file, unless that is half of it."""
_SHARE: Final = 0.2
_HALF: Final = 0.5
_QUOTES: Final = re.compile(r"['\"`\\]")
_HEADERS: Final = (".h", ".hh", ".hpp", ".hxx")
_MODIFIERS: Final = (
    "static",
    "private",
    "protected",
    "public",
    "pub",
    "super",
    "crate",
    "export",
    "default",
)
_NO_TEXT: Final = re.compile("[\udc80-\udcff]")
_STRINGS: Final = r'"(?:\\.|[^"\\\n])*"|' + r"'(?:\\.|[^'\\\n])*'"
_WORDS: Final = re.compile(rf"{_STRINGS}|(#[^\n]*|//[^\n]*)|\w+|[^\w\s]")


_CONFLICT: Final = re.compile(
    r"^<{7}[^\n]*\n(.*?)^={7}[^\n]*\n(.*?)^>{7}[^\n]*$", re.MULTILINE | re.DOTALL
)


def language_for(path: str, target: Target) -> str:
    """Return the language of a file for `parse_source`; "" if its tree is not understood."""
    named = language_of(path)
    if target in {"any", "typescript"} or (target == "javascript" and named == "tsx"):
        return named or ("typescript" if target == "typescript" else "")
    return target


def what_is_lost(
    before: str, after: str, path: str, target: Target, diagnostics: Sequence[Diagnostic] = ()
) -> tuple[str, ...]:
    """Return what the new text loses or hides, one sentence each; () if it preserves everything.

    `diagnostics` are those of the old text: what the compiler itself would delete is not counted.
    """
    language = language_for(path, target)
    old, new = _read_both(before, after, language)
    reasons: list[str] = []
    forgiven = _forgiven_by_fixits(before, path, language, diagnostics)
    if old is not None and new is not None:
        mentions = mentions_of(old, path, diagnostics)
        reasons += _Comparison(old, new, path, mentions).reasons()
        forgiven = max(forgiven, forgiven_words(old, mentions))
        left = {word.text for word in new.live_words}
        added = tuple(
            word for word in suppressions_between(old, new) if not mentions.misspells(word, left)
        )
        if path.endswith(_HEADERS):  # there it is an include guard; elsewhere it does nothing
            added = tuple(word for word in added if word != "#pragma once")
    else:
        added = suppressions_added(before, after, language)
    had = _size(old) if old is not None else _tokens(before, language)
    has = _size(new) if new is not None else _tokens(after, language)
    reasons += _deleted(had, has, forgiven + _in_conflict(before, language))
    if len(_NO_TEXT.findall(after)) < len(_NO_TEXT.findall(before)):
        reasons.append("it loses bytes of the file that are not text; leave their lines unchanged.")
    if added:
        reasons.append(f"it silences the checker ({', '.join(added)}); fix the code instead.")
    return tuple(reasons)


def _read_both(
    before: str, after: str, language: str
) -> tuple[ParsedSource | None, ParsedSource | None]:
    old = parse_source(before, language)
    if old is None or not old.errors or language not in {"c", "cpp", "rust"}:
        return old, parse_source(after, language)
    # The old tree may not show what was under a condition: so no old condition makes code dead.
    kept = conditions_of(before)
    return parse_source(before, language, kept), parse_source(after, language, kept)


def parse_errors(text: str, path: str, target: Target) -> int | None:
    """Count the places that do not parse; None if the language is not understood."""
    found = parse_source(text, language_for(path, target))
    return None if found is None else found.errors


class _Comparison:
    """The comparison of the trees of the old and the new text."""

    def __init__(self, old: ParsedSource, new: ParsedSource, path: str, mentions: Mentions) -> None:
        self._old, self._new = old, new
        self._had, self._has = declared_in(old), declared_in(new)
        self._path = path
        self._mentions = mentions
        self._fewer = _size(old) - _size(new)

    def reasons(self) -> Iterator[str]:
        """Yield a sentence for each loss."""
        # No grammar knows the macros of C: where it failed before, only the compiler can judge.
        macros = self._old.errors and self._old.language in {"c", "cpp"}
        if self._new.errors > self._old.errors and not macros:
            yield f"it adds syntax errors: {self._new.errors} now, {self._old.errors} before."
        gone = self._gone()
        if gone:
            yield f"it no longer declares {_listed(gone)}; keep every name that others may use."
        unseen = self._no_longer_visible(gone)
        if unseen:
            yield f"it no longer exports {_listed(unseen)}; keep every name that others may use."
        yield from self._about_functions()
        failing = dropped(self._old, self._new, self._mentions)
        if failing is not None:
            yield f"it drops the statement that failed, {failing}; fix the statement instead."
        made_up = invented(self._old, self._new, self._mentions)
        if made_up:
            yield (
                f"it makes up {_listed(made_up)} without meaning;"
                " find the name that was meant, or define it properly."
            )
        bare = annotations_dropped(self._old, self._new, self._mentions)
        if bare:
            yield f"it removes the type of {_listed(bare)}; correct the type instead."
        raw = raw_types_added(self._old, self._new)
        if raw:
            yield f"it removes the type arguments of {', '.join(raw)}; keep them."
        if self._hides():
            yield "it puts code where it can never run; fix the code instead."

    # ------------------------------------------------------------------------------- names

    def _gone(self) -> set[str]:
        gone = self._had.names - self._has.names - (self._had.variables & self._has.brought)
        if self._old.errors:
            # The tree of a text that does not parse is a guess: a name is lost only if it is
            # nowhere any more.
            words = {word.text.strip("\"'") for word in self._new.live_words}
            lasts = {name: name.rpartition(".")[2] for name in gone}
            return {
                name
                for name, last in lasts.items()
                if last not in words and not self._is_guess(last)
            }
        if self._is_named_as_file(gone):
            return set()
        return {name for name in gone if not self._is_misspelt(name)}

    def _is_guess(self, name: str) -> bool:
        """Return whether error recovery made a name of a type, or of two words."""
        if not name.isidentifier():
            return True
        if len(re.findall(rf"\b{name}\b", self._old.text)) == len(
            re.findall(rf":\s*{name}\b", self._old.text)
        ):
            return True  # a type where none is allowed
        plain = [word.text for word in self._new.live_words if word.text.isidentifier()]
        return any(one + other == name for one, other in pairwise(plain))

    def _is_named_as_file(self, gone: set[str]) -> bool:
        """Return whether a Java class now has the name of its file instead of another one."""
        stem = self._path.rpartition("/")[2].partition(".")[0]
        wanted = stem in self._has.names - self._had.names
        return wanted and all(
            f"{stem}{name[len(name.partition('.')[0]) :]}" in self._has.names for name in gone
        )

    def _is_misspelt(self, name: str) -> bool:
        """Return whether a name local to this file was renamed to one the compiler missed."""
        if (
            name in self._had.exported
            or f"local {name}" in self._had.exported
            or self._is_visible(name)
        ):
            return False
        if self._mentions.calls_superfluous(name.rpartition(".")[2]):
            return True  # it is not used
        scope = name.rpartition(".")[0]
        new = {
            each for each in self._has.names - self._had.names if each.rpartition(".")[0] == scope
        }
        return any(self._mentions.names(each.rpartition(".")[2]) for each in new)

    def _is_visible(self, name: str) -> bool:
        language, last = self._old.language, name.rpartition(".")[2]
        if "." in name and name not in self._had.functions and last[:1].islower():
            return False  # a field: if the compiler missed the new name, the old one was a mistake
        if language == "python":
            # A variable of a module is not exported unless `__all__` lists it, or it is a constant.
            return (
                "." in name or name in self._had.functions or last.isupper() or last[:1].isupper()
            )
        if language == "go":
            return last[:1].isupper()
        return self._had.reach.get(name, 0) > 0

    def _no_longer_visible(self, gone: set[str]) -> set[str]:
        lost = {
            name
            for name in self._had.exported - self._has.exported
            if not name.startswith("local ")
        }
        if self._old.errors:
            words = {word.text for word in self._old.live_words}
            lost = {
                name
                for name in lost
                if not name.isidentifier() or (name in words and not self._is_guess(name))
            }
        reach = self._has.reach
        less = {
            name for name, far in self._had.reach.items() if name in reach and reach[name] < far
        }
        left = {word.text for word in self._new.live_words}
        misspelt = any(self._mentions.misspells(word, left) for word in _MODIFIERS)
        if misspelt or (self._old.errors and self._has_same_modifiers()):
            less = set()
        return {
            name
            for name in lost | less
            if name not in gone and not self._mentions.about_visibility(name.rpartition(".")[2])
        }

    def _has_same_modifiers(self) -> bool:
        """Return whether both texts have the same modifiers: then only the parsing differs."""
        had, has = (
            Counter(word.text for word in each.live_words) for each in (self._old, self._new)
        )
        return all(had[word] == has[word] for word in _MODIFIERS)

    # ------------------------------------------------------------------------------- functions

    def _about_functions(self) -> Iterator[str]:
        emptied: set[str] = set()
        gutted: set[str] = set()
        uncallable: set[str] = set()
        for name, old, new in self._pairs():
            if is_emptied(old.effect, new.effect) and not self._had_same_body(new):
                emptied.add(name)
            elif self._is_gutted(old, new):
                gutted.add(name)
            if is_public(name, self._had, self._old.language) and self._breaks_callers(
                name, old, new
            ):
                uncallable.add(name)
        if emptied:
            yield f"it empties the body of {_listed(emptied)}; fix the body instead."
        if gutted:
            yield f"it deletes most of the body of {_listed(gutted)}; fix the body instead."
        if uncallable:
            yield (
                f"it changes how {_listed(uncallable)} is called;"
                " keep the parameters that callers pass."
            )

    def _pairs(self) -> Iterator[tuple[str, Function, Function]]:
        """Yield pairs of functions of the same name.

        Of several with one name, each is paired with the one of the same signature or the same
        number of parameters.
        """
        for name, olds in self._had.functions.items():
            news = sorted(self._has.functions.get(name, ()), key=_order)
            for old in sorted(olds, key=_order) if news else ():
                match = [each for each in news if each.signature == old.signature] or (
                    news
                    if len(olds) == len(news) == 1
                    else [each for each in news if _order(each) == _order(old)]
                )
                best = max(
                    match or news, key=lambda each: (each.effect is BodyEffect.WORK, each.words)
                )
                yield name, old, best

    def _had_same_body(self, new: Function) -> bool:
        """Return whether a body was the same in an old text that does not parse."""
        if not self._old.errors:
            return False
        body = self._new.text[new.header[1] : new.end].strip("{} \t\n")
        # Without quotes: a missing or a wrong quote made code of a string.
        return (
            _QUOTES.sub("", body) in _QUOTES.sub("", self._old.text) if body else self._fewer <= 0
        )

    def _is_gutted(self, old: Function, new: Function) -> bool:
        fewer = old.words - new.words
        # Code moved to another function is still there, and superfluous code may be deleted.
        moved = self._fewer < fewer * _HALF
        allowed = self._mentions.is_superfluous(old.header[0], old.end)
        return fewer > _SMALL and new.words < old.words * _HALF and not moved and not allowed

    def _breaks_callers(self, name: str, old: Function, new: Function) -> bool:
        if old.signature is None or new.signature is None or old.signature == new.signature:
            return False
        last = name.rpartition(".")[2]
        if (
            self._mentions.names(last)
            or last in self._mentions.called
            or self._mentions.points_into(*old.header)
        ):
            return False  # the error is about this function, or a call of it
        if not still_callable(old.signature, new.signature):
            return True
        if old.signature.results != new.signature.results:
            return not any("return" in sentence for sentence in self._mentions.sentences)
        other = renamed(old.signature, new.signature) if self._old.language == "python" else []
        return any(not self._mentions.names(*pair) for pair in other)

    # ------------------------------------------------------------------------------- dead code

    def _hides(self) -> bool:
        then, now = self._old, self._new
        had, has = (len(each.dead_words) for each in (then, now))
        if has <= had:
            return False
        if then.errors:
            lines = [line.strip() for line in then.text.split("\n")]
            headers = (_header(now.text, start) for start, _ in now.dead)
            return any(not any(line.startswith(header) for line in lines) for header in headers)
        return len(now.dead) > len(then.dead) or self._fewer > 0


def _order(function: Function) -> tuple[int, int]:
    signature = function.signature
    return (-1, -1) if signature is None else (signature.least, signature.most)


def _header(text: str, start: int) -> str:
    """Return the code before a place on its line, or else the line above: what makes it dead."""
    first = text.rfind("\n", 0, start) + 1
    own = text[first:start].strip()
    return own or text[:first].rstrip().rpartition("\n")[2].strip()


def _size(reading: ParsedSource) -> int:
    return len(reading.live_words)


def _forgiven_by_fixits(
    before: str, path: str, language: str, diagnostics: Sequence[Diagnostic]
) -> int:
    return sum(
        max(0, _tokens(old, language) - _tokens(new, language))
        for old, new in deleted_by_fixits(before, path, diagnostics)
    )


def _deleted(had: int, has: int, forgiven: int) -> list[str]:
    gone = had - has - forgiven
    budget = min(max(_SMALL, had * _SHARE), had / 2)
    if gone <= 0 or (gone <= budget and has):
        return []
    deleted = f"it deletes {had - has} of {had} words of code, more than a fix may"
    return [f"{deleted}; keep the code and fix it."]


def _in_conflict(text: str, language: str) -> int:
    """Count the words of merge conflicts: all but the smaller side may be deleted."""
    count = 0
    for found in _CONFLICT.finditer(text):
        sides = [_tokens(side, language) for side in found.groups()]
        count += _tokens(found.group(), language) - min(sides)
    return count


def _tokens(text: str, language: str) -> int:
    """Count words and punctuation.

    A string counts as one and a comment as none, so commenting code out is deleting it.
    """
    reading = parse_source(text, language)
    if reading is not None:
        return _size(reading)
    return sum(1 for found in _WORDS.finditer(text) if found.group(1) is None)


def _listed(names: set[str]) -> str:
    first = sorted(names)[:5]
    more = len(names) - len(first)
    return ", ".join(first) + (f" and {more} more" if more else "")
