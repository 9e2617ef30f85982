"""Whether each edit of a fix has to do with a diagnostic.

An edit is about a diagnostic if it is in the statement of one, or declares or imports a name in
one. What a relevant edit declares makes the edits of its users relevant, too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from holdfast.syntax.edits import Edit, edits_between
from holdfast.syntax.source import ParsedSource
from holdfast.syntax.syntax_errors import is_syntax
from holdfast.syntax.tokens import KEYWORDS, tokenize
from holdfast.syntax.tree import all_nodes, span_of
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ast_grep_py import SgNode

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
_DECLARATION: Final = re.compile(
    "declaration|definition|specifier|assignment|_item|signature|annotation|decorated|export|field"
)
_IMPORT: Final = re.compile(r"\s*(?:#\s*include\b|import\b|from\s+\S+\s+import\b|(?:pub\s+)?use\s)")
_EMPTY: Final = frozenset({"pass", "...", ".", ";"})
_WORD: Final = re.compile(r"[^\W\d]\w*")
_NEAR: Final = 3
"""How many lines from a syntax error its cause may be."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement without the blocks in it: its spans, and whether it declares something."""

    spans: tuple[tuple[int, int], ...]
    declares: bool
    text: str

    def has(self, offset: int) -> bool:
        """Return whether an offset is in the statement."""
        return any(start <= offset <= end for start, end in self.spans)

    def has_line_of(self, offset: int, source: ParsedSource) -> bool:
        """Return whether the statement has code on the line of an offset."""
        line = source.line_of(offset)
        for start, end in self.spans:
            if source.line_of(start) <= line <= source.line_of(end):
                return True
        return False

    @property
    def words(self) -> set[str]:
        """The names and keywords in the statement."""
        return set(_WORD.findall(self.text))


def unrelated_edits(
    before: str, after: str, language: str, diagnostics: Sequence[Diagnostic]
) -> list[Edit]:
    """Return the edits that have to do with no diagnostic."""
    source = ParsedSource(before, language)
    problems = [each for each in diagnostics if each.severity == "error"] or list(diagnostics)
    places = [place for each in problems for place in _places(each, source)]
    if not places:
        return []
    edits = [edit for edit in edits_between(before, after, language) if not _imports(edit, after)]
    if source.root is None or any(map(is_syntax, problems)) or source.errors:
        return [edit for edit in edits if not _is_near(edit, places, before, after, source)]
    return _Related(source, after, problems, places).unrelated(edits)


def _imports(edit: Edit, after: str) -> bool:
    """Return whether an edit only adds imports."""
    if edit.start != edit.end:
        return False
    lines = after[edit.new_start : edit.new_end].split("\n")
    return all(_IMPORT.match(line) for line in lines if line.strip())


def names_in(diagnostic: Diagnostic, texts: Sequence[str]) -> set[str]:
    """Return the names that a diagnostic is about: words of its message that the code has too."""
    words = set(_WORD.findall(" ".join([diagnostic.message, *diagnostic.args])))
    known: set[str] = set()
    for text in texts:
        known.update(_WORD.findall(text))
    return (words & known) - KEYWORDS


def _places(diagnostic: Diagnostic, source: ParsedSource) -> list[int]:
    areas: list[Area | None] = [diagnostic.area]
    areas += [each.area for each in diagnostic.related]
    for fixit in diagnostic.fixits:
        areas += [edit.area for edit in fixit.edits]
    found = []
    for area in areas:
        if area is None:
            continue
        for line, column in ((area.line, area.column), (area.end_line, area.end_column)):
            offset = source.offset(line, column)
            if offset is not None:
                found.append(offset)
    return found


def _is_near(
    edit: Edit, places: Sequence[int], before: str, after: str, source: ParsedSource
) -> bool:
    """Return whether an edit may be the cure of a syntax error: it is near, or only punctuation."""
    first, last = source.line_of(edit.start), source.line_of(edit.end)
    for place in places:
        line = source.line_of(place)
        if first - _NEAR <= line <= last + _NEAR:
            return True
    changed = before[edit.start : edit.end] + " " + after[edit.new_start : edit.new_end]
    tokens = tokenize(changed, source.language)
    return all(token.kind in {"open", "close"} or token.text in ",;:\"'`" for token in tokens)


