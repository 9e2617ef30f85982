"""Whether each edit of a fix has to do with a diagnostic.

An edit is about a diagnostic if it is in the statement of one, or declares or imports a name in
one. What a relevant edit declares makes the edits of its users relevant, too.
"""

from __future__ import annotations

import re
from functools import partial
from itertools import filterfalse
from typing import TYPE_CHECKING, Final

from holdfast.preservation.fact_tables import DECLARED_TYPES
from holdfast.preservation.reports import errors_among, names_in
from holdfast.syntax.edits import Edit, edits_between
from holdfast.syntax.node_kinds import FUNCTIONS
from holdfast.syntax.tokens import KEYWORDS, tokenize
from holdfast.syntax.tree import field_text, span_of
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ast_grep_py import SgNode

    from holdfast.syntax.source import ParsedSource
    from holdfast.vocab.diagnostics import Area, Diagnostic

_BLOCKS: Final = frozenset(
    {
        "block",
        "statement_block",
        "compound_statement",
        "class_body",
        "declaration_list",
        "function_body",
        "module",
        "program",
        "translation_unit",
        "source_file",
        "interface_body",
        "enum_body",
        "field_declaration_list",
        "enum_variant_list",
        "constructor_body",
        "switch_block",
        "match_block",
        "switch_body",
    }
)
_DECLARATION: Final = lazy_pattern(
    "declaration|definition|specifier|assignment|_item|signature|annotation|decorated|export|field"
)
_ASSIGNMENT: Final = lazy_pattern(r"[\w.]+\s*=(?!=)")
_IMPORT: Final = lazy_pattern(
    r"\s*(?:#\s*include\b|import\b|from\s+\S+\s+import\b|(?:pub\s+)?use\s)"
)
_HOLDERS: Final = DECLARED_TYPES.union(FUNCTIONS)
_EMPTY: Final = frozenset({"", "pass", "...", ".", ";"})
_MARKS: Final = frozenset({"open", "close"})
_PUNCTUATION: Final = frozenset(",;:\"'`")
_WORD: Final = lazy_pattern(r"[^\W\d]\w*")
_CALLED: Final = lazy_pattern(r"(\w+)\s*(?:<[^()]*>)?\(")
_NEAR: Final = 3
"""How many lines from a syntax error its cause may be."""


def unrelated_edits(
    old: ParsedSource, new: ParsedSource, path: str, diagnostics: Sequence[Diagnostic]
) -> list[Edit]:
    """Return the edits that have to do with no diagnostic; [] if none has a place."""
    errors = errors_among(diagnostics)
    places: list[int] = []
    for error in errors:
        if error.path in {"", path}:
            places += _places(error, old)

    if not places:
        return []

    edits: list[Edit] = []
    for edit in edits_between(old.text, new.text, old.language):
        if _imports(edit, new.text):
            continue

        edits.append(edit)

    if old.errors:
        return [edit for edit in edits if not _is_near(edit, places, old, new)]

    return _Related(old, new, errors, places).unrelated(edits)


def _places(diagnostic: Diagnostic, source: ParsedSource) -> list[int]:
    """Return the offsets to which a diagnostic, its notes and its fix-its point."""
    areas: list[Area | None] = [diagnostic.area]
    areas += [each.area for each in diagnostic.related]
    for fixit in diagnostic.fixits:
        areas += [edit.area for edit in fixit.edits]

    offsets: list[int] = []
    for area in filter(None, areas):
        start = source.offset(area.line, area.column)
        if start is not None:
            offsets.append(start)

        end = source.offset(area.end_line, area.end_column)
        if end is not None:
            offsets.append(end)

    return offsets


def _imports(edit: Edit, after: str) -> bool:
    """Return whether an edit only adds imports."""
    lines = filter(str.strip, after[edit.new_start : edit.new_end].split("\n"))
    if edit.start != edit.end:
        return False

    return all(map(_IMPORT.match, lines))


def _is_near(edit: Edit, places: Sequence[int], old: ParsedSource, new: ParsedSource) -> bool:
    """Return whether an edit may be the cure of a syntax error: it is near, or only punctuation."""
    first = old.line_of(edit.start) - _NEAR
    last = old.line_of(edit.end) + _NEAR
    if not set(range(first, last + 1)).isdisjoint(map(old.line_of, places)):
        return True

    removed = old.text[edit.start : edit.end]
    added = new.text[edit.new_start : edit.new_end]
    tokens = tokenize(f"{removed} {added}", old.language)
    return all(token.kind in _MARKS or token.text in _PUNCTUATION for token in tokens)


