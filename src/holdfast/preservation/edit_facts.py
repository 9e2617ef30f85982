"""The facts that one edit of a fix removes and adds, and what the errors say of its place."""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher, get_close_matches
from typing import TYPE_CHECKING, Final, TypeAlias

from holdfast.preservation.facts import facts_of
from holdfast.syntax.tokens import tokenize
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.preservation.fact import Fact, FactKind
    from holdfast.preservation.reports import Reports
    from holdfast.syntax.edits import Edit
    from holdfast.syntax.source import ParsedSource

FactCount: TypeAlias = "Counter[tuple[FactKind, str]]"

_SIMILAR: Final = 0.6
_ALIKE: Final = 0.8
_WORD: Final = lazy_pattern(r"\w+")


def most_similar(name: str, others: Iterable[str]) -> str:
    """Return the name that is most like another one; "" if none is like it."""
    return next(iter(get_close_matches(name, sorted(others), cutoff=_ALIKE)), "")


class FactComparison:
    """The facts of two texts. A fact that is only moved is neither lost nor gained."""

    def __init__(self, old: ParsedSource, new: ParsedSource, reports: Reports) -> None:
        """Compare the facts of two texts; `reports` are those of the old one."""
        self._old, self._new = old, new
        self._reports = reports
        self._old_facts, self._new_facts = facts_of(old), facts_of(new)
        self._had, self._has = _count(self._old_facts), _count(self._new_facts)

    def of_edit(self, edit: Edit) -> EditFacts:
        """Return what an edit removes and adds."""
        old_facts = _between(self._old_facts, edit.start, edit.end)
        new_facts = _between(self._new_facts, edit.new_start, edit.new_end)
        had, has = _count(old_facts), _count(new_facts)
        lost = (had - has) & (self._had - self._has)
        gained = (has - had) & (self._has - self._had)
        is_at_error = self._touches(edit, self._reports.lines)
        return EditFacts(
            lost=_keep(old_facts, lost),
            gained=_keep(new_facts, gained),
            had=self._had,
            has=self._has,
            reports=self._reports,
            is_at_error=is_at_error,
            is_superfluous=self._is_superfluous(edit),
            may_drop_part=self._touches(edit, self._reports.parts),
            is_syntax=is_at_error and self._old.errors > 0,
            edit=edit,
            old=self._old,
            new=self._new,
        )

    def _is_superfluous(self, edit: Edit) -> bool:
        """Return whether an error says that something is superfluous here.

        Of two definitions, either may go, though the error points at one.
        """
        if self._touches(edit, self._reports.superfluous):
            return True

        removed = self._old.text[edit.start : edit.end]
        first_line = removed.partition("\n")[0]
        return not self._reports.superfluous_names.isdisjoint(_WORD.findall(first_line))

    def _touches(self, edit: Edit, lines: frozenset[int]) -> bool:
        first = self._old.line_of(edit.start) + 1
        last = self._old.line_of(edit.end) + 1
        return any(first <= line <= last for line in lines)


def _count(facts: Sequence[Fact]) -> FactCount:
    return Counter((fact.kind, fact.text) for fact in facts)


def _between(facts: Sequence[Fact], start: int, end: int) -> list[Fact]:
    places = range(start, end)
    return [fact for fact in facts if fact.start in places]


def _keep(facts: Sequence[Fact], wanted: FactCount) -> FactList:
    left = Counter(wanted)
    kept = FactList()
    for fact in facts:
        key = (fact.kind, fact.text)
        if left[key]:
            left[key] -= 1
            kept.append(fact)

    return kept


class FactList(list["Fact"]):
    """Facts in the order of the text."""

    def of(self, *kinds: FactKind) -> list[Fact]:
        """Return the facts of these kinds."""
        return [fact for fact in self if fact.kind in kinds]

    def texts(self, *kinds: FactKind) -> set[str]:
        """Return the texts of the facts of these kinds."""
        return {fact.text for fact in self.of(*kinds)}


@dataclass(frozen=True, slots=True)
class EditFacts:
    """The facts that one edit removes and adds; `had` and `has` are those of the whole texts.

    `is_at_error`: an error is in its lines. `is_syntax`: and the old text does not parse.
    `is_superfluous`: an error calls something there superfluous; `may_drop_part`: a part of it.
    """

    lost: FactList
    gained: FactList
    had: FactCount
    has: FactCount
    reports: Reports
    is_at_error: bool
    is_superfluous: bool
    may_drop_part: bool
    is_syntax: bool
    edit: Edit
    old: ParsedSource
    new: ParsedSource

    def had_texts(self, *kinds: FactKind) -> set[str]:
        """Return the texts of the facts of these kinds in the whole old text."""
        found: set[str] = set()
        for kind, text in self.had:
            if kind in kinds:
                found.add(text)

        return found

    @property
    def removed(self) -> str:
        """The old text."""
        return self.old.text[self.edit.start : self.edit.end]

    @property
    def added(self) -> str:
        """The new text."""
        return self.new.text[self.edit.new_start : self.edit.new_end]

    @property
    def may_delete(self) -> bool:
        """Whether something superfluous goes, and no value takes its place."""
        if self.gained.of("literal", "evasion", "discard"):
            return False

        if self.is_superfluous:
            return True

        if self.covers_lines:
            return False

        return self.may_drop_part

    def changed_tokens(self, *kinds: str) -> tuple[str, str]:
        """Return the tokens of these kinds that are gone, and those that are new.

        A token is not new if its words were there, or an error names them.
        """
        old = _tokens_of(self.removed, self.old.language, kinds)
        new = _tokens_of(self.added, self.old.language, kinds)
        known = self.reports.names.union(_WORD.findall(self.removed))
        gained: list[str] = []
        for token in (new - old).elements():
            words = _WORD.findall(token) or [token]
            if not known.issuperset(words):
                gained.append(token)

        return " ".join((old - new).elements()), " ".join(gained)

    @property
    def is_similar(self) -> bool:
        """Whether the old and the new text differ in a few characters."""
        matcher = SequenceMatcher(None, self.removed, self.added, autojunk=False)
        return matcher.ratio() >= _SIMILAR

    @property
    def covers_lines(self) -> bool:
        """Whether the edit removes whole lines."""
        line = self.old.text.rfind("\n", 0, self.edit.start) + 1
        end = self.old.text.find("\n", self.edit.end)
        before = self.old.text[line : self.edit.start]
        after = self.old.text[self.edit.end : end]
        return not f"{before}{after}".strip()


def _tokens_of(text: str, language: str, kinds: tuple[str, ...]) -> Counter[str]:
    found: Counter[str] = Counter()
    for token in tokenize(text, language):
        if token.kind in kinds:
            found[token.text] += 1

    return found