class _Related:
    """The statements of a text that parses, and the names that the diagnostics are about."""

    def __init__(
        self,
        source: ParsedSource,
        after: str,
        problems: Sequence[Diagnostic],
        places: Sequence[int],
    ) -> None:
        self._source = source
        self._after = after
        self._places = places
        self._statements = _statements(source)
        self._names: set[str] = set()
        self._said: set[str] = set()
        for problem in problems:
            self._said |= names_in(problem, [source.text, after])
        self._names |= self._said
        for statement in self._statements:
            if any(statement.has(place) for place in places):
                self._names |= statement.words
        self._used: set[str] = set()

    def unrelated(self, edits: Sequence[Edit]) -> list[Edit]:
        left = list(edits)
        while True:
            related = [edit for edit in left if self._is_related(edit)]
            if not related:
                return left
            for edit in related:
                left.remove(edit)
                self._add_declared(edit)

    def _is_related(self, edit: Edit) -> bool:
        statement = self._statement_of(edit)
        if statement is not None and self._has_place(statement):
            return True
        removed = self._source.text[edit.start : edit.end]
        if removed.strip() in _EMPTY and self._completes(edit):
            return True
        if self._says_name(edit):
            return True
        if edit.start == edit.end and (self._is_beside(edit) or self._completes(edit)):
            return True
        if statement is None:
            return False
        if statement.declares and statement.words & self._names:
            return True
        return bool(statement.words & self._used)

    def _has_place(self, statement: Statement) -> bool:
        return any(statement.has(place) for place in self._places)

    def _says_name(self, edit: Edit) -> bool:
        """Return whether an edit adds or replaces a name that a message names."""
        old = set(_WORD.findall(self._source.text[edit.start : edit.end]))
        new = set(_WORD.findall(self._after[edit.new_start : edit.new_end]))
        wanted = self._said | self._used
        if _lower(new - old) & _lower(wanted):
            return True
        return len(old) == 1 and old <= self._said

    def _completes(self, edit: Edit) -> bool:
        """Return whether new code is in the header or the body of what a diagnostic is about."""
        for statement in self._statements:
            first, last = statement.spans[0][0], statement.spans[-1][1]
            if not first <= edit.start <= last:
                continue
            if self._has_place(statement):
                return True
            is_header = statement.has(edit.start) and len(statement.spans) > 1
            if is_header and any(first <= place <= last for place in self._places):
                return True
        return False

    def _is_beside(self, edit: Edit) -> bool:
        """Return whether new lines are right before or after a statement with a diagnostic."""
        text = self._source.text
        end = len(text[: edit.start].rstrip())
        following = edit.start + len(text[edit.start :]) - len(text[edit.start :].lstrip())
        for statement in self._statements:
            if not self._has_place(statement):
                continue
            first, last = statement.spans[0][0], statement.spans[-1][1]
            if first == following or last == end:
                return True
        return False

    def _add_declared(self, edit: Edit) -> None:
        """Add what a related edit introduces or declares: its users may change with it."""
        words = set(_WORD.findall(self._after[edit.new_start : edit.new_end]))
        old = set(_WORD.findall(self._source.text))
        self._used |= words - old
        statement = self._statement_of(edit)
        if statement is not None and statement.declares and "(" in statement.text:
            names = _WORD.findall(statement.text.partition("(")[0])
            self._used |= set(names[-1:])

    def _statement_of(self, edit: Edit) -> Statement | None:
        around = [each for each in self._statements if each.has(edit.start)]
        if not around:
            return None
        return min(around, key=lambda each: each.spans[-1][1] - each.spans[0][0])


def _lower(words: set[str]) -> set[str]:
    return {word.lower() for word in words}


def _statements(source: ParsedSource) -> list[Statement]:
    """Return all statements and members of a text, each without the blocks in it."""
    found: list[Statement] = []
    if source.root is None:
        return found
    for block in all_nodes(source.root):
        if block.kind() not in _BLOCKS:
            continue
        found += [_statement(child, source) for child in block.children() if child.is_named()]
    return found


def _statement(node: SgNode, source: ParsedSource) -> Statement:
    start, end = span_of(node)
    spans: list[tuple[int, int]] = []
    at = start
    for block in _outer_blocks(node):
        block_start, block_end = span_of(block)
        spans.append((at, block_start))
        at = max(block_start, block_end - 1)
    if at < end or not spans:
        spans.append((at, end))
    text = " ".join(source.text[first:last] for first, last in spans)
    return Statement(tuple(spans), _DECLARATION.search(node.kind()) is not None, text)


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
