"""Apply a rule to a text: the message, the place and the code must fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.rules.import_block import place_import
from holdfast.rules.rule import (
    END_OF_LINE,
    Rule,
    TokenRewrite,
    TreeRewrite,
    argument_texts,
    fill,
    plain_type,
)
from holdfast.rules.token_pattern import TokenMatch, find_token_matches, is_last_of_line
from holdfast.rules.tree_pattern import TreeMatch, find_matches
from holdfast.syntax.source import ParsedSource
from holdfast.syntax.tokens import first_at
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.vocab.diagnostics import Diagnostic


@dataclass(frozen=True, slots=True)
class NoFit:
    """The rule does not fit here; `reason` says why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The new text."""

    text: str


@dataclass(frozen=True, slots=True)
class _Change:
    start: int
    end: int
    text: str


def rewrite(rule: Rule, text: str, diagnostic: Diagnostic) -> Rewritten | NoFit:
    """Rewrite the one place that the diagnostic is about."""
    if not _answers(rule, diagnostic):
        return NoFit("the message is another one, or names something else")
    source = ParsedSource(text, rule.target, diagnostic.path)
    changes: list[_Change] = []
    if rule.rewrite is not None:
        change = _change_of(rule.rewrite, source, diagnostic)
        if isinstance(change, NoFit):
            return change
        changes.append(change)
    new = _with_imports(_spliced(text, changes), rule, diagnostic)
    if new is None:
        return NoFit("the message lacks a name that the import needs")
    if new == text:
        return NoFit("nothing would change")
    if isinstance(rule.rewrite, TreeRewrite) and _breaks(source, new):
        return NoFit("the new text would not parse")
    return Rewritten(new)


def _answers(rule: Rule, diagnostic: Diagnostic) -> bool:
    """Return whether a diagnostic is of the kind of a rule, with one of its names."""
    key = (diagnostic.tool, diagnostic.code, diagnostic.template)
    if key != (rule.tool, rule.code, rule.template):
        return False
    for number, values in rule.values.items():
        if number >= len(diagnostic.args):
            return False
        if plain_type(diagnostic.args[number]) not in values:
            return False
    return True


def _breaks(source: ParsedSource, new: str) -> bool:
    return ParsedSource(new, source.language).errors > source.errors


def _change_of(
    rewrite_: TreeRewrite | TokenRewrite, source: ParsedSource, diagnostic: Diagnostic
) -> _Change | NoFit:
    if isinstance(rewrite_, TreeRewrite):
        return _tree_change(rewrite_, source, diagnostic)
    return _token_change(rewrite_, source, diagnostic)


# -------------------------------------------------------------------------------------- trees


def _tree_change(
    rewrite_: TreeRewrite, source: ParsedSource, diagnostic: Diagnostic
) -> _Change | NoFit:
    matches = find_matches(rewrite_, source, diagnostic.args)
    if not rewrite_.elsewhere:
        matches = _at_diagnostic(matches, source, diagnostic)
    if len(matches) != 1:
        return NoFit(f"the pattern fits at {len(matches)} places")
    match = matches[0]
    texts = {**argument_texts(diagnostic.args), **match.texts}
    new = fill(rewrite_.fix, texts)
    if new is None:
        return NoFit("the fix needs a name that the message does not have")
    return _Change(match.start, match.end, _indented(new, source, match.start))


def _at_diagnostic(
    matches: Sequence[TreeMatch], source: ParsedSource, diagnostic: Diagnostic
) -> list[TreeMatch]:
    """Return the smallest of the matches around the place of the diagnostic."""
    start = source.place_of(diagnostic)
    if start is None:
        return []
    around = [match for match in matches if match.start <= start <= match.end]
    end = source.end_of(diagnostic)
    if end is not None:
        whole = [match for match in around if end <= match.end]
        around = whole or around
    size = min((match.end - match.start for match in around), default=0)
    return [match for match in around if match.end - match.start == size]


def _indented(text: str, source: ParsedSource, at: int) -> str:
    line_start = source.text.rfind("\n", 0, at) + 1
    line = source.text[line_start:]
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    newline = "\r\n" if "\r\n" in source.text else "\n"
    first, *others = text.split("\n")
    lines = [indent + each if each else each for each in others]
    return newline.join([first, *lines])


# ------------------------------------------------------------------------------------- tokens


def _token_change(
    rewrite_: TokenRewrite, source: ParsedSource, diagnostic: Diagnostic
) -> _Change | NoFit:
    offset = source.place_of(diagnostic)
    if offset is None:
        return NoFit("the diagnostic has no place")
    matches = find_token_matches(rewrite_, source, diagnostic.args)
    near = _nearest(matches, source, offset)
    if len(near) != 1:
        return NoFit(f"the pattern fits at {len(near)} places")
    match = near[0]
    texts = {**argument_texts(diagnostic.args), **match.texts, END_OF_LINE: ""}
    new = fill(rewrite_.fix, texts)
    if new is None:
        return NoFit("the fix needs a name that the message does not have")
    start, end = source.tokens[match.low].start, source.tokens[match.high - 1].end
    return _Change(start, end, _indented(new, source, start))


def _nearest(matches: Sequence[TokenMatch], source: ParsedSource, offset: int) -> list[TokenMatch]:
    """Return the matches that a diagnostic at an offset is about.

    It is at one of their tokens or at the next one; otherwise on the line that they end.
    """
    tokens = source.tokens
    around = []
    for match in matches:
        following = min(match.high, len(tokens) - 1)
        if tokens[match.low].start <= offset <= tokens[following].end:
            around.append(match)
    if around:
        ends = {abs(tokens[match.high - 1].end - offset): match for match in around}
        return [ends[min(ends)]]
    number = min(first_at(tokens, offset), len(tokens) - 1)
    line = source.line_of(tokens[number].start)
    return [match for match in matches if _ends_line(match, source, line)]


def _ends_line(match: TokenMatch, source: ParsedSource, line: int) -> bool:
    if not is_last_of_line(source, match.high - 1):
        return False
    return source.line_of(source.tokens[match.high - 1].start) == line


# ------------------------------------------------------------------------------------ the text


def _spliced(text: str, changes: Sequence[_Change]) -> str:
    for change in changes:
        text = text[: change.start] + change.text + text[change.end :]
    return text


def _with_imports(text: str, rule: Rule, diagnostic: Diagnostic) -> str | None:
    """Return the text with the imports of a rule; None if a hole of an import is empty."""
    texts = argument_texts(diagnostic.args)
    for each in rule.imports:
        line = fill(each, texts)
        if line is None:
            return None
        edit = place_import(text, line, rule.target)
        if edit is not None:
            text = text[: edit.at] + edit.text + text[edit.at :]
    return text