# ----------------------------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement without the blocks in it: its spans and words, and whether it declares something.

    `start` and `end` are those of the whole statement, with its blocks.
    """

    start: int
    end: int
    spans: tuple[tuple[int, int], ...]
    declares: bool
    words: frozenset[str]

    def has(self, offset: int) -> bool:
        """Return whether an offset is in the statement."""
        return any(start <= offset <= end for start, end in self.spans)

    def has_any(self, offsets: Sequence[int]) -> bool:
        """Return whether one of these offsets is in the statement."""
        return any(map(self.has, offsets))

    @property
    def is_function(self) -> bool:
        """Whether the statement declares something with a body."""
        return self.declares and len(self.spans) > 1

    @property
    def headers(self) -> tuple[tuple[int, int], ...]:
        """The spans before its blocks; all of them if it has no block."""
        return self.spans[:-1] or self.spans

    def covers_any(self, offsets: Sequence[int]) -> bool:
        """Return whether one of these offsets is in the statement, or in a block of it."""
        return any(self.start <= offset <= self.end for offset in offsets)


def _statements(source: ParsedSource) -> list[Statement]:
    """Return all statements and members of a text, each without the blocks in it."""
    found: list[Statement] = []
    for block in source.nodes:
        if block.kind() in _BLOCKS:
            found += [_statement(child, source) for child in block.named_children()]

    return found


def _statement(node: SgNode, source: ParsedSource) -> Statement:
    start, end = span_of(node)
    spans: list[tuple[int, int]] = []
    at = start
    for block in _outer_blocks(node):
        block_start, block_end = span_of(block)
        spans.append((at, block_start))
        at = max(block_start, block_end - 1)

    spans.append((at, max(at, end)))
    words: set[str] = set()
    for first, last in spans:
        words.update(_WORD.findall(source.text, first, last))

    # An assignment of Python is an expression.
    declares = _DECLARATION.search(node.kind()) or _ASSIGNMENT.match(source.text, start)
    return Statement(
        start=start,
        end=max(at, end),
        spans=tuple(spans),
        declares=declares is not None,
        words=frozenset(words),
    )


def _outer_blocks(node: SgNode) -> list[SgNode]:
    found: list[SgNode] = []
    waiting = list(reversed(node.children()))
    while waiting:
        child = waiting.pop()
        if child.kind() in _BLOCKS:
            found.append(child)
        else:
            waiting += reversed(child.children())

    return found


# --------------------------------------------------------------------------------- relatedness


class _Related:
    """The statements of a text that parses, and the names that the diagnostics are about.

    `_named` are the names in messages, `_names` also those in the statements of diagnostics. `_used`
    and `_added` are what the related edits declare and add. `_ends` are the ends of the statements of
    diagnostics, and of what related edits remove.
    """

    def __init__(
        self,
        old: ParsedSource,
        new: ParsedSource,
        errors: Sequence[Diagnostic],
        places: Sequence[int],
    ) -> None:
        self._old, self._new = old, new
        self._places = places
        self._statements = _statements(old)
        self._new_statements = _statements(new)
        self._failing = [each for each in self._statements if each.has_any(places)]
        self._reported = set[str]().union(*map(names_in, errors))
        self._named = self._reported - KEYWORDS
        self._names = self._named.union(*(each.words for each in self._failing))
        self._used: set[str] = set()
        self._added: set[str] = set()
        self._ends = {each.end for each in self._failing}

    def unrelated(self, edits: Sequence[Edit]) -> list[Edit]:
        """Return the edits that have to do with no diagnostic, nor with an edit that has."""
        left = list(edits)
        while True:
            related = list(filter(self._is_related, left))
            if not related:
                return list(filterfalse(self._is_moved, left))

            for edit in related:
                left.remove(edit)
                self._add_declared(edit)

    def _is_related(self, edit: Edit) -> bool:
        statement = self._statement_of(edit)
        if statement in self._failing:
            return True

        if any(rule(edit) for rule in (self._says_name, self._adds_beside, self._is_retyped)):
            return True

        if statement is None or self._is_whole(edit):
            return False

        return self._is_about(statement)

    def _is_whole(self, edit: Edit) -> bool:
        """Return whether an edit adds a statement of its own to a text, beside the others.

        What ends in a colon (`public:`) belongs to what follows.
        """
        if self._new.text[: edit.new_end].endswith(":"):
            return False

        for each in self._new_statements:
            if edit.new_start <= each.start and each.end <= edit.new_end:
                return edit.start == edit.end

        return False

    def _says_name(self, edit: Edit) -> bool:
        """Return whether an edit adds a name that a message names."""
        old = _WORD.findall(self._old.text[edit.start : edit.end])
        new = _WORD.findall(self._new.text[edit.new_start : edit.new_end])
        wanted = set(map(str.lower, self._named | self._used))
        return not wanted.isdisjoint(map(str.lower, set(new).difference(old)))

    def _adds_beside(self, edit: Edit) -> bool:
        """Return whether an edit only adds code to what a diagnostic is about."""
        if self._old.text[edit.start : edit.end].strip() not in _EMPTY:
            return False

        # New lines may be right after a statement with a diagnostic, or what a related edit removes.
        if self._old.gap_before(edit.start) in self._ends:
            return True

        return any(self._is_completed(each, edit) for each in self._statements)

    def _is_retyped(self, edit: Edit) -> bool:
        """Return whether an edit writes one type of a message for another one, in a member of a type.

        A list of values names only that type, and not the members that they are for.
        """
        old = self._old.text[edit.start : edit.end]
        new = self._new.text[edit.new_start : edit.new_end]
        if not self._reported.issuperset({old, new}):
            return False

        around = self._old.nodes_around(edit.start)
        holders = [node for node in around if node.kind() in _HOLDERS]
        names = [field_text(node, "name") for node in holders[-1:]]
        return not self._names.isdisjoint(names)

    def _is_completed(self, statement: Statement, edit: Edit) -> bool:
        """Return whether an edit is in the header of what a diagnostic is about, or in its body.

        If the diagnostic is in another statement of the body, only the header is about it.
        """
        if not statement.covers_any(self._places):
            return False

        if statement in self._failing:
            return statement.covers_any([edit.start])

        if self._is_whole(edit):
            return False

        return any(start <= edit.start <= end for start, end in statement.headers)

    def _is_about(self, statement: Statement) -> bool:
        """Return whether a statement declares what a diagnostic is about."""
        if not statement.declares:
            return False

        if statement.covers_any(self._places):
            return True

        return not statement.words.isdisjoint(self._names)

    def _is_moved(self, edit: Edit) -> bool:
        """Return whether an edit only removes words that related edits add beside an error."""
        if edit.new_start != edit.new_end:
            return False

        old = set(re.findall(r"\w+", self._old.text[edit.start : edit.end]))
        known = self._added | self._names
        if old.isdisjoint(self._added):
            return False

        return known.issuperset(old)

    def _add_declared(self, edit: Edit) -> None:
        """Add what a related edit introduces or declares: its users may change with it."""
        new = self._new.text[edit.new_start : edit.new_end]
        self._added.update(re.findall(r"\w+", new))
        self._ends.add(edit.end)
        self._used |= set(_WORD.findall(new)) - set(_WORD.findall(self._old.text))
        statement = self._statement_of(edit)
        if statement is not None and statement.is_function:
            self._failing += filter(partial(self._follows, statement), self._statements)

    def _follows(self, changed: Statement, other: Statement) -> bool:
        """Return whether a statement would fail next: it calls a changed function, or is its result."""
        header = self._old.text[changed.start : changed.headers[0][1]]
        if other is not changed and not other.words.isdisjoint(_CALLED.findall(header)[:1]):
            return True

        if not changed.start < other.start <= other.end < changed.end:
            return False

        is_last = not self._old.text[other.end : changed.end].strip("; \n\t}")
        return is_last or self._old.text.startswith("return", other.start)

    def _statement_of(self, edit: Edit) -> Statement | None:
        """Return the smallest statement around an edit."""
        around = [each for each in self._statements if each.has(edit.start)]
        return min(around, key=lambda each: each.end - each.start, default=None)
